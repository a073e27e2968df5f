//! What the host threads of one launch share: what is run, in which order, and the memory that it may use.

use crate::flags::SyncVarTable;
use crate::history::QueuePosition;
use crate::limit::WallClockLimit;
use crate::memory::Memory;
use crate::module::{EntryFn, Module};
use crate::options::Instruments;
use crate::order;
use crate::quiescence::QuiescenceDetector;
use crate::shape::{self, Extent, Launch};
use rustc_hash::FxHashMap;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// What all host threads of a launch share.
pub struct LaunchContext<'a> {
    pub module: &'a Module,
    pub entry: EntryFn,
    /// Pointers to the arguments, as a driver would keep them, and the bytes of each.
    pub pointers: &'a [usize],
    pub sizes: &'a [usize],
    pub launch: Launch,
    pub instruments: Instruments,
    /// Which order blocks and threads have their turns in.
    pub seed: u64,
    /// Where it stands among other launches.
    pub place: &'a QueuePosition,
    pub memories: &'a [&'a Memory],
    pub cluster_blocks: u32,
    /// Threads that run at once at most.
    pub most_threads: u32,
    pub limit: WallClockLimit,
    /// For text that the kernel prints.
    pub print: fn(&[u8]),
    pub stopped: AtomicBool,
    /// Whether threads are ordered one by one, by mbarriers and the like.
    pub listed: AtomicBool,
    pub flags: SyncVarTable,
    /// Threads that have begun and not ended.
    pub resident: AtomicU32,
    pub quiet: QuiescenceDetector,
    next: AtomicU64,
    order: Option<Vec<u32>>,
    heap: OnceLock<Option<Memory>>,
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

/// What a job is made of.
pub struct LaunchSpec<'a> {
    pub module: &'a Module,
    pub entry: EntryFn,
    pub pointers: &'a [usize],
    pub sizes: &'a [usize],
    pub launch: Launch,
    pub instruments: Instruments,
    pub seed: u64,
    pub place: &'a QueuePosition,
    pub memories: &'a [&'a Memory],
    pub most_threads: u32,
    pub time_limit: Option<Duration>,
    pub print: fn(&[u8]),
}

impl<'a> LaunchContext<'a> {
    pub fn new(order: LaunchSpec<'a>) -> Self {
        let (x, y, z) = order.launch.cluster;
        let cluster_blocks = x * y * z;
        let clusters = order.launch.blocks() / u64::from(cluster_blocks);
        Self {
            order: order::of_blocks(order.seed, u32::try_from(clusters).unwrap_or(u32::MAX)),
            module: order.module,
            entry: order.entry,
            pointers: order.pointers,
            sizes: order.sizes,
            launch: order.launch,
            instruments: order.instruments,
            seed: order.seed,
            place: order.place,
            memories: order.memories,
            cluster_blocks,
            most_threads: order.most_threads,
            limit: WallClockLimit::of(order.time_limit),
            print: order.print,
            stopped: AtomicBool::new(false),
            listed: AtomicBool::new(false),
            flags: SyncVarTable::default(),
            resident: AtomicU32::new(0),
            quiet: QuiescenceDetector::default(),
            next: AtomicU64::new(0),
            heap: OnceLock::new(),
            given: Mutex::default(),
            behind: Mutex::default(),
        }
    }

    /// Threads a block.
    pub fn threads(&self) -> u32 {
        self.launch.threads()
    }

    pub fn arguments(&self) -> *mut *mut c_void {
        self.pointers.as_ptr().cast_mut().cast()
    }

    /// How many host threads run its blocks: one where a seed chooses the order, which then repeats. One block does not need the
    /// others woken.
    pub fn host_threads(&self) -> usize {
        if self.clusters() == 1 || self.seed > 0 { 1 } else { rayon::current_num_threads() }
    }

    pub fn clusters(&self) -> u64 {
        self.launch.blocks() / u64::from(self.cluster_blocks)
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
        let (size, grid) = (self.launch.cluster, self.launch.grid);
        let clusters = (grid.0 / size.0, grid.1 / size.1, grid.2 / size.2);
        let first = shape::place_of(cluster, clusters);
        let place = |rank| {
            let within = shape::place_of(rank, size);
            (first.0 * size.0 + within.0, first.1 * size.1 + within.1, first.2 * size.2 + within.2)
        };
        (0..self.cluster_blocks).map(place).collect()
    }

    /// The index of the memory that holds all of these bytes.
    #[inline]
    pub fn memory_at(&self, address: usize, bytes: usize) -> Option<u16> {
        let heap = || self.heap.get().and_then(Option::as_ref).filter(|heap| heap.holds(address, bytes));
        let index = self.memories.iter().position(|memory| memory.holds(address, bytes));
        index.or_else(|| heap().map(|_| self.memories.len())).map(|index| index as u16)
    }

    /// The memory of an index that [`LaunchContext::memory_at`] gave.
    pub fn memory(&self, index: u16) -> &Memory {
        match self.memories.get(usize::from(index)) {
            Some(memory) => memory,
            None => self.heap.get().and_then(Option::as_ref).unwrap_or(self.memories[0]),
        }
    }

    /// Whether a kernel may read these bytes: of global memory, or of its arguments.
    pub fn is_readable(&self, address: usize, bytes: usize) -> bool {
        let argument = |(start, size): (&usize, &usize)| address >= *start && address + bytes <= start + size;
        self.memory_at(address, bytes).is_some()
            || self.pointers.iter().zip(self.sizes).any(argument)
            || self.module.is_constant(address, bytes)
    }

    /// The address of so many fresh bytes; 0 when there are none left.
    pub fn heap_allocate(&self, bytes: usize) -> usize {
        let heap = self.heap.get_or_init(|| Memory::allocate(HEAP_BYTES, self.instruments.check));
        let Some(heap) = heap else { return 0 };
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let room = bytes.max(1).next_multiple_of(16);
        if given.end + room > heap.bytes() {
            return 0;
        }
        let address = heap.address() + given.end;
        given.end += room;
        given.live.insert(address, bytes);
        address
    }

    /// The allocation of the heap that holds all of these bytes; None where no memory is of the heap, or none is given there.
    pub fn heap_part(&self, address: usize, bytes: usize) -> Option<Range<usize>> {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let holds =
            |(start, size): &(&usize, &usize)| address >= **start && address + bytes <= **start + **size;
        given.live.iter().find(holds).map(|(start, size)| *start..start + size)
    }

    /// Whether an index that [`LaunchContext::memory_at`] gave is the heap's.
    pub fn is_heap(&self, index: u16) -> bool {
        usize::from(index) >= self.memories.len()
    }

    /// False when the address is none that was given and not taken back.
    pub fn heap_free(&self, address: usize) -> bool {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        address == 0 || given.live.remove(&address).is_some()
    }

    /// Whether a place is on a later line of the same file than another.
    pub fn is_behind(&self, place: u32, other: u32) -> bool {
        let mut known = self.behind.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry((place, other)).or_insert_with(|| {
            let lines = self.module.line_of(place).zip(self.module.line_of(other));
            lines.is_some_and(|(one, other)| one.file == other.file && one.line > other.line)
        })
    }

    /// No further block is to be started.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}
