//! What the user asked to run on: `--device auto|cpu|cuda|cuda:1|cuda:all|emulated|emulated:7.5`.

use repro_emulator::CAPABILITIES;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The value of `--device`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The first CUDA device when there is one, otherwise the emulated one.
    Auto,
    /// CPU implementations alone.
    Cpu,
    /// This CUDA device, or the first where none is numbered; its absence is an error.
    Cuda(Option<usize>),
    /// Every CUDA device that this process sees, for implementations that run on several; the first for others. The absence of any is an
    /// error.
    CudaAll,
    /// Kernels on the CPU, checked and counted; the lack of a C++ compiler is an error. Compiled for this compute capability,
    /// one of [`CAPABILITIES`], or for the usual one.
    Emulated(Option<(u32, u32)>),
}

#[derive(Debug, Error, PartialEq)]
pub enum SelectionError {
    #[error("unknown device '{0}': expected auto, cpu, cuda, cuda:N, cuda:all, emulated or emulated:C.C")]
    Unknown(String),
    #[error("'{0}' is no compute capability that can be emulated: expected one of {known}", known = known_capabilities())]
    Capability(String),
}

fn known_capabilities() -> String {
    CAPABILITIES.map(|((major, minor), _)| format!("{major}.{minor}")).join(", ")
}

impl Selection {
    /// The CUDA device to look for, if any; of all devices, the first.
    pub fn cuda_ordinal(self) -> Option<usize> {
        match self {
            Self::Auto => Some(0),
            Self::Cpu | Self::Emulated(_) => None,
            Self::Cuda(ordinal) => Some(ordinal.unwrap_or(0)),
            Self::CudaAll => Some(0),
        }
    }

    /// Whether it is an error when the selected device is not there.
    pub fn is_demanded(self) -> bool {
        matches!(self, Self::Cuda(_) | Self::CudaAll | Self::Emulated(_))
    }

    /// What to use in place of a GPU that was asked for, to be added to the reason why it cannot be had; empty for other selections.
    pub fn instead(self) -> &'static str {
        const INSTEAD: &str =
            ", or use --device emulated at small sizes, or --device cpu for what runs there";
        if matches!(self, Self::Cuda(_) | Self::CudaAll) { INSTEAD } else { "" }
    }

    /// Whether kernels may be emulated.
    pub fn may_emulate(self) -> bool {
        matches!(self, Self::Auto | Self::Emulated(_))
    }

    /// Whether kernels are to be emulated.
    pub fn is_emulated(self) -> bool {
        matches!(self, Self::Emulated(_))
    }

    /// The compute capability that was asked for.
    pub fn capability(self) -> Option<(u32, u32)> {
        match self {
            Self::Emulated(capability) => capability,
            _ => None,
        }
    }
}

impl FromStr for Selection {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Self, SelectionError> {
        let unknown = || SelectionError::Unknown(text.to_string());
        match text.split_once(':') {
            None => match text {
                "auto" => Ok(Self::Auto),
                "cpu" => Ok(Self::Cpu),
                "cuda" => Ok(Self::Cuda(None)),
                "emulated" => Ok(Self::Emulated(None)),
                _ => Err(unknown()),
            },
            Some(("cuda", "all")) => Ok(Self::CudaAll),
            Some(("cuda", ordinal)) => {
                ordinal.parse().map(|ordinal| Self::Cuda(Some(ordinal))).map_err(|_| unknown())
            }
            Some(("emulated", capability)) => CAPABILITIES
                .iter()
                .find(|((major, minor), _)| format!("{major}.{minor}") == capability)
                .map(|(known, _)| Self::Emulated(Some(*known)))
                .ok_or_else(|| SelectionError::Capability(capability.to_string())),
            Some(_) => Err(unknown()),
        }
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(None) => f.write_str("cuda"),
            Self::Cuda(Some(ordinal)) => write!(f, "cuda:{ordinal}"),
            Self::CudaAll => f.write_str("cuda:all"),
            Self::Emulated(None) => f.write_str("emulated"),
            Self::Emulated(Some((major, minor))) => write!(f, "emulated:{major}.{minor}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_spelling_survives_a_round_trip_and_any_other_is_refused_with_what_is_known() {
        for (text, selection) in [
            ("auto", Selection::Auto),
            ("cpu", Selection::Cpu),
            ("cuda", Selection::Cuda(None)),
            ("cuda:1", Selection::Cuda(Some(1))),
            ("cuda:all", Selection::CudaAll),
            ("emulated", Selection::Emulated(None)),
            ("emulated:7.5", Selection::Emulated(Some((7, 5)))),
            ("emulated:12.1", Selection::Emulated(Some((12, 1)))),
        ] {
            assert_eq!(text.parse(), Ok(selection));
            assert_eq!(selection.to_string(), text);
        }
        for text in ["gpu", "cuda:", "cuda:x", "cuda:All", "cpu:0", ""] {
            assert_eq!(text.parse::<Selection>(), Err(SelectionError::Unknown(text.to_string())));
        }
        for capability in ["", "1", "7.0", "9", "9.0a", "9.00", "13.0"] {
            let error = format!("emulated:{capability}").parse::<Selection>().unwrap_err();
            assert_eq!(error, SelectionError::Capability(capability.to_string()));
            let told = error.to_string();
            assert!(told.contains("7.5, 8.0, 8.6") && told.ends_with("12.1"), "{told}");
        }
    }
}
