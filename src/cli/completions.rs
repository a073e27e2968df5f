//! `repro completions`

use clap_complete::Shell;
use repro_base::terminal::{Error, Exit, output};

/// Print a completion script for a shell
#[derive(clap::Args)]
pub struct CompletionArgs {
    /// The shell to complete for
    shell: Shell,
}

pub fn run(given: &CompletionArgs) -> Result<Exit, Error> {
    let mut script = Vec::new();
    clap_complete::generate(given.shell, &mut super::command(), "repro", &mut script);
    output::print(&String::from_utf8(script)?)?;
    Ok(Exit::Success)
}
