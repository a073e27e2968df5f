//! Host schedules: which kernels are launched, in which order, on which layout; the same on every device.

use super::layout::Layout;
use super::{GivenFile, Parameter, Parameters, Problem};
use repro_device::{Argument, Buffer, DeviceError, DeviceInfo, Kernel, KernelSource, Launch};
use repro_graph::ElementType;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// What follows from the weights for the signs of distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Signs {
    /// No distance is negative.
    Positive,
    /// All distances are below this in magnitude, and exact as they are and with it added to them, which makes them positive: 2^23 of
    /// what all weights are multiples of.
    Shifted(f32),
    /// Nothing.
    Any,
}

impl Signs {
    /// Of the distances of `problem`.
    pub fn of(problem: &Problem) -> Self {
        let weights = &problem.weights;
        // A sum of f32 is exact up to 2^24 of them: half for distances, half for the shift.
        let shift = weights.grain * f64::from(1 << 23);
        match () {
            () if !weights.negative => Self::Positive,
            () if problem.element == ElementType::F32
                && weights.longest(problem.n) < shift
                && 2.0 * shift <= f64::from(f32::MAX) =>
            {
                Self::Shifted(shift as f32)
            }
            () => Self::Any,
        }
    }
}

/// What kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    pub element: ElementType,
    pub signs: Signs,
    /// Whether the matrix is symmetric, which nothing is compiled for that does not say so.
    pub symmetric: bool,
    pub compute_capability: (u32, u32),
}

impl Target {
    /// Distances of this type on this device, of weights that are not negative.
    pub fn on(device: &DeviceInfo, element: ElementType) -> Self {
        Self { element, compute_capability: device.compute_capability, ..Self::default() }
    }

    /// The distances and weights of `problem`, on the GPU of the reference runs.
    pub fn of(problem: &Problem) -> Self {
        Self { element: problem.element, ..Self::default() }.with_weights(problem)
    }

    /// For the weights of `problem`.
    #[must_use]
    pub fn with_weights(self, problem: &Problem) -> Self {
        Self { signs: Signs::of(problem), symmetric: problem.weights.symmetric, ..self }
    }
}

impl Default for Target {
    /// `f32` on the GPU of the reference runs, of weights that are not negative.
    fn default() -> Self {
        Self {
            element: ElementType::F32,
            signs: Signs::Positive,
            symmetric: false,
            compute_capability: (9, 0),
        }
    }
}

/// A kernel of a schedule and the threads a block that it is launched with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelUse {
    pub name: &'static str,
    pub threads: u32,
    /// Shared memory a block that its launches add to what it declares.
    pub dynamic_shared_bytes: u32,
    /// Tasks that each of its blocks does, those of padding vertices included; None when the kernel does all n³ of a solve.
    pub tasks_a_block: Option<u64>,
    /// The paper's figures of it, on its GPU.
    pub paper: Option<PaperFigures>,
}

/// What all launches of one kernel do in one solve, by a model in place of a count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelTraffic {
    pub kernel: String,
    pub launches: u64,
    pub blocks: u64,
    /// Those of padding vertices included.
    pub tasks: u64,
    /// Global memory, bytes that threads load.
    pub loaded_bytes: u64,
    /// Global memory, bytes that threads store.
    pub stored_bytes: u64,
}

/// A kernel's resources as a paper states them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PaperFigures {
    /// Shared memory a block, bytes.
    pub shared_bytes: u32,
    /// Blocks a multiprocessor by shared memory alone.
    pub resident_blocks: u32,
    /// Threads a block.
    pub threads: u32,
}

/// How a schedule solves the graphs of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batches {
    /// Not at all: it solves one graph.
    No,
    /// One after the other, each where [`Solve::matrix`] says.
    InTurn,
    /// All [`Solve::graphs`] at once.
    AtOnce,
}

/// What one solve works on.
#[derive(Clone, Copy)]
pub struct Solve<'a> {
    /// The matrix in [`Schedule::layout`], or those of a batch.
    pub data: &'a Buffer,
    /// The graph's place in a batch that is solved in turn.
    pub graph: usize,
    /// Graphs that are solved at once.
    pub graphs: usize,
    /// As many bytes as [`Schedule::scratch_bytes`] asked for, contents undefined.
    pub scratch: Option<&'a Buffer>,
    /// Vertices.
    pub n: usize,
    /// Numbers from one row of `data` to the next, where the layout has rows.
    pub pitch: usize,
    pub parameters: &'a Parameters,
    /// Of the device.
    pub multiprocessors: u32,
    /// Blocks of each kernel that a multiprocessor holds at once.
    pub resident_blocks: &'a [u32],
    pub target: Target,
    /// What [`Schedule::record`] took down.
    pub recording: &'a Recording,
}

impl Solve<'_> {
    /// The address of the matrix of this graph, or of the first of those that are solved at once.
    pub fn matrix(&self) -> u64 {
        self.data.address() + (self.graph * self.n * self.pitch * self.target.element.bytes()) as u64
    }
}

/// Launches that are known before a solve.
#[derive(Default)]
pub struct Recording(Vec<RecordedLaunch>);

/// One of them.
pub struct RecordedLaunch {
    /// As in [`Schedule::kernels`].
    pub kernel: usize,
    pub launch: Launch,
    pub arguments: Vec<RecordedArgument>,
}

/// A buffer of whatever solve it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedBuffer {
    Matrix,
    Scratch,
}

/// An argument, with its addresses by buffer and byte: buffers may be given back and made anew between two solves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RecordedArgument {
    Address(RecordedBuffer, usize),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
}

impl Recording {
    pub fn of(launches: Vec<RecordedLaunch>) -> Self {
        Self(launches)
    }

    pub fn launches(&self) -> &[RecordedLaunch] {
        &self.0
    }
}

impl RecordedArgument {
    /// What goes to the kernel in this solve.
    ///
    /// # Errors
    /// When there is no such buffer.
    pub fn on<'a>(&self, on: &Solve<'a>) -> Result<Argument<'a>, DeviceError> {
        let missing = || DeviceError::other("a launch on scratch memory that was not asked for");
        Ok(match *self {
            Self::Address(RecordedBuffer::Matrix, bytes) => Argument::Within(on.data, bytes),
            Self::Address(RecordedBuffer::Scratch, bytes) => {
                Argument::Within(on.scratch.ok_or_else(missing)?, bytes)
            }
            Self::Int(int) => Argument::Int(int),
            Self::Long(long) => Argument::Long(long),
            Self::Float(float) => Argument::Float(float),
            Self::Double(double) => Argument::Double(double),
        })
    }
}

/// Queues a launch of the kernel of this index in [`Schedule::kernels`].
pub type Launcher<'a> = dyn FnMut(usize, Launch, &[Argument]) -> Result<(), DeviceError> + 'a;

/// How an implementation solves on one queue of one device.
///
/// # Safety
/// Every launch has as many arguments as its kernel has parameters, of their types, and its kernel stays within [`Solve::data`] and [`Solve::scratch`],
/// whatever n [`Schedule::fits`] lets pass and whatever the matrix holds. The emulated device's checker and compute-sanitizer are
/// the ways to see that it does.
pub unsafe trait Schedule: Send + Sync {
    fn source(&self, target: Target, parameters: &Parameters) -> KernelSource;

    /// The element types that its kernels are written for, by the macros of `repro.cuh`.
    fn elements(&self) -> &[ElementType] {
        &[ElementType::F32]
    }

    /// Its kernels, in an order by which [`Schedule::solve`] names them.
    fn kernels(&self, target: Target, parameters: &Parameters) -> Vec<KernelUse>;

    /// Whether parameters that are each in range go together.
    ///
    /// # Errors
    /// What does not, in one line.
    fn check(&self, _parameters: &Parameters) -> Result<(), String> {
        Ok(())
    }

    /// Whether `n` vertices can be solved with these parameters.
    ///
    /// # Errors
    /// Why not, in one line.
    fn fits(&self, _n: usize, _parameters: &Parameters) -> Result<(), String> {
        Ok(())
    }

    /// Whether a block of every kernel fits on `device` with these parameters.
    ///
    /// # Errors
    /// Why not, in one line.
    fn fits_on(&self, _device: &DeviceInfo, _target: Target, _parameters: &Parameters) -> Result<(), String> {
        Ok(())
    }

    /// How it solves the graphs of a batch. Those of a layout with a buffer of its own are refused, and scratch memory is that of one graph.
    fn batches(&self) -> Batches {
        Batches::No
    }

    /// After how many launches the host waits until the device has done them, again and again. None when it never waits. A CUDA
    /// graph holds no waits: a solve that has some is never queued as one.
    fn launches_a_wait(&self, _parameters: &Parameters) -> Option<NonZeroU32> {
        None
    }

    /// Parameters other than the defaults with which it is verified.
    fn also_checked(&self) -> Vec<Parameters> {
        Vec::new()
    }

    /// Tasks that `kernel` does in `blocks` blocks of a solve of `n` vertices. None when there is no such kernel.
    fn tasks(&self, kernel: &str, n: usize, blocks: u64, parameters: &Parameters) -> Option<u64> {
        let kernels = self.kernels(Target::default(), parameters);
        let used = kernels.iter().find(|used| used.name == kernel)?;
        Some(used.tasks_a_block.map_or((n as u64).pow(3), |tasks| tasks * blocks))
    }

    /// As [`Method::tasks_of_solve`](crate::Method::tasks_of_solve).
    fn tasks_of_solve(&self, problem: &Problem, _parameters: &Parameters) -> f64 {
        problem.cubed()
    }

    /// Bytes of global memory a task and the model behind them, where they depend on parameters.
    fn bytes_per_task(&self, _parameters: &Parameters) -> Option<(f64, String)> {
        None
    }

    /// What each kernel does to global memory, where there is a model of it. Tested against what the emulated device counts.
    fn model(&self, _n: usize, _parameters: &Parameters) -> Option<Vec<KernelTraffic>> {
        None
    }

    fn layout(&self, parameters: &Parameters) -> Layout;

    /// Device memory that a solve of `n` vertices takes in addition to the matrix, bytes.
    fn scratch_bytes(&self, _n: usize, _target: Target, _parameters: &Parameters) -> usize {
        0
    }

    /// As [`Method::values`](crate::Method::values).
    fn values(&self, _parameter: &Parameter) -> Option<Vec<u32>> {
        None
    }

    /// The file that it was given by, where it is no part of this program.
    fn given(&self) -> Option<&GivenFile> {
        None
    }

    /// Takes down launches that are the same in every solve and take the host time to find: before any clock runs.
    /// [`Schedule::solve`] has them in [`Solve::recording`].
    ///
    /// # Errors
    /// What cannot be launched.
    fn record(&self, _on: &Solve, _kernels: &[Kernel]) -> Result<Recording, DeviceError> {
        Ok(Recording::default())
    }

    /// Queues every launch of one solve.
    ///
    /// # Errors
    /// When the device refuses a launch.
    fn solve(&self, on: &Solve, launch: &mut Launcher) -> Result<(), DeviceError>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_graph::WeightRange;

    #[test]
    fn distances_are_shifted_where_that_rounds_none() {
        let weights =
            WeightRange { largest: 100.0, negative: true, complete: false, grain: 1.0, symmetric: false };
        let signs = |n, element, weights| Signs::of(&Problem::one(n, element, weights));
        let shifted = Signs::Shifted(8_388_608.0);
        assert_eq!(signs(83_887, ElementType::F32, weights), shifted);
        assert_eq!(signs(83_888, ElementType::F32, weights), Signs::Any);
        assert_eq!(signs(100, ElementType::I32, weights), Signs::Any);
        assert_eq!(signs(100, ElementType::F32, WeightRange { grain: 0.0, ..weights }), Signs::Any);
        let halves = WeightRange { grain: 0.5, ..weights };
        assert_eq!(signs(100, ElementType::F32, halves), Signs::Shifted(4_194_304.0));
        let coarse = WeightRange { largest: 1e38, grain: 2f64.powi(120), ..weights };
        assert_eq!(signs(2, ElementType::F32, coarse), Signs::Any);
        assert_eq!(signs(100, ElementType::F32, WeightRange { negative: false, ..weights }), Signs::Positive);
    }
}
