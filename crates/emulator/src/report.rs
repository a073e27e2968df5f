//! What one host thread found and counted, before it is put into words.
//!
//! Also the buffer of each block into which kernel code writes its accesses. The functions in runtime.cpp fill it. They switch
//! to the emulator only when an access is outside of the memory ranges that were used last.

use crate::clock::AccessEpoch;
use crate::counts::Counts;
use crate::finding::FindingKind;
use crate::shadow::Violation;
use crate::trace::{Access, AccessKind, Trace};
use std::collections::{HashMap, HashSet};

/// A finding before it is put into words.
#[derive(Clone, Debug)]
pub enum FindingDetail {
    Violation {
        access: Access,
        violation: Violation,
    },
    /// It uses an index beyond the end of an array, or a pointer that left its variable.
    BeyondArray,
    /// Nothing holds these bytes.
    Outside {
        address: usize,
        bytes: usize,
        kind: AccessKind,
    },
    /// The bytes are at this offset in shared memory, and not within one variable.
    BesideShared {
        at: u64,
        bytes: usize,
        kind: AccessKind,
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
    Left(u32),
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
    /// A lane that the mask names passed by and left the kernel; `last` is where it was last.
    PassedBy {
        other: u32,
        last: u32,
    },
    /// The mask of an operation of a warp does not include the lane that calls it.
    NotNamed(u32),
    /// A shuffle wants the value of a lane that does not take part.
    LaneOutside(u32),
    /// What `other` wrote is copied without a fence that lets asynchronous copies see it.
    NoProxyFence(AccessEpoch),
    /// The shared memory of a block that has ended.
    Ended {
        rank: u32,
        kind: AccessKind,
        bytes: usize,
    },
    /// The shared memory of a block that may have ended, had it been faster.
    MayHaveEnded(u32),
    /// It looks at an address again and again.
    Polls(usize),
    StuckMbarrier {
        offset: Option<u64>,
        phase: u64,
        missing: u32,
        bytes: i64,
    },
    Words(String),
}

impl FindingDetail {
    /// The access that it collides with, where that is known.
    pub fn other(&self) -> Option<&AccessEpoch> {
        match self {
            Self::Violation { violation, .. } => violation.other(),
            Self::NoProxyFence(other) => Some(other),
            _ => None,
        }
    }
}

/// Which thread made a finding first, and how often it was made.
#[derive(Clone, Debug)]
pub struct Occurrence {
    pub block: u32,
    pub thread: u32,
    pub detail: FindingDetail,
    pub times: u64,
}

impl Occurrence {
    /// Whether the same threads did this to adjacent bytes, as to members of one vector.
    pub fn is_beside(&self, other: &Self) -> bool {
        use FindingDetail::Violation;
        let (Violation { access: one, .. }, Violation { access: two, .. }) = (&self.detail, &other.detail)
        else {
            return false;
        };
        let threads = |it: &Self| (it.block, it.thread, it.detail.other().map(|who| (who.block, who.thread)));
        let ends_behind = |it: &Access, start: u64| it.address + u64::from(it.bytes) >= start;
        (threads(self), one.tag) == (threads(other), two.tag)
            && ends_behind(one, two.address)
            && ends_behind(two, one.address)
    }
}

/// What one host thread found and counted.
#[derive(Default)]
pub struct WorkerReport {
    pub counts: Counts,
    /// Shared variables that a thread accessed, by index.
    pub shared_used: HashSet<u16>,
    /// By kind and by the places of the access and of the one that it collides with.
    pub seen: HashMap<(FindingKind, u32, u32), Occurrence>,
    /// Why it could not go on, other than for a finding.
    pub problem: Option<String>,
}

impl WorkerReport {
    /// Counts a finding with others of the same kind at the same places.
    pub fn add(&mut self, kind: FindingKind, block: u32, thread: u32, place: u32, detail: FindingDetail) {
        let other = detail.other().map_or(0, |other| other.place);
        let first = Occurrence { block, thread, detail, times: 0 };
        self.seen.entry((kind, place, other)).or_insert(first).times += 1;
    }

    pub fn merge(&mut self, other: Self) {
        self.counts += other.counts;
        self.shared_used.extend(other.shared_used);
        self.problem = self.problem.take().or(other.problem);
        for (key, mut new) in other.seen {
            let Some(known) = self.seen.get_mut(&key) else {
                self.seen.insert(key, new);
                continue;
            };
            // Keeps that of the first block, whichever host thread was faster.
            let times = known.times + new.times;
            if (new.block, new.thread) < (known.block, known.thread) {
                std::mem::swap(known, &mut new);
            }
            known.times = times;
        }
    }
}

/// Memory whose accesses kernel code records without asking the emulator. Laid out as in runtime.cpp.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct TrackedRange {
    start: usize,
    bytes: usize,
    tag: usize,
}

const RANGES: usize = 8;
/// Accesses for which an interval has room at first, and the number after which it is checked early.
const ROOM: usize = 1 << 12;
pub const MOST_RECORDED: usize = 1 << 22;

/// Laid out as in runtime.cpp.
#[repr(C)]
pub struct Recorder {
    next: *mut Access,
    end: *mut Access,
    expected: usize,
    ranges: [TrackedRange; RANGES],
    turn: usize,
}

impl Recorder {
    pub fn new() -> Box<Self> {
        Box::new(Self {
            next: std::ptr::null_mut(),
            end: std::ptr::null_mut(),
            expected: usize::MAX,
            ranges: [TrackedRange::default(); RANGES],
            turn: 0,
        })
    }

    /// Lets kernel code write after the accesses of `trace`, which must stay where it is until [`Recorder::take`].
    pub fn open(&mut self, trace: &mut Trace) {
        if trace.accesses.len() == trace.accesses.capacity() {
            trace.accesses.reserve(ROOM.max(trace.accesses.len()));
        }
        let spare = trace.accesses.spare_capacity_mut().as_mut_ptr_range();
        (self.next, self.end) = (spare.start.cast(), spare.end.cast());
    }

    /// Takes what kernel code wrote since [`Recorder::open`] into `trace`, the same one.
    pub fn take(&mut self, trace: &mut Trace) {
        let written = self.next as usize - trace.accesses.spare_capacity_mut().as_ptr() as usize;
        let count = written / size_of::<Access>();
        // SAFETY: `next` began at the first spare element and moved on over elements that kernel code wrote whole; it never
        // passed `end`, which is the capacity's.
        unsafe { trace.accesses.set_len(trace.accesses.len() + count) };
    }

    /// Has kernel code ask before it records an access to this address; `usize::MAX` for none.
    pub fn expect(&mut self, address: usize) {
        self.expected = address;
    }

    /// Accesses inside of these bytes are written down without asking, with this tag.
    pub fn remember(&mut self, start: usize, bytes: usize, tag: u16) {
        self.ranges[self.turn % RANGES] = TrackedRange { start, bytes, tag: usize::from(tag) };
        self.turn += 1;
    }

    /// Has kernel code ask about every access again, until its memory is remembered.
    pub fn forget(&mut self) {
        self.ranges = [TrackedRange::default(); RANGES];
        self.turn = 0;
    }
}
