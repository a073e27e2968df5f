//! What the caller is told: JSON values, each an object or a string, of which the end shows.

use crate::exit::ExitReport;
use crate::protections::Protections;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::os::unix::net::UnixStream;

/// By the supervisor, and before anything of the program runs by the process that becomes it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Report {
    /// It is held, and waits to be executed.
    Started(Protections),
    /// All processes of the program have been sent the signal that none survives.
    Killed,
    /// The last one: nothing of the program runs any more, or it was not executed. Its name is left to the caller.
    Ended(ExitReport),
}

impl Report {
    /// # Errors
    /// When the other end is gone.
    pub fn write(&self, to: &mut UnixStream) -> io::Result<()> {
        to.write_all(&serde_json::to_vec(self)?)
    }

    /// Reads the next one byte for byte, and none behind it: whoever waits for a report must find none that was read with another.
    ///
    /// # Errors
    /// When the other end is gone, or wrote something else.
    pub fn read(from: &mut UnixStream) -> io::Result<Self> {
        Ok(Self::deserialize(&mut serde_json::Deserializer::from_reader(from))?)
    }
}
