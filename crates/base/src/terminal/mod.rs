//! How the commands of this repository talk: what goes to standard output and what to standard error, errors in one line, exit codes,
//! progress, interrupts.

pub mod output;
mod progress;

pub use output::{fitted, terminal_width, wrapped};
pub use progress::Progress;

use clap::error::ErrorKind;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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

/// What is wrong with the arguments, and clap's hint if it is one, without the usage below: to pass a mistyped option as a value helps nobody.
pub fn one_line(complaint: &str) -> String {
    let is_kept = |part: &&str| !["Usage:", "For more information"].iter().any(|end| part.starts_with(end));
    let paragraphs = complaint.split("\n\n").map(str::trim).take_while(is_kept);
    let paragraphs = paragraphs.filter(|part| !part.starts_with("tip: to pass '"));
    let paragraphs = paragraphs.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    paragraphs.chain(["see --help".to_string()]).collect::<Vec<_>>().join("; ")
}

/// Signals that come within this time are one request: GNU timeout and shells send one to the process and again to its group.
const ONE_REQUEST: Duration = Duration::from_secs(1);

/// What is still to be printed when the command ends by an interrupt. Whoever prints it holds the lock until that is done.
static LAST_WORDS: Mutex<Option<String>> = Mutex::new(None);

/// A flag that the first Ctrl-C raises. One that comes a second later or after that ends the process at once, with the last words.
///
/// # Errors
/// When the system refuses, or this was called before.
pub fn watch_for_interrupts() -> Result<Arc<AtomicBool>, Error> {
    say_when_interrupted("interrupted".to_string());
    let interrupted = Arc::new(AtomicBool::new(false));
    let raised = interrupted.clone();
    let mut first = None;
    ctrlc::set_handler(move || {
        raised.store(true, Ordering::Relaxed);
        if first.get_or_insert_with(Instant::now).elapsed() >= ONE_REQUEST {
            // The lock is held until the process ends: nobody else prints the words.
            let mut words = last_words();
            words.take().iter().for_each(|line| output::complain(line));
            std::process::exit(Exit::Interrupted as i32);
        }
    })?;
    Ok(interrupted)
}

/// From now on an interrupt ends the command with `line`: what is left and how to go on.
pub fn say_when_interrupted(line: String) {
    *last_words() = Some(line);
}

/// Ends a command that was interrupted: its last words are said, once.
pub fn end_interrupted() -> Exit {
    last_words().take().iter().for_each(|line| output::complain(line));
    Exit::Interrupted
}

fn last_words() -> MutexGuard<'static, Option<String>> {
    LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner)
}
