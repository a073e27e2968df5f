//! The process between the caller and the program: starts the program, watches it, ends all of it.

mod finish;
mod folder;
mod tree;
mod watch;

pub(crate) use watch::NOT_EXECUTED;

use crate::INSIDE;
use crate::confined::OWN_BINARY;
use crate::end::{End, Ended};
use crate::messages::{self, Preface, Report, Start};
use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open, set_child_subreaper};
use rustix::stdio;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{ChildStderr, Command, ExitCode, Stdio};
use watch::Watch;

/// The program's first process.
pub(super) struct Started {
    pub pid: Pid,
    /// Can be read once it has ended.
    pub handle: OwnedFd,
    pub stderr: ChildStderr,
}

/// Serves until the program has ended or the caller wants no more of it.
pub(crate) fn serve() -> ExitCode {
    match serve_caller() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve_caller() -> io::Result<()> {
    // What is standard error of others is the connection to the caller here. From here on it is not inherited.
    let mut control = UnixStream::from(stdio::stderr().try_clone_to_owned()?);
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    stdio::dup2_stderr(&nothing)?;
    let start: Start = messages::read(&mut control)?;
    let program = start.program.command.first().cloned().unwrap_or_default();
    let ended = match run(&start, &nothing, &mut control) {
        Ok(ended) => ended,
        Err(error) => {
            let left = finish::Ending::default().wait();
            let end = End::NotStarted { reason: error.to_string() };
            Ended { program, end, stderr: String::new(), peak_memory_bytes: 0, left }
        }
    };
    messages::write(&Report::Ended(ended), &mut control)
}

fn run(start: &Start, nothing: &File, control: &mut UnixStream) -> io::Result<Ended> {
    set_child_subreaper(Some(getpid()))?;
    let mut started = spawn(start)?;
    // The program alone holds the other ends, so that the caller reads the end of its output when it closes it.
    stdio::dup2_stdin(nothing)?;
    stdio::dup2_stdout(nothing)?;
    match messages::read(&mut started.stderr)? {
        Preface::Ready(protections) => messages::write(&Report::Started(protections), control)?,
        Preface::Failed { reason } => return Err(io::Error::other(reason)),
    }
    Ok(Watch::new(start, started).run(control))
}

fn spawn(start: &Start) -> io::Result<Started> {
    let text = serde_json::to_string(start)?;
    let mut child = Command::new(OWN_BINARY)
        .args([INSIDE, &text])
        // The program's own variables could have the loader put code into a process that is not confined yet.
        .env_clear()
        .current_dir(&start.program.folder)
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", start.program.folder.display()))
        })?;
    let stderr = child.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let pid = Pid::from_child(&child);
    Ok(Started { pid, handle: pidfd_open(pid, PidfdFlags::empty())?, stderr })
}
