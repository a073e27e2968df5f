//! What can go wrong other than what the checker finds.

use thiserror::Error;

/// Why the emulator could not do what it was asked for, in one line with its remedy.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EmulatorError {
    /// There is no C++ compiler, or none that works here.
    #[error("{0}")]
    Unavailable(String),
    /// The host has not as much memory.
    #[error("{what} of {bytes} bytes does not fit into the memory that is free: make it smaller")]
    OutOfMemory {
        /// What did not fit, for the message.
        what: String,
        /// Its size.
        bytes: u64,
    },
    /// The kernel file, the launch or its arguments are wrong, or a file cannot be written.
    #[error("{0}")]
    Refused(String),
}

impl EmulatorError {
    pub(crate) fn refused(words: impl Into<String>) -> Self {
        Self::Refused(words.into())
    }

    pub(crate) fn unavailable(words: impl Into<String>) -> Self {
        Self::Unavailable(words.into())
    }
}
