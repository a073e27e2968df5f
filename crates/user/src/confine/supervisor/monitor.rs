//! Watches a program, and what its files take, until it has ended, breaks a limit, or is no longer wanted.

use super::processes::{Process, end_all, has_ended, memory_bytes, own_children, with_descendants};
use crate::confine::exit::{ExitCause, ExitReport, SupervisorEvent, size};
use crate::confine::limits::SpawnRequest;
use crate::confine::pipes::{Output, readable};
use rustix::process::{Pid, PidfdFlags, WaitOptions, WaitStatus, pidfd_open};
use std::collections::HashSet;
use std::fs;
use std::io::{self, ErrorKind, PipeReader};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};
use walkdir::WalkDir;

/// Between two looks at processes and memory.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// One look in so many is at files as well.
const LOOKS_AT_FILES: u64 = 5;
/// Looks may take at most one part in so many of a processor's time, since a program that is timed may want all processors.
const SHARE: u32 = 50;

pub(super) struct ProcessMonitor<'a> {
    request: &'a SpawnRequest,
    /// The program's first process.
    pid: Pid,
    /// The pidfd of that process, which can be read once it has ended.
    handle: OwnedFd,
    stderr: Output<PipeReader>,
    since: Instant,
    next_look: Instant,
    /// How many looks there were.
    looks: u64,
}

impl<'a> ProcessMonitor<'a> {
    pub fn new(request: &'a SpawnRequest, pid: Pid, stderr: PipeReader) -> io::Result<Self> {
        let (now, handle) = (Instant::now(), pidfd_open(pid, PidfdFlags::empty())?);
        let stderr = Output::new(Some(stderr), "standard error", request.limits.stderr_bytes);
        Ok(Self { request, pid, handle, stderr, since: now, next_look: now, looks: 0 })
    }

    /// Watches the program until nothing of it is left, and returns how it ended.
    pub fn run(mut self, control: &mut UnixStream) -> ExitReport {
        let cause = loop {
            if let Err(cause) = self.watch(control) {
                break cause;
            }
        };
        let (left, missed_some) = end_all(own_children, || {
            if !self.request.limits.gpu {
                // With a GPU this is not sent: a GPU can work on for a process that is being ended. A caller that is gone need not know.
                let _ = SupervisorEvent::Killed.write(control);
            }
        });
        let cause = if cause == ExitCause::Stopped && missed_some { ExitCause::WorkedOn } else { cause };
        // Reads what they had still printed, for one second: a process that cannot be ended may hold the other end open.
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
        // Reaps whatever has ended: processes that the program left behind are children of this process.
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

    /// Reads standard error and keeps the end of it.
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
        enforce("processes at a time", processes.len() as u64, limits.processes.into(), count)?;
        let threads = processes.iter().map(|process| process.threads).sum();
        enforce("threads at a time", threads, limits.threads.into(), count)?;
        let memory = memory_bytes(&processes, limits.memory_bytes);
        enforce("of memory", memory, limits.memory_bytes, size)?;
        if self.looks.is_multiple_of(LOOKS_AT_FILES) {
            let (files, bytes) = used(&self.request.command.folder, limits.folder_files.into())?;
            enforce("files in its folder", files, limits.folder_files.into(), count)?;
            let bytes = bytes + nameless_bytes(&processes)?;
            enforce("in its folder", bytes, limits.folder_bytes, size)?;
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
fn enforce(of: &str, had: u64, limit: u64, shown: fn(u64) -> String) -> Result<(), ExitCause> {
    let more = || format!("had {} {of}, more than its limit of {}", shown(had), shown(limit));
    if had > limit { Err(ExitCause::Broke(more())) } else { Ok(()) }
}

/// How many files are below `folder`, and what they take on disk, links not followed. Stops counting above this many files.
///
/// # Errors
/// That some cannot be counted, such as those in a folder that may not be read, or below folders with too long a path.
pub(super) fn used(folder: &Path, most_files: u64) -> Result<(u64, u64), ExitCause> {
    let (mut files, mut bytes) = (0, 0);
    for found in WalkDir::new(folder).min_depth(1) {
        match found.and_then(|entry| entry.metadata()).map_err(|error| error.into_io_error()) {
            Ok(about) => (files, bytes) = (files + 1, bytes + on_disk(&about)),
            // What is gone meanwhile takes nothing.
            Err(Some(error)) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                let why = error.map_or_else(|| "a circle".to_string(), |error| error.to_string());
                return Err(ExitCause::Broke(format!("had files that cannot be counted: {why}")));
            }
        }
        if files > most_files {
            break;
        }
    }
    Ok((files, bytes))
}

/// What deleted files take on disk that these processes keep open.
///
/// # Errors
/// That one of them cannot be looked at, as one whose binary nobody may read.
pub(super) fn nameless_bytes(processes: &[Process]) -> Result<u64, ExitCause> {
    let (mut seen, mut bytes) = (HashSet::new(), 0);
    for process in processes {
        let open = match fs::read_dir(format!("/proc/{}/fd", process.pid)) {
            Ok(open) => open,
            Err(error) if error.kind() == ErrorKind::PermissionDenied && !has_ended(process.pid) => {
                return Err(ExitCause::Broke("had a process whose open files cannot be seen".into()));
            }
            Err(_) => continue,
        };
        let open = open.flatten().filter_map(|file| fs::metadata(file.path()).ok());
        let nameless = open.filter(|about| about.is_file() && about.nlink() == 0);
        bytes += nameless
            .filter(|about| seen.insert((about.dev(), about.ino())))
            .map(|about| on_disk(&about))
            .sum::<u64>();
    }
    Ok(bytes)
}

/// Bytes on disk: `st_blocks` counts blocks of 512 bytes, whatever the file system's own blocks are.
fn on_disk(about: &fs::Metadata) -> u64 {
    about.blocks() * 512
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_all_depths_count_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("c"), vec![1; 100_000]).unwrap();
        std::os::unix::fs::symlink("/usr", inner.join("d")).unwrap();
        let (files, bytes) = used(folder.path(), 100).unwrap();
        assert_eq!(files, 4);
        assert!((100_000..200_000).contains(&bytes), "{bytes}");
        assert_eq!(used(folder.path(), 2).unwrap().0, 3);
    }

    #[test]
    fn files_below_more_folders_than_a_path_has_room_for_are_not_overlooked() {
        use rustix::fs::{Mode, OFlags, mkdirat, openat};
        let folder = tempfile::tempdir().unwrap();
        let name = "d".repeat(250);
        let read = OFlags::RDONLY | OFlags::DIRECTORY;
        let mut inner = rustix::fs::open(folder.path(), read, Mode::empty()).unwrap();
        for _ in 0..17 {
            mkdirat(&inner, &*name, Mode::RWXU).unwrap();
            inner = openat(&inner, &*name, read, Mode::empty()).unwrap();
        }
        openat(&inner, "hidden", OFlags::CREATE | OFlags::WRONLY, Mode::RWXU).unwrap();
        let refused = used(folder.path(), 100).unwrap_err();
        assert!(refused.to_string().contains("cannot be counted"), "{refused}");
    }
}
