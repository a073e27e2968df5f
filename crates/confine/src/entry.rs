//! The hidden arguments with which a binary starts itself again.

use std::process::ExitCode;

/// The first argument of a keeper; no subcommand, since people have no use for it.
pub(crate) const KEEPER: &str = "confine-keep";
/// The first argument of a process that becomes the program.
pub(crate) const INSIDE: &str = "confine-become";

/// Serves as the keeper of a program, or becomes the program, where this process was started for that. To be called first in `main`. None
/// where it was not.
pub fn serve_if_asked() -> Option<ExitCode> {
    let first = std::env::args_os().nth(1)?;
    #[cfg(target_os = "linux")]
    {
        if first == KEEPER {
            return Some(crate::keeper::serve());
        }
        if first == INSIDE {
            return Some(crate::inside::become_program());
        }
    }
    let _ = (first, KEEPER, INSIDE);
    None
}
