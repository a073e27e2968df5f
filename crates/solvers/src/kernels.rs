//! Kernels: what they are compiled for, what they do to memory, and the launches of a solve, which are found before any clock runs and done
//! again by each solve.

use super::layout::{Layout, LayoutKernels};
use super::{Parameters, Problem};
use repro_device::{Argument, Buffer, Device, DeviceError, DeviceInfo, Kernel, KernelSource, Launch};
use repro_graph::ElementType;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// What follows from the weights for the signs of distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DistanceSigns {
    /// No distance is negative.
    Positive,
    /// All distances are below this number in magnitude. Each is exact as it is and with this number added, which makes it positive. The
    /// number is 2^23 times the grain, the power of two that all weights are multiples of.
    Shifted(f32),
    /// Nothing follows: distances may have either sign.
    Any,
}

impl DistanceSigns {
    /// The signs of the distances of `problem`.
    pub fn of(problem: &Problem) -> Self {
        let weights = &problem.weights;
        // A sum in f32 is exact up to 2^24 grains: half for distances, half for the shift.
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
    pub signs: DistanceSigns,
    /// Whether the matrix is symmetric. Only implementations that make use of it are compiled differently then.
    pub symmetric: bool,
    pub compute_capability: (u32, u32),
}

impl Target {
    /// Kernels for distances of this type on this device, from weights that are not negative.
    pub fn on(device: &DeviceInfo, element: ElementType) -> Self {
        Self { element, compute_capability: device.compute_capability, ..Self::default() }
    }

    /// Kernels for the distances and weights of `problem`, on the GPU of the reference runs.
    pub fn of(problem: &Problem) -> Self {
        Self { element: problem.element, ..Self::default() }.with_weights(problem)
    }

    /// This target, for the weights of `problem`.
    #[must_use]
    pub fn with_weights(self, problem: &Problem) -> Self {
        Self { signs: DistanceSigns::of(problem), symmetric: problem.weights.symmetric, ..self }
    }
}

impl Default for Target {
    /// Kernels for `f32` on the GPU of the reference runs, from weights that are not negative.
    fn default() -> Self {
        Self {
            element: ElementType::F32,
            signs: DistanceSigns::Positive,
            symmetric: false,
            compute_capability: (9, 0),
        }
    }
}

/// A kernel and the threads a block that it is launched with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelUse {
    pub name: &'static str,
    pub threads: u32,
    /// Dynamic shared memory a block, in addition to what the kernel declares.
    pub dynamic_shared_bytes: u32,
    /// Shared memory a block that the kernel declares; 0 where that is not known.
    pub declared_shared_bytes: u32,
    /// Tasks that each of its blocks does, those of padding vertices included; None when the kernel does all n³ of a solve.
    pub tasks_a_block: Option<u64>,
    /// The paper's figures of this kernel, on the paper's GPU.
    pub paper: Option<PaperFigures>,
}

/// What all launches of one kernel do in one solve, by a model in place of a count. Bytes are 0 where the model has none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelTraffic {
    pub kernel: String,
    pub launches: u64,
    pub blocks: u64,
    /// Tasks, those of padding vertices included.
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

/// How the graphs of a batch are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchMode {
    /// No batch is solved, only a single graph.
    No,
    /// One after the other, each by launches of its own.
    InTurn,
    /// All at once.
    AtOnce,
}

/// The kernels of an implementation on one device, for some target and parameters.
#[derive(Clone, Debug)]
pub struct KernelSet {
    pub source: KernelSource,
    /// The kernels, in the order in which launches number them.
    pub uses: Vec<KernelUse>,
    /// How they want the matrix to lie.
    pub layout: Layout,
    /// How a batch is solved. A layout with a buffer of its own takes no batch, whatever this says.
    pub batch_mode: BatchMode,
    /// After how many launches the host waits until the device has done them, again and again. None when it never waits. A CUDA
    /// graph holds no waits: a solve that has some is never queued as one.
    pub launches_per_sync: Option<NonZeroU32>,
}

impl KernelSet {
    pub fn names(&self) -> Vec<&'static str> {
        self.uses.iter().map(|used| used.name).collect()
    }

    /// Compiles and loads these kernels, and those that change the layout.
    ///
    /// # Errors
    /// When one does not compile or load, or a block of it has no room.
    pub fn load(
        &self,
        device: &dyn Device,
        element: ElementType,
    ) -> Result<(Vec<Kernel>, LayoutKernels), DeviceError> {
        self.uses.iter().try_for_each(|used| used.fits_on(device.info())).map_err(DeviceError::other)?;
        let kernels = device.load(&self.source, &self.names())?;
        Ok((kernels, LayoutKernels::load(device, element, self.layout)?))
    }
}

impl KernelUse {
    /// A kernel with `threads` threads a block that does all tasks of a solve.
    pub fn new(name: &'static str, threads: u32) -> Self {
        let (dynamic_shared_bytes, declared_shared_bytes) = (0, 0);
        Self { name, threads, dynamic_shared_bytes, declared_shared_bytes, tasks_a_block: None, paper: None }
    }

    /// Whether a block has room for its shared memory.
    fn fits_on(&self, device: &DeviceInfo) -> Result<(), String> {
        let (most, declared) = (device.shared_bytes_per_block, u64::from(self.declared_shared_bytes));
        if u64::from(self.dynamic_shared_bytes) + declared <= most {
            return Ok(());
        }
        let has = (declared > 0).then(|| format!(" in addition to the {declared} that it declares"));
        let has = has.unwrap_or_default();
        Err(format!(
            "a block of {} asks for {} bytes of shared memory{has}, and {} has room for {}: choose parameters by which it asks for less",
            self.name,
            self.dynamic_shared_bytes,
            device.name,
            most.saturating_sub(declared)
        ))
    }
}

/// The problem and the device that launches are found for.
#[derive(Clone, Copy)]
pub struct LaunchSite<'a> {
    pub problem: &'a Problem,
    /// The graph's place in a batch that is solved in turn.
    pub graph: usize,
    /// Graphs that are solved at once.
    pub graphs: usize,
    /// Bytes of the matrix that kernels work on, or of all matrices of a batch.
    pub matrix_bytes: usize,
    /// Numbers from one row of the matrix to the next, where the layout has rows.
    pub pitch: usize,
    pub parameters: &'a Parameters,
    pub target: Target,
    /// How many the device has.
    pub multiprocessors: u32,
    /// Blocks of each kernel that a multiprocessor holds at once.
    pub resident_blocks: &'a [u32],
}

impl LaunchSite<'_> {
    /// The address of this graph's matrix, or of the first one where several are solved at once.
    pub fn matrix(&self) -> Address {
        let bytes = self.problem.n * self.pitch * self.target.element.bytes();
        Address { memory: Memory::Matrix, offset: self.graph * bytes }
    }
}

/// A buffer, by its role in a solve: the buffer itself may be given back and made anew between two solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// What is solved, in the kernels' layout.
    Matrix,
    /// As many bytes as [`LaunchList::scratch_bytes`], contents undefined.
    Scratch,
}

/// A byte of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    pub memory: Memory,
    pub offset: usize,
}

/// An argument of a launch; addresses are relative to the buffers of a solve.
#[derive(Clone, Debug, PartialEq)]
pub enum LaunchArgument {
    Address(Address),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    /// A struct as words of eight bytes, with the places of the words that are addresses.
    Struct {
        words: Vec<u64>,
        addresses: Vec<(usize, Address)>,
    },
}

/// A launch with its arguments, in the order of the kernel's parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedLaunch {
    /// The kernel's place in [`KernelSet::uses`](super::KernelSet).
    pub kernel: usize,
    pub launch: Launch,
    pub arguments: Vec<LaunchArgument>,
}

/// All launches of a solve, in order.
#[derive(Debug, Default, PartialEq)]
pub struct LaunchList {
    /// Device memory in addition to the matrix.
    scratch_bytes: usize,
    launches: Vec<PlannedLaunch>,
}

impl LaunchList {
    /// # Safety
    /// Every launch has as many arguments as its kernel has parameters, of their types, and its kernel stays within a matrix like that of the [`LaunchSite`] that the launches are for
    /// and so many bytes of scratch memory, whatever the matrix holds. The emulated device's checker and compute-sanitizer are the ways to see that it does.
    pub unsafe fn new(scratch_bytes: usize, launches: Vec<PlannedLaunch>) -> Self {
        Self { scratch_bytes, launches }
    }

    pub fn scratch_bytes(&self) -> usize {
        self.scratch_bytes
    }

    pub fn launches(&self) -> &[PlannedLaunch] {
        &self.launches
    }

    /// Appends the launches of another graph, which use the same scratch memory.
    pub fn append(&mut self, mut others: Self) {
        self.scratch_bytes = self.scratch_bytes.max(others.scratch_bytes);
        self.launches.append(&mut others.launches);
    }

    /// Puts the addresses of these buffers into structs.
    ///
    /// # Errors
    /// As [`LaunchArgument::on`], or where scratch memory is less than the launches need.
    pub fn bind(&mut self, matrix: &Buffer, scratch: Option<&Buffer>) -> Result<(), DeviceError> {
        if scratch.map_or(0, Buffer::bytes) < self.scratch_bytes {
            return Err(DeviceError::other("less scratch memory than asked for: this is a defect of repro"));
        }
        for argument in self.launches.iter_mut().flat_map(|launch| &mut launch.arguments) {
            if let LaunchArgument::Struct { words, addresses } = argument {
                for (word, Address { memory, offset }) in addresses {
                    words[*word] = buffer(*memory, matrix, scratch)?.address() + *offset as u64;
                }
            }
        }
        Ok(())
    }
}

impl LaunchArgument {
    /// The argument that a kernel gets in a solve with these buffers, to which structs were bound before.
    ///
    /// # Errors
    /// When there is no such buffer.
    pub fn on<'a>(
        &'a self,
        matrix: &'a Buffer,
        scratch: Option<&'a Buffer>,
    ) -> Result<Argument<'a>, DeviceError> {
        Ok(match self {
            Self::Address(Address { memory, offset }) => {
                Argument::Within(buffer(*memory, matrix, scratch)?, *offset)
            }
            Self::Int(int) => Argument::Int(*int),
            Self::Long(long) => Argument::Long(*long),
            Self::Float(float) => Argument::Float(*float),
            Self::Double(double) => Argument::Double(*double),
            Self::Struct { words, .. } => Argument::Struct(bytemuck::cast_slice(words)),
        })
    }
}

fn buffer<'a>(
    memory: Memory,
    matrix: &'a Buffer,
    scratch: Option<&'a Buffer>,
) -> Result<&'a Buffer, DeviceError> {
    let missing = || DeviceError::other("a launch on scratch memory that was not asked for");
    if memory == Memory::Matrix { Ok(matrix) } else { scratch.ok_or_else(missing) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_graph::WeightRange;

    #[test]
    fn distances_are_shifted_where_that_rounds_none() {
        let weights =
            WeightRange { largest: 100.0, negative: true, complete: false, grain: 1.0, symmetric: false };
        let signs = |n, element, weights| DistanceSigns::of(&Problem::one(n, element, weights));
        let shifted = DistanceSigns::Shifted(8_388_608.0);
        assert_eq!(signs(83_887, ElementType::F32, weights), shifted);
        assert_eq!(signs(83_888, ElementType::F32, weights), DistanceSigns::Any);
        assert_eq!(signs(100, ElementType::I32, weights), DistanceSigns::Any);
        assert_eq!(signs(100, ElementType::F32, WeightRange { grain: 0.0, ..weights }), DistanceSigns::Any);
        let halves = WeightRange { grain: 0.5, ..weights };
        assert_eq!(signs(100, ElementType::F32, halves), DistanceSigns::Shifted(4_194_304.0));
        let coarse = WeightRange { largest: 1e38, grain: 2f64.powi(120), ..weights };
        assert_eq!(signs(2, ElementType::F32, coarse), DistanceSigns::Any);
        assert_eq!(
            signs(100, ElementType::F32, WeightRange { negative: false, ..weights }),
            DistanceSigns::Positive
        );
    }
}
