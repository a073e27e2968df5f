//! How a command ends.

use crate::terminal::output;
use clap::error::ErrorKind;
use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Success = 0,
    /// Something was measured or checked and was not right.
    Failed = 1,
    /// The samples cannot decide what was asked; of `repro doctor`, only the CPU can run.
    Inconclusive = 3,
    /// Stopped by the user: as shells have it after Ctrl-C.
    Interrupted = 130,
}

/// An error that ends a command: one line, the thing and the remedy.
pub type Error = Box<dyn std::error::Error>;

/// What the process ends with; an error is said on standard error.
pub fn exit_code(ended: Result<Exit, Error>) -> ExitCode {
    match ended {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(error) if output::is_broken_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&format!("error: {error}"));
            ExitCode::from(2)
        }
    }
}

/// Whether clap found something wrong, rather than being asked for help or for nothing at all.
pub fn is_mistake(error: &clap::Error) -> bool {
    error.use_stderr() && error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

/// What is wrong with the arguments, and clap's hint if it has one, without the usage below.
pub fn one_line(complaint: &str) -> String {
    let problem = complaint.split("\n\nUsage:").next().unwrap_or_default();
    let problem = problem.split("\n\nFor more information").next().unwrap_or_default();
    let paragraphs = problem.split("\n\n").map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    paragraphs.chain(["see --help".to_string()]).collect::<Vec<_>>().join("; ")
}
