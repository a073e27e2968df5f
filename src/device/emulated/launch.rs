//! One launch: its blocks spread over the cores, and what they did put together.

use super::Instruments;
use super::block::{self, Pool};
use super::context::{Stop, Wrong};
use super::counts::Counts;
use super::finding::{Finding, FindingKind};
use super::memory::Memory;
use super::module::{Entry, Module};
use super::shadow::Fault;
use super::trace::{Access, Kind, Space};
use crate::device::Launch;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What all host threads of a launch share.
pub(super) struct Job<'a> {
    pub module: &'a Module,
    pub entry: Entry,
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
pub(super) enum Raw {
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
struct Seen {
    block: u32,
    thread: u32,
    raw: Raw,
    times: u64,
}

/// What one host thread found and counted.
#[derive(Default)]
pub(super) struct Tally {
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
pub(super) struct Outcome {
    pub counts: Counts,
    pub findings: Vec<Finding>,
    pub problem: Option<String>,
}

thread_local! {
    static POOL: RefCell<Pool> = RefCell::default();
}

/// Runs every block, on as many cores as there are.
pub(super) fn run(job: &Job, kernel: &str) -> Outcome {
    let blocks = u64::from(job.launch.grid.0) * u64::from(job.launch.grid.1);
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

/// Puts a finding into words.
fn word(job: &Job, kernel: &str, kind: FindingKind, place: u32, seen: &Seen) -> Finding {
    let of_thread = |thread: u32| (thread % job.launch.block.0, thread / job.launch.block.0);
    let of_block = |block: u32| (block % job.launch.grid.0, block / job.launch.grid.0);
    let pair = |(x, y): (u32, u32)| format!("({x}, {y})");
    let line = |place: u32| {
        job.module.line_of(place).map_or_else(|| "an unknown line".to_string(), |place| place.to_string())
    };
    let verb = |kind: Kind| match kind {
        Kind::Read => "reads",
        Kind::Write => "writes",
        Kind::Atomic => "atomically changes",
    };
    let details = match seen.raw {
        Raw::Fault { access, fault: Fault::Unwritten } => {
            format!("reads {} bytes of {}, which nothing wrote", access.bytes, what(job, &access))
        }
        Raw::Fault { access, fault: Fault::Race { other, other_writes } } => {
            let who = match kind {
                FindingKind::RaceInBlock => format!("thread {}", pair(of_thread(u32::from(other.thread)))),
                _ => format!(
                    "thread {} of block {}",
                    pair(of_thread(u32::from(other.thread))),
                    pair(of_block(other.block))
                ),
            };
            format!(
                "{} {} bytes of {}, which {who} {} at {} with nothing to order the two",
                verb(access.kind),
                access.bytes,
                what(job, &access),
                if other_writes { "writes" } else { "reads" },
                line(other.place)
            )
        }
        Raw::Stop(Stop { wrong: Wrong::BeyondArray, .. }) => {
            "uses an index beyond the end of an array".to_string()
        }
        Raw::Stop(Stop { wrong: Wrong::Misaligned(access), .. }) => {
            let bytes = access.bytes;
            format!(
                "{} {bytes} bytes of {}, at no multiple of {bytes}",
                verb(access.kind),
                what(job, &access)
            )
        }
        Raw::Stop(Stop { wrong: Wrong::BesideShared { at, bytes, kind }, .. }) => {
            format!("{} {bytes} bytes {}", verb(kind), beside_shared(job, at, bytes as u64))
        }
        Raw::Stop(Stop { wrong: Wrong::Outside { address, bytes, kind }, .. }) => {
            format!("{} {bytes} bytes {}", verb(kind), outside(job, address))
        }
        Raw::Left { other } => {
            format!("waits at a barrier, and thread {} has left the kernel", pair(of_thread(other)))
        }
        Raw::Elsewhere { other, place } => {
            format!(
                "waits at this barrier, and thread {} at another at {}",
                pair(of_thread(other)),
                line(place)
            )
        }
        Raw::StuckWarp { mask, waiting } => format!(
            "waits for the lanes {mask:#010x} of its warp, and only {waiting:#010x} have come to an operation of the warp"
        ),
    };
    Finding {
        kind,
        kernel: kernel.to_string(),
        block: of_block(seen.block),
        thread: of_thread(seen.thread),
        place: job.module.line_of(place),
        details,
        times: seen.times,
    }
}

/// What an access was to.
fn what(job: &Job, access: &Access) -> String {
    match access.space {
        Space::Shared => match job.module.shared_holding(access.at, u64::from(access.bytes)) {
            Some(index) => {
                let variable = &job.module.shared[index];
                format!("shared {} at byte {}", variable.name, access.at - variable.offset)
            }
            None => "shared memory".to_string(),
        },
        Space::Dynamic => format!("dynamic shared memory at byte {}", access.at),
        Space::Global(index) => {
            let memory = job.memories[usize::from(index)];
            format!(
                "a global buffer of {} bytes at byte {}",
                memory.bytes(),
                access.at - memory.address() as u64
            )
        }
    }
}

/// Where an offset into shared memory is that is in no variable.
fn beside_shared(job: &Job, at: u64, bytes: u64) -> String {
    match job.module.nearest_shared(at, bytes) {
        Some(variable) if at < variable.offset => {
            format!("{} bytes before shared {}", variable.offset - at, variable.name)
        }
        Some(variable) => format!(
            "at byte {} of shared {}, which has {} bytes",
            at - variable.offset,
            variable.name,
            variable.bytes
        ),
        None => "of shared memory, where no variable is".to_string(),
    }
}

/// Up to this many bytes beside a buffer, or as many as it has, an address is told as a place in it.
const NEAR: usize = 64 << 10;

/// Where an address is that is in nothing.
fn outside(job: &Job, address: usize) -> String {
    let distance = |memory: &&&Memory| {
        let (start, end) = (memory.address(), memory.address() + memory.bytes());
        if address < start { start - address } else { address.saturating_sub(end) }
    };
    let near = |nearest: &&&Memory| distance(nearest) <= nearest.bytes().max(NEAR);
    match job.memories.iter().min_by_key(distance).filter(near) {
        Some(nearest) if address < nearest.address() => {
            format!(
                "{} bytes before a global buffer of {} bytes",
                nearest.address() - address,
                nearest.bytes()
            )
        }
        Some(nearest) => {
            format!("at byte {} of a global buffer of {} bytes", address - nearest.address(), nearest.bytes())
        }
        None => "where no buffer is".to_string(),
    }
}
