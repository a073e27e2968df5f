//! What stands where no path leads.

use crate::graph::{Element, ElementType};
use serde::{Deserialize, Serialize};
use shortest_paths::write::OutputFormat;
use std::fmt;

/// What stands in a file of distances for a pair without a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum NoPath {
    Number(u32),
    Word(NoPathWord),
}

/// What is no number of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NoPathWord {
    Inf,
    /// The file has no line or row for the pair.
    LeftOut,
}

impl NoPath {
    /// In files of a format with distances of this type.
    pub fn of(format: OutputFormat, element: ElementType) -> Self {
        match (format, element) {
            (OutputFormat::Csv, _) => Self::Word(NoPathWord::LeftOut),
            (OutputFormat::Npy, ElementType::I32) => Self::Number(i32::ABSENT.unsigned_abs()),
            (OutputFormat::Npy, ElementType::U16) => Self::Number(u16::ABSENT.into()),
            _ => Self::Word(NoPathWord::Inf),
        }
    }
}

impl fmt::Display for NoPath {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            // Without commas: it is to be looked for.
            Self::Number(number) => write!(f, "stored as {number}"),
            Self::Word(NoPathWord::Inf) => write!(f, "stored as inf"),
            Self::Word(NoPathWord::LeftOut) => write!(f, "left out"),
        }
    }
}
