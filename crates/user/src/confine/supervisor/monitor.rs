//! Watches a program until it has ended, breaks a limit, or is no longer wanted.

use super::folder;
use super::processes::{end_all, memory_bytes, own_children, with_descendants};
use crate::confine::exit::{ExitCause, ExitReport, Report, size};
use crate::confine::limits::Request;
use crate::confine::pipes::{Output, readable};
use rustix::process::{Pid, PidfdFlags, WaitOptions, WaitStatus, pidfd_open};
use std::io::{self, PipeReader};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Between two looks at processes and memory.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// How many looks there are for one that is at files as well.
const LOOKS_AT_FILES: u64 = 5;
/// What looks cost must stay below this part of one processor, since a program that is timed may want all of them.
const SHARE: u32 = 50;

pub(super) struct ProcessMonitor<'a> {
    request: &'a Request,
    /// The program's first process.
    pid: Pid,
    /// Can be read once that has ended.
    handle: OwnedFd,
    stderr: Output<PipeReader>,
    since: Instant,
    next_look: Instant,
    /// How many there were.
    looks: u64,
}

impl<'a> ProcessMonitor<'a> {
    pub fn new(request: &'a Request, pid: Pid, stderr: PipeReader) -> io::Result<Self> {
        let (now, handle) = (Instant::now(), pidfd_open(pid, PidfdFlags::empty())?);
        let stderr = Output::new(Some(stderr), "standard error", request.limits.stderr_bytes);
        Ok(Self { request, pid, handle, stderr, since: now, next_look: now, looks: 0 })
    }

    /// Until nothing of the program is left.
    pub fn run(mut self, control: &mut UnixStream) -> ExitReport {
        let cause = loop {
            if let Err(cause) = self.watch(control) {
                break cause;
            }
        };
        let (left, missed_some) = end_all(own_children, || {
            if !self.request.limits.gpu {
                // A GPU can work on for what is being ended. Without a reader it is ended all the same.
                let _ = Report::Killed.write(control);
            }
        });
        let cause = if cause == ExitCause::Stopped && missed_some { ExitCause::WorkedOn } else { cause };
        // What they had printed. Whoever cannot be ended may hold the other end.
        let until = Instant::now() + Duration::from_secs(1);
        while self.stderr.end().is_some_and(|end| readable([Some(end)], until)[0]) {
            let _ = self.read_stderr();
        }
        let stderr = String::from_utf8_lossy(&self.stderr.unread).into_owned();
        ExitReport { stderr, left, ..ExitReport::silent("", cause) }
    }

    /// Waits until something happens, or it is time to look at the program.
    ///
    /// # Errors
    /// How it has ended, or why it must end.
    fn watch(&mut self, control: &UnixStream) -> Result<(), ExitCause> {
        let ends = [Some(self.handle.as_fd()), self.stderr.end(), Some(control.as_fd())];
        let [_, has_stderr, is_unwanted] = readable(ends, self.next_look);
        if has_stderr {
            self.read_stderr()?;
        }
        // Whatever has ended: processes that the program left behind are children of this one.
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            if pid == self.pid {
                return Err(self.cause(status));
            }
        }
        if is_unwanted {
            return Err(ExitCause::Stopped);
        }
        self.check_limits()
    }

    /// Keeps the last of it.
    fn read_stderr(&mut self) -> Result<(), ExitCause> {
        let read = self.stderr.read();
        let kept = &mut self.stderr.unread;
        kept.drain(..kept.len().saturating_sub(self.request.limits.stderr_kept_bytes));
        read
    }

    fn cause(&self, status: WaitStatus) -> ExitCause {
        match (status.exit_status(), status.terminating_signal()) {
            (_, Some(libc::SIGXFSZ)) => {
                let limit = size(self.request.limits.folder_bytes);
                ExitCause::Broke(format!("wrote a file longer than the limit of its folder, {limit}"))
            }
            (_, Some(signal)) => ExitCause::Signalled(signal),
            (code, None) => ExitCause::Exited(code.unwrap_or(-1)),
        }
    }

    /// Looks at the program, if it is time.
    ///
    /// # Errors
    /// The limit that is broken.
    fn check_limits(&mut self) -> Result<(), ExitCause> {
        let begin = Instant::now();
        if begin < self.next_look {
            return Ok(());
        }
        let limits = &self.request.limits;
        if begin.duration_since(self.since) > limits.wall {
            return Err(ExitCause::too_slow(limits.wall));
        }
        let count = |count: u64| count.to_string();
        let processes = with_descendants(own_children());
        hold("processes at a time", processes.len() as u64, limits.processes.into(), count)?;
        let threads = processes.iter().map(|process| process.threads).sum();
        hold("threads at a time", threads, limits.threads.into(), count)?;
        let memory = memory_bytes(&processes, limits.memory_bytes);
        hold("of memory", memory, limits.memory_bytes, size)?;
        if self.looks.is_multiple_of(LOOKS_AT_FILES) {
            let (files, bytes) = folder::used(&self.request.command.folder, limits.folder_files.into())?;
            hold("files in its folder", files, limits.folder_files.into(), count)?;
            let bytes = bytes + folder::nameless_bytes(&processes)?;
            hold("in its folder", bytes, limits.folder_bytes, size)?;
        }
        self.looks += 1;
        // The limit of time is not exceeded by more than others are.
        let rest = (self.since + limits.wall).saturating_duration_since(begin);
        self.next_look = Instant::now() + (begin.elapsed() * SHARE).min(rest).max(BETWEEN_LOOKS);
        Ok(())
    }
}

/// # Errors
/// That the program `had` more of something than its limit.
fn hold(of: &str, had: u64, limit: u64, shown: fn(u64) -> String) -> Result<(), ExitCause> {
    let more = || format!("had {} {of}, more than its limit of {}", shown(had), shown(limit));
    if had > limit { Err(ExitCause::Broke(more())) } else { Ok(()) }
}
