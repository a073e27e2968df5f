//! The launches of a solve, which are found before any clock runs and done again by each solve.

use super::{Parameters, Problem, Target};
use repro_device::{Argument, Buffer, DeviceError, Launch};

/// What launches are found for.
#[derive(Clone, Copy)]
pub struct LaunchSite<'a> {
    pub problem: &'a Problem,
    /// The graph's place in a batch that is solved in turn.
    pub graph: usize,
    /// Graphs that are solved at once.
    pub graphs: usize,
    /// Bytes of the matrix that kernels work on, or of all of a batch.
    pub matrix_bytes: usize,
    /// Numbers from one row of it to the next, where the layout has rows.
    pub pitch: usize,
    pub parameters: &'a Parameters,
    pub target: Target,
    /// Of the device.
    pub multiprocessors: u32,
    /// Blocks of each kernel that a multiprocessor holds at once.
    pub resident_blocks: &'a [u32],
}

impl LaunchSite<'_> {
    /// Where the matrix of this graph is, or of the first of those that are solved at once.
    pub fn matrix(&self) -> Address {
        let bytes = self.problem.n * self.pitch * self.target.element.bytes();
        Address { memory: Memory::Matrix, offset: self.graph * bytes }
    }
}

/// A buffer of whatever solve it is: buffers may be given back and made anew between two solves.
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

/// An argument of a launch.
#[derive(Clone, Debug, PartialEq)]
pub enum LaunchArgument {
    Address(Address),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    /// A struct of eight bytes a word, and the words that are addresses.
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

    /// These, and behind them those of another graph, in the same scratch memory.
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
    /// What goes to the kernel in a solve with these buffers, which structs were bound to.
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
