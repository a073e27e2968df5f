//! How a program ended.

use repro_types::foreign_text::{FOREIGN_BYTES, foreign_quote, foreign_text};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;
use thiserror::Error;

/// Where a program prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stream {
    Stdout,
    Stderr,
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Stdout => "standard output",
            Self::Stderr => "standard error",
        })
    }
}

/// Why a program ended. Each is shown as the rest of a sentence about the program, on one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    Exited {
        code: i32,
    },
    Signalled {
        signal: i32,
    },
    /// It was no longer wanted.
    Stopped,
    /// It was no longer wanted, and had started a process that was not seen when all were to be ended: that one worked on for a moment.
    WorkedOn,
    /// It ran longer than it may.
    TooSlow {
        limit: Duration,
    },
    /// It did not answer a line in time, and may have run less long than it may.
    NoAnswer {
        limit: Duration,
    },
    TooMuchMemory {
        bytes: u64,
        limit: u64,
    },
    TooManyProcesses {
        count: u32,
        limit: u32,
    },
    TooManyThreads {
        count: u32,
        limit: u32,
    },
    TooMuchOutput {
        stream: Stream,
        limit: u64,
    },
    LineTooLong {
        limit: usize,
    },
    /// It printed a line that is not UTF-8.
    NotText,
    /// It closed its standard output while an answer was awaited, and went on.
    ClosedOutput,
    TooMuchDisk {
        bytes: u64,
        limit: u64,
    },
    /// It tried to write a file longer than the limit of its folder.
    FileTooLong {
        limit: u64,
    },
    TooManyFiles {
        count: u32,
        limit: u32,
    },
    NotStarted {
        reason: String,
    },
    /// The process that watches it ended, so that nobody knows.
    Lost {
        reason: String,
    },
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Exited { code } => write!(f, "ended with code {code}"),
            Self::Signalled { signal } => write!(f, "was ended by signal {signal}{}", name_of(*signal)),
            Self::Stopped => write!(f, "was ended because it was no longer needed"),
            Self::WorkedOn => {
                write!(f, "started a process while it was being ended, which worked on for a moment")
            }
            Self::TooSlow { limit } => write!(f, "ran longer than its limit of {} s", limit.as_secs_f64()),
            Self::NoAnswer { limit } => write!(f, "gave no answer within {} s", limit.as_secs_f64()),
            Self::TooMuchMemory { bytes, limit } => {
                write!(f, "used {} of memory, more than its limit of {}", Size(*bytes), Size(*limit))
            }
            Self::TooManyProcesses { count, limit } => {
                write!(f, "had {count} processes at a time, more than its limit of {limit}")
            }
            Self::TooManyThreads { count, limit } => {
                write!(f, "had {count} threads at a time, more than its limit of {limit}")
            }
            Self::TooMuchOutput { stream, limit } => {
                write!(f, "printed more on {stream} than its limit of {}", Size(*limit))
            }
            Self::LineTooLong { limit } => {
                write!(f, "printed a line longer than its limit of {}", Size(*limit as u64))
            }
            Self::NotText => write!(f, "printed a line that is not UTF-8"),
            Self::ClosedOutput => write!(f, "closed its standard output before it had answered, and went on"),
            Self::TooMuchDisk { bytes, limit } => {
                write!(f, "had {} in its folder, more than its limit of {}", Size(*bytes), Size(*limit))
            }
            Self::FileTooLong { limit } => {
                write!(f, "wrote a file longer than the limit of its folder, {}", Size(*limit))
            }
            Self::TooManyFiles { count, limit } => {
                write!(f, "had {count} files in its folder, more than its limit of {limit}")
            }
            // With the name that an adapter gives it, or what the system's loader printed.
            Self::NotStarted { reason } => {
                write!(f, "could not be started: {}", foreign_text(reason, FOREIGN_BYTES))
            }
            Self::Lost { reason } => write!(f, "was lost with the process that watches it: {reason}"),
        }
    }
}

/// A program that has ended. Unless [`Ended::left`] names some, none of its processes runs any more.
///
/// Shown as one line: the program, how it ended, and the last line that it printed on standard error.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub struct Ended {
    /// Its first word.
    pub program: String,
    pub end: End,
    /// The last of what it printed on standard error, with whatever is not UTF-8 replaced.
    pub stderr: String,
    /// The most resident memory that was seen, in bytes.
    pub peak_memory_bytes: u64,
    /// Processes of it that could not be ended, as those that wait for a device in the kernel.
    pub left: Vec<i32>,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", foreign_text(&self.program, FOREIGN_BYTES), self.end)?;
        if let Some(line) = self.stderr.lines().map(str::trim).rfind(|line| !line.is_empty()) {
            write!(f, "; its last line on standard error is: {}", foreign_quote(line, FOREIGN_BYTES))?;
        }
        if !self.left.is_empty() {
            write!(f, "; still running, since the system does not end them: processes {:?}", self.left)?;
        }
        Ok(())
    }
}

/// Bytes for people.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let units = [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
        match units.iter().find(|(unit, _)| self.0 >= *unit) {
            Some((unit, name)) => write!(f, "{:.1} {name}", self.0 as f64 / *unit as f64),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

/// The name of a signal that ends programs, in brackets.
fn name_of(signal: i32) -> &'static str {
    match signal {
        4 => " (illegal instruction)",
        6 => " (abort)",
        7 => " (bus error)",
        8 => " (arithmetic error)",
        9 => " (killed, as by the system when memory is short)",
        11 => " (access to memory that it does not have)",
        15 => " (termination)",
        31 => " (a system call that is refused)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_one_line_that_names_the_program_the_value_and_the_limit() {
        let ended = Ended {
            program: "python3".into(),
            end: End::TooMuchMemory { bytes: 3 << 29, limit: 1 << 20 },
            stderr: "Traceback\n  File \"a.py\"\nMemory\tError\n\n".into(),
            peak_memory_bytes: 3 << 29,
            left: Vec::new(),
        };
        let expected = "python3 used 1.5 GiB of memory, more than its limit of 1.0 MiB; its last line on standard error is: \"Memory Error\"";
        assert_eq!(ended.to_string(), expected);
        let left = Ended { left: vec![7], stderr: String::new(), end: End::Exited { code: 3 }, ..ended };
        assert_eq!(
            left.to_string(),
            "python3 ended with code 3; still running, since the system does not end them: processes [7]"
        );
    }
}
