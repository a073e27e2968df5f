//! Starts a foreign program, holds it within limits, and leaves nothing of it running, on Linux. It knows nothing of graphs. What no system
//! keeps a program from is in [`NOT_HELD`].
//!
//! # The processes
//!
//! | process | what it does |
//! |---|---|
//! | whoever calls [`SandboxedProcess::spawn`] | writes lines to the program and reads lines from it; counts what it prints |
//! | the *supervisor*, its child | measures time, memory, processes and files of the program; ends all of it; reports how it ended |
//! | the program, the supervisor's child | runs in a session of its own, in a folder of its own |
//!
//! The supervisor is the binary of the caller, started again with a hidden argument. [`run_if_sandbox_child`] is its entry, which `main` has to call
//! first. It forks while it has one thread; the new process restricts itself and then executes the program, or does a job of the binary in its place.
//!
//! A process that the program leaves behind becomes a child of the supervisor, also one that forked twice and began a session of its own
//! (`PR_SET_CHILD_SUBREAPER`). So the supervisor finds all of them. When the caller ends, however it ends, the supervisor reads the end of its
//! connection, and ends them as well: that is why it is a process and no thread of the caller. When the supervisor is killed, the program's first process
//! is ended with it, and the others become children of the caller, a subreaper too, which knows them by their filters of system calls and ends them when
//! it next asks for something. Who kills both at once can leave a process.
//!
//! # What holds the program
//!
//! | what | by | where it is missing |
//! |---|---|---|
//! | time, memory, processes, threads, files | the supervisor, which measures at intervals: a program may exceed a limit for some 20 ms, or 50 times what it takes to look at its processes and files | |
//! | output, and the length of a line | the caller, which reads no more than the limit | |
//! | size of a file, open files, virtual memory | resource limits | virtual memory where a GPU is used, which reserves much of it |
//! | writing outside of its folder | landlock | [`Protections::files`] |
//! | modes, owners, times and attributes of files | seccomp refuses to change any, those of its folder included | [`Protections::system_calls`] |
//! | secrets: passwords of the system, keys and tokens in the home folder, disks and terminals as devices | landlock | [`Protections::files`] |
//! | signals and memory of other processes | landlock | [`Protections::signals`], [`Protections::files`] |
//! | limits, processors, scheduling and memory places of other processes | seccomp | [`Protections::system_calls`] |
//! | network | seccomp refuses every socket, and where a GPU is used every connection; landlock refuses TCP | [`Protections::network`] |
//! | executing more programs, where the program asks for it by [`refuse_programs`] | seccomp | [`Protections::system_calls`] |
//! | privileges of root | capabilities are dropped but for reading, and none can be gained; seccomp refuses namespaces of users | [`Protections::privileges`] |
//! | system calls with numbers from 451 on, which Linux got after 6.4 and nobody has looked at | seccomp, as if there were none | [`Protections::system_calls`] |
//!
//! What the system cannot do is a value, [`Protections`], so that records can name it.

#[cfg(not(target_os = "linux"))]
compile_error!("only Linux has what holds a program within limits: build for a target of Linux");

mod child;
mod exit;
mod limits;
mod pipes;
mod sandbox;
mod supervisor;

pub use child::refuse_programs;
pub use exit::{ExitCause, ExitReport};
pub use limits::{NOT_HELD, Network, Protections, SandboxCommand, SandboxLimits};
pub use repro_base::text::{FOREIGN_BYTES, foreign_quote, foreign_text};
pub use sandbox::{SandboxedProcess, open_left_file, protections, read_whole, write_anew};

use std::process::ExitCode;

/// The first argument of the processes between a caller and its program; no subcommand, since people have no use for it.
const SANDBOX: &str = "sandbox-child";

fn is_sandbox_child() -> bool {
    std::env::args_os().nth(1).is_some_and(|first| first == SANDBOX)
}

/// If this process was started for it, supervises a program or becomes it; `job` is what it does in place of a program where a
/// [`SandboxCommand`] has no words. To be called first in `main`, before any other thread. None in every other process.
pub fn run_if_sandbox_child(job: fn() -> ExitCode) -> Option<ExitCode> {
    is_sandbox_child().then(|| supervisor::serve(job))
}
