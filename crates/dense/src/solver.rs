//! The solver itself.
//!
//! The errors that say why a dense graph was not solved are here too.

use crate::DeviceMatrix;
use crate::device_matrix::ForeignWeights;
use crate::device_thread::DeviceThread;
use crate::pieces::{SolveTimes, cpu_seconds, gpu_seconds};
use repro_device::cuda::driver_status;
use repro_device::{DeviceError, DeviceInfo, ForeignMemory, Selection};
use repro_graph::{
    DistanceMatrix, ElementType, MatrixError, NegativeCycle, WeightRange, is_symmetric, memory_check,
};
use repro_solvers::{Parameters, cpu_parallel, default_for_device};
use serde::Serialize;
use shortest_paths::{
    Arcs, Control, Dense, Element, PathSentinels, RetainedDistances, SearchError, SinkError, Stage,
};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use thiserror::Error;

/// Floyd-Warshall on a CUDA GPU, the emulated device, or all cores, for [`shortest_paths::Options::dense`].
///
/// May be used by many threads at once, and for many graphs. For a symmetric matrix, as that of an undirected graph, it does half of the
/// tasks.
#[derive(Debug)]
pub struct DenseSolver {
    device: Option<Arc<DeviceThread>>,
    last: Mutex<Option<SolveTimes>>,
    halved: AtomicBool,
    /// The number of the next solve whose distances stay on the device.
    solves: AtomicU64,
}

/// What solves graphs of one type of weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SolverDevice {
    /// What a device calls itself, or `cpu`.
    pub name: String,
    /// Whether it is the emulated device, which checks kernels and is slow.
    pub emulated: bool,
    /// Threads of the current rayon pool, where it is the CPU.
    pub threads: Option<usize>,
    /// The device that does not take this type of weights, if there is one.
    #[serde(skip)]
    pub instead_of: Option<String>,
}

impl SolverDevice {
    /// The CPU, all threads of the current rayon pool.
    pub fn cpu() -> Self {
        let threads = Some(rayon::current_num_threads());
        Self { name: "cpu".to_string(), emulated: false, threads, instead_of: None }
    }
}

impl fmt::Display for SolverDevice {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Some(threads) = self.threads else { return f.write_str(&self.name) };
        write!(f, "the CPU, {threads} thread{}", if threads == 1 { "" } else { "s" })?;
        match &self.instead_of {
            Some(device) => write!(f, " ({device} does not take this type)"),
            None => Ok(()),
        }
    }
}

impl DenseSolver {
    /// The CPU alone. Always works.
    pub fn cpu() -> Self {
        Self::on(None)
    }

    /// Opens what `selection` names. [`Selection::Auto`] is the first CUDA device that the driver sees, and without one the CPU, not the
    /// emulated device.
    ///
    /// # Errors
    /// When the device asked for cannot be opened, or several are asked for.
    pub fn open(selection: Selection) -> Result<Self, DenseError> {
        match selection {
            Selection::Cpu => Ok(Self::cpu()),
            Selection::CudaAll => Err(DenseError::Several(selection)),
            Selection::Auto if driver_status().is_err() => Ok(Self::cpu()),
            Selection::Auto | Selection::Cuda(_) | Selection::Emulated(_) => {
                Ok(Self::on(Some(DeviceThread::open(selection)?)))
            }
        }
    }

    fn on(device: Option<DeviceThread>) -> Self {
        let device = device.map(Arc::new);
        Self { device, last: Mutex::default(), halved: AtomicBool::new(false), solves: AtomicU64::new(0) }
    }

    /// What solves graphs with weights of this type. A device may lack a type: GPUs have no `f64` here, which the CPU then solves.
    pub fn place(&self, element: ElementType) -> SolverDevice {
        let name = |device: &Arc<DeviceThread>| device.info().name.clone();
        match self.device_for(element) {
            Some(device) => SolverDevice {
                name: name(device),
                emulated: device.info().emulated,
                threads: None,
                instead_of: None,
            },
            None => SolverDevice { instead_of: self.device.as_ref().map(name), ..SolverDevice::cpu() },
        }
    }

    /// Whether a matrix of `n` vertices can be solved: on a device, whether it fits into the memory that is free there, and on the CPU,
    /// whether the workspace in addition to it does. The matrix itself is the caller's.
    ///
    /// # Errors
    /// The size needed and what there is. Nothing is allocated.
    pub fn check_room<T: Element>(&self, n: usize) -> Result<(), DenseError> {
        if let Some(device) = self.device_for(T::TYPE) {
            return device.check_room(n, T::TYPE);
        }
        Ok(memory_check::check(
            "the workspace of Floyd-Warshall",
            cpu_parallel::extra_bytes(T::TYPE, n) as u128,
        )?)
    }

    /// Solves `n` x `n` weights of this type that lie in the memory of the solver's device, row by row and side by side, and leaves the
    /// distances there. The weights are only read, and go back to their owner right afterwards. An entry that is [`Element::ABSENT`] is no
    /// edge, nor is, with `zeros_absent`, a 0 off the diagonal. The diagonal is ignored unless it is negative.
    ///
    /// # Errors
    /// An entry that is no weight, a negative weight, paths that may be longer than the type holds, no room, and what the device refuses.
    /// [`DenseError::NoDevice`] where there is no device that takes this type.
    ///
    /// [`Element::ABSENT`]: repro_graph::Element::ABSENT
    pub fn solve_there(
        &self,
        weights: ForeignMemory,
        n: usize,
        element: ElementType,
        zeros_absent: bool,
        control: &Control,
    ) -> Result<DeviceMatrix, DenseError> {
        let device = self.device_for(element).ok_or(DenseError::NoDevice { element })?;
        let number = self.solves.fetch_add(1, Ordering::Relaxed);
        let weights = ForeignWeights { memory: weights, n, element, zeros_absent };
        DeviceMatrix::solved(device, number, weights, control)
    }

    /// What its device is, if it has one.
    pub fn device_info(&self) -> Option<&DeviceInfo> {
        self.device.as_ref().map(|device| device.info())
    }

    /// Gives the device back in the background, which takes a tenth of a second. Nothing is solved there afterwards.
    pub fn release(&self) {
        if let Some(device) = &self.device {
            device.end();
        }
    }

    /// Where the time of the last solve on a device went; none if the CPU has solved all.
    pub fn last_parts(&self) -> Option<SolveTimes> {
        self.last.lock().ok().and_then(|last| *last)
    }

    /// Whether the last matrix in the host's memory was symmetric, so that half of the tasks sufficed.
    pub fn last_used_symmetry(&self) -> bool {
        self.halved.load(Ordering::Relaxed)
    }

    pub(crate) fn device_for(&self, element: ElementType) -> Option<&Arc<DeviceThread>> {
        let takes = default_for_device().takes(element, &Parameters::default()).is_ok();
        self.device.as_ref().filter(|_| takes)
    }

    fn close_on<T: Element>(
        &self,
        device: &DeviceThread,
        matrix: &mut DistanceMatrix<T>,
        weights: &WeightRange,
        keep: Option<u64>,
        control: &Control,
    ) -> Result<(), DenseError> {
        let weights = WeightRange { symmetric: is_symmetric(matrix), ..*weights };
        // The device's thread owns the matrix meanwhile.
        let given = std::mem::replace(matrix, DistanceMatrix::without_edges(1)?);
        let (solved, parts, halved) = device.solve(given, weights, keep, control)?;
        *matrix = solved;
        self.halved.store(halved, Ordering::Relaxed);
        if let Ok(mut last) = self.last.lock() {
            *last = Some(parts);
        }
        Ok(())
    }
}

impl<T: Element> Dense<T> for DenseSolver {
    /// On a device the distances stay there if they are to be kept, and it finds the predecessors.
    fn close<'a>(
        &'a self,
        matrix: &mut DistanceMatrix<T>,
        weights: &WeightRange,
        keep: bool,
        control: &Control,
    ) -> Result<Option<Box<dyn RetainedDistances<T> + 'a>>, SinkError> {
        let n = matrix.n();
        self.check_room::<T>(n)?;
        if let Some(device) = self.device_for(T::TYPE) {
            let number = self.solves.fetch_add(1, Ordering::Relaxed);
            self.close_on(device, matrix, weights, keep.then_some(number), control)?;
            return Ok(keep.then(|| Box::new(DeviceDistances { device, number }) as Box<_>));
        }
        let goes_on = |done: usize, rounds: usize| {
            control.report(Stage::Distances, done as u64, rounds as u64);
            control.check().is_ok()
        };
        // Negative weights both ways would be negative cycles, which there are none of.
        let symmetric = !weights.negative && is_symmetric(matrix);
        self.halved.store(symmetric && n > 1, Ordering::Relaxed);
        if cpu_parallel::solve_while(matrix.as_mut_slice(), n, symmetric, &goes_on) {
            return Ok(None);
        }
        control.check()?;
        Err(DeviceError::other("a solve ended before it was done: this is a defect of repro").into())
    }

    /// The estimate of [`Placement`](crate::Placement), without the time to open the device; `None` for the emulated one.
    fn seconds(&self, n: usize) -> Option<f64> {
        match self.device_for(T::TYPE) {
            Some(device) => (!device.info().emulated).then(|| gpu_seconds(T::TYPE, n)),
            None => Some(cpu_seconds(T::TYPE, n)),
        }
    }
}

/// Distances that have stayed on a device.
struct DeviceDistances<'a> {
    device: &'a DeviceThread,
    number: u64,
}

impl Drop for DeviceDistances<'_> {
    fn drop(&mut self) {
        self.device.forget(self.number);
    }
}

impl<T: Element> RetainedDistances<T> for DeviceDistances<'_> {
    fn predecessors(
        &self,
        incoming: Arcs<T>,
        marks: PathSentinels,
        control: &Control,
    ) -> Result<Option<Vec<i32>>, SinkError> {
        // A device counts arcs in 32 bits.
        if i32::try_from(incoming.m()).is_err() {
            return Ok(None);
        }
        Ok(self.device.predecessors(self.number, incoming, marks, control)?)
    }
}

#[cfg(test)]
#[path = "solver_tests.rs"]
mod tests;

/// Why a device was not opened, or a matrix not solved. Every message names the thing, its value and a remedy.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields of a variant are")]
pub enum DenseError {
    /// There is no such device, it has no room, or it failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Several devices were asked for.
    #[error(
        "one device solves a graph, and --device {0} asks for several: choose cuda, or cuda:N for the one numbered N"
    )]
    Several(Selection),
    /// The kernels of the device do not take matrices of this size.
    #[error("{0}: choose the CPU for this graph")]
    Size(String),
    /// The thread of the device is gone, after a defect of this crate or a device that was lost.
    #[error("the device's thread has ended, so nothing can be solved there any more: open the device again")]
    ThreadEnded,
    /// Distances that a device found are not those of the graph.
    #[error(
        "the device's distance from vertex {from} to {to} is not that of the graph: the device is broken, or this is a defect of repro"
    )]
    Wrong { from: usize, to: usize },
    /// Weights on a device that does not take their type, or that this solver does not have.
    #[error("no device of this solver takes weights in {element}: open a device, or choose f32, i32 or u16")]
    NoDevice { element: ElementType },
    /// An entry of a matrix on the device is no weight.
    #[error(
        "the weight at [{row}, {column}] is {weight}, which is no weight in {element}: give a number up to {} in magnitude, or what stands for \
         no edge",
        element.most()
    )]
    NotAWeight { row: usize, column: usize, weight: f64, element: ElementType },
    /// A weight of a matrix on the device is negative, which needs the host's proof that there is no negative cycle.
    #[error(
        "the weight at [{row}, {column}] is {weight}, and a graph in a GPU's memory is solved there only where no weight is negative: copy it \
         to the host first"
    )]
    NegativeWeight { row: usize, column: usize, weight: f64 },
    /// Distances of a matrix on the device do not exist.
    #[error(transparent)]
    NegativeCycle(NegativeCycle),
    /// A path in a matrix on the device may be longer than the type of distances holds.
    #[error("{0}")]
    TooLong(String),
    /// The caller's flag was set, or there is no room on the host.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// No matrix could be made.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
}
