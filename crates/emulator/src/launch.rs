//! One launch: its blocks spread over the cores, and what they did put together.

use super::Instruments;
use super::block::{self, Pool};
use super::context::Stop;
use super::counts::Counts;
use super::finding::{Finding, FindingKind};
use super::memory::Memory;
use super::module::{Module, Start};
use super::shadow::Fault;
use super::trace::Access;
use super::wording::word;
use crate::Launch;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What all host threads of a launch share.
pub(crate) struct Job<'a> {
    pub module: &'a Module,
    pub entry: Start,
    /// Pointers to the arguments, as a driver would keep them.
    pub pointers: &'a [usize],
    pub launch: Launch,
    pub instruments: Instruments,
    /// Tells the launches of a device apart.
    pub serial: u32,
    pub memories: &'a [&'a Memory],
    pub stopped: AtomicBool,
}

impl Job<'_> {
    /// Threads a block.
    pub fn threads(&self) -> u32 {
        self.launch.threads()
    }

    pub fn arguments(&self) -> *mut *mut c_void {
        self.pointers.as_ptr().cast_mut().cast()
    }

    /// The index of the memory that holds all of these bytes.
    #[inline]
    pub fn memory_at(&self, address: usize, bytes: usize) -> Option<u16> {
        self.memories.iter().position(|memory| memory.holds(address, bytes)).map(|index| index as u16)
    }

    /// No further block is to be started.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

/// A finding before it is put into words.
#[derive(Clone, Copy)]
pub(crate) enum Raw {
    Fault {
        access: Access,
        fault: Fault,
    },
    Stop(Stop),
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
}

/// Where and how often.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    pub block: u32,
    pub thread: u32,
    pub raw: Raw,
    pub times: u64,
}

/// What one host thread found and counted.
#[derive(Default)]
pub(crate) struct Tally {
    pub counts: Counts,
    /// One bit a shared variable that a thread accessed.
    pub shared_used: u64,
    seen: HashMap<(FindingKind, u32, u32), Seen>,
    /// Why it could not go on, other than for a finding.
    pub problem: Option<String>,
}

impl Tally {
    /// Counts a finding with others of the same kind at the same places.
    pub fn report(&mut self, kind: FindingKind, block: u32, thread: u32, place: u32, raw: Raw) {
        let other = match raw {
            Raw::Fault { fault: Fault::Race { other, .. }, .. } => other.place,
            _ => 0,
        };
        let seen = self.seen.entry((kind, place, other)).or_insert(Seen { block, thread, raw, times: 0 });
        seen.times += 1;
    }

    fn merge(&mut self, other: Self) {
        self.counts += other.counts;
        self.shared_used |= other.shared_used;
        self.problem = self.problem.take().or(other.problem);
        for (key, new) in other.seen {
            let known = self.seen.entry(key).or_insert(Seen { times: 0, ..new });
            // The first block's, whichever host thread was faster.
            let times = known.times + new.times;
            if (new.block, new.thread) < (known.block, known.thread) {
                *known = new;
            }
            known.times = times;
        }
    }
}

/// What came of a launch.
pub(crate) struct Outcome {
    pub counts: Counts,
    pub findings: Vec<Finding>,
    pub problem: Option<String>,
}

thread_local! {
    static POOL: RefCell<Pool> = RefCell::default();
}

/// Runs every block, on as many cores as there are.
pub(crate) fn run(job: &Job, kernel: &str) -> Outcome {
    let blocks = job.launch.blocks();
    let next = AtomicU64::new(0);
    let take = || {
        if job.stopped.load(Ordering::Relaxed) {
            return None;
        }
        u32::try_from(next.fetch_add(1, Ordering::Relaxed)).ok().filter(|&block| u64::from(block) < blocks)
    };
    let total = Mutex::new(Tally::default());
    let work = || {
        let mut tally = Tally::default();
        POOL.with_borrow_mut(|pool| block::run_blocks(job, pool, &mut tally, take));
        total.lock().unwrap_or_else(std::sync::PoisonError::into_inner).merge(tally);
    };
    // One block does not need the others woken.
    if blocks == 1 {
        work();
    } else {
        rayon::broadcast(|_| work());
    }
    let mut total = total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    total.counts.launches = 1;
    total.counts.dynamic_shared_bytes = u64::from(job.launch.dynamic_shared_bytes);
    total.counts.shared_bytes = job
        .module
        .shared
        .iter()
        .enumerate()
        .filter(|(index, _)| total.shared_used >> (index % 64) & 1 == 1)
        .map(|(_, variable)| variable.bytes)
        .sum();
    let mut seen: Vec<_> = total.seen.into_iter().collect();
    seen.sort_by_key(|((kind, place, other), seen)| (seen.block, seen.thread, *kind, *place, *other));
    let findings =
        seen.iter().map(|((kind, place, _), seen)| word(job, kernel, *kind, *place, seen)).collect();
    Outcome { counts: total.counts, findings, problem: total.problem }
}
