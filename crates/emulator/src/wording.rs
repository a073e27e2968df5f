//! What was found in a launch, put into words.

use super::context::{Stop, Wrong};
use super::finding::{Finding, FindingKind, spelled};
use super::launch::{Job, Raw, Seen};
use super::memory::Memory;
use super::shadow::Fault;
use super::trace::{Access, Kind, Space};
use crate::shape::place_of;

/// Puts a finding into words.
pub(crate) fn word(job: &Job, kernel: &str, kind: FindingKind, place: u32, seen: &Seen) -> Finding {
    let of_thread = |thread: u32| place_of(thread, job.launch.block);
    let of_block = |block: u32| place_of(block, job.launch.grid);
    let pair = spelled;
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
const NEAR: usize = 4 << 10;

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
