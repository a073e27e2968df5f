//! What the caller is told: one JSON value a line.

use crate::exit::ExitReport;
use crate::protections::Protections;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

/// By the supervisor, and before anything of the program runs by the process that becomes it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Report {
    /// It is held, and waits to be executed.
    Started(Protections),
    /// It was not executed, and why.
    Failed(String),
    /// All processes of the program have been sent the signal that none survives.
    Killed,
    /// The last one: nothing of the program runs any more.
    Ended(ExitReport),
}

impl Report {
    /// # Errors
    /// When the other end is gone.
    pub fn write(&self, to: &mut UnixStream) -> io::Result<()> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        to.write_all(&line)
    }

    /// Reads the next one byte for byte: whoever waits for a report must find none that was read with another.
    ///
    /// # Errors
    /// When the other end is gone, or wrote something else.
    pub fn read(from: &mut UnixStream) -> io::Result<Self> {
        let mut line = Vec::new();
        let mut byte = [0];
        while line.last() != Some(&b'\n') {
            from.read_exact(&mut byte)?;
            line.push(byte[0]);
        }
        Ok(serde_json::from_slice(&line)?)
    }
}
