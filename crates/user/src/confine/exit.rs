//! How a program ended, and how its caller is told.

use crate::confine::limits::Protections;
use repro_base::text::{FOREIGN_BYTES, foreign_quote, foreign_text};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;
use thiserror::Error;

/// Why a program ended. Each is shown as the rest of a sentence about the program, on one line.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExitCause {
    #[error("ended with code {0}")]
    Exited(i32),
    #[error("was ended by {}{}", ExitStatus::from_raw(*.0), if *.0 == 9 { ", as by the system when memory is short" } else { "" })]
    Signalled(i32),
    /// It was no longer wanted.
    #[error("was ended because it was no longer needed")]
    Stopped,
    /// It was no longer wanted, and had started a process that was not seen when all were to be ended: that one worked on for a moment.
    #[error("spawned a process while being killed; that process ran on briefly")]
    WorkedOn,
    /// It exceeded a limit or did not answer as it must: which, and by how much.
    #[error("{0}")]
    Broke(String),
    // With the name that an adapter gives it, or what the system's loader printed.
    #[error("could not be started: {}", foreign_text(.0, FOREIGN_BYTES))]
    NotStarted(String),
    /// The process that watches it ended, so that nobody knows how the program did.
    #[error("was lost with the process that watches it: {0}")]
    Lost(String),
}

impl ExitCause {
    /// That a limit in bytes was broken; `what` is the beginning of the sentence, such as "printed more than".
    pub(crate) fn over(what: impl fmt::Display, limit: u64) -> Self {
        Self::Broke(format!("{what} its limit of {}", size(limit)))
    }

    pub(crate) fn too_slow(limit: Duration) -> Self {
        Self::Broke(format!("ran longer than its limit of {} s", limit.as_secs_f64()))
    }
}

/// A program that has ended. Unless [`ExitReport::left`] names some, none of its processes runs any more.
///
/// Shown as one line: the program, how it ended, and the last line that it printed on standard error.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub struct ExitReport {
    /// The first word of its command.
    pub program: String,
    pub cause: ExitCause,
    /// The last of what it printed on standard error, with whatever is not UTF-8 replaced.
    pub stderr: String,
    /// Processes of it that could not be ended, as those that wait for a device in the kernel.
    pub left: Vec<i32>,
}

impl ExitReport {
    /// The report of a program that printed nothing, as far as is known, and left no process.
    pub(crate) fn silent(program: &str, cause: ExitCause) -> Self {
        Self { program: program.into(), cause, stderr: String::new(), left: Vec::new() }
    }
}

impl fmt::Display for ExitReport {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", foreign_text(&self.program, FOREIGN_BYTES), self.cause)?;
        if let Some(line) = self.stderr.lines().map(str::trim).rfind(|line| !line.is_empty()) {
            write!(f, "; its last line on standard error is: {}", foreign_quote(line, FOREIGN_BYTES))?;
        }
        if !self.left.is_empty() {
            write!(f, "; still running, since the system does not end them: processes {:?}", self.left)?;
        }
        Ok(())
    }
}

/// What the caller is told, as JSON that shows its own end: by the supervisor and, before the program runs, by the process that becomes it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SupervisorEvent {
    /// The program is restricted, and waits to be executed.
    Started(Protections),
    /// All processes of the program have been sent SIGKILL.
    Killed,
    /// The last event: nothing of the program runs any more, or it was not executed. The caller fills in the program's name.
    Ended(ExitReport),
}

impl SupervisorEvent {
    /// # Errors
    /// When the other end is gone.
    pub fn write(&self, to: &mut UnixStream) -> io::Result<()> {
        to.write_all(&serde_json::to_vec(self)?)
    }

    /// Reads the next event byte by byte, and no byte after it: a later event has to be there still for whoever waits for it.
    ///
    /// # Errors
    /// When the other end is gone, or wrote something else.
    pub fn read(from: &mut UnixStream) -> io::Result<Self> {
        Ok(Self::deserialize(&mut serde_json::Deserializer::from_reader(from))?)
    }
}

/// A number of bytes, as people read it.
pub(crate) fn size(bytes: u64) -> String {
    let units = [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / *unit as f64),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_does_not_end_is_named() {
        let left = ExitReport { left: vec![7], ..ExitReport::silent("python3", ExitCause::Exited(3)) };
        let expected =
            "python3 ended with code 3; still running, since the system does not end them: processes [7]";
        assert_eq!(left.to_string(), expected);
    }
}
