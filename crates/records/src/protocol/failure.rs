//! Why a request failed.

use crate::plan::{NoRoom, UnknownImplementation};
use crate::store::WRONG_RESULT;
use repro_device::{DeviceError, FailureKind};
use repro_user::confine::foreign_text;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureCause {
    /// The graph itself: nothing can run on it.
    Graph,
    /// Not enough memory, on the host or the device.
    OutOfMemory,
    /// No device or compiler for this implementation.
    Unavailable,
    /// Fewer devices than this implementation needs.
    TooFewDevices,
    /// The result is wrong.
    WrongResult,
    /// The device is lost to this process; the worker ends.
    DeviceLost,
    /// Another of several processes is lost; all of them end.
    MemberLost,
    /// No answer came in time; the worker was stopped.
    TimedOut,
    /// The worker ended without an answer: how, and what it wrote to its standard error last.
    Died,
    /// The user asked to stop; the worker was stopped.
    Interrupted,
    Other,
}

/// What was asked for, or why it failed.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    pub cause: FailureCause,
    pub message: String,
}

impl Failure {
    pub fn new(cause: FailureCause, message: impl fmt::Display) -> Self {
        Self { cause, message: message.to_string() }
    }

    /// Of no cause that anybody asks for.
    pub fn other(message: impl fmt::Display) -> Self {
        Self::new(FailureCause::Other, message)
    }

    /// Of the graph itself.
    pub fn graph(message: impl fmt::Display) -> Self {
        Self::new(FailureCause::Graph, message)
    }

    /// A number that differs from what is right, as records begin to say it.
    pub fn wrong_number(problem: impl fmt::Display) -> Self {
        Self::new(FailureCause::WrongResult, format!("{WRONG_RESULT}: {problem}"))
    }
}

impl From<UnknownImplementation> for Failure {
    fn from(error: UnknownImplementation) -> Self {
        Self::other(error)
    }
}

impl From<NoRoom> for Failure {
    fn from(error: NoRoom) -> Self {
        Self::new(FailureCause::OutOfMemory, error)
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        let cause = match error.kind {
            FailureKind::Unavailable => FailureCause::Unavailable,
            FailureKind::OutOfMemory => FailureCause::OutOfMemory,
            FailureKind::Lost => FailureCause::DeviceLost,
            FailureKind::Other => FailureCause::Other,
        };
        // It may quote a compiler or a file of somebody else, and goes into records.
        Self { cause, message: foreign_text(&error.message, MESSAGE_BYTES) }
    }
}

/// What is wrong with a result where only its digest shows it.
pub const REST_DIFFERS: &str =
    "the compared rows are right, but the rest differs from an earlier right result";

/// The longest message of a device that records take, in bytes.
const MESSAGE_BYTES: usize = 2000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_compiler_quotes_of_a_file_is_one_line_of_a_record_and_not_longer_than_it_may_be() {
        let quoted = DeviceError::other(format!("a.cu:1: error: \u{202e}x\x1b[2J\n{}", "y".repeat(9000)));
        let failure = Failure::from(quoted);
        assert!(failure.message.starts_with("a.cu:1: error: \u{fffd}x [2J / yyy"), "{}", failure.message);
        assert!(failure.message.ends_with("… (cut: 9,024 bytes)"), "{}", failure.message);
        assert!(failure.message.len() < MESSAGE_BYTES + 40);
    }
}
