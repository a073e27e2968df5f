//! The process that becomes the program: restricts itself, then executes it.

mod files;
mod privileges;
mod refused_calls;
mod resources;
mod system_calls;

pub use system_calls::refuse_programs;

use crate::INSIDE;
use crate::keeper::NOT_EXECUTED;
use crate::messages::{self, Preface, Start};
use crate::protections::{Network, Protections};
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal, setsid};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// On standard input, before anything for the program: that it may be executed.
pub(crate) const EXECUTE: &[u8] = b"\n";

/// Returns only where the program could not be executed.
pub(crate) fn become_program() -> ExitCode {
    let reason = match try_to() {
        Ok(never) => match never {},
        Err(error) => error.to_string(),
    };
    // Without a reader nobody is left to know.
    let _ = messages::write(&Preface::Failed { reason }, &mut io::stderr());
    ExitCode::from(NOT_EXECUTED as u8)
}

fn try_to() -> io::Result<std::convert::Infallible> {
    let argument =
        std::env::args().nth(2).ok_or_else(|| io::Error::other(format!("{INSIDE} without what to run")))?;
    let start: Start = serde_json::from_str(&argument)?;
    let (first, rest) =
        start.program.command.split_first().ok_or_else(|| io::Error::other("its command line is empty"))?;
    let keeper = getppid();
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if keeper.is_none_or(Pid::is_init) || getppid() != keeper {
        return Err(io::Error::other("the process that watches it is gone"));
    }
    // A group and a session of its own: it cannot join a group outside, which is ended with it, and it has no terminal.
    setsid()?;
    resources::limit(&start.limits)?;
    resources::close_inherited()?;
    let privileges = privileges::drop_all();
    let files = files::restrict(&start)?;
    let calls = system_calls::restrict(&start.limits);
    let network = match (calls.is_some(), files.tcp) {
        (true, _) => Network::Denied,
        (false, true) => Network::TcpDenied,
        (false, false) => Network::Open,
    };
    let protections = Protections {
        landlock: files.landlock,
        files: files.files,
        signals: files.signals,
        network,
        system_calls: calls.is_some(),
        privileges,
        slowed: calls.is_some_and(|calls| calls.slows),
    };
    messages::write(&Preface::Ready(protections), &mut io::stderr())?;
    // Not by Rust's standard input, which would read more than this.
    let mut word = [0; EXECUTE.len()];
    if rustix::io::retry_on_intr(|| rustix::io::read(rustix::stdio::stdin(), &mut word))? < word.len() {
        return Err(io::Error::other("its caller wants it no more"));
    }
    let variables = start.environment.iter().map(|(name, value)| (name, value));
    let error = Command::new(first).args(rest).env_clear().envs(variables).exec();
    Err(io::Error::new(error.kind(), format!("{first}: {error}")))
}
