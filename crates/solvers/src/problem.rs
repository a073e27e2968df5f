//! What is to be solved.

use repro_base::halved;
use repro_device::{Device, DeviceError};
use repro_graph::{ElementType, WeightRange};
use std::rc::Rc;

/// What is to be solved. Never the weights themselves: what reads those is part of the solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Problem {
    /// Vertices of each graph.
    pub n: usize,
    /// How many graphs are solved at once, a batch: one matrix below the other. At least 1.
    pub graphs: usize,
    pub element: ElementType,
    /// What is declared of the weights, of all graphs.
    pub weights: WeightRange,
}

impl Problem {
    /// The distances of one graph.
    pub fn one(n: usize, element: ElementType, weights: WeightRange) -> Self {
        Self { n, graphs: 1, element, weights }
    }

    /// Rows of all matrices.
    pub fn rows(&self) -> usize {
        self.graphs * self.n
    }

    /// Numbers of the n x n matrices.
    pub fn entries(&self) -> usize {
        self.rows() * self.n
    }

    /// Tasks of a solve that leaves none out.
    pub fn full_task_count(&self) -> f64 {
        self.graphs as f64 * (self.n as f64).powi(3)
    }

    /// Tasks of one that does each pair of vertices of a symmetric matrix once, a vertex and itself included.
    pub fn symmetric_task_count(&self) -> f64 {
        self.graphs as f64 * halved(self.n)
    }

    /// Bytes of the n x n matrices.
    pub fn matrix_bytes(&self) -> usize {
        self.entries() * self.element.bytes()
    }
}

/// What a solve runs on: as many devices as its implementation asked for, none on the CPU.
pub type Devices = [Rc<dyn Device>];

/// The only or the first device.
///
/// # Errors
/// When there is none.
pub fn require_device(devices: &Devices) -> Result<Rc<dyn Device>, DeviceError> {
    devices.first().cloned().ok_or_else(|| DeviceError::unavailable("no device was opened"))
}
