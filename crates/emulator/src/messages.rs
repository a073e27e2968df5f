//! What was found in a launch, put into words.

use crate::clock::{AccessEpoch, FIRST_BULK_READ, FIRST_COPY, FIRST_MBARRIER};
use crate::context::LaunchContext;
use crate::finding::{Finding, FindingKind, SourceLocation, format_extent};
use crate::history::{AccessHistories, COPY};
use crate::launch::place_of;
use crate::memory::Allocation;
use crate::report::{FindingDetail, Occurrence};
use crate::shadow::Violation;
use crate::trace::{Access, AccessKind, Space};

/// Puts a finding into words.
pub fn word(
    launch: &LaunchContext,
    kernel: &str,
    kind: FindingKind,
    place: u32,
    seen: &Occurrence,
) -> Finding {
    let other = match &seen.detail {
        // Its place may be in the library of another kernel.
        FindingDetail::Violation { violation: Violation::Launches { .. }, .. } => None,
        detail => detail.other().and_then(|other| launch.spec.module.line_of(other.place)),
    };
    Finding {
        kind,
        kernel: kernel.to_string(),
        block: place_of(seen.block, launch.spec.shape.grid),
        thread: place_of(issuer(seen.thread), launch.spec.shape.block),
        place: launch.spec.module.line_of(place),
        details: FindingFormatter { launch, seen, other: line_in_words(other.as_ref()) }.details(),
        other,
        times: seen.times,
    }
}

fn line_in_words(line: Option<&SourceLocation>) -> String {
    line.map_or_else(|| "an unknown line".to_string(), ToString::to_string)
}

/// Each kind of copies by threads has as many numbers as a block may have threads; those of mbarriers follow.
const FIRST_COPIES: u32 = FIRST_COPY as u32;
const FIRST_UNNAMED: u32 = FIRST_MBARRIER as u32;

/// The thread that has this number, or whose copy has it; thread 0 for copies that complete on mbarriers.
fn issuer(number: u32) -> u32 {
    match number {
        0..FIRST_COPIES => number,
        FIRST_COPIES..FIRST_UNNAMED => number % FIRST_COPIES,
        _ => 0,
    }
}

fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Atomic | AccessKind::AtomicOfBlock => "atomically changes",
        AccessKind::Init => "initialises",
        _ => read_or_write(kind.writes()),
    }
}

fn read_or_write(writes: bool) -> &'static str {
    if writes { "writes" } else { "reads" }
}

struct FindingFormatter<'a> {
    launch: &'a LaunchContext<'a>,
    seen: &'a Occurrence,
    /// The line of the access that it collides with, in words.
    other: String,
}

impl FindingFormatter<'_> {
    fn thread(&self, number: u32) -> String {
        format_extent(place_of(number, self.launch.spec.shape.block))
    }

    fn block(&self, number: u32) -> String {
        format_extent(place_of(number, self.launch.spec.shape.grid))
    }

    fn line(&self, place: u32) -> String {
        line_in_words(self.launch.spec.module.line_of(place).as_ref())
    }

    /// Who did something: a thread of this block or of another, or a copy of one.
    fn who(&self, who: &AccessEpoch) -> String {
        let is_own = who.block == self.seen.block;
        let block = if is_own { String::new() } else { format!(" of block {}", self.block(who.block)) };
        let thread = self.thread(issuer(u32::from(who.thread)));
        match who.thread {
            0..FIRST_COPY => format!("thread {thread}{block}"),
            FIRST_COPY..FIRST_BULK_READ => format!("an asynchronous copy by thread {thread}{block}"),
            _ => format!("a bulk copy{block}"),
        }
    }

    /// A thread of another launch, as far as it is known; by numbers, since its grid and block may have other sides.
    fn of_other_launch(&self, kernel: Option<u32>, who: Option<&AccessEpoch>) -> String {
        let launch = other_launch(&self.launch.spec.place.histories, kernel);
        match who {
            Some(who) if launch != COPY => {
                format!("thread {} of block {} of {launch}", { who.thread }, { who.block })
            }
            _ => launch,
        }
    }

    fn details(&self) -> String {
        match &self.seen.detail {
            FindingDetail::Violation { access, violation } => self.violation(access, violation),
            FindingDetail::BeyondArray if self.launch.spec.instruments.bounds => {
                "goes through a pointer beyond the variable that it points to".to_string()
            }
            FindingDetail::BeyondArray => "uses an index beyond the end of an array".to_string(),
            FindingDetail::Misaligned(access) => {
                format!("{}, at no multiple of {}", self.access(access), access.bytes)
            }
            FindingDetail::MisalignedCopy { to, from, bytes } => format!(
                "copies {bytes} bytes from {from:#x} to {to:#x}: size and both addresses must be multiples of the transfer unit"
            ),
            FindingDetail::BesideShared { at, bytes, kind } => {
                format!("{} {bytes} bytes {}", verb(*kind), self.beside_shared(*at, *bytes as u64))
            }
            FindingDetail::Outside { address, bytes, kind } => {
                format!("{} {bytes} bytes {}", verb(*kind), self.outside(*address))
            }
            FindingDetail::Left(other) => {
                format!("waits at a barrier, and thread {} has left the kernel", self.thread(*other))
            }
            FindingDetail::Elsewhere { other, place } => {
                let (thread, line) = (self.thread(*other), self.line(*place));
                format!("waits at this barrier, and thread {thread} at another at {line}")
            }
            FindingDetail::StuckWarp { mask, waiting } => format!(
                "waits for the lanes {mask:#010x} of its warp, and only {waiting:#010x} have come to an operation of the warp"
            ),
            FindingDetail::PassedBy { other, last } => {
                let (thread, line) = (self.thread(*other), self.line(*last));
                format!("names thread {thread}, which did not come and left the kernel after {line}")
            }
            FindingDetail::NotNamed(mask) => {
                let lane = issuer(self.seen.thread) % 32;
                format!(
                    "calls a warp operation with mask {mask:#010x}, which does not include its own lane {lane}"
                )
            }
            FindingDetail::LaneOutside(lane) => {
                format!("wants the value of lane {lane} of its warp, which does not take part")
            }
            FindingDetail::NoProxyFence(other) => self.no_proxy_fence(other, "uses", "wrote"),
            FindingDetail::Ended { rank, kind, bytes } => {
                let verb = verb(*kind);
                format!(
                    "{verb} {bytes} bytes of the shared memory of block {rank} of its cluster, which has ended"
                )
            }
            FindingDetail::MayHaveEnded(host) => format!(
                "uses the shared memory of block {}, which may have ended before: a barrier of the cluster must come between",
                self.block(*host)
            ),
            FindingDetail::Polls(address) => {
                format!("waits for a change {}, and no thread is left to make it", self.outside(*address))
            }
            FindingDetail::StuckMbarrier { offset, phase, missing, bytes } => format!(
                "waits for phase {phase} of {}, which lacks {missing} arrivals and {bytes} bytes that nobody is left to bring",
                self.mbarrier(*offset)
            ),
            FindingDetail::Words(words) => words.clone(),
        }
    }

    /// An mbarrier by its place in shared memory, where that is known.
    fn mbarrier(&self, offset: Option<u64>) -> String {
        let known = offset.and_then(|at| Some((at, self.launch.spec.module.nearest_shared(at, 8)?)));
        let Some((at, variable)) = known else { return "an mbarrier".to_string() };
        let at = at.saturating_sub(variable.offset);
        format!("the mbarrier in shared {} at byte {at}", variable.name)
    }

    fn violation(&self, access: &Access, violation: &Violation) -> String {
        let (does, line) = (self.access(access), &self.other);
        match violation {
            Violation::Unwritten => {
                format!("reads {} bytes of {}, which nothing wrote", access.bytes, self.target(access))
            }
            Violation::Race { other, other_writes } => {
                let is_copy = self.seen.thread >= u32::from(FIRST_COPY);
                let copies = if is_copy { "by an asynchronous copy " } else { "" };
                let (who, did) = (self.who(other), read_or_write(*other_writes));
                format!("{copies}{does}, which {who} {did} at {line} with nothing to order the two")
            }
            Violation::Launches { kernel, other, other_writes } => {
                let who = self.of_other_launch(*kernel, other.as_ref());
                format!("{does}, which {who} {} with no event between the two", read_or_write(*other_writes))
            }
            Violation::ReadOnly { other, other_writes } => {
                let (who, did) = (self.who(other), if *other_writes { "writes" } else { "reads so" });
                format!(
                    "{does}, which {who} {did} at {line}: the read-only cache may still hold the old value"
                )
            }
            Violation::NoProxyFence { other, other_writes: true } => {
                self.no_proxy_fence(other, "uses", "wrote")
            }
            Violation::NoProxyFence { other, .. } => self.no_proxy_fence(other, "writes over", "read"),
        }
    }

    fn no_proxy_fence(&self, other: &AccessEpoch, does: &str, did: &str) -> String {
        let (who, line) = (self.who(other), &self.other);
        format!(
            "begins a bulk copy that {does} what {who} {did} at {line}: a fence.proxy.async must come between the two"
        )
    }

    fn access(&self, access: &Access) -> String {
        format!("{} {} bytes of {}", verb(access.kind), access.bytes, self.target(access))
    }

    /// The memory of an access, in words.
    fn target(&self, access: &Access) -> String {
        let module = self.launch.spec.module;
        match access.space() {
            Space::Shared(index) => match module.shared.get(usize::from(index)) {
                Some(variable) => {
                    format!("shared {} at byte {}", variable.name, access.address - variable.offset)
                }
                None => "shared memory".to_string(),
            },
            Space::Dynamic => {
                format!("dynamic shared memory at byte {}", access.address - module.dynamic_offset as u64)
            }
            Space::Remote(rank) => format!("the shared memory of block {rank} of its cluster"),
            Space::Global(index) => {
                let memory = self.launch.memory(index);
                let at = access.address - memory.address() as u64;
                match memory.name() {
                    Some(name) => format!("the variable {name} at byte {at}"),
                    None => format!("a global buffer of {} bytes at byte {at}", memory.bytes()),
                }
            }
        }
    }

    /// Describes an offset into shared memory that is in no variable.
    fn beside_shared(&self, at: u64, bytes: u64) -> String {
        let Some(variable) = self.launch.spec.module.nearest_shared(at, bytes) else {
            return "of shared memory, where no variable is".to_string();
        };
        let (name, size) = (&variable.name, variable.bytes);
        match at.checked_sub(variable.offset) {
            Some(at) => format!("at byte {at} of shared {name}, which has {size} bytes"),
            None => format!("{} bytes before shared {name}", variable.offset - at),
        }
    }

    /// Describes an address that is in no memory, by the nearest buffer.
    fn outside(&self, address: usize) -> String {
        let distance = |memory: &&&Allocation| {
            let (start, end) = (memory.address(), memory.address() + memory.bytes());
            start.saturating_sub(address).max(address.saturating_sub(end))
        };
        let near = |nearest: &&&Allocation| distance(nearest) <= nearest.bytes().max(NEAR);
        let Some(memory) = self.launch.spec.memories.iter().min_by_key(distance).filter(near) else {
            return "where no buffer is".to_string();
        };
        let (at, bytes) = (address as i64 - memory.address() as i64, memory.bytes());
        match memory.name() {
            Some(name) => format!("at byte {at} of the variable {name}, which has {bytes} bytes"),
            None if at < 0 => format!("{} bytes before a global buffer of {bytes} bytes", -at),
            None => format!("at byte {at} of a global buffer of {bytes} bytes"),
        }
    }
}

/// An address is described by a buffer that is this many bytes away at most, or as many as the buffer has.
const NEAR: usize = 4 << 10;

/// A launch of the kernel of this number, or a copy.
pub(crate) fn other_launch(histories: &AccessHistories, kernel: Option<u32>) -> String {
    match kernel.map(|number| histories.kernel(number)) {
        Some(name) if *name == *COPY => name.to_string(),
        Some(name) => format!("another launch, of kernel {name},"),
        None => "another launch".to_string(),
    }
}
