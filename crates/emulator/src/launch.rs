//! One launch: its shape, its arguments, how its blocks are spread over the cores, and what they found and counted, merged.

use crate::context::LaunchContext;
use crate::counts::Counts;
use crate::finding::Finding;
use crate::memory::DeviceMemory;
use crate::messages::word;
use crate::report::{Occurrence, WorkerReport};
use crate::worker::{self, WorkerBuffers};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};

/// What came of a launch.
pub struct LaunchOutcome {
    pub counts: Counts,
    pub findings: Vec<Finding>,
    pub problem: Option<String>,
}

thread_local! {
    static BUFFERS: RefCell<WorkerBuffers> = RefCell::default();
}

/// Runs every block.
pub fn run(launch: &LaunchContext, kernel: &str) -> LaunchOutcome {
    let total = Mutex::new(WorkerReport::default());
    let work = || {
        let mut report = WorkerReport::default();
        launch.limit.interrupting(|| {
            BUFFERS.with_borrow_mut(|buffers| worker::run_blocks(launch, buffers, &mut report));
        });
        total.lock().unwrap_or_else(PoisonError::into_inner).merge(report);
    };
    let host_threads = launch.host_threads();
    launch.quiescence.begin(host_threads);
    launch.limit.watch(|| {
        if host_threads == 1 {
            work();
        } else {
            rayon::broadcast(|_| work());
        }
    });
    let total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    let shared = launch.spec.module.shared.iter().zip(0..);
    let used = shared.filter(|(_, index)| total.shared_used.contains(index));
    let counts = Counts {
        launches: 1,
        dynamic_shared_bytes: u64::from(launch.spec.shape.dynamic_shared_bytes),
        shared_bytes: used.map(|(variable, _)| variable.bytes).sum(),
        ..total.counts
    };
    let mut seen: Vec<_> = total.seen.into_iter().collect();
    seen.sort_by_key(|(places, seen)| (seen.block, seen.thread, *places));
    let found =
        seen.into_iter().map(|((kind, place, _), seen)| (word(launch, kernel, kind, place, &seen), seen));
    LaunchOutcome { counts, findings: distinct(found), problem: total.problem }
}

/// Merges findings of the same mistake: those of the same two lines, and those of nearby lines about adjacent bytes.
fn distinct(found: impl Iterator<Item = (Finding, Occurrence)>) -> Vec<Finding> {
    let mut mistakes: Vec<Vec<(Finding, Occurrence)>> = Vec::new();
    for (finding, seen) in found {
        let same = |(known, known_seen): &(Finding, Occurrence)| {
            known.kind == finding.kind
                && (known.lines() == finding.lines()
                    || known.is_near(&finding) && known_seen.is_beside(&seen))
        };
        match mistakes.iter_mut().find(|mistake| mistake.iter().any(same)) {
            Some(mistake) => mistake.push((finding, seen)),
            None => mistakes.push(vec![(finding, seen)]),
        }
    }
    let first = |mistake: Vec<(Finding, Occurrence)>| {
        let times = mistake.iter().map(|(finding, _)| finding.times).sum();
        // Of several lines the first, so that every order of threads names the same ones.
        let first = mistake.into_iter().map(|(finding, _)| finding).min_by_key(Finding::lines);
        first.map(|first| Finding { times, ..first })
    };
    mistakes.into_iter().filter_map(first).collect()
}

/// Blocks of a grid or threads of a block in x, y and z, or the place of one of them.
pub type Extent = (u32, u32, u32);

/// The shape of one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Blocks.
    pub grid: Extent,
    /// Threads a block.
    pub block: Extent,
    /// Shared memory a block beyond what the kernel declares, bytes; up to the device's limit.
    pub dynamic_shared_bytes: u32,
    /// Blocks of a cluster in x, y and z; each divides that side of the grid. Compute capability 9.0 and newer.
    pub cluster: Extent,
    /// Whether it may start before the previous launch of its stream has ended (programmatic dependent launch): the kernel then
    /// waits by itself for what it reads. Compute capability 9.0 and newer.
    pub overlaps_previous: bool,
}

impl Launch {
    /// A grid of `rows` rows of `across` blocks, each of `threads` threads in x.
    pub fn rows_of(across: usize, rows: usize, threads: u32) -> Self {
        // A grid of this size would need more than 2^32 tiles a side, beyond any memory.
        let narrow = |blocks: usize| u32::try_from(blocks).unwrap_or(u32::MAX);
        Self::new((narrow(across), narrow(rows), 1), (threads, 1, 1))
    }

    /// `grid` blocks of `block` threads, without anything else.
    pub const fn new(grid: Extent, block: Extent) -> Self {
        Self { grid, block, dynamic_shared_bytes: 0, cluster: (1, 1, 1), overlaps_previous: false }
    }

    /// Threads a block.
    pub fn threads(&self) -> u32 {
        let (x, y, z) = self.block;
        x.saturating_mul(y).saturating_mul(z)
    }

    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        let (x, y, z) = self.grid;
        u64::from(x) * u64::from(y) * u64::from(z)
    }

    /// Whether it has clusters or may overlap the previous launch.
    pub fn has_attributes(&self) -> bool {
        self.cluster != (1, 1, 1) || self.overlaps_previous
    }
}

/// The place in an extent that has this number, x fastest.
pub fn place_of(number: u32, extent: Extent) -> Extent {
    let (x, y, _) = extent;
    (number % x, number / x % y, number / x / y)
}

/// The number of a place in an extent, x fastest.
pub fn number_of((x, y, z): Extent, extent: Extent) -> u32 {
    x + extent.0 * (y + extent.1 * z)
}

/// One argument, in the order of the kernel's parameters.
#[derive(Clone, Copy)]
pub enum ArgumentValue<'a> {
    /// The address of its first byte.
    Memory(&'a DeviceMemory),
    /// The address of the byte at this offset of the memory.
    Within(&'a DeviceMemory, usize),
    /// An address of device memory, or any other number of 64 bits.
    Bits(u64),
    /// A signed number of 32 bits.
    Int(i32),
    /// An unsigned number of 32 bits.
    Uint(u32),
    /// A number of single precision.
    Float(f32),
    /// A number of double precision.
    Double(f64),
    /// A struct by value: its bytes.
    Struct(&'a [u8]),
}

/// The arguments of a launch, kept where a kernel reads them.
#[derive(Clone, Debug, Default)]
pub struct PackedArguments(Vec<PackedArgument>);

#[derive(Clone, Debug)]
struct PackedArgument {
    bytes: usize,
    /// The bytes in words of 16, so that they are aligned as any parameter of a kernel is. Only tensor maps ask for more,
    /// and the emulator reads those at any address.
    words: Vec<u128>,
}

impl PackedArguments {
    /// Copies the values of `arguments`. The device memory that they name must live until the launch.
    pub fn new(arguments: &[ArgumentValue]) -> Self {
        let pack = |argument: &ArgumentValue| match argument {
            ArgumentValue::Memory(memory) => PackedArgument::of(&memory.address().to_le_bytes()),
            ArgumentValue::Within(memory, bytes) => {
                PackedArgument::of(&(memory.address() + *bytes as u64).to_le_bytes())
            }
            ArgumentValue::Bits(bits) => PackedArgument::of(&bits.to_le_bytes()),
            ArgumentValue::Int(int) => PackedArgument::of(&int.to_le_bytes()),
            ArgumentValue::Uint(uint) => PackedArgument::of(&uint.to_le_bytes()),
            ArgumentValue::Float(float) => PackedArgument::of(&float.to_le_bytes()),
            ArgumentValue::Double(double) => PackedArgument::of(&double.to_le_bytes()),
            ArgumentValue::Struct(bytes) => PackedArgument::of(bytes),
        };
        Self(arguments.iter().map(pack).collect())
    }

    /// The address of each argument's bytes.
    pub(crate) fn pointers(&self) -> Vec<usize> {
        self.0.iter().map(|packed| packed.words.as_ptr() as usize).collect()
    }

    /// The bytes that each argument has.
    pub(crate) fn sizes(&self) -> impl ExactSizeIterator<Item = usize> {
        self.0.iter().map(|packed| packed.bytes)
    }
}

impl PackedArgument {
    fn of(bytes: &[u8]) -> Self {
        let word = |chunk: &[u8]| {
            let mut word = [0; size_of::<u128>()];
            word[..chunk.len()].copy_from_slice(chunk);
            u128::from_ne_bytes(word)
        };
        Self { bytes: bytes.len(), words: bytes.chunks(size_of::<u128>()).map(word).collect() }
    }
}
