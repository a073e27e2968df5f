//! What was found in a launch, put into words.

use crate::clock::{AccessEpoch, FIRST_BULK_READ, FIRST_COPY, FIRST_MBARRIER};
use crate::context::LaunchContext;
use crate::finding::{Finding, FindingKind, format_extent};
use crate::history::{AccessHistories, COPY};
use crate::memory::Memory;
use crate::report::{FindingDetail, Occurrence};
use crate::shadow::Violation;
use crate::shape::place_of;
use crate::trace::{Access, AccessKind, Space};

/// Puts a finding into words.
pub fn word(job: &LaunchContext, kernel: &str, kind: FindingKind, place: u32, seen: &Occurrence) -> Finding {
    let other = match &seen.detail {
        // A place in the library of another kernel, it may be.
        FindingDetail::Violation { violation: Violation::Launches { .. }, .. } => None,
        raw => raw.other().and_then(|other| job.spec.module.line_of(other.place)),
    };
    Finding {
        kind,
        kernel: kernel.to_string(),
        block: place_of(seen.block, job.spec.shape.grid),
        thread: place_of(issuer(seen.thread), job.spec.shape.block),
        place: job.spec.module.line_of(place),
        other,
        details: FindingFormatter { job, seen }.details(),
        times: seen.times,
    }
}

/// As many numbers as a block has threads are for each kind of its copies, and then those of mbarriers follow.
const FIRST_COPIES: u32 = FIRST_COPY as u32;
const FIRST_UNNAMED: u32 = FIRST_MBARRIER as u32;

/// The thread whose copy has this number, or which has it itself; the first for copies that complete on mbarriers.
fn issuer(number: u32) -> u32 {
    match number {
        0..FIRST_COPIES => number,
        FIRST_COPIES..FIRST_UNNAMED => number % FIRST_COPIES,
        _ => 0,
    }
}

struct FindingFormatter<'a> {
    job: &'a LaunchContext<'a>,
    seen: &'a Occurrence,
}

fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Atomic | AccessKind::AtomicOfBlock => "atomically changes",
        AccessKind::Init => "initialises",
        _ if kind.writes() => "writes",
        _ => "reads",
    }
}

impl FindingFormatter<'_> {
    fn thread(&self, number: u32) -> String {
        format_extent(place_of(number, self.job.spec.shape.block))
    }

    fn block(&self, number: u32) -> String {
        format_extent(place_of(number, self.job.spec.shape.grid))
    }

    fn line(&self, place: u32) -> String {
        self.job
            .spec
            .module
            .line_of(place)
            .map_or_else(|| "an unknown line".to_string(), |place| place.to_string())
    }

    /// Who did something: a thread of this block or of another, or a copy of one.
    fn who(&self, who: &AccessEpoch) -> String {
        let block = if who.block == self.seen.block {
            String::new()
        } else {
            format!(" of block {}", self.block(who.block))
        };
        match who.thread {
            0..FIRST_COPY => format!("thread {}{block}", self.thread(u32::from(who.thread))),
            FIRST_COPY..FIRST_BULK_READ => {
                format!(
                    "an asynchronous copy by thread {}{block}",
                    self.thread(issuer(u32::from(who.thread)))
                )
            }
            _ => format!("a bulk copy{block}"),
        }
    }

    /// A thread of another launch in words, as far as it is known. Its grid and its block may have other sides.
    fn of_other_launch(&self, kernel: Option<u32>, who: Option<&AccessEpoch>) -> String {
        let launch = other_launch(&self.job.spec.place.histories, kernel);
        match who {
            Some(who) if launch != COPY => {
                format!("thread {} of block {} of {launch}", { who.thread }, { who.block })
            }
            _ => launch,
        }
    }

    fn details(&self) -> String {
        let job = self.job;
        match &self.seen.detail {
            FindingDetail::Violation { access, violation: Violation::Unwritten } => {
                format!("reads {} bytes of {}, which nothing wrote", access.bytes, what(job, access))
            }
            FindingDetail::Violation { access, violation: Violation::Race { other, other_writes } } => {
                let copies =
                    if self.seen.thread >= u32::from(FIRST_COPY) { "by an asynchronous copy " } else { "" };
                format!(
                    "{copies}{} {} bytes of {}, which {} {} at {} with nothing to order the two",
                    verb(access.kind),
                    access.bytes,
                    what(job, access),
                    self.who(other),
                    if *other_writes { "writes" } else { "reads" },
                    self.line(other.place)
                )
            }
            FindingDetail::Violation {
                access,
                violation: Violation::Launches { kernel, other, other_writes },
            } => format!(
                "{} {} bytes of {}, which {} {} with no event between the two",
                verb(access.kind),
                access.bytes,
                what(job, access),
                self.of_other_launch(*kernel, other.as_ref()),
                if *other_writes { "writes" } else { "reads" },
            ),
            FindingDetail::Violation { access, violation: Violation::ReadOnly { other, other_writes } } => {
                format!(
                    "{} {} bytes of {}, which {} {} at {}: the cache for what no launch writes may hold what was there before",
                    verb(access.kind),
                    access.bytes,
                    what(job, access),
                    self.who(other),
                    if *other_writes { "writes" } else { "reads so" },
                    self.line(other.place)
                )
            }
            FindingDetail::BeyondArray if job.spec.instruments.bounds => {
                "goes through a pointer beyond the variable that it points to".to_string()
            }
            FindingDetail::BeyondArray => "uses an index beyond the end of an array".to_string(),
            FindingDetail::Misaligned(access) => {
                let bytes = access.bytes;
                format!(
                    "{} {bytes} bytes of {}, at no multiple of {bytes}",
                    verb(access.kind),
                    what(job, access)
                )
            }
            FindingDetail::MisalignedCopy { to, from, bytes } => {
                format!(
                    "copies {bytes} bytes from {from:#x} to {to:#x}: all three must be multiples of what it moves at once"
                )
            }
            FindingDetail::BesideShared { at, bytes, kind } => {
                format!("{} {bytes} bytes {}", verb(*kind), beside_shared(job, *at, *bytes as u64))
            }
            FindingDetail::Outside { address, bytes, kind } => {
                format!("{} {bytes} bytes {}", verb(*kind), outside(job, *address))
            }
            FindingDetail::Left { other } => {
                format!("waits at a barrier, and thread {} has left the kernel", self.thread(*other))
            }
            FindingDetail::Elsewhere { other, place } => format!(
                "waits at this barrier, and thread {} at another at {}",
                self.thread(*other),
                self.line(*place)
            ),
            FindingDetail::StuckWarp { mask, waiting } => format!(
                "waits for the lanes {mask:#010x} of its warp, and only {waiting:#010x} have come to an operation of the warp"
            ),
            FindingDetail::PassedBy { other, last } => format!(
                "names thread {}, which did not come and left the kernel after {}",
                self.thread(*other),
                self.line(*last)
            ),
            FindingDetail::NotNamed { mask } => {
                let lane = issuer(self.seen.thread) % 32;
                format!(
                    "is lane {lane} of its warp, which the mask {mask:#010x} of the operation that it calls does not name"
                )
            }
            FindingDetail::LaneOutside { lane } => {
                format!("wants the value of lane {lane} of its warp, which does not take part")
            }
            FindingDetail::NoProxyFence { other }
            | FindingDetail::Violation {
                violation: Violation::NoProxyFence { other, other_writes: true },
                ..
            } => format!(
                "begins a bulk copy that uses what {} wrote at {}: a fence.proxy.async must come between the two",
                self.who(other),
                self.line(other.place)
            ),
            FindingDetail::Violation {
                violation: Violation::NoProxyFence { other, other_writes: false },
                ..
            } => format!(
                "begins a bulk copy that writes over what {} read at {}: a fence.proxy.async must come between the two",
                self.who(other),
                self.line(other.place)
            ),
            FindingDetail::Ended { rank, kind, bytes } => {
                format!(
                    "{} {bytes} bytes of the shared memory of block {rank} of its cluster, which has ended",
                    verb(*kind)
                )
            }
            FindingDetail::MayHaveEnded { host } => format!(
                "uses the shared memory of block {}, which may have ended before: a barrier of the cluster must come between",
                self.block(*host)
            ),
            FindingDetail::Polls { address } => {
                format!("waits for a change {}, and no thread is left to make it", outside(job, *address))
            }
            FindingDetail::StuckMbarrier { offset, phase, missing, bytes } => {
                let name = offset.and_then(|at| Some((at, job.spec.module.nearest_shared(at, 8)?)));
                let name = name.map_or_else(
                    || "an mbarrier".to_string(),
                    |(at, variable)| {
                        format!(
                            "the mbarrier in shared {} at byte {}",
                            variable.name,
                            at.saturating_sub(variable.offset)
                        )
                    },
                );
                format!(
                    "waits for phase {phase} of {name}, which lacks {missing} arrivals and {bytes} bytes that nobody is left to bring"
                )
            }
            FindingDetail::Words(words) => words.clone(),
        }
    }
}

/// A launch of the kernel of this number, or a copy.
pub(crate) fn other_launch(histories: &AccessHistories, kernel: Option<u32>) -> String {
    match kernel.map(|number| histories.kernel(number)) {
        Some(name) if *name == *COPY => name.to_string(),
        Some(name) => format!("another launch, of kernel {name},"),
        None => "another launch".to_string(),
    }
}

/// What an access was to.
fn what(job: &LaunchContext, access: &Access) -> String {
    match access.space() {
        Space::Shared(index) => {
            let variable = job.spec.module.shared.get(usize::from(index));
            variable.map_or_else(
                || "shared memory".to_string(),
                |variable| format!("shared {} at byte {}", variable.name, access.address - variable.offset),
            )
        }
        Space::Dynamic => {
            format!(
                "dynamic shared memory at byte {}",
                access.address - job.spec.module.dynamic_offset as u64
            )
        }
        Space::Remote(rank) => format!("the shared memory of block {rank} of its cluster"),
        Space::Global(index) => {
            let memory = job.memory(index);
            let at = access.address - memory.address() as u64;
            match memory.name() {
                Some(name) => format!("the variable {name} at byte {at}"),
                None => format!("a global buffer of {} bytes at byte {at}", memory.bytes()),
            }
        }
    }
}

/// Where an offset into shared memory is that is in no variable.
fn beside_shared(job: &LaunchContext, at: u64, bytes: u64) -> String {
    match job.spec.module.nearest_shared(at, bytes) {
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

/// Up to this many bytes beside a buffer, or as many as it has, an address is described as a place in it.
const NEAR: usize = 4 << 10;

/// Where an address is that is in nothing.
fn outside(job: &LaunchContext, address: usize) -> String {
    let distance = |memory: &&&Memory| {
        let (start, end) = (memory.address(), memory.address() + memory.bytes());
        if address < start { start - address } else { address.saturating_sub(end) }
    };
    let near = |nearest: &&&Memory| distance(nearest) <= nearest.bytes().max(NEAR);
    match job.spec.memories.iter().min_by_key(distance).filter(near) {
        Some(memory) if memory.name().is_some() => {
            let name = memory.name().unwrap_or_default();
            format!(
                "at byte {} of the variable {name}, which has {} bytes",
                address as i64 - memory.address() as i64,
                memory.bytes()
            )
        }
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
