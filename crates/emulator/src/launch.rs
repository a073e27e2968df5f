//! One launch: its blocks spread over the cores, and what they did put together.

use crate::clock::AccessEpoch;
use crate::context::LaunchContext;
use crate::counts::Counts;
use crate::finding::{Finding, FindingKind};
use crate::image::SharedMemoryImage;
use crate::messages::word;
use crate::shadow::Violation;
use crate::stack::StackSlot;
use crate::trace::{Access, AccessKind, Trace};
use crate::worker;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

/// A finding before it is put into words.
#[derive(Clone, Debug)]
pub enum FindingDetail {
    Violation {
        access: Access,
        fault: Violation,
    },
    /// It uses an index beyond the end of an array, or a pointer that left its variable.
    BeyondArray,
    /// Nothing holds these bytes.
    Outside {
        address: usize,
        bytes: usize,
        kind: AccessKind,
    },
    /// They are in shared memory and in no variable, or in none alone: at this offset.
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
        other: AccessEpoch,
    },
    /// The shared memory of a block that has ended.
    Ended {
        rank: u32,
        kind: AccessKind,
        bytes: usize,
    },
    /// The shared memory of a block that may have ended, had it been faster.
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

impl FindingDetail {
    /// The access that it collides with, where that is known.
    pub fn other(&self) -> Option<&AccessEpoch> {
        match self {
            Self::Violation { fault, .. } => fault.other(),
            Self::NoProxyFence { other } => Some(other),
            _ => None,
        }
    }
}

/// Where and how often.
#[derive(Clone, Debug)]
pub struct Occurrence {
    pub block: u32,
    pub thread: u32,
    pub raw: FindingDetail,
    pub times: u64,
}

impl Occurrence {
    /// Whether the same threads did this to bytes beside those of another, as to members of one vector.
    fn is_beside(&self, other: &Self) -> bool {
        let (FindingDetail::Violation { access: one, .. }, FindingDetail::Violation { access: two, .. }) =
            (&self.raw, &other.raw)
        else {
            return false;
        };
        let threads = |it: &Self| (it.block, it.thread, it.raw.other().map(|who| (who.block, who.thread)));
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
    seen: HashMap<(FindingKind, u32, u32), Occurrence>,
    /// Why it could not go on, other than for a finding.
    pub problem: Option<String>,
}

impl WorkerReport {
    /// Counts a finding with others of the same kind at the same places.
    pub fn report(&mut self, kind: FindingKind, block: u32, thread: u32, place: u32, raw: FindingDetail) {
        let other = raw.other().map_or(0, |other| other.place);
        let seen =
            self.seen.entry((kind, place, other)).or_insert(Occurrence { block, thread, raw, times: 0 });
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
pub struct LaunchOutcome {
    pub counts: Counts,
    pub findings: Vec<Finding>,
    pub problem: Option<String>,
}

/// What a host thread keeps from block to block and launch to launch.
#[derive(Default)]
pub struct WorkerBuffers {
    pub slots: Vec<StackSlot>,
    pub images: Vec<SharedMemoryImage>,
    pub traces: Vec<Trace>,
    /// Distinguishes the blocks that this host thread ran.
    pub serial: u32,
}

thread_local! {
    static BUFFERS: RefCell<WorkerBuffers> = RefCell::default();
}

/// Runs every block.
pub fn run(job: &LaunchContext, kernel: &str) -> LaunchOutcome {
    let total = Mutex::new(WorkerReport::default());
    let work = || {
        let mut tally = WorkerReport::default();
        job.limit.interrupting(|| BUFFERS.with_borrow_mut(|pool| worker::run_blocks(job, pool, &mut tally)));
        total.lock().unwrap_or_else(PoisonError::into_inner).merge(tally);
    };
    let host_threads = job.host_threads();
    job.quiet.begin(host_threads);
    job.limit.watch(|| {
        if host_threads == 1 {
            work();
        } else {
            rayon::broadcast(|_| work());
        }
    });
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
    let found =
        seen.into_iter().map(|((kind, place, _), seen)| (word(job, kernel, kind, place, &seen), seen));
    LaunchOutcome { counts: total.counts, findings: distinct(found), problem: total.problem }
}

/// One finding a mistake: of what the same two lines do, and of what lines near these do to the bytes beside.
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
