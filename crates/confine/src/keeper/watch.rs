//! Watches a program until it has ended, breaks a limit, or is no longer wanted.

use super::Started;
use super::finish::{Ending, reap};
use super::folder;
use super::tree::{self, Process};
use crate::end::{End, Ended, Stream};
use crate::limits::Limits;
use crate::messages::{self, Preface, Report, Start};
use crate::wait;
use rustix::process::WaitStatus;
use std::collections::VecDeque;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// Between two looks at processes and memory.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// Between two looks at files.
const BETWEEN_FILES: Duration = Duration::from_millis(100);
/// What looks cost must stay below this part of one processor, since a program that is timed may want all of them.
const SHARE: u32 = 50;
/// The signal of a process that wrote a file longer than it may.
const FILE_TOO_LONG: i32 = 25;
/// The code with which a process ends that could not execute the program.
pub(crate) const NOT_EXECUTED: i32 = 127;

pub(super) struct Watch<'a> {
    program: &'a str,
    folder: &'a Path,
    limits: &'a Limits,
    started: Started,
    since: Instant,
    stderr: Tail,
    stderr_is_open: bool,
    peak_memory_bytes: u64,
    next_look: Instant,
    next_files: Instant,
}

impl<'a> Watch<'a> {
    pub fn new(start: &'a Start, started: Started) -> Self {
        let now = Instant::now();
        Self {
            program: start.program.command.first().map_or("", String::as_str),
            folder: &start.program.folder,
            limits: &start.limits,
            started,
            since: now,
            stderr: Tail::new(start.limits.stderr_kept_bytes),
            stderr_is_open: true,
            peak_memory_bytes: 0,
            next_look: now,
            next_files: now,
        }
    }

    /// Until nothing of the program is left.
    pub fn run(mut self, control: &mut UnixStream) -> Ended {
        let end = self.watch(control);
        let mut ending = Ending::default();
        ending.kill_all();
        // Without a reader it is ended all the same.
        let _ = messages::write(&Report::Killed, control);
        let left = ending.wait();
        let end = if end == End::Stopped && ending.missed_some { End::WorkedOn } else { end };
        // What they had printed. Whoever cannot be ended may hold the other end.
        let until = Instant::now() + Duration::from_secs(1);
        while self.stderr_is_open && wait::readable([Some(self.started.stderr.as_fd())], until)[0] {
            self.read_stderr();
        }
        let stderr = self.stderr.text();
        let end = self.not_executed(&end, &stderr).unwrap_or(end);
        let stderr = if matches!(end, End::NotStarted { .. }) { String::new() } else { stderr };
        let program = self.program.to_string();
        Ended { program, end, stderr, peak_memory_bytes: self.peak_memory_bytes, left }
    }

    fn watch(&mut self, control: &UnixStream) -> End {
        loop {
            let stderr = self.stderr_is_open.then(|| self.started.stderr.as_fd());
            let ends = [Some(self.started.handle.as_fd()), stderr, Some(control.as_fd())];
            let [has_ended, has_stderr, is_unwanted] = wait::readable(ends, self.next_look);
            if has_stderr {
                self.read_stderr();
                if self.stderr.bytes > self.limits.stderr_bytes {
                    return End::TooMuchOutput { stream: Stream::Stderr, limit: self.limits.stderr_bytes };
                }
            }
            // Whatever has ended: processes that the program left behind are children of this one.
            while let Some((pid, status)) = reap() {
                if pid == self.started.pid {
                    return self.ended(status);
                }
            }
            if is_unwanted {
                return End::Stopped;
            }
            if has_ended {
                continue;
            }
            if let Some(end) = self.look() {
                return end;
            }
        }
    }

    fn read_stderr(&mut self) {
        let mut chunk = [0; 64 << 10];
        let bytes = self.started.stderr.read(&mut chunk).unwrap_or(0);
        self.stderr.push(&chunk[..bytes]);
        self.stderr_is_open = bytes > 0;
    }

    fn ended(&self, status: WaitStatus) -> End {
        match (status.exit_status(), status.terminating_signal()) {
            (_, Some(FILE_TOO_LONG)) => End::FileTooLong { limit: self.limits.folder_bytes },
            (_, Some(signal)) => End::Signalled { signal },
            (code, None) => End::Exited { code: code.unwrap_or(-1) },
        }
    }

    /// Whether the process ended without having become the program, which it wrote then.
    fn not_executed(&self, end: &End, stderr: &str) -> Option<End> {
        if *end != (End::Exited { code: NOT_EXECUTED }) {
            return None;
        }
        match serde_json::from_str(stderr.trim()).ok()? {
            Preface::Failed { reason } => Some(End::NotStarted { reason }),
            Preface::Ready(_) => None,
        }
    }

    /// The limit that is broken, if it is time to look.
    fn look(&mut self) -> Option<End> {
        let begin = Instant::now();
        if begin < self.next_look {
            return None;
        }
        if begin.duration_since(self.since) > self.limits.wall {
            return Some(End::TooSlow { limit: self.limits.wall });
        }
        let processes = tree::descendants();
        let end = self.look_at_processes(&processes).or_else(|| {
            if begin < self.next_files {
                return None;
            }
            let begin = Instant::now();
            let end = self.look_at_files(&processes);
            self.next_files = Instant::now() + BETWEEN_FILES.max(begin.elapsed() * SHARE);
            end
        });
        let rest = (self.since + self.limits.wall).saturating_duration_since(begin);
        // The limit of time is not exceeded by more than others are.
        let pause = BETWEEN_LOOKS.max(begin.elapsed() * SHARE).min(rest.max(BETWEEN_LOOKS));
        self.next_look = Instant::now() + pause;
        end
    }

    fn look_at_processes(&mut self, processes: &[Process]) -> Option<End> {
        let limits = self.limits;
        let count = processes.len() as u32;
        if count > limits.processes {
            return Some(End::TooManyProcesses { count, limit: limits.processes });
        }
        let count = processes.iter().map(|process| process.threads).sum();
        if count > limits.threads {
            return Some(End::TooManyThreads { count, limit: limits.threads });
        }
        let bytes = tree::memory_bytes(processes, limits.memory_bytes);
        self.peak_memory_bytes = self.peak_memory_bytes.max(bytes);
        (bytes > limits.memory_bytes).then_some(End::TooMuchMemory { bytes, limit: limits.memory_bytes })
    }

    fn look_at_files(&self, processes: &[Process]) -> Option<End> {
        let limits = self.limits;
        let used = folder::used(self.folder, limits.folder_files);
        if used.files > limits.folder_files {
            return Some(End::TooManyFiles { count: used.files, limit: limits.folder_files });
        }
        let bytes = used.bytes + folder::nameless_bytes(processes);
        (bytes > limits.folder_bytes).then_some(End::TooMuchDisk { bytes, limit: limits.folder_bytes })
    }
}

/// The last bytes of a stream, and how many there were.
struct Tail {
    kept: VecDeque<u8>,
    limit: usize,
    pub bytes: u64,
}

impl Tail {
    pub fn new(limit: usize) -> Self {
        Self { kept: VecDeque::new(), limit, bytes: 0 }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.kept.extend(&bytes[bytes.len().saturating_sub(self.limit)..]);
        let too_many = self.kept.len().saturating_sub(self.limit);
        self.kept.drain(..too_many);
    }

    pub fn text(&self) -> String {
        let bytes: Vec<u8> = self.kept.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
