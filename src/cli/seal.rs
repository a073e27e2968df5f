//! `repro seal`: seals runs from before runs had seals.

use super::output::{complain, show};
use super::{Error, Exit};
use crate::experiment::{SealError, find_runs, is_run, seal_committed};
use crate::lists::count_of;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  repro seal results/reference

A RUN is the folder of one run, or a folder with runs below it. A run gets its seal if its records are those of the last commit, and if no commit changed a row of its samples.csv since the commit that added it.")]
pub struct Arguments {
    /// Folders of committed runs, or folders with runs below them
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
}

/// Seals each and says so; one that cannot be sealed does not keep the others from it.
pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    let mut folders = Vec::new();
    for path in &arguments.runs {
        match is_run(path) {
            true => folders.push(path.clone()),
            false => folders.extend(find_runs(path)?),
        }
    }
    let mut refused = 0;
    for folder in &folders {
        match seal_committed(folder) {
            Ok(sealed) => show(&format!(
                "{}: sealed, {} as commit {} added {}\n",
                folder.display(),
                count_of(sealed.samples, "sample"),
                sealed.commit,
                if sealed.samples == 1 { "it" } else { "them" }
            ))?,
            Err(SealError::Sealed(path)) => show(&format!("{}: has a seal\n", path.display()))?,
            Err(error) if folders.len() == 1 => return Err(error.into()),
            Err(error) => {
                refused += 1;
                complain(&format!("not sealed: {error}"));
            }
        }
    }
    Ok(if refused == 0 { Exit::Success } else { Exit::Failed })
}
