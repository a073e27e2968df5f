//! Starts a foreign program, holds it within limits, and leaves nothing of it running. It knows nothing of graphs.
//!
//! # The processes
//!
//! | process | what it does |
//! |---|---|
//! | whoever calls [`Confined::start`] | writes lines to the program and reads lines from it; counts what it prints |
//! | the *keeper*, its child | measures time, memory, processes and files of the program; ends all of it; reports how it ended |
//! | the program, the keeper's child | runs in a session of its own, in a folder of its own |
//!
//! The keeper is the binary of the caller, started again with a hidden argument. [`serve_if_asked`] is its entry, which `main` has to call first.
//! A process that the program leaves behind becomes a child of the keeper, also one that forked twice and began a session of its own
//! (`PR_SET_CHILD_SUBREAPER`). So the keeper finds all of them. When the caller ends, the keeper reads the end of its connection, and ends
//! them as well.
//!
//! Before the program there is the same binary once more, in the process that becomes the program. It restricts itself and then
//! executes the program, which inherits every restriction. So nothing runs between `fork` and `exec` but the standard library.
//!
//! # What holds the program
//!
//! | what | by | where it is missing |
//! |---|---|---|
//! | time, memory, processes, threads, files | the keeper, which measures at intervals: a program may exceed a limit for some 20 ms | |
//! | output, and the length of a line | the caller, which reads no more than the limit | |
//! | size of a file, open files, virtual memory | resource limits | virtual memory where a GPU is used, which reserves much of it |
//! | writing outside of its folder | landlock | [`Protections::files`] |
//! | modes, owners, times and attributes of files | seccomp refuses to change any, those of its folder included | [`Protections::system_calls`] |
//! | secrets: passwords of the system, keys and tokens in the home folder, disks and terminals as devices | landlock | [`Protections::files`] |
//! | signals and memory of other processes | landlock | [`Protections::signals`], [`Protections::files`] |
//! | network | seccomp refuses every socket, and where a GPU is used every connection; landlock refuses TCP | [`Protections::network`] |
//! | executing more programs, where the program asks for it by [`refuse_programs`] | seccomp | [`Protections::system_calls`] |
//! | privileges of root | capabilities are dropped but for reading, and none can be gained; seccomp refuses namespaces | [`Protections::privileges`] |
//!
//! What the system cannot do is a value, [`Protections`], so that records can name it. Not held by anything: the use of the processor, its caches
//! and the bandwidth of memory; reading what else the user may read; the names and arguments of other processes, which `/proc` shows; the processors
//! on which other processes of the same user run.

mod end;
mod environment;
mod limits;
mod protections;

#[cfg(target_os = "linux")]
mod confined;
#[cfg(target_os = "linux")]
mod inside;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(target_os = "linux")]
mod messages;
#[cfg(target_os = "linux")]
mod secrets;
#[cfg(target_os = "linux")]
mod wait;

#[cfg(not(target_os = "linux"))]
mod elsewhere;

#[cfg(target_os = "linux")]
pub use confined::{Confined, Held, Killed, protections};
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Confined, Held, Killed, protections, refuse_programs};
pub use end::{End, Ended, Stream};
#[cfg(target_os = "linux")]
pub use inside::refuse_programs;
pub use limits::{Limits, Program};
pub use protections::{Network, Protections};
pub use repro_types::foreign_text::{FOREIGN_BYTES, foreign_quote, foreign_text};

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
