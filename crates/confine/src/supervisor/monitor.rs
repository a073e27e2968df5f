//! Watches a program until it has ended, breaks a limit, or is no longer wanted.

use super::folder;
use super::reaper::{ProcessTreeReaper, own_children};
use super::tree::{self, Process};
use crate::exit::{ExitCause, ExitReport, size};
use crate::limits::Request;
use crate::report::Report;
use crate::wait;
use rustix::process::{Pid, PidfdFlags, WaitOptions, WaitStatus, pidfd_open};
use std::io::{self, PipeReader, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Between two looks at processes and memory.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// Between two looks at files.
const BETWEEN_FILES: Duration = Duration::from_millis(100);
/// What looks cost must stay below this part of one processor, since a program that is timed may want all of them.
const SHARE: u32 = 50;
/// The signal of a process that wrote a file longer than it may.
const FILE_TOO_LONG: i32 = 25;

pub(super) struct ProcessMonitor<'a> {
    request: &'a Request,
    /// The program's first process.
    pid: Pid,
    /// Can be read once that has ended.
    handle: OwnedFd,
    stderr: Option<PipeReader>,
    /// The last of what it printed there, and how much it was.
    printed: (Vec<u8>, u64),
    since: Instant,
    next_look: Instant,
    next_files: Instant,
}

impl<'a> ProcessMonitor<'a> {
    pub fn new(request: &'a Request, pid: Pid, stderr: PipeReader) -> io::Result<Self> {
        let (now, handle) = (Instant::now(), pidfd_open(pid, PidfdFlags::empty())?);
        let (stderr, printed) = (Some(stderr), (Vec::new(), 0));
        Ok(Self { request, pid, handle, stderr, printed, since: now, next_look: now, next_files: now })
    }

    /// Until nothing of the program is left.
    pub fn run(mut self, control: &mut UnixStream) -> ExitReport {
        let cause = self.watch(control);
        let reaper = ProcessTreeReaper::kill_all(own_children);
        // Without a reader it is ended all the same.
        let _ = Report::Killed.write(control);
        let (left, missed_some) = reaper.wait();
        let cause = if cause == ExitCause::Stopped && missed_some { ExitCause::WorkedOn } else { cause };
        // What they had printed. Whoever cannot be ended may hold the other end.
        let until = Instant::now() + Duration::from_secs(1);
        while self.stderr.is_some() && wait::readable([self.stderr.as_ref().map(AsFd::as_fd)], until)[0] {
            self.read_stderr();
        }
        let stderr = String::from_utf8_lossy(&self.printed.0).into_owned();
        ExitReport { stderr, left, ..ExitReport::silent("", cause) }
    }

    fn watch(&mut self, control: &UnixStream) -> ExitCause {
        loop {
            let stderr = self.stderr.as_ref().map(AsFd::as_fd);
            let ends = [Some(self.handle.as_fd()), stderr, Some(control.as_fd())];
            let [has_ended, has_stderr, is_unwanted] = wait::readable(ends, self.next_look);
            if has_stderr {
                self.read_stderr();
                let limit = self.request.limits.stderr_bytes;
                if self.printed.1 > limit {
                    return ExitCause::over("printed more on standard error than", limit);
                }
            }
            // Whatever has ended: processes that the program left behind are children of this one.
            while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
                if pid == self.pid {
                    return self.cause(status);
                }
            }
            if is_unwanted {
                return ExitCause::Stopped;
            }
            if let Some(cause) = (!has_ended).then(|| self.check_limits()).flatten() {
                return cause;
            }
        }
    }

    fn read_stderr(&mut self) {
        let Some(stderr) = &mut self.stderr else { return };
        let mut chunk = [0; 64 << 10];
        let bytes = stderr.read(&mut chunk).unwrap_or(0);
        if bytes == 0 {
            self.stderr = None;
        }
        let (kept, all) = &mut self.printed;
        *all += bytes as u64;
        kept.extend_from_slice(&chunk[..bytes]);
        kept.drain(..kept.len().saturating_sub(self.request.limits.stderr_kept_bytes));
    }

    fn cause(&self, status: WaitStatus) -> ExitCause {
        match (status.exit_status(), status.terminating_signal()) {
            (_, Some(FILE_TOO_LONG)) => {
                let limit = size(self.request.limits.folder_bytes);
                ExitCause::Broke(format!("wrote a file longer than the limit of its folder, {limit}"))
            }
            (_, Some(signal)) => ExitCause::Signalled(signal),
            (code, None) => ExitCause::Exited(code.unwrap_or(-1)),
        }
    }

    /// The limit that is broken, if it is time to look.
    fn check_limits(&mut self) -> Option<ExitCause> {
        let begin = Instant::now();
        if begin < self.next_look {
            return None;
        }
        let wall = self.request.limits.wall;
        if begin.duration_since(self.since) > wall {
            return Some(ExitCause::too_slow(wall));
        }
        let processes = tree::with_descendants(own_children());
        let mut broken = self.check_processes(&processes);
        let looked = Instant::now();
        if broken.is_none() && begin >= self.next_files {
            broken = self.check_files(&processes);
            self.next_files = Instant::now() + BETWEEN_FILES.max(looked.elapsed() * SHARE);
        }
        let rest = (self.since + wall).saturating_duration_since(begin);
        // The limit of time is not exceeded by more than others are.
        let pause = BETWEEN_LOOKS.max(begin.elapsed() * SHARE).min(rest.max(BETWEEN_LOOKS));
        self.next_look = Instant::now() + pause;
        broken
    }

    fn check_processes(&self, processes: &[Process]) -> Option<ExitCause> {
        let limits = &self.request.limits;
        let threads = processes.iter().map(|process| process.threads).sum();
        let bytes = tree::memory_bytes(processes, limits.memory_bytes);
        too_many(processes.len() as u32, "processes at a time", limits.processes)
            .or_else(|| too_many(threads, "threads at a time", limits.threads))
            .or_else(|| too_large(bytes, ["used", "of memory"], limits.memory_bytes))
    }

    fn check_files(&self, processes: &[Process]) -> Option<ExitCause> {
        let limits = &self.request.limits;
        let (files, bytes) = folder::used(&self.request.command.folder, limits.folder_files);
        let bytes = bytes + folder::nameless_bytes(processes);
        too_many(files, "files in its folder", limits.folder_files)
            .or_else(|| too_large(bytes, ["had", "in its folder"], limits.folder_bytes))
    }
}

fn too_many(count: u32, of: &str, limit: u32) -> Option<ExitCause> {
    (count > limit).then(|| ExitCause::Broke(format!("had {count} {of}, more than its limit of {limit}")))
}

fn too_large(bytes: u64, [did, of]: [&str; 2], limit: u64) -> Option<ExitCause> {
    (bytes > limit).then(|| ExitCause::over(format_args!("{did} {} {of}, more than", size(bytes)), limit))
}
