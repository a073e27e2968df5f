//! What is to be solved, with the matrix in one memory, or sharded over several devices, of one process or of many, and never in one memory.

use crate::Clock;
use repro_base::halved;
use repro_device::{Device, DeviceError};
use repro_graph::{Block, Blocks, ElementType, WeightRange};
use serde::{Deserialize, Serialize};
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

/// Where the time of a solve went on one device, in seconds between its own events.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceTimes {
    /// Its number among all devices of the solve.
    pub device: usize,
    /// From the first event of the solve to the last.
    pub solve: f64,
    /// In which it had tiles to work on.
    pub compute: f64,
    /// In which it had none and waited for a panel.
    pub waiting: f64,
    /// Which its broadcasts took, during work on tiles or not. On devices that receive, with the time until the sender was ready.
    pub communication: f64,
}

/// What takes a block, with its numbers row after row.
pub type TakeBlock<'a> = dyn FnMut(&Block, &[u8]) -> Result<(), DeviceError> + 'a;

/// A solve of a sharded matrix. Where several processes solve together, each does all of this for the parts on its own devices, in the same order as
/// the others; all but [`ShardedSolve::row`] wait for each other there.
pub trait ShardedSolve {
    /// Vertices of a round.
    fn round(&self) -> usize;

    /// What brings panels from one device to another; none where one device has all.
    fn transport(&self) -> Option<String>;

    /// The blocks that this process has. They overlap no other's; those of all processes make the matrix.
    fn blocks(&self) -> Vec<Block>;

    /// Puts the blocks of `graph` on the devices.
    ///
    /// # Errors
    /// When `graph` cannot be read or a device refuses the copy.
    fn load(&mut self, graph: &dyn Blocks) -> Result<(), DeviceError>;

    /// Takes account of the paths through the first `vertices`, under `clock`, which is called at [`Point::Packed`](crate::Point) and at
    /// [`Point::Solved`](crate::Point) with the queues of this process's devices. All vertices are a whole solve. Returns when the devices
    /// have done it, with where the time went on those of this process; empty on devices without clock.
    ///
    /// # Errors
    /// What went wrong in the solve, here or in another process.
    ///
    /// # Panics
    /// When `vertices` are neither all nor a multiple of [`ShardedSolve::round`].
    fn solve(&mut self, vertices: usize, clock: &mut dyn Clock) -> Result<Vec<DeviceTimes>, DeviceError>;

    /// What this process has of a row: the first column of each piece, and its numbers in the order of bytes of this machine.
    ///
    /// # Errors
    /// When a device refuses the copy.
    fn row(&mut self, row: usize) -> Result<Vec<(usize, Vec<u8>)>, DeviceError>;

    /// A number for the part of this process; those of all processes, added modulo 2^64, are equal for equal matrices, however they are
    /// shared among devices.
    ///
    /// # Errors
    /// When a device refuses the work.
    fn digest(&mut self) -> Result<u64, DeviceError>;

    /// Gives the blocks of this process one by one, with their numbers row after row.
    ///
    /// # Errors
    /// When a device refuses the copy, or `take` the block.
    fn store(&mut self, take: &mut TakeBlock) -> Result<(), DeviceError>;
}
