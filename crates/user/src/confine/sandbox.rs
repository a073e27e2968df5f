//! A program that runs within limits, from the side of whoever started it, and the files that it has left in its folder.

use crate::confine::child::EXECUTE;
use crate::confine::exit::{ExitCause, ExitReport, SupervisorEvent};
use crate::confine::limits::{Protections, SandboxCommand, SandboxLimits, secrets_present};
use crate::confine::pipes::{Output, readable, writable};
use crate::confine::supervisor::processes::{end_all, orphans};
use crate::confine::{SANDBOX, is_sandbox_child};
use repro_base::files::{remove_if_there, write_new};
use rustix::fs::OFlags;
use rustix::process::{getpid, set_child_subreaper};
use std::fs::{File, OpenOptions};
use std::io;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The binary that runs now, also when its file has been replaced.
const OWN_BINARY: &str = "/proc/self/exe";
/// How long the supervisor may take to start the program, or to end it. It gives up earlier by itself.
const TIME_OF_SUPERVISOR: Duration = Duration::from_secs(20);
/// How long a program that has closed its output may take to end by itself.
const TIME_AFTER_OUTPUT: Duration = Duration::from_secs(1);
/// Bytes that a pipe takes at once, without blocking, when it can be written to.
const PART: usize = 512;
/// What a program gets of the caller's environment, where it is set.
const KEPT: [&str; 4] = ["PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH"];
/// Beginnings of the names of variables that it gets in addition where it needs a GPU.
const KEPT_FOR_GPU: [&str; 2] = ["CUDA_", "NVIDIA_"];

/// A program that runs. All of it is ended when this is dropped.
pub struct SandboxedProcess {
    name: String,
    limits: SandboxLimits,
    /// What this system keeps the program from.
    pub protections: Protections,
    /// Its standard input is the program's.
    supervisor: Child,
    output: Output<ChildStdout>,
    /// The connection to the supervisor. Closing it asks the supervisor to end the program.
    control: UnixStream,
    /// How the program ended, once it has.
    report: Option<ExitReport>,
}

impl SandboxedProcess {
    /// Puts all in place that restricts a program, and executes nothing of it until [`Self::resume`].
    ///
    /// # Errors
    /// When it cannot be started or restricted.
    pub fn spawn(command: &SandboxCommand, limits: &SandboxLimits) -> Result<Self, ExitReport> {
        let name = command.words.first().map_or("a process of this program", String::as_str);
        let mut process = Self::start(name, command, limits)
            .map_err(|error| ExitReport::silent(name, ExitCause::NotStarted(error.to_string())))?;
        process.next_report();
        process.report.clone().map_or(Ok(process), Err)
    }

    /// Starts the supervisor, which starts the program.
    fn start(name: &str, command: &SandboxCommand, limits: &SandboxLimits) -> io::Result<Self> {
        // A supervisor that comes here would start another one, and so on without end.
        if is_sandbox_child() {
            let problem = "this is a process of a sandbox: call repro_user::confine::run_if_sandbox_child first in main";
            return Err(io::Error::other(problem));
        }
        // What a supervisor that is killed leaves becomes children of this process.
        set_child_subreaper(Some(getpid()))?;
        let request = serde_json::to_string(&(command, limits, secrets_present()))?;
        let (control, supervisors) = UnixStream::pair()?;
        let starts = |name: &str, one: &&str| limits.gpu && name.starts_with(*one);
        let is_kept = |name: &str| KEPT.contains(&name) || KEPT_FOR_GPU.iter().any(|one| starts(name, one));
        let variables = std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_kept));
        // A program's own variables could have the loader put code into the supervisor, which is not confined.
        let own = if command.words.is_empty() { &command.environment[..] } else { &[] };
        let folder = &command.folder;
        let mut supervisor = Command::new(OWN_BINARY)
            .args([SANDBOX, &request])
            .env_clear()
            .envs(variables)
            .envs(["HOME", "TMPDIR", "PWD"].map(|name| (name, folder)))
            .envs(own.iter().cloned())
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(OwnedFd::from(supervisors))
            // An interrupt from the terminal is for the caller to handle.
            .process_group(0)
            .spawn()
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))?;
        let output = Output::new(supervisor.stdout.take(), "standard output", limits.stdout_bytes);
        let (name, limits, protections) = (name.into(), limits.clone(), Protections::default());
        Ok(Self { name, limits, protections, supervisor, output, control, report: None })
    }

    /// Executes the program. A clock that was started before this call covers all of the program's time.
    pub fn resume(mut self) -> Self {
        // Where nobody reads this, the supervisor has the reason, and whoever asks the program next gets it.
        let _ = self.supervisor.stdin.as_mut().map(|input| input.write_all(EXECUTE));
        self
    }

    /// Writes one line to the program and waits for one from it.
    ///
    /// # Errors
    /// How the program ended, if it has no answer within this time or breaks a limit. It has ended then, and so it does for all later calls.
    pub fn exchange(&mut self, line: &str, within: Duration) -> Result<String, ExitReport> {
        self.report.clone().map_or(Ok(()), Err)?;
        let until = Instant::now() + within;
        let late = ExitCause::Broke(format!("gave no answer within {} s", within.as_secs_f64()));
        let written = self.write_line(line, until, &late);
        let answer = written.and_then(|()| self.read_line(until, &late));
        answer.map_err(|reason| self.end(reason))
    }

    /// Whether it has printed something that was not read: what nobody has asked it for yet.
    pub fn has_printed(&mut self) -> bool {
        if readable([self.output.end()], Instant::now())[0] {
            // That it has ended, or printed too much, is found when it is asked.
            let _ = self.output.read();
        }
        !self.output.unread.is_empty()
    }

    /// Ends the program now, and returns as soon as none of its processes computes any more. The system may still be taking back their
    /// memory, which takes time. A GPU can work on for a process that is being ended: where one may be used, this waits for all of it.
    pub fn kill(&mut self) {
        // The supervisor may be gone; reading its report finds that out.
        let _ = self.control.shutdown(Shutdown::Write);
        self.next_report();
    }

    /// Ends the program and waits until the system has all of it back. The cause is [`ExitCause::Stopped`] if nothing else ended it before.
    pub fn wait(mut self) -> ExitReport {
        self.end(ExitCause::Stopped)
    }

    /// Closes the program's input and waits for its end. After this time it is ended. What it still prints counts towards the limit.
    pub fn finish(mut self, within: Duration) -> ExitReport {
        self.supervisor.stdin = None;
        let until = Instant::now() + within;
        loop {
            if let Err(reason) = self.read_line(until, &ExitCause::too_slow(within)) {
                return self.end(reason);
            }
        }
    }

    /// # Errors
    /// `late` if the program does not read it in time.
    fn write_line(&mut self, line: &str, until: Instant, late: &ExitCause) -> Result<(), ExitCause> {
        for part in format!("{line}\n").as_bytes().chunks(PART) {
            let Some(input) = &mut self.supervisor.stdin else { break };
            if !writable(input.as_fd(), until) {
                return Err(late.clone());
            }
            if input.write_all(part).is_err() {
                // It reads no more. How it ended is found when its answer is read; it may have answered before.
                self.supervisor.stdin = None;
            }
        }
        Ok(())
    }

    /// The next line, without its end. What follows the last end of a line is no line.
    ///
    /// # Errors
    /// Why the program is to be ended: `late` if it prints none in time. [`ExitCause::Stopped`] where it has ended itself.
    fn read_line(&mut self, until: Instant, late: &ExitCause) -> Result<String, ExitCause> {
        let mut searched = 0;
        loop {
            let unread = &mut self.output.unread;
            if let Some(end) = unread[searched..].iter().position(|byte| *byte == b'\n') {
                let mut line: Vec<u8> = unread.drain(..=searched + end).collect();
                line.pop();
                let not_text = |_| ExitCause::Broke("printed a line that is not UTF-8".into());
                return String::from_utf8(line).map_err(not_text);
            }
            if unread.len() > self.limits.line_bytes {
                return Err(ExitCause::over("printed a line longer than", self.limits.line_bytes as u64));
            }
            searched = unread.len();
            // Checked here as well, for a program that prints without end.
            if Instant::now() > until {
                return Err(late.clone());
            }
            // Where its input is closed too, nothing is awaited but its end.
            let has_closed = self.output.end().is_none() && self.supervisor.stdin.is_some();
            let until = if has_closed { Instant::now() + TIME_AFTER_OUTPUT } else { until };
            match readable([self.output.end(), Some(self.control.as_fd())], until) {
                [true, _] => self.output.read()?,
                [_, true] => return Err(ExitCause::Stopped),
                _ if has_closed => {
                    let closed = "closed its standard output before it had answered, and went on";
                    return Err(ExitCause::Broke(closed.into()));
                }
                _ => return Err(late.clone()),
            }
        }
    }

    /// Ends the program for this reason, unless it has ended for another meanwhile.
    fn end(&mut self, reason: ExitCause) -> ExitReport {
        loop {
            if let Some(report) = &mut self.report {
                if report.cause == ExitCause::Stopped {
                    report.cause = reason;
                }
                return report.clone();
            }
            self.kill();
        }
    }

    /// Waits for what the supervisor says next, where it has not said how the program ended.
    fn next_report(&mut self) {
        if self.report.is_some() {
            return;
        }
        let until = Instant::now() + TIME_OF_SUPERVISOR;
        let next = if readable([Some(self.control.as_fd())], until)[0] {
            SupervisorEvent::read(&mut self.control)
        } else {
            Err(io::Error::other("it did not start or end the program in time"))
        };
        let report = match next {
            Ok(SupervisorEvent::Started(protections)) => {
                self.protections = protections;
                return;
            }
            Ok(SupervisorEvent::Killed) => return,
            Ok(SupervisorEvent::Ended(report)) => report,
            Err(error) => {
                let _ = self.supervisor.kill();
                let _ = self.supervisor.wait();
                let (left, _) = end_all(orphans, || ());
                ExitReport { left, ..ExitReport::silent("", ExitCause::Lost(error.to_string())) }
            }
        };
        // The supervisor ends after its report.
        let _ = self.supervisor.wait();
        self.report = Some(ExitReport { program: self.name.clone(), ..report });
    }
}

impl Drop for SandboxedProcess {
    fn drop(&mut self) {
        self.end(ExitCause::Stopped);
    }
}

/// What this system keeps programs from that need no GPU: found by restricting a process that then executes nothing.
///
/// # Errors
/// When none can be started.
pub fn protections() -> Result<Protections, ExitReport> {
    // A folder that every Linux has, that is small, and in which nothing can be made.
    let command = SandboxCommand { folder: "/proc/self/ns".into(), ..SandboxCommand::default() };
    SandboxedProcess::spawn(&command, &SandboxLimits::default()).map(|running| running.protections.clone())
}

/// Writes a file anew: what has the name is removed first, so that a link is replaced and not followed.
///
/// # Errors
/// When it cannot be made or written.
pub fn write_anew(path: &Path, bytes: &[u8]) -> io::Result<()> {
    remove_if_there(path)?;
    write_new(path, bytes)
}

/// Opens a file that a program has left in its folder, to read it: a regular file with one name. No link is followed, no pipe waited for.
///
/// # Errors
/// When there is none, or it is something else: the message is the rest of a sentence about the file.
pub fn open_left_file(path: &Path) -> io::Result<File> {
    let something_else = || io::Error::other("is no regular file: the program has made something else");
    let without_following = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let opened = OpenOptions::new().read(true).custom_flags(without_following).open(path);
    let file = opened.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(error.kind(), "does not exist"),
        // A link, or a socket.
        _ if path.symlink_metadata().is_ok_and(|about| !about.is_file()) => something_else(),
        _ => io::Error::new(error.kind(), format!("cannot be opened: {error}")),
    })?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(something_else());
    }
    let names = about.nlink();
    if names != 1 {
        return Err(io::Error::other(format!("has {names} names: expected a file with no other")));
    }
    Ok(file)
}

/// All of a file that a program has left, of just this length.
///
/// # Errors
/// As [`open_left_file`], or when it has another length or cannot be read.
pub fn read_whole(path: &Path, into: &mut [u8]) -> io::Result<()> {
    let mut file = open_left_file(path)?;
    if file.metadata()?.len() != into.len() as u64 {
        return Err(io::Error::other(format!("expected a file of {} bytes", into.len())));
    }
    file.read_exact(into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_links_nor_pipes_nor_other_lengths_are_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        write_anew(&path("right"), b"1234").unwrap();
        let mut read = [0; 4];
        read_whole(&path("right"), &mut read).unwrap();
        assert_eq!(&read, b"1234");
        assert!(read_whole(&path("right"), &mut [0; 3]).is_err());
        std::os::unix::fs::symlink(path("right"), path("link")).unwrap();
        assert!(read_whole(&path("link"), &mut read).is_err());
        write_anew(&path("link"), b"5678").unwrap();
        assert_eq!(std::fs::read(path("right")).unwrap(), b"1234");
        pipe(&path("pipe"));
        assert!(read_whole(&path("pipe"), &mut read).is_err());
    }

    #[test]
    fn a_regular_file_with_one_name_is_opened_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let refused = |name: &str| open_left_file(&path(name)).unwrap_err().to_string();
        assert_eq!(refused("gone"), "does not exist");
        std::fs::write(path("file"), "right").unwrap();
        let mut text = String::new();
        open_left_file(&path("file")).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "right");
        std::os::unix::fs::symlink(path("file"), path("link")).unwrap();
        std::fs::create_dir(path("folder")).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        pipe(&path("pipe"));
        for name in ["link", "folder", "socket", "pipe"] {
            assert!(refused(name).starts_with("is no regular file"), "{name}: {}", refused(name));
        }
        std::fs::hard_link(path("file"), path("second")).unwrap();
        assert!(refused("file").starts_with("has 2 names"), "{}", refused("file"));
    }

    fn pipe(path: &Path) {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    }
}
