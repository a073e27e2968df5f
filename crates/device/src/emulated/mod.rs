//! The emulated device of `repro-emulator` behind [`Device`](crate::Device): what a schedule queues on it is checked and counted.

mod device;
mod queue;

pub use device::EmulatedDevice;
pub use repro_emulator::{
    BankCounts, COMPILER_VARIABLE, Counts, Finding, FindingKind, GlobalCounts, Instruments, LaunchCounts,
    Options, SECTOR_BYTES, SharedCounts, SourceLocation, Toolchain, cache_folder,
};

use crate::DeviceError;
use repro_emulator::EmulatorError;

impl From<EmulatorError> for DeviceError {
    fn from(error: EmulatorError) -> Self {
        match error {
            EmulatorError::Unavailable(words) => Self::unavailable(words),
            EmulatorError::OutOfMemory { what, bytes } => Self::out_of_memory(&what, bytes, 0),
            EmulatorError::Refused(words) => Self::other(words),
        }
    }
}

/// The C++ compiler that emulated kernels would be compiled with.
///
/// # Errors
/// When there is none; the message says how to get one.
pub fn toolchain() -> Result<Toolchain, DeviceError> {
    Ok(Toolchain::find()?)
}
