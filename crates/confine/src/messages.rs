//! What the caller, the keeper and the process that becomes the program write each other: one JSON value a line.

use crate::end::Ended;
use crate::limits::{Limits, Program};
use crate::protections::Protections;
use repro_types::foreign_text::{FOREIGN_BYTES, foreign_text};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// From the caller to the keeper, once. The end of the connection asks the keeper to end the program.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Start {
    pub program: Program,
    pub limits: Limits,
    /// All variables.
    pub environment: Vec<(String, String)>,
    /// Whose contents it must not read in addition to [`Program::unreadable`].
    pub secrets: Vec<PathBuf>,
}

/// From the process that becomes the program to the keeper, on standard error, before anything of the program runs.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Preface {
    /// The program is executed as soon as the caller says so.
    Ready(Protections),
    /// It is not. After a [`Preface::Ready`] where the system refused to execute it.
    Failed { reason: String },
}

/// From the keeper to the caller.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Report {
    /// It is held, and waits to be executed.
    Started(Protections),
    /// All processes of the program have been sent the signal that none survives.
    Killed,
    /// The last one: nothing of the program runs any more.
    Ended(Ended),
}

/// # Errors
/// When the other end is gone.
pub(crate) fn write(message: &impl Serialize, to: &mut impl Write) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    to.write_all(&line)
}

/// Reads the next message byte for byte, since what follows it may be for somebody else. They are few and short.
///
/// # Errors
/// When the other end is gone, or wrote something else.
pub(crate) fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    let mut line = Vec::new();
    let mut byte = [0];
    loop {
        from.read_exact(&mut byte)?;
        if byte == *b"\n" {
            return serde_json::from_slice(&line)
                .map_err(|_| io::Error::other(foreign_text(&String::from_utf8_lossy(&line), FOREIGN_BYTES)));
        }
        line.push(byte[0]);
    }
}
