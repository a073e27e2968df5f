//! What a process that runs strangers' kernels is asked, and what it answers: one JSON line each. Matrices are files in its folder.

use crate::device::emulated::{Finding, Instruments, LaunchCounts};
use crate::device::{DeviceError, FailureKind};
use crate::graph::{ElementType, WeightRange};
use crate::implementation::{GivenFile, Output, Parameters, Problem};
use serde::{Deserialize, Serialize};

/// The weights of a solve, row-major, as bytes.
pub const GRAPH: &str = "graph.bin";
/// The distances, likewise.
pub const DISTANCES: &str = "distances.bin";
/// Where it keeps what it compiled.
pub const CACHE: &str = "compiled";

#[derive(Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Ask {
    /// Open an emulated device, and learn what the file describes. The first that is asked.
    Begin { given: Box<GivenFile>, device: Emulated },
    /// Compile for this type.
    Load { element: ElementType, parameters: Parameters },
    /// Make what a solve needs.
    Prepare { problem: AskedProblem, parameters: Parameters },
    /// Solve what [`GRAPH`] holds into [`DISTANCES`].
    Solve,
}

/// An emulated device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Emulated {
    pub instruments: Instruments,
    pub capability: (u32, u32),
    /// Of blocks and threads.
    pub order: u64,
}

/// A problem whose output is distances.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedProblem {
    pub n: usize,
    pub element: ElementType,
    pub weights: WeightRange,
}

impl From<AskedProblem> for Problem {
    fn from(AskedProblem { n, element, weights }: AskedProblem) -> Self {
        Self { n, element, weights, output: Output::Distances }
    }
}

impl From<&Problem> for AskedProblem {
    fn from(problem: &Problem) -> Self {
        // JSON has no infinity. That of a graph without weights is of no use to anybody.
        let grain = if problem.weights.grain.is_finite() { problem.weights.grain } else { 0.0 };
        Self { n: problem.n, element: problem.element, weights: WeightRange { grain, ..problem.weights } }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    Done,
    /// With what the device counted and found. The distances mean nothing where something was found.
    Solved {
        launches: Vec<LaunchCounts>,
        findings: Vec<Finding>,
    },
    Failed {
        kind: FailureKind,
        message: String,
    },
}

impl From<DeviceError> for Answer {
    fn from(error: DeviceError) -> Self {
        Self::Failed { kind: error.kind, message: error.message }
    }
}
