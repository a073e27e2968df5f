//! What can go wrong on a device, sorted by what the rest of a run should do about it.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What a failure means for the work that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// There is no such device, or nothing to compile kernels with.
    Unavailable,
    /// This cell is too large; smaller ones may run.
    OutOfMemory,
    /// A kernel faulted or the device is gone: nothing more can run in this process.
    Lost,
    /// Anything else.
    Other,
}

/// A failure on a device, described in one line with its remedy.
#[derive(Clone, Debug, Error, PartialEq, Serialize, Deserialize)]
#[error("{message}")]
pub struct DeviceError {
    pub kind: FailureKind,
    pub message: String,
}

impl DeviceError {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Unavailable, message)
    }

    pub fn other(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Other, message)
    }

    /// `what` needs more device memory than is free.
    pub fn out_of_memory(what: &str, needed: u64, free: u64) -> Self {
        Self::new(
            FailureKind::OutOfMemory,
            format!(
                "{what} needs {} of device memory and {} are free: choose a smaller n or stop other programs on this device",
                mebibytes(needed),
                mebibytes(free)
            ),
        )
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}
