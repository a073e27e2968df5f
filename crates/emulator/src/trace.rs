//! What the threads of a block did, in the order in which they ran.

use crate::clock::{AccessEpoch, SharedClock, ThreadClock};
use crate::shadow::BenignRace;
use std::rc::Rc;
use std::sync::Arc;

/// Which memory an access was to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// The shared variable of this index.
    Shared(u16),
    /// Shared memory whose size the launch gives.
    Dynamic,
    /// Shared memory of another block of the cluster, which has this rank.
    Remote(u16),
    /// The allocation of this index.
    Global(u16),
}

/// Tags from here on are of shared memory.
const SHARED: u16 = 0x8000;
const REMOTE: u16 = 0xf000;
const DYNAMIC: u16 = 0xffff;

impl Space {
    /// The number by which runtime.cpp and [`Access`] keep it.
    pub fn tag(self) -> u16 {
        match self {
            Self::Global(index) => index.min(SHARED - 1),
            Self::Shared(index) => SHARED + index.min(REMOTE - SHARED - 1),
            Self::Remote(rank) => REMOTE + rank.min(DYNAMIC - REMOTE - 1),
            Self::Dynamic => DYNAMIC,
        }
    }

    pub fn of_tag(tag: u16) -> Self {
        match tag {
            DYNAMIC => Self::Dynamic,
            REMOTE.. => Self::Remote(tag - REMOTE),
            SHARED.. => Self::Shared(tag - SHARED),
            _ => Self::Global(tag),
        }
    }

    pub fn is_global(self) -> bool {
        matches!(self, Self::Global(_))
    }
}

/// What an access does, as runtime.cpp numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum AccessKind {
    Read,
    Write,
    Atomic,
    VolatileRead,
    VolatileWrite,
    /// A load through the read-only cache, of what no launch writes meanwhile.
    ReadOnly,
    AtomicRead,
    AtomicWrite,
    /// A read-modify-write of block scope.
    AtomicOfBlock,
    /// The initialisation or invalidation of an mbarrier.
    Init,
    /// A volatile store after a fence or barrier, over the value that its thread has read there.
    VolatileUpdate,
}

impl AccessKind {
    pub fn from_number(number: u64) -> Self {
        match number {
            0 => Self::Read,
            1 => Self::Write,
            3 => Self::VolatileRead,
            4 => Self::VolatileWrite,
            5 => Self::ReadOnly,
            6 => Self::AtomicRead,
            7 => Self::AtomicWrite,
            8 => Self::AtomicOfBlock,
            9 => Self::Init,
            _ => Self::Atomic,
        }
    }

    pub fn reads(self) -> bool {
        !matches!(
            self,
            Self::Write | Self::VolatileWrite | Self::VolatileUpdate | Self::AtomicWrite | Self::Init
        )
    }

    pub fn writes(self) -> bool {
        !matches!(self, Self::Read | Self::VolatileRead | Self::ReadOnly | Self::AtomicRead)
    }

    /// Whether it counts as atomic against others.
    pub fn is_atomic(self) -> bool {
        !matches!(self, Self::Read | Self::Write | Self::ReadOnly | Self::Init)
    }

    pub fn is_volatile(self) -> bool {
        matches!(self, Self::VolatileRead | Self::VolatileWrite | Self::VolatileUpdate)
    }
}

/// A store that is meant to race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnnotatedStore {
    /// Its index among the accesses.
    pub index: usize,
    /// The bits that were there before.
    pub before: u32,
    pub benign: BenignRace,
}

/// One load, store or atomic of one thread. The same as in runtime.cpp, which writes most of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Access {
    pub address: u64,
    /// Where in the code, as an offset into the library.
    pub place: u32,
    pub tag: u16,
    pub bytes: u8,
    pub kind: AccessKind,
}

impl Access {
    pub fn space(&self) -> Space {
        Space::of_tag(self.tag)
    }
}

/// What a thread knew when it made a run of accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockSnapshot {
    pub time: u32,
    pub block_base: u32,
    pub warp_base: u32,
    /// Before which tick the thread's own groups of copies had landed.
    pub own_landed: u32,
    /// Which of the trace's acquired clocks goes with it, counted from 1; 0 for nothing but barriers of the block and of the whole warp.
    pub acquired: u32,
    /// Whether the thread waited for the previous launch, which this one may overlap.
    pub waited: bool,
}

/// What only some threads learned.
#[derive(Clone, Debug, Default)]
pub struct AcquiredClocks {
    /// The tick of each lane, where only a part of the warp synchronized.
    pub lanes: Option<Rc<[u32; 32]>>,
    /// For each thread, the tick before which its groups of copies had landed at the last barrier.
    pub landed: Option<Rc<Vec<u32>>>,
    pub known: SharedClock,
}

impl AcquiredClocks {
    pub fn is_nothing(&self) -> bool {
        self.lanes.is_none() && self.landed.is_none() && self.known.is_none()
    }

    /// Whether both share the same clocks, compared by pointer.
    pub fn is(&self, other: &Self) -> bool {
        self.lanes.as_ref().map(Rc::as_ptr) == other.lanes.as_ref().map(Rc::as_ptr)
            && self.landed.as_ref().map(Rc::as_ptr) == other.landed.as_ref().map(Rc::as_ptr)
            && self.known.as_ref().map(Arc::as_ptr) == other.known.as_ref().map(Arc::as_ptr)
    }

    /// What a thread knows that has this clock.
    pub fn view(&self, who: AccessEpoch, clock: ClockSnapshot) -> ThreadClock<'_> {
        ThreadClock {
            who: AccessEpoch { time: clock.time, ..who },
            block_base: clock.block_base,
            warp_base: clock.warp_base,
            lanes: self.lanes.as_deref(),
            landed: self.landed.as_deref().map(Vec::as_slice),
            own_landed: clock.own_landed,
            known: self.known.as_deref(),
            covered: None,
        }
    }
}

/// A run of accesses of one thread, up to the next one's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    pub thread: u32,
    pub clock: ClockSnapshot,
    pub start: usize,
}

/// What a block did since it was last looked through.
#[derive(Default)]
pub struct Trace {
    pub accesses: Vec<Access>,
    pub segments: Vec<Segment>,
    pub acquired: Vec<AcquiredClocks>,
    /// Stores that are meant to race, by index, ascending.
    pub annotated: Vec<AnnotatedStore>,
    /// Segments that the checker has seen.
    pub checked: usize,
}

impl Trace {
    pub fn clear(&mut self) {
        self.accesses.clear();
        self.segments.clear();
        self.acquired.clear();
        self.annotated.clear();
        self.checked = 0;
    }

    /// Begins a segment: what follows belongs to `thread`.
    pub fn begin(&mut self, thread: u32, clock: ClockSnapshot) {
        let segment = Segment { thread, clock, start: self.accesses.len() };
        let unchecked = self.checked < self.segments.len();
        match self.segments.last_mut() {
            // Nothing was done since.
            Some(last) if last.start == segment.start && unchecked => *last = segment,
            _ => self.segments.push(segment),
        }
    }

    /// The acquired clocks that a clock has in addition to barriers.
    pub fn acquired_by(&self, clock: &ClockSnapshot) -> Option<&AcquiredClocks> {
        self.acquired.get((clock.acquired as usize).checked_sub(1)?)
    }

    /// What is known of the store of this index, if it is meant to race.
    #[inline]
    pub fn annotated(&self, index: usize) -> Option<AnnotatedStore> {
        let at = self.annotated.binary_search_by_key(&index, |store| store.index).ok()?;
        Some(self.annotated[at])
    }

    /// The accesses of segment `at`, and the index of the first.
    #[inline]
    pub fn segment(&self, at: usize) -> (usize, &[Access]) {
        let start = self.segments[at].start;
        let end = self.segments.get(at + 1).map_or(self.accesses.len(), |next| next.start);
        (start, &self.accesses[start..end])
    }
}
