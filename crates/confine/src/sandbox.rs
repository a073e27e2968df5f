//! A program that runs within limits, from the side of whoever started it.

use crate::child::EXECUTE;
use crate::exit::{ExitCause, ExitReport};
use crate::limits::{Limits, Request, SandboxCommand};
use crate::protections::Protections;
use crate::report::Report;
use crate::supervisor::reaper::{ProcessTreeReaper, orphans};
use crate::{SANDBOX, is_sandbox_child, secrets, wait};
use rustix::io::{read, retry_on_intr, write};
use rustix::process::{getpid, set_child_subreaper};
use std::io::{self, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The binary that runs now, also when its file has been replaced.
const OWN_BINARY: &str = "/proc/self/exe";
/// How long the supervisor may take to start the program, or to end it. It gives up before.
const TIME_OF_SUPERVISOR: Duration = Duration::from_secs(20);
/// How long a program that has closed its output may take to end by itself.
const TIME_AFTER_OUTPUT: Duration = Duration::from_secs(1);
const CHUNK: usize = 64 << 10;
/// What a program gets of the caller's environment, where it is set.
const KEPT: [&str; 4] = ["PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH"];
/// What it gets in addition to that where it needs a GPU, by how the names begin.
const KEPT_FOR_GPU: [&str; 2] = ["CUDA_", "NVIDIA_"];

/// A program that runs. All of it is ended when this is dropped.
pub struct SandboxedProcess {
    name: String,
    limits: Limits,
    /// What this system keeps the program from.
    pub protections: Protections,
    /// Its standard input and output are the program's.
    supervisor: Child,
    /// To the supervisor. Its end asks for the end of the program.
    control: UnixStream,
    /// What was read and not returned.
    unread: Vec<u8>,
    /// How many bytes were read.
    read: u64,
    report: Option<ExitReport>,
}

impl SandboxedProcess {
    /// Puts all in place that restricts a program, and executes nothing of it until [`Self::resume`].
    ///
    /// # Errors
    /// When it cannot be held.
    pub fn spawn(command: &SandboxCommand, limits: &Limits) -> Result<Self, ExitReport> {
        let name = command.words.first().map_or("a process of this program", String::as_str).to_string();
        let (supervisor, control) = supervise(command, limits)
            .map_err(|error| ExitReport::silent(&name, ExitCause::NotStarted(error.to_string())))?;
        let (limits, protections) = (limits.clone(), Protections::default());
        let (unread, read, report) = (Vec::new(), 0, None);
        let mut process = Self { name, limits, protections, supervisor, control, unread, read, report };
        let Some(protections) = process.next_report()? else { return Err(process.read_end()) };
        process.protections = protections;
        Ok(process)
    }

    /// Executes it. A clock that was started before has all of the program's time.
    pub fn resume(mut self) -> Self {
        // Where nobody reads this, the supervisor has the reason, and whoever asks the program next gets it.
        if let Some(input) = &mut self.supervisor.stdin {
            let _ = input.write_all(EXECUTE);
        }
        self
    }

    /// Writes one line to the program and waits for one from it.
    ///
    /// # Errors
    /// How the program ended, if it has no answer within this time or breaks a limit. It has ended then, and so it does for all later calls.
    pub fn exchange(&mut self, line: &str, within: Duration) -> Result<String, ExitReport> {
        let until = Instant::now() + within;
        let late = ExitCause::Broke(format!("gave no answer within {} s", within.as_secs_f64()));
        self.write_line(line, until, &late)?;
        self.read_line(until, &late)
    }

    /// Whether it has printed something that was not read: what nobody has asked it for yet.
    pub fn has_printed(&mut self) -> bool {
        let [has_output] = wait::readable([self.supervisor.stdout.as_ref().map(AsFd::as_fd)], Instant::now());
        // That it has ended is reported when it is asked.
        let _ = if has_output { self.read_some() } else { Ok(()) };
        !self.unread.is_empty()
    }

    /// Ends the program now, and returns as soon as none of its processes computes any more. The system may still have to take back what they had,
    /// which takes time with much memory. A GPU can work on for a process that is being ended: where one may be used, all of it is over.
    pub fn kill(&mut self) {
        self.ask_for_end();
        if self.report.is_none() {
            // How it ended is kept.
            let _ = if self.limits.gpu { Err(self.read_end()) } else { self.next_report() };
        }
    }

    /// Of one that is killed, waits until the system has taken back all that it had. [`ExitCause::Stopped`] where nothing else had ended it before.
    pub fn wait(mut self) -> ExitReport {
        self.report.clone().unwrap_or_else(|| self.read_end())
    }

    /// Closes the program's input and waits for its end. After this time it is ended. What it still prints counts towards the limit.
    pub fn finish(mut self, within: Duration) -> ExitReport {
        self.supervisor.stdin = None;
        let until = Instant::now() + within;
        loop {
            if let Err(report) = self.read_line(until, &ExitCause::too_slow(within)) {
                return report;
            }
        }
    }

    fn write_line(&mut self, line: &str, until: Instant, late: &ExitCause) -> Result<(), ExitReport> {
        self.report.clone().map_or(Ok(()), Err)?;
        let line = format!("{line}\n");
        let mut rest = line.as_bytes();
        while let (Some(input), false) = (&self.supervisor.stdin, rest.is_empty()) {
            if !wait::writable(input.as_fd(), until) {
                return Err(self.stop(late.clone()));
            }
            // A pipe that can be written to takes this much at once.
            match retry_on_intr(|| write(&*input, &rest[..rest.len().min(512)])) {
                Ok(written) => rest = &rest[written..],
                // It reads no more. How it ended is found when its answer is read; it may have answered before.
                Err(_) => self.supervisor.stdin = None,
            }
        }
        Ok(())
    }

    /// The next line, without its end. What follows the last end of a line is no line.
    fn read_line(&mut self, until: Instant, late: &ExitCause) -> Result<String, ExitReport> {
        loop {
            self.report.clone().map_or(Ok(()), Err)?;
            if let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                let mut line: Vec<u8> = self.unread.drain(..=end).collect();
                line.pop();
                let not_text = |_| self.stop(ExitCause::Broke("printed a line that is not UTF-8".into()));
                return String::from_utf8(line).map_err(not_text);
            }
            if self.unread.len() > self.limits.line_bytes {
                let limit = self.limits.line_bytes as u64;
                return Err(self.stop(ExitCause::over("printed a line longer than", limit)));
            }
            let ends = [self.supervisor.stdout.as_ref().map(AsFd::as_fd), Some(self.control.as_fd())];
            match wait::readable(ends, until) {
                [true, _] => self.read_some()?,
                [_, true] => return Err(self.read_end()),
                _ => return Err(self.stop(late.clone())),
            }
        }
    }

    fn read_some(&mut self) -> Result<(), ExitReport> {
        let Some(output) = &self.supervisor.stdout else { return Ok(()) };
        let mut chunk = [0; CHUNK];
        let taken = retry_on_intr(|| read(&*output, &mut chunk)).unwrap_or(0);
        self.unread.extend_from_slice(&chunk[..taken]);
        self.read += taken as u64;
        let limit = self.limits.stdout_bytes;
        if self.read > limit {
            return Err(self.stop(ExitCause::over("printed more on standard output than", limit)));
        }
        if taken == 0 {
            self.supervisor.stdout = None;
            // Where its input is closed too, nothing is awaited but its end.
            if self.supervisor.stdin.is_some() {
                let until = Instant::now() + TIME_AFTER_OUTPUT;
                if wait::readable([Some(self.control.as_fd())], until)[0] {
                    return Err(self.read_end());
                }
                let closed = "closed its standard output before it had answered, and went on";
                return Err(self.stop(ExitCause::Broke(closed.into())));
            }
        }
        Ok(())
    }

    fn ask_for_end(&self) {
        // The supervisor may be gone; reading its report finds that out.
        let _ = self.control.shutdown(Shutdown::Write);
    }

    /// Ends the program for this reason, unless it has ended for another meanwhile.
    fn stop(&mut self, reason: ExitCause) -> ExitReport {
        self.ask_for_end();
        let mut report = self.read_end();
        if report.cause == ExitCause::Stopped {
            report.cause = reason;
            self.report = Some(report.clone());
        }
        report
    }

    /// How it ended, from the supervisor.
    fn read_end(&mut self) -> ExitReport {
        loop {
            if let Err(report) = self.next_report() {
                return report;
            }
        }
    }

    /// Reads what the supervisor says next: that it was started, with what it is kept from, and then that it is killed.
    ///
    /// # Errors
    /// How it has ended.
    fn next_report(&mut self) -> Result<Option<Protections>, ExitReport> {
        let until = Instant::now() + TIME_OF_SUPERVISOR;
        let next = if wait::readable([Some(self.control.as_fd())], until)[0] {
            Report::read(&mut self.control)
        } else {
            Err(io::Error::other("it did not start or end the program in time"))
        };
        match next.map_err(|error| self.lost(error.to_string()))? {
            Report::Started(protections) => Ok(Some(protections)),
            Report::Killed => Ok(None),
            Report::Ended(report) => Err(self.has_ended(report)),
        }
    }

    fn lost(&mut self, reason: String) -> ExitReport {
        let _ = self.supervisor.kill();
        let _ = self.supervisor.wait();
        let (left, _) = ProcessTreeReaper::kill_all(orphans).wait();
        self.has_ended(ExitReport { left, ..ExitReport::silent("", ExitCause::Lost(reason)) })
    }

    fn has_ended(&mut self, report: ExitReport) -> ExitReport {
        // It ends with its report.
        let _ = self.supervisor.wait();
        let report = ExitReport { program: self.name.clone(), ..report };
        self.report = Some(report.clone());
        report
    }
}

/// Starts the supervisor, which starts the program.
fn supervise(command: &SandboxCommand, limits: &Limits) -> io::Result<(Child, UnixStream)> {
    // The supervisor would come here again, and so without end.
    if is_sandbox_child() {
        let problem =
            "this is a helper process of a sandbox: call repro_confine::run_if_sandbox_child first in main";
        return Err(io::Error::other(problem));
    }
    let secrets = secrets::present();
    let request = Request { command: command.clone(), limits: limits.clone(), secrets };
    // What a supervisor that is killed leaves becomes children of this process.
    set_child_subreaper(Some(getpid()))?;
    let (control, supervisors) = UnixStream::pair()?;
    let starts = |name: &str, one: &&str| limits.gpu && name.starts_with(*one);
    let is_kept = |name: &str| KEPT.contains(&name) || KEPT_FOR_GPU.iter().any(|one| starts(name, one));
    let variables = std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_kept));
    // Those of a program could have the loader put code into the supervisor, which is not confined.
    let own = if command.words.is_empty() { &command.environment[..] } else { &[] };
    let folder = &command.folder;
    let child = Command::new(OWN_BINARY)
        .args([SANDBOX, &serde_json::to_string(&request)?])
        .env_clear()
        .envs(variables)
        .envs(["HOME", "TMPDIR", "PWD"].map(|name| (name, folder)))
        .envs(own.iter().map(|(name, value)| (name, value)))
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(OwnedFd::from(supervisors))
        // An interrupt from the terminal is for the caller to handle.
        .process_group(0)
        .spawn()
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))?;
    Ok((child, control))
}

impl Drop for SandboxedProcess {
    fn drop(&mut self) {
        if self.report.is_none() {
            self.stop(ExitCause::Stopped);
        }
    }
}

/// What this system keeps programs from that need no GPU: found by starting one that does nothing.
///
/// # Errors
/// When none can be started.
pub fn protections() -> Result<Protections, ExitReport> {
    let command = SandboxCommand {
        words: vec!["true".into()],
        // There on every Linux, small, and nothing can be made in it.
        folder: "/proc/self/ns".into(),
        ..SandboxCommand::default()
    };
    SandboxedProcess::spawn(&command, &Limits::default()).map(|running| running.protections.clone())
}
