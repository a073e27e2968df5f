//! The process between the caller and the program: starts the program, watches it, ends all of it. It outlives a caller that is killed, which
//! nothing else could.

mod monitor;
pub(crate) mod processes;

use crate::confine::child;
use crate::confine::exit::{ExitCause, ExitReport, SupervisorEvent};
use crate::confine::limits::SpawnRequest;
use monitor::ProcessMonitor;
use rustix::process::{Pid, getpid, set_child_subreaper};
use rustix::stdio;
use std::fs::{self, File};
use std::io;
use std::os::fd::RawFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

/// Supervises until the program has ended or the caller wants no more of it. In the forked process, does the job if it is the program.
pub(crate) fn serve(job: fn() -> ExitCode) -> ExitCode {
    let Ok(mut control) = take_control() else { return ExitCode::FAILURE };
    let report = match supervise(&mut control) {
        Ok(Some(report)) => report,
        Ok(None) => {
            drop(control);
            return job();
        }
        Err(error) => ExitReport::silent("", ExitCause::NotStarted(error.to_string())),
    };
    // Without a reader nobody is left to know.
    let _ = SupervisorEvent::Ended(report).write(&mut control);
    ExitCode::SUCCESS
}

/// Takes the connection to the caller, which this process got as its standard error. From here on it is not inherited.
fn take_control() -> io::Result<UnixStream> {
    let listed: Vec<RawFd> = fs::read_dir("/proc/self/fd")?
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    for fd in listed.into_iter().filter(|fd| *fd > 2) {
        // SAFETY: nothing in this process owns it, since this is the first that `main` does: a library of the caller left it open for its
        // children, or it was the list, which is closed.
        unsafe { libc::close(fd) };
    }
    let control = UnixStream::from(stdio::stderr().try_clone_to_owned()?);
    stdio::dup2_stderr(nothing()?)?;
    Ok(control)
}

fn nothing() -> io::Result<File> {
    File::options().read(true).write(true).open("/dev/null")
}

/// Forks the program, and watches it until it has ended. None in the forked process, restricted, if that is to do the job instead.
fn supervise(control: &mut UnixStream) -> io::Result<Option<ExitReport>> {
    let request: SpawnRequest = serde_json::from_str(&std::env::args().nth(2).unwrap_or_default())?;
    fs::metadata("/proc/thread-self/children").map_err(|_| {
        io::Error::other("this kernel does not list the children of a process: CONFIG_PROC_CHILDREN")
    })?;
    set_child_subreaper(Some(getpid()))?;
    let (stderr, programs) = io::pipe()?;
    let supervisor = getpid();
    // SAFETY: this process has one thread, so that nothing in the new one is left half done by another.
    let pid = match unsafe { libc::fork() } {
        -1 => return Err(io::Error::last_os_error()),
        0 => {
            stdio::dup2_stderr(&programs)?;
            drop((stderr, programs));
            return child::become_program(&request, control, supervisor).map(|()| None);
        }
        pid => Pid::from_raw(pid).ok_or(io::ErrorKind::NotFound)?,
    };
    drop(programs);
    // The program alone holds the other ends, so that the caller reads the end of its output when it closes it.
    stdio::dup2_stdin(nothing()?)?;
    stdio::dup2_stdout(nothing()?)?;
    Ok(Some(ProcessMonitor::new(&request, pid, stderr)?.run(control)))
}
