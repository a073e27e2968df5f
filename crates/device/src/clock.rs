//! The clock under which a solve is queued.

use super::emulated::LaunchCounts;
use super::{DeviceError, HostBuffer, Queue};
use repro_base::Point;

/// A clock under which a solve is queued. A solve that uses several queues names all of them at every point, the first one first.
pub trait Clock {
    /// The solve has queued everything up to this point on these queues; none on the CPU, where it is done.
    ///
    /// # Errors
    /// When the device refuses what the clock asks of it.
    fn reached(&mut self, point: Point, queues: &[&dyn Queue]) -> Result<(), DeviceError>;

    /// A kernel is about to be launched on `queue`.
    ///
    /// # Errors
    /// When the device refuses what the clock asks of it.
    fn launching(&mut self, _kernel: &str, _queue: &dyn Queue) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Whether [`Clock::launched`] wants the matrix. Solves that launch no kernels, or on several devices, have none to show.
    fn looks(&self) -> bool {
        false
    }

    /// A kernel was launched, and left this matrix, n x n, of distances that are not final yet.
    fn launched(&mut self, _kernel: &str, _matrix: &HostBuffer) {}

    /// Another process solved, and this is what the device counted there of the solve's own launches.
    fn counted_elsewhere(&mut self, _launches: Vec<LaunchCounts>) {}

    /// A program that solves has a clock of its own, which showed this for the solve.
    fn own_seconds(&mut self, _seconds: f64) {}

    /// Whether what lies between [`Point::Packed`] and [`Point::Solved`] is to be queued as one graph, made before
    /// [`Point::Start`].
    fn wants_graph(&self) -> bool {
        false
    }
}

/// No clock.
pub struct Untimed;

impl Clock for Untimed {
    fn reached(&mut self, _: Point, _: &[&dyn Queue]) -> Result<(), DeviceError> {
        Ok(())
    }
}
