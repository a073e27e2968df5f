//! A CUDA block that runs: its threads, its shared memory, and what each thread knows.

use crate::clock::{AccessEpoch, SharedClock, ThreadClock, join_shared};
use crate::copies::CopyGroups;
use crate::module::SharedMemoryImage;
use crate::report::Recorder;
use crate::request::Request;
use crate::shadow::BenignRace;
use crate::stack::{BuiltinVariables, StackSlot};
use crate::trace::{Access, AcquiredClocks, ClockSnapshot, Space, Trace};
use corosensei::Coroutine;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Threads a warp.
pub const WARP: usize = 32;

/// In place of an address: a thread made so many accesses that any of them may poll.
pub const ANY: usize = usize::MAX;

/// The stack of a CUDA thread and what runs on it.
pub type Fiber = Coroutine<u64, Request, (), StackSlot>;

/// What a thread waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ThreadState {
    /// It has not started.
    #[default]
    New,
    Done,
    /// To be resumed with this answer.
    Ready(u64),
    /// It looked at the same memory again and again: to be resumed when others had their turn.
    Polls {
        place: u32,
        address: usize,
    },
    /// At `__syncthreads`.
    Barrier {
        place: u32,
        kind: u64,
        predicate: u64,
    },
    /// At a named barrier.
    Named {
        place: u32,
        id: u32,
    },
    Exchange(Exchange),
    /// At the barrier of its cluster.
    Cluster {
        place: u32,
    },
    /// At an mbarrier, for the end of this phase.
    Mbarrier {
        place: u32,
        address: usize,
        phase: u64,
    },
}

/// What a thread brings to an operation of its warp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exchange {
    pub kind: u64,
    /// The lanes that take part.
    pub mask: u32,
    pub value: u64,
    pub place: u32,
}

/// What the lanes of a warp brought. The same as `EmulatedLanes` in runtime.hpp.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct WarpLanes {
    pub present: u32,
    pub values: [u64; WARP],
}

/// What a thread made known to others by a fence, until it publishes it.
#[derive(Clone, Debug, Default)]
pub struct PendingRelease {
    pub clock: ClockSnapshot,
    pub acquired: AcquiredClocks,
    /// Whether the fence was of block scope.
    pub of_block: bool,
}

/// A volatile or atomic read of memory that others may change, in a loop that may wait for it.
#[derive(Clone, Copy, Debug, Default)]
pub struct PolledRead {
    pub place: u32,
    pub address: usize,
    /// How many polled reads its host thread had counted by then.
    pub count: u64,
}

/// How often a thread looked at what others may change.
#[derive(Default)]
pub struct PollCounter {
    /// Accesses that may be part of a loop that waits, since it last waited otherwise.
    pub reads: u32,
    pub last: PolledRead,
    /// Tries (`try_wait`) of an mbarrier that returned before its phase ended.
    pub tries: u32,
}

/// Flags that a thread reads, and its fences after them.
#[derive(Default)]
pub struct FlagReads {
    /// The address and bytes of a volatile read since its last request.
    pub pending: Option<(usize, u8)>,
    /// What it saw by its last volatile load or atomic operation at each address, and when.
    pub observed: FxHashMap<usize, (u64, u32)>,
    /// Addresses of flags that it read since its last fence, by volatile loads or atomic operations that only read.
    pub seen: BTreeSet<usize>,
    /// The tick of its last fence of any kind.
    pub last_fence: u32,
}

/// An atomic operation under way.
#[derive(Default)]
pub struct AtomicOperation {
    /// Whether it only reads.
    pub loads: bool,
    /// Whether it may take a lock, and how often the thread has yielded after such an operation.
    pub may_lock: bool,
    pub locks: u32,
    /// The value before the operation, and its bytes.
    pub before: (u64, u8),
}

/// Where a thread was last in the source.
#[derive(Default)]
pub struct LastPlaces {
    /// At its last request or, once it has left the kernel, its last access.
    pub any: u32,
    /// At an operation of its warp.
    pub exchange: u32,
}

/// One CUDA thread.
#[derive(Default)]
pub struct Thread {
    pub state: ThreadState,
    pub fiber: Option<Fiber>,
    pub clock: ClockSnapshot,
    pub acquired: AcquiredClocks,
    pub fenced: Option<Box<PendingRelease>>,
    pub polling: PollCounter,
    pub flags: FlagReads,
    pub atomic: AtomicOperation,
    pub places: LastPlaces,
    pub arrived_cluster: u32,
    /// Asynchronous copies that it did not wait for, by `cp.async` and in bulk.
    pub copies: CopyGroups,
    pub bulk_copies: CopyGroups,
}

/// Where a block is among those of its cluster.
#[derive(Clone, Copy)]
pub struct ClusterPlace {
    /// The number of the cluster in the grid.
    pub first: u32,
    pub rank: u32,
}

/// The order in which threads have their turns.
pub struct ThreadOrder {
    pub order: Rc<Vec<u32>>,
    pub started: usize,
    /// What a new thread's built-in variables are, but for `threadIdx`.
    pub indexes: BuiltinVariables,
}

/// Shared memory, with the last access to it of each thread of other blocks.
pub struct BlockMemory {
    pub image: SharedMemoryImage,
    pub visitors: FxHashMap<(u32, u16), AccessEpoch>,
}

/// Operations of warps.
pub struct Exchanges {
    pub lanes: Vec<WarpLanes>,
    /// Whether some threads may wait at an operation.
    pub pending: bool,
}

/// The time of a block, in steps of its threads.
pub struct BlockClock {
    pub tick: u32,
    /// What any thread may publish since the last barrier, because some thread fenced it before.
    pub fenced: SharedClock,
}

/// One block.
pub struct Block {
    /// Its number in the grid.
    pub number: u32,
    pub cluster: ClusterPlace,
    /// Distinguishes the blocks that one host thread ran.
    pub serial: u32,
    pub memory: BlockMemory,
    pub recorder: Box<Recorder>,
    pub trace: Trace,
    pub threads: Vec<Thread>,
    pub turns: ThreadOrder,
    /// The address of the next store that may race, and in which way.
    pub expected: (usize, BenignRace),
    pub clock: BlockClock,
    /// Where in the code the last bulk store began.
    pub last_bulk: u32,
    pub exchanges: Exchanges,
}

impl Block {
    pub fn is_done(&self) -> bool {
        self.turns.started == self.threads.len()
            && self.threads.iter().all(|thread| thread.state == ThreadState::Done)
    }

    /// The next thread to start.
    pub fn next_thread(&mut self) -> Option<u32> {
        let thread = self.turns.order.get(self.turns.started).copied()?;
        self.turns.started += 1;
        Some(thread)
    }

    /// Notes that a thread has left the kernel, and where it was last.
    pub fn end_thread(&mut self, thread: u32) {
        let own = self.trace.segments.last().filter(|last| last.thread == thread);
        let own = own.and_then(|own| self.trace.accesses.get(own.start..));
        let it = &mut self.threads[thread as usize];
        it.state = ThreadState::Done;
        it.places.any = own.and_then(<[_]>::last).map_or(it.places.any, |access| access.place);
    }

    /// The epoch of what `thread` does now at `place`.
    pub fn who(&self, thread: u32, place: u32) -> AccessEpoch {
        let clock = &self.threads[thread as usize].clock;
        AccessEpoch { block: self.number, time: clock.time, place, thread: thread as u16 }
    }

    /// What `thread` knows now.
    pub fn view(&self, thread: u32, place: u32) -> ThreadClock<'_> {
        let it = &self.threads[thread as usize];
        it.acquired.view(self.who(thread, place), it.clock)
    }

    pub fn next_tick(&mut self) -> u32 {
        self.clock.tick += 1;
        self.clock.tick
    }

    /// Gives `thread` a new tick: whoever knows what it did so far does not know what it does from here on.
    pub fn advance(&mut self, thread: u32) {
        let time = self.next_tick();
        self.threads[thread as usize].clock.time = time;
        self.begin_segment(thread);
    }

    /// Begins a segment: what is recorded from here on belongs to `thread`, with what it knows now.
    pub fn begin_segment(&mut self, thread: u32) {
        let it = &mut self.threads[thread as usize];
        let is_own = |known: &AcquiredClocks| known.is(&it.acquired);
        if it.acquired.is_nothing() {
            it.clock.acquired = 0;
        } else if !self.trace.acquired_by(&it.clock).is_some_and(is_own) {
            // Mostly the last one fits, since all of a block learned the same.
            if !self.trace.acquired.last().is_some_and(is_own) {
                self.trace.acquired.push(it.acquired.clone());
            }
            it.clock.acquired = self.trace.acquired.len() as u32;
        }
        self.trace.begin(thread, it.clock);
    }

    /// `thread` learns what others made known.
    pub fn acquire(&mut self, thread: u32, known: &SharedClock) {
        let it = &mut self.threads[thread as usize];
        join_shared(&mut it.acquired.known, known);
    }

    /// Lets threads whose state `is_over` go on with this answer and with what others made known.
    pub fn wake(&mut self, answer: u64, known: &SharedClock, is_over: impl Fn(&ThreadState) -> bool) {
        for it in self.threads.iter_mut().filter(|it| is_over(&it.state)) {
            it.state = ThreadState::Ready(answer);
            join_shared(&mut it.acquired.known, known);
        }
    }

    /// An access whose address is replaced by its offset into the block's shared memory, if it is to that.
    pub fn with_offset(&self, access: &Access) -> Access {
        let shared = matches!(access.space(), Space::Shared(_) | Space::Dynamic);
        let start = if shared { self.memory.image.address() as u64 } else { 0 };
        Access { address: access.address - start, ..*access }
    }

    /// The lanes of a thread's warp that wait at an operation of the warp.
    pub fn lanes_at_exchange(&self, thread: usize) -> u32 {
        let first = thread / WARP * WARP;
        let lanes = self.threads[first..].iter().take(WARP).enumerate();
        lanes
            .filter(|(_, it)| matches!(it.state, ThreadState::Exchange(_)))
            .fold(0, |mask, (lane, _)| mask | 1 << lane)
    }
}
