//! What a machine has for implementations to run on, and why one was not run on it.

use crate::plan::Variant;
use crate::store::Environment;
use thiserror::Error;

/// What a worker has opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtHand {
    NoDevice,
    /// So many GPUs.
    Gpus(usize),
    /// As many emulated devices as are needed.
    Emulated,
}

/// Why no check of a variant was made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum NotRun {
    #[error("needs a device")]
    NoDevice,
    /// It is a program that takes a GPU itself.
    #[error("takes a GPU itself, and there is none")]
    NoGpu,
    #[error("needs {needed} devices")]
    TooFewDevices { needed: usize },
    /// Its types, what is missing for it, which n go with it, or where its checks are made.
    #[error("{0}")]
    Other(String),
}

impl AtHand {
    pub fn of(environment: &Environment) -> Self {
        match &environment.device {
            None => Self::NoDevice,
            Some(device) if device.info.emulated => Self::Emulated,
            Some(_) => Self::Gpus(1 + environment.further_devices.len()),
        }
    }

    pub fn is_emulated(self) -> bool {
        self == Self::Emulated
    }

    /// What a variant needs and this machine lacks.
    pub fn lacks(self, variant: &Variant) -> Option<NotRun> {
        let needed = variant.devices();
        match self {
            Self::NoDevice if variant.needs_device() => Some(NotRun::NoDevice),
            Self::NoDevice | Self::Emulated if variant.takes_gpu() => Some(NotRun::NoGpu),
            Self::Gpus(here) if here < needed => Some(NotRun::TooFewDevices { needed }),
            _ => None,
        }
    }

    /// Whether a variant needs more devices than there are.
    pub fn lacks_devices(self, variant: &Variant) -> bool {
        matches!(self.lacks(variant), Some(NotRun::TooFewDevices { .. }))
    }
}
