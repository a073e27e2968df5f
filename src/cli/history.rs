//! `repro history`: adds what stored runs measured to the histories of their machines.

use super::folders::outside_of_runs;
use super::output::{complain, show};
use super::report::{OpenedRuns, open_runs};
use super::{Error, Exit};
use crate::lists::count_of;
use crate::regression::history::{append, check, rows_of};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  repro history results/runs/table1-20261121T030000Z
  repro history results/reference --out /tmp/history

A RUN is the folder of one run, or a folder with runs below it. A run that is in the history already is not added again.")]
pub struct Arguments {
    /// Folders of runs, or folders with runs below them
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// The folder of histories, with one CSV file for each machine
    #[arg(long, value_name = "DIR", default_value = "results/history")]
    out: PathBuf,
    /// Also add runs whose records were changed after they were written
    #[arg(long)]
    unsealed: bool,
}

/// Appends the runs, oldest first, and says what became of each.
pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    outside_of_runs("--out", &arguments.out)?;
    let OpenedRuns { mut runs, unread, smoke } = open_runs(&arguments.runs, arguments.unsealed)?;
    for error in unread.iter().chain(&smoke) {
        complain(&format!("left out: {error}"));
    }
    runs.sort_by(|a, b| a.manifest.started.cmp(&b.manifest.started));
    // Before the first is added: what is refused changes nothing.
    runs.iter().try_for_each(|run| check(&arguments.out, run))?;
    for run in &runs {
        let name = run.name();
        if !run.seal.is_sound() {
            show(&format!("note: {name} {}; it is used as it is.\n", run.seal))?;
        }
        if rows_of(run).is_empty() {
            show(&format!("{name}: no cell has a median: nothing to add\n"))?;
            continue;
        }
        let appended = append(&arguments.out, run)?;
        let path = appended.path.display();
        if let Some(notice) = &appended.notice {
            show(&format!("note: {path}: {notice}\n"))?;
        }
        let there = match appended.skipped {
            0 => String::new(),
            1 => ", 1 was there already".to_string(),
            skipped => format!(", {skipped} were there already"),
        };
        // At once: a later run may fail.
        show(&format!("{name}: {} added to {path}{there}\n", count_of(appended.added, "cell")))?;
    }
    Ok(if unread.is_empty() { Exit::Success } else { Exit::Failed })
}
