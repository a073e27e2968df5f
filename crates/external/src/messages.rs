//! What a process that runs user kernels is asked, and what it answers: one JSON line each. Matrices are files in its folder.

use crate::check::CheckJob;
use repro_device::DeviceError;
use repro_device::emulated::{Finding, Instruments, LaunchCounts};
use repro_graph::{ElementType, WeightRange};
use repro_solvers::{ImplementationFile, Parameters};
use serde::{Deserialize, Serialize};
use std::io;

/// The weights of a solve, row-major, as bytes.
pub const GRAPH: &str = "graph.bin";
/// The distances, likewise.
pub const DISTANCES: &str = "distances.bin";
/// Where it keeps what it compiled.
pub const CACHE: &str = "compiled";

#[derive(Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Ask {
    /// Open an emulated device, and compile what the file describes for this type. The first that is asked.
    Begin { given: Box<ImplementationFile>, device: Emulated, element: ElementType, parameters: Parameters },
    /// Make what a solve of such a problem needs, whose output is distances.
    Prepare { n: usize, element: ElementType, weights: WeightRange, parameters: Parameters },
    /// Solve what [`GRAPH`] holds into [`DISTANCES`].
    Solve,
    /// Launch a kernel with fresh buffers, under these instruments and in the order of this number: answered by
    /// `LaunchReport`, or why it cannot be, in words.
    Check { job: Box<CheckJob>, instruments: Instruments, order: u64 },
}

/// An emulated device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Emulated {
    pub instruments: Instruments,
    pub capability: (u32, u32),
    /// Of blocks and threads.
    pub order: u64,
}

/// What the device counted and found in a solve; nothing where something else was asked. The distances mean nothing where something was
/// found.
#[derive(Default, Serialize, Deserialize)]
pub struct Solved {
    pub launches: Vec<LaunchCounts>,
    pub findings: Vec<Finding>,
}

/// What is wrong with the file of this name.
pub fn on_file(name: &str, error: &io::Error) -> DeviceError {
    DeviceError::other(format!("{name}: {error}"))
}
