//! Ctrl-C.

use crate::{Error, Exit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that the first Ctrl-C raises; the second ends the process at once.
///
/// # Errors
/// When the system refuses, or this was called before.
pub fn watch_for_interrupts() -> Result<Arc<AtomicBool>, Error> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let raised = interrupted.clone();
    ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted as i32);
        }
    })?;
    Ok(interrupted)
}
