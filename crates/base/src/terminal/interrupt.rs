//! Ctrl-C.

use crate::terminal::{Error, Exit, output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Signals that come within this time are one request: GNU timeout and shells send one to the process and again to its group.
const ONE_REQUEST: Duration = Duration::from_secs(1);

/// What is still to be said when the command ends by an interrupt. Whoever says it holds it until it is said.
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
            // Held to the end: nobody else says it.
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
