//! The process that becomes the program: restricts itself, then executes it or does the job.

mod files;
mod system_calls;

pub use system_calls::refuse_programs;

use crate::confine::exit::SupervisorEvent;
use crate::confine::limits::{Protections, SpawnRequest};
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal, setsid};
use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The word that lets the program be executed: on standard input, before anything for the program.
pub(crate) const EXECUTE: &[u8] = b"\n";

/// Restricts this process and executes the program in it. Returns only where this process does the job itself.
///
/// # Errors
/// Why it cannot be restricted or executed.
pub(crate) fn become_program(
    request: &SpawnRequest,
    control: &mut UnixStream,
    supervisor: Pid,
) -> io::Result<()> {
    // The signal comes when the supervisor's only thread ends.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid() != Some(supervisor) {
        return Err(io::Error::other("the process that watches it is gone"));
    }
    // A group and a session of its own: it cannot join a group outside, which is ended with it, and it has no terminal.
    setsid()?;
    SupervisorEvent::Started(restrict(request)?).write(control)?;
    // Not by Rust's standard input, which would read more than this.
    let mut word = [0; EXECUTE.len()];
    if rustix::io::retry_on_intr(|| rustix::io::read(rustix::stdio::stdin(), &mut word))? < word.len() {
        return Err(io::Error::other("its caller wants it no more"));
    }
    let Some((first, rest)) = request.command.words.split_first() else { return Ok(()) };
    let error = Command::new(first).args(rest).envs(request.command.environment.iter().cloned()).exec();
    Err(io::Error::new(error.kind(), format!("{first}: {error}")))
}

/// Restricts this process, and so the program, which inherits all of it.
fn restrict(request: &SpawnRequest) -> io::Result<Protections> {
    system_calls::limit(&request.limits)?;
    let mut found = Protections { privileges: system_calls::drop_capabilities(), ..Protections::default() };
    files::restrict(request, &mut found).map_err(|error| io::Error::other(format!("landlock: {error}")))?;
    // Some systems have no filters.
    let _ = system_calls::restrict(&request.limits, &mut found);
    Ok(found)
}
