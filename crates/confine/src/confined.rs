//! A program that runs within limits, from the side of whoever started it.

use crate::end::{End, Ended, Stream};
use crate::environment;
use crate::inside::EXECUTE;
use crate::limits::{Limits, Program};
use crate::messages::{self, Report, Start};
use crate::protections::Protections;
use crate::secrets;
use crate::wait;
use crate::{INSIDE, KEEPER};
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The binary that runs now, also when its file has been replaced.
pub(crate) const OWN_BINARY: &str = "/proc/self/exe";
/// How long the keeper may take to start the program.
const TIME_TO_START: Duration = Duration::from_secs(20);
/// How long the keeper may take to end it. It gives up before.
const TIME_TO_END: Duration = Duration::from_secs(20);
/// How long a program that has closed its output may take to end by itself.
const TIME_AFTER_OUTPUT: Duration = Duration::from_secs(1);
const CHUNK: usize = 64 << 10;

/// A program that runs. All of it is ended when this is dropped.
pub struct Confined {
    name: String,
    limits: Limits,
    protections: Protections,
    keeper: Child,
    /// To the keeper. Its end asks for the end of the program.
    control: UnixStream,
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    /// What was read and not returned.
    unread: Vec<u8>,
    /// How many bytes were read.
    read: u64,
    ended: Option<Ended>,
}

impl Confined {
    /// [`Self::hold`] and [`Held::execute`] at once.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(program: &Program, limits: &Limits) -> Result<Self, Ended> {
        Self::hold(program, limits).map(Held::execute)
    }

    /// Puts all in place that restricts a program, and executes nothing of it yet.
    ///
    /// # Errors
    /// When it cannot be held.
    pub fn hold(program: &Program, limits: &Limits) -> Result<Held, Ended> {
        let name = program.command.first().cloned().unwrap_or_default();
        let failed = |reason: String| Ended {
            program: name.clone(),
            end: End::NotStarted { reason },
            stderr: String::new(),
            peak_memory_bytes: 0,
            left: Vec::new(),
        };
        // The keeper would come here again, and so without end.
        if std::env::args_os().nth(1).is_some_and(|first| first == KEEPER || first == INSIDE) {
            let problem = "this process was started to keep one: its main has to call repro_confine::serve_if_asked first";
            return Err(failed(problem.to_string()));
        }
        let (control, keepers) = UnixStream::pair().map_err(|error| failed(error.to_string()))?;
        let mut keeper = Command::new(OWN_BINARY)
            .arg(KEEPER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(OwnedFd::from(keepers))
            // An interrupt from the terminal is for the caller to handle.
            .process_group(0)
            .spawn()
            .map_err(|error| failed(format!("the process that watches it: {error}")))?;
        let (input, output) = (keeper.stdin.take(), keeper.stdout.take());
        let protections = Protections::default();
        let (unread, limits) = (Vec::new(), limits.clone());
        let mut confined =
            Self { name, limits, protections, keeper, control, input, output, unread, read: 0, ended: None };
        confined.begin(program)?;
        Ok(Held(confined))
    }

    fn begin(&mut self, program: &Program) -> Result<(), Ended> {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| name.into_string().ok().zip(value.into_string().ok()));
        let environment = environment::of(program, &self.limits, variables);
        let secrets = secrets::present(std::env::var_os("HOME"));
        let start = Start { program: program.clone(), limits: self.limits.clone(), environment, secrets };
        let sent = messages::write(&start, &mut self.control);
        match sent.and_then(|()| self.report(Instant::now() + TIME_TO_START)) {
            Ok(Some(Report::Started(protections))) => {
                self.protections = protections;
                Ok(())
            }
            Ok(Some(Report::Killed)) => Err(self.read_end()),
            Ok(Some(Report::Ended(ended))) => Err(self.has_ended(ended)),
            Ok(None) => Err(self.lost("it did not start the program in time".into())),
            Err(error) => Err(self.lost(error.to_string())),
        }
    }

    /// What this system keeps the program from.
    pub fn protections(&self) -> &Protections {
        &self.protections
    }

    /// Writes one line to the program and waits for one from it.
    ///
    /// # Errors
    /// How the program ended, if it has no answer within this time or breaks a limit. It has ended then, and so it does for all later calls.
    pub fn exchange(&mut self, line: &str, within: Duration) -> Result<String, Ended> {
        let until = Instant::now() + within;
        let late = End::NoAnswer { limit: within };
        self.write_line(line, until, &late)?;
        self.read_line(until, &late)
    }

    /// Whether it has printed something that was not read: what nobody has asked it for yet.
    pub fn has_printed(&mut self) -> bool {
        let [has_output] = wait::readable([self.output.as_ref().map(AsFd::as_fd)], Instant::now());
        // That it has ended is reported when it is asked.
        let _ = if has_output { self.read_some() } else { Ok(()) };
        !self.unread.is_empty()
    }

    /// Ends the program now, and returns as soon as none of its processes computes any more. The system may still have to take back what they had,
    /// which takes time with much memory. A GPU can work on for a process that is being ended: where one may be used, all of it is over.
    pub fn kill(mut self) -> Killed {
        // The keeper may be gone; reading its report finds that out.
        let _ = self.control.shutdown(Shutdown::Write);
        if self.ended.is_none() {
            let ended = self.read_one_of_end(Instant::now() + TIME_TO_END);
            if ended.is_none() && self.limits.gpu {
                self.read_end();
            }
        }
        Killed(self)
    }

    /// Closes the program's input and waits for its end. After this time it is ended. What it still prints counts towards the limit.
    pub fn finish(mut self, within: Duration) -> Ended {
        self.input = None;
        let until = Instant::now() + within;
        loop {
            if let Err(ended) = self.read_line(until, &End::TooSlow { limit: within }) {
                return ended;
            }
        }
    }

    fn write_line(&mut self, line: &str, until: Instant, late: &End) -> Result<(), Ended> {
        if let Some(ended) = &self.ended {
            return Err(ended.clone());
        }
        let line = format!("{line}\n");
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            let Some(input) = &mut self.input else { break };
            if !wait::writable(input.as_fd(), until) {
                return Err(self.stop(late.clone()));
            }
            // A pipe that can be written to takes this much at once.
            match input.write(&rest[..rest.len().min(512)]) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // It reads no more. How it ended is found when its answer is read; it may have answered before.
                Err(_) => self.input = None,
            }
        }
        Ok(())
    }

    /// The next line, without its end. What follows the last end of a line is no line.
    fn read_line(&mut self, until: Instant, late: &End) -> Result<String, Ended> {
        loop {
            if let Some(ended) = &self.ended {
                return Err(ended.clone());
            }
            if let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                let mut line: Vec<u8> = self.unread.drain(..=end).collect();
                line.pop();
                return String::from_utf8(line).map_err(|_| self.stop(End::NotText));
            }
            if self.unread.len() > self.limits.line_bytes {
                return Err(self.stop(End::LineTooLong { limit: self.limits.line_bytes }));
            }
            let ends = [self.output.as_ref().map(AsFd::as_fd), Some(self.control.as_fd())];
            let [has_output, has_report] = wait::readable(ends, until);
            if has_output {
                self.read_some()?;
            } else if has_report {
                return Err(self.read_end());
            } else {
                return Err(self.stop(late.clone()));
            }
        }
    }

    fn read_some(&mut self) -> Result<(), Ended> {
        let Some(output) = &mut self.output else { return Ok(()) };
        let mut chunk = [0; CHUNK];
        let taken = match output.read(&mut chunk) {
            Ok(taken) => taken,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            Err(_) => 0,
        };
        self.unread.extend_from_slice(&chunk[..taken]);
        self.read += taken as u64;
        if self.read > self.limits.stdout_bytes {
            let limit = self.limits.stdout_bytes;
            return Err(self.stop(End::TooMuchOutput { stream: Stream::Stdout, limit }));
        }
        if taken == 0 {
            self.output = None;
            // Where its input is closed too, nothing is awaited but its end.
            if self.input.is_some() {
                let until = Instant::now() + TIME_AFTER_OUTPUT;
                let has_ended = wait::readable([Some(self.control.as_fd())], until)[0];
                return Err(if has_ended { self.read_end() } else { self.stop(End::ClosedOutput) });
            }
        }
        Ok(())
    }

    /// Ends the program for this reason, unless it has ended for another meanwhile.
    fn stop(&mut self, reason: End) -> Ended {
        // The keeper may be gone; reading its report finds that out.
        let _ = self.control.shutdown(Shutdown::Write);
        let mut ended = self.read_end();
        if ended.end == End::Stopped {
            ended.end = reason;
            self.ended = Some(ended.clone());
        }
        ended
    }

    /// How it ended, from the keeper.
    fn read_end(&mut self) -> Ended {
        let until = Instant::now() + TIME_TO_END;
        loop {
            if let Some(ended) = self.read_one_of_end(until) {
                return ended;
            }
        }
    }

    /// The next report, of one that is being ended: how it ended, or nothing where it is killed and has not ended.
    fn read_one_of_end(&mut self, until: Instant) -> Option<Ended> {
        Some(match self.report(until) {
            Ok(Some(Report::Killed)) => return None,
            Ok(Some(Report::Ended(ended))) => self.has_ended(ended),
            Ok(Some(Report::Started(_))) => self.lost("it started twice".into()),
            Ok(None) => self.lost("it did not end the program in time".into()),
            Err(error) => self.lost(error.to_string()),
        })
    }

    fn report(&mut self, until: Instant) -> io::Result<Option<Report>> {
        if !wait::readable([Some(self.control.as_fd())], until)[0] {
            return Ok(None);
        }
        messages::read(&mut self.control).map(Some)
    }

    fn lost(&mut self, reason: String) -> Ended {
        let _ = self.keeper.kill();
        self.has_ended(Ended {
            program: self.name.clone(),
            end: End::Lost { reason },
            stderr: String::new(),
            peak_memory_bytes: 0,
            left: Vec::new(),
        })
    }

    fn has_ended(&mut self, ended: Ended) -> Ended {
        // It ends with its report.
        let _ = self.keeper.wait();
        self.ended = Some(ended.clone());
        ended
    }
}

/// A program of which nothing is executed yet. It is given up when this is dropped.
pub struct Held(Confined);

impl Held {
    /// Executes it. A clock that was started before has all of the program's time.
    pub fn execute(mut self) -> Confined {
        // Where nobody reads this, the keeper has the reason, and whoever asks the program next gets it.
        if let Some(input) = &mut self.0.input {
            let _ = input.write_all(EXECUTE);
        }
        self.0
    }
}

/// A program of which nothing computes any more.
pub struct Killed(Confined);

impl Killed {
    /// Waits until the system has taken back all that it had. [`End::Stopped`] where nothing else had ended it before.
    pub fn wait(mut self) -> Ended {
        match self.0.ended.clone() {
            Some(ended) => ended,
            None => self.0.read_end(),
        }
    }
}

/// What this system keeps programs from that need no GPU: found by starting one that does nothing.
///
/// # Errors
/// When none can be started.
pub fn protections() -> Result<Protections, Ended> {
    let program =
        Program { command: vec!["true".into()], folder: std::env::temp_dir(), ..Program::default() };
    // It has ended before it matters that the folder is not its own.
    Confined::start(&program, &Limits::default()).map(|running| running.protections().clone())
}

impl Drop for Confined {
    fn drop(&mut self) {
        if self.ended.is_none() {
            self.stop(End::Stopped);
        }
    }
}
