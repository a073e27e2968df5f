//! What the host threads of one launch share: what is run, in which order, and the memory that it may use.

use crate::atomics::SyncVarTable;
use crate::history::QueuePosition;
use crate::launch::{self, Extent, Launch};
use crate::memory::Allocation;
use crate::module::{EntryFn, Module};
use crate::options::Instruments;
use crate::order;
use crate::quiescence::QuiescenceDetector;
use crate::trap::WallClockLimit;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// What is launched, and how.
pub struct LaunchSpec<'a> {
    pub module: &'a Module,
    pub entry: EntryFn,
    /// Pointers to the arguments, as a driver would keep them, and the bytes of each.
    pub pointers: &'a [usize],
    pub sizes: &'a [usize],
    pub shape: Launch,
    pub instruments: Instruments,
    /// Which order blocks and threads have their turns in.
    pub seed: u64,
    /// Where it stands among other launches.
    pub place: &'a QueuePosition,
    pub memories: &'a [&'a Allocation],
    /// Threads that run at once at most.
    pub most_threads: u32,
    pub time_limit: Option<Duration>,
    /// For text that the kernel prints.
    pub print: fn(&[u8]),
}

/// What all host threads of a launch share.
pub struct LaunchContext<'a> {
    pub spec: LaunchSpec<'a>,
    pub cluster_blocks: u32,
    pub limit: WallClockLimit,
    pub stopped: AtomicBool,
    /// Whether mbarriers and the like order threads one by one, so that the checker must list all readers of a word.
    pub listed: AtomicBool,
    pub sync_vars: SyncVarTable,
    /// Threads that have begun and not ended.
    pub resident: AtomicU32,
    pub quiescence: QuiescenceDetector,
    next: AtomicU64,
    order: Option<Vec<u32>>,
    heap: OnceLock<Option<Allocation>>,
    given: Mutex<Heap>,
    behind: Mutex<FxHashMap<(u32, u32), bool>>,
}

/// What `malloc` in kernels gave.
#[derive(Default)]
struct Heap {
    end: usize,
    live: FxHashMap<usize, usize>,
}

/// Bytes that `malloc` gives a launch in all; CUDA's default is 8 MiB.
const HEAP_BYTES: usize = 8 << 20;

impl<'a> LaunchContext<'a> {
    pub fn new(spec: LaunchSpec<'a>) -> Self {
        let (x, y, z) = spec.shape.cluster;
        let clusters = spec.shape.blocks() / u64::from(x * y * z);
        Self {
            order: order::of_blocks(spec.seed, u32::try_from(clusters).unwrap_or(u32::MAX)),
            cluster_blocks: x * y * z,
            limit: WallClockLimit::of(spec.time_limit),
            spec,
            stopped: AtomicBool::default(),
            listed: AtomicBool::default(),
            sync_vars: SyncVarTable::default(),
            resident: AtomicU32::default(),
            quiescence: QuiescenceDetector::default(),
            next: AtomicU64::default(),
            heap: OnceLock::new(),
            given: Mutex::default(),
            behind: Mutex::default(),
        }
    }

    /// Threads a block.
    pub fn threads(&self) -> u32 {
        self.spec.shape.threads()
    }

    /// How many host threads run its blocks: one where a seed chooses the order, so that it repeats, and one for a single
    /// cluster, for which the others need not be woken.
    pub fn host_threads(&self) -> usize {
        if self.clusters() == 1 || self.spec.seed > 0 { 1 } else { rayon::current_num_threads() }
    }

    fn clusters(&self) -> u64 {
        self.spec.shape.blocks() / u64::from(self.cluster_blocks)
    }

    /// The next cluster that has not started; a block alone where there are no clusters.
    pub fn take_cluster(&self) -> Option<u32> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        if next >= self.clusters() {
            return None;
        }
        let next = u32::try_from(next).ok()?;
        Some(self.order.as_ref().map_or(next, |order| order[next as usize]))
    }

    /// The places of a cluster's blocks in the grid, by their rank.
    pub fn blocks_of(&self, cluster: u32) -> Vec<Extent> {
        let (size, grid) = (self.spec.shape.cluster, self.spec.shape.grid);
        let clusters = (grid.0 / size.0, grid.1 / size.1, grid.2 / size.2);
        let first = launch::place_of(cluster, clusters);
        let place = |rank| {
            let within = launch::place_of(rank, size);
            (first.0 * size.0 + within.0, first.1 * size.1 + within.1, first.2 * size.2 + within.2)
        };
        (0..self.cluster_blocks).map(place).collect()
    }

    fn heap(&self) -> Option<&Allocation> {
        self.heap.get().and_then(Option::as_ref)
    }

    /// The index of the memory that holds all of these bytes.
    #[inline]
    pub fn memory_at(&self, address: usize, bytes: usize) -> Option<u16> {
        let memories = self.spec.memories;
        let index = memories.iter().position(|memory| memory.holds(address, bytes));
        let of_heap = || self.heap().filter(|heap| heap.holds(address, bytes)).map(|_| memories.len());
        index.or_else(of_heap).map(|index| index as u16)
    }

    /// The memory of an index that [`LaunchContext::memory_at`] gave.
    pub fn memory(&self, index: u16) -> &Allocation {
        let memories = self.spec.memories;
        memories.get(usize::from(index)).copied().or_else(|| self.heap()).unwrap_or(memories[0])
    }

    /// What was allocated together with these bytes of the memory of an index; None for bytes of the heap that `malloc` has not given.
    pub fn allocation(&self, index: u16, address: usize, bytes: usize) -> Option<Range<usize>> {
        if let Some(memory) = self.spec.memories.get(usize::from(index)) {
            return Some(memory.address()..memory.address() + memory.bytes());
        }
        let given = self.given();
        let holds =
            |(start, size): &(&usize, &usize)| address >= **start && address + bytes <= **start + **size;
        given.live.iter().find(holds).map(|(start, size)| *start..start + size)
    }

    /// Whether a kernel may read these bytes: of global memory, or of its arguments.
    pub fn is_readable(&self, address: usize, bytes: usize) -> bool {
        let argument = |(start, size): (&usize, &usize)| address >= *start && address + bytes <= start + size;
        self.memory_at(address, bytes).is_some()
            || self.spec.pointers.iter().zip(self.spec.sizes).any(argument)
            || self.spec.module.is_constant(address, bytes)
    }

    fn given(&self) -> MutexGuard<'_, Heap> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates `bytes` bytes of the heap, and returns their address; 0 when it is full.
    pub fn heap_allocate(&self, bytes: usize) -> usize {
        let heap = self.heap.get_or_init(|| Allocation::allocate(HEAP_BYTES, self.spec.instruments.check));
        let Some(heap) = heap else { return 0 };
        let mut given = self.given();
        let room = bytes.max(1).next_multiple_of(16);
        if given.end + room > heap.bytes() {
            return 0;
        }
        let address = heap.address() + given.end;
        given.end += room;
        given.live.insert(address, bytes);
        address
    }

    /// Frees memory of the heap; does nothing for address 0. False when the address is not allocated.
    pub fn heap_free(&self, address: usize) -> bool {
        address == 0 || self.given().live.remove(&address).is_some()
    }

    /// Whether an address in the kernel's code is of a later line of the same source file than another.
    pub fn is_behind(&self, place: u32, other: u32) -> bool {
        let mut known = self.behind.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry((place, other)).or_insert_with(|| {
            let lines = self.spec.module.line_of(place).zip(self.spec.module.line_of(other));
            lines.is_some_and(|(one, other)| one.file == other.file && one.line > other.line)
        })
    }

    /// From here on threads are ordered one by one, so the checker lists all readers.
    pub fn list_threads(&self) {
        self.listed.store(true, Ordering::Relaxed);
    }

    /// No further block is to be started.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}
