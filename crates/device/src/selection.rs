//! What the user asked to run on: `--device auto|cpu|cuda|cuda:1|emulated`.

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
    /// This CUDA device; its absence is an error.
    Cuda(usize),
    /// Kernels on the CPU, checked and counted; the lack of a C++ compiler is an error.
    Emulated,
}

#[derive(Debug, Error, PartialEq)]
#[error("unknown device '{0}': expected auto, cpu, cuda, cuda:N or emulated")]
pub struct SelectionError(String);

impl Selection {
    /// The CUDA device to look for, if any.
    pub fn cuda_ordinal(self) -> Option<usize> {
        match self {
            Self::Auto => Some(0),
            Self::Cpu | Self::Emulated => None,
            Self::Cuda(ordinal) => Some(ordinal),
        }
    }

    /// Whether its absence is an error.
    pub fn is_demanded(self) -> bool {
        matches!(self, Self::Cuda(_) | Self::Emulated)
    }

    /// Whether kernels may be emulated.
    pub fn may_emulate(self) -> bool {
        matches!(self, Self::Auto | Self::Emulated)
    }
}

impl FromStr for Selection {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Self, SelectionError> {
        let unknown = || SelectionError(text.to_string());
        match text.split_once(':') {
            None => match text {
                "auto" => Ok(Self::Auto),
                "cpu" => Ok(Self::Cpu),
                "cuda" => Ok(Self::Cuda(0)),
                "emulated" => Ok(Self::Emulated),
                _ => Err(unknown()),
            },
            Some(("cuda", ordinal)) => ordinal.parse().map(Self::Cuda).map_err(|_| unknown()),
            Some(_) => Err(unknown()),
        }
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
            Self::Emulated => f.write_str("emulated"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_spelling_is_understood_and_survives_a_round_trip() {
        for (text, selection) in [
            ("auto", Selection::Auto),
            ("cpu", Selection::Cpu),
            ("cuda", Selection::Cuda(0)),
            ("cuda:1", Selection::Cuda(1)),
            ("emulated", Selection::Emulated),
        ] {
            assert_eq!(text.parse(), Ok(selection));
            assert_eq!(selection.to_string().parse(), Ok(selection));
        }
    }

    #[test]
    fn anything_else_is_refused_by_name() {
        for text in ["gpu", "cuda:", "cuda:x", "cpu:0", "emulated:1", ""] {
            assert_eq!(text.parse::<Selection>(), Err(SelectionError(text.to_string())));
        }
    }
}
