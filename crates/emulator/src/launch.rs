//! One launch: its blocks spread over the cores, and what they did put together.

use crate::clock::Who;
use crate::counts::Counts;
use crate::emulator::Instruments;
use crate::finding::{Finding, FindingKind};
use crate::flags::Flags;
use crate::image::Image;
use crate::memory::Memory;
use crate::module::{Module, Start};
use crate::order;
use crate::shadow::Fault;
use crate::shape::{self, Extent, Launch};
use crate::stack::Slot;
use crate::trace::{Access, Kind, Trace};
use crate::wording::word;
use crate::worker;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What all host threads of a launch share.
pub struct Job<'a> {
    pub module: &'a Module,
    pub entry: Start,
    /// Pointers to the arguments, as a driver would keep them, and the bytes of each.
    pub pointers: &'a [usize],
    pub sizes: &'a [usize],
    pub launch: Launch,
    pub instruments: Instruments,
    /// Which order blocks and threads have their turns in.
    pub seed: u64,
    /// Tells the launches of a process apart.
    pub serial: u32,
    /// Launches that nothing orders before this one, with the one in front where this one may overlap it.
    pub beside: Vec<u32>,
    /// The same for threads that waited for the one in front.
    pub beside_after_wait: Vec<u32>,
    pub memories: &'a [&'a Memory],
    pub cluster_blocks: u32,
    /// Threads that run at once at most.
    pub most_threads: u32,
    pub stopped: AtomicBool,
    /// Whether threads are ordered one by one, by mbarriers and the like.
    pub listed: AtomicBool,
    pub flags: Flags,
    /// Threads that have begun and not ended.
    pub resident: AtomicU32,
    /// Host threads that do not merely wait.
    pub working: AtomicUsize,
    next: AtomicU64,
    order: Option<Vec<u32>>,
    heap: OnceLock<Option<Memory>>,
    given: Mutex<Heap>,
    behind: Mutex<HashMap<(u32, u32), bool>>,
}

/// What `malloc` in kernels gave.
#[derive(Default)]
struct Heap {
    end: usize,
    live: HashMap<usize, usize>,
}

/// Bytes that `malloc` gives a launch in all; CUDA's default is 8 MiB.
const HEAP_BYTES: usize = 8 << 20;

/// What a job is made of.
pub struct Order<'a> {
    pub module: &'a Module,
    pub entry: Start,
    pub pointers: &'a [usize],
    pub sizes: &'a [usize],
    pub launch: Launch,
    pub instruments: Instruments,
    pub seed: u64,
    pub serial: u32,
    pub beside: (Vec<u32>, Vec<u32>),
    pub memories: &'a [&'a Memory],
    pub most_threads: u32,
}

impl<'a> Job<'a> {
    pub fn new(order: Order<'a>) -> Self {
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
            serial: order.serial,
            beside: order.beside.0,
            beside_after_wait: order.beside.1,
            memories: order.memories,
            cluster_blocks,
            most_threads: order.most_threads,
            stopped: AtomicBool::new(false),
            listed: AtomicBool::new(false),
            flags: Flags::default(),
            resident: AtomicU32::new(0),
            working: AtomicUsize::new(0),
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

    fn clusters(&self) -> u64 {
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

    /// The memory of an index that [`Job::memory_at`] gave.
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

    /// Whether an index that [`Job::memory_at`] gave is the heap's.
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

/// A finding before it is put into words.
#[derive(Clone, Debug)]
pub enum Raw {
    Fault {
        access: Access,
        fault: Fault,
    },
    /// It uses an index beyond the end of an array.
    BeyondArray,
    /// Nothing holds these bytes.
    Outside {
        address: usize,
        bytes: usize,
        kind: Kind,
    },
    /// They are in shared memory and in no variable, or in none alone: at this offset.
    BesideShared {
        at: u64,
        bytes: usize,
        kind: Kind,
    },
    /// Its address is no multiple of its bytes.
    Misaligned(Access),
    /// The places or the bytes of an asynchronous copy are no multiples of what it moves at once.
    MisalignedCopy {
        to: usize,
        from: usize,
        bytes: usize,
    },
    /// Another thread had left the kernel.
    Left {
        other: u32,
    },
    /// Another thread waits at another barrier.
    Elsewhere {
        other: u32,
        place: u32,
    },
    /// The lanes that an operation of a warp names, and those that arrived.
    StuckWarp {
        mask: u32,
        waiting: u32,
    },
    /// A lane that the mask names went by and left the kernel, having done its last thing there.
    PassedBy {
        other: u32,
        last: u32,
    },
    /// The mask of an operation of a warp does not name who calls it.
    NotNamed {
        mask: u32,
    },
    /// A shuffle wants the value of a lane that does not take part.
    LaneOutside {
        lane: u32,
    },
    /// What `other` wrote is copied without a fence that lets asynchronous copies see it.
    NoProxyFence {
        other: Who,
    },
    /// The shared memory of a block that has ended.
    Ended {
        rank: u32,
        kind: Kind,
        bytes: usize,
    },
    /// The same of one that may have ended, had it been faster.
    MayHaveEnded {
        host: u32,
    },
    /// It looks at an address again and again.
    Polls {
        address: usize,
    },
    StuckMbarrier {
        offset: Option<u64>,
        phase: u64,
        missing: u32,
        bytes: i64,
    },
    Words(String),
}

/// Where and how often.
#[derive(Clone, Debug)]
pub struct Seen {
    pub block: u32,
    pub thread: u32,
    pub raw: Raw,
    pub times: u64,
}

/// What one host thread found and counted.
#[derive(Default)]
pub struct Tally {
    pub counts: Counts,
    /// Shared variables that a thread accessed, by index.
    pub shared_used: HashSet<u16>,
    seen: HashMap<(FindingKind, u32, u32), Seen>,
    /// Why it could not go on, other than for a finding.
    pub problem: Option<String>,
}

impl Tally {
    /// Counts a finding with others of the same kind at the same places.
    pub fn report(&mut self, kind: FindingKind, block: u32, thread: u32, place: u32, raw: Raw) {
        let other = match &raw {
            Raw::Fault { fault: Fault::Race { other, .. } | Fault::Launches { other, .. }, .. } => {
                other.place
            }
            _ => 0,
        };
        let seen = self.seen.entry((kind, place, other)).or_insert(Seen { block, thread, raw, times: 0 });
        seen.times += 1;
    }

    fn merge(&mut self, other: Self) {
        self.counts += other.counts;
        self.shared_used.extend(other.shared_used);
        self.problem = self.problem.take().or(other.problem);
        for (key, mut new) in other.seen {
            match self.seen.get_mut(&key) {
                None => {
                    self.seen.insert(key, new);
                }
                Some(known) => {
                    // The first block's, whichever host thread was faster.
                    let times = known.times + new.times;
                    if (new.block, new.thread) < (known.block, known.thread) {
                        std::mem::swap(known, &mut new);
                    }
                    known.times = times;
                }
            }
        }
    }
}

/// What came of a launch.
pub struct Outcome {
    pub counts: Counts,
    pub findings: Vec<Finding>,
    pub problem: Option<String>,
}

/// What a host thread keeps from block to block and launch to launch.
#[derive(Default)]
pub struct Pool {
    pub slots: Vec<Slot>,
    pub images: Vec<Image>,
    pub traces: Vec<Trace>,
    /// Tells the blocks that this host thread ran apart.
    pub serial: u32,
}

thread_local! {
    static POOL: RefCell<Pool> = RefCell::default();
}

/// Runs every block, on as many cores as there are; on one where a seed chooses the order, which then repeats.
pub fn run(job: &Job, kernel: &str) -> Outcome {
    let total = Mutex::new(Tally::default());
    let work = || {
        let mut tally = Tally::default();
        POOL.with_borrow_mut(|pool| worker::run_blocks(job, pool, &mut tally));
        total.lock().unwrap_or_else(PoisonError::into_inner).merge(tally);
    };
    // One block does not need the others woken.
    if job.clusters() == 1 || job.seed > 0 {
        job.working.store(1, Ordering::SeqCst);
        work();
    } else {
        job.working.store(rayon::current_num_threads(), Ordering::SeqCst);
        rayon::broadcast(|_| work());
    }
    let mut total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    total.counts.launches = 1;
    total.counts.dynamic_shared_bytes = u64::from(job.launch.dynamic_shared_bytes);
    total.counts.shared_bytes = job
        .module
        .shared
        .iter()
        .enumerate()
        .filter(|(index, _)| total.shared_used.contains(&(*index as u16)))
        .map(|(_, variable)| variable.bytes)
        .sum();
    let mut seen: Vec<_> = total.seen.into_iter().collect();
    seen.sort_by_key(|((kind, place, other), seen)| (seen.block, seen.thread, *kind, *place, *other));
    let findings =
        seen.iter().map(|((kind, place, _), seen)| word(job, kernel, *kind, *place, seen)).collect();
    Outcome { counts: total.counts, findings, problem: total.problem }
}
