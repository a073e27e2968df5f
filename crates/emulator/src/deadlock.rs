//! Why a launch cannot be finished: a wait that never ends, code that cannot go on, or the end of its time.

use crate::block::ThreadState;
use crate::finding::FindingKind;
use crate::report::FindingDetail;
use crate::request::HostBlocks;
use crate::resident::{ResidentBlocks, Site};
use crate::stack::{BELOW, SLOT_BYTES};
use crate::trap::{Trap, TrapCause};
use crate::warps::exchange_mistake;

/// Reports threads that wait in vain, one for each thing waited for. If the last polled read of some has a number above `reads` (with
/// `u64::MAX`: of none), it reports only these.
pub fn report_stuck(machine: &mut HostBlocks, reads: u64) {
    if report_polls(&mut machine.all, reads) {
        return;
    }
    // Lanes at an operation of their warp often wait for lanes at a barrier: then the operation is the mistake.
    let has_exchange = machine.all.threads_mut().any(|it| matches!(it.state, ThreadState::Exchange(_)));
    for at in 0..machine.all.blocks.len() {
        let mut reported: Vec<ThreadState> = Vec::new();
        for thread in 0..machine.all.blocks[at].threads.len() {
            let state = machine.all.blocks[at].threads[thread].state;
            if has_exchange && matches!(state, ThreadState::Barrier { .. }) {
                continue;
            }
            let Some((kind, place, detail)) = stuck(machine, at, thread, state) else { continue };
            // One of those that wait for the same is enough.
            if !reported.iter().any(|known| is_same(known, &state)) {
                reported.push(state);
                machine.all.report(Site { at, thread: thread as u32, place }, kind, detail);
            }
        }
    }
}

/// Reports threads with a later polled read than `reads`, and returns whether there were any.
fn report_polls(all: &mut ResidentBlocks, reads: u64) -> bool {
    let mut reported = Vec::new();
    for at in 0..all.blocks.len() {
        for thread in 0..all.blocks[at].threads.len() {
            let read = all.blocks[at].threads[thread].polling.last;
            if read.count > reads && !reported.contains(&(at, read.place)) {
                reported.push((at, read.place));
                let site = Site { at, thread: thread as u32, place: read.place };
                all.report(site, FindingKind::Stuck, FindingDetail::Polls(read.address));
            }
        }
    }
    !reported.is_empty()
}

fn stuck(
    machine: &HostBlocks,
    at: usize,
    thread: usize,
    state: ThreadState,
) -> Option<(FindingKind, u32, FindingDetail)> {
    let block = &machine.all.blocks[at];
    Some(match state {
        ThreadState::Exchange(exchange) => {
            let waiting = block.lanes_at_exchange(thread);
            let detail = FindingDetail::StuckWarp { mask: exchange.mask, waiting };
            (exchange_mistake(&exchange), exchange.place, detail)
        }
        ThreadState::Barrier { place, .. } => {
            let is_elsewhere =
                |state: &ThreadState| !matches!(state, ThreadState::Barrier { .. } | ThreadState::Done);
            let elsewhere = block.threads.iter().position(|it| is_elsewhere(&it.state))?;
            let words =
                format!("waits at __syncthreads, which thread {elsewhere} of the block does not reach");
            (FindingKind::DivergentBarrier, place, FindingDetail::Words(words))
        }
        ThreadState::Named { place, id } => {
            let named = machine.barriers.named(block, id)?;
            let (arrived, expected) = (named.arrived, named.expected);
            let words =
                format!("waits at barrier {id}, at which {arrived} of {expected} threads have arrived");
            (FindingKind::Stuck, place, FindingDetail::Words(words))
        }
        ThreadState::Cluster { place } => {
            let words = "waits at the barrier of its cluster, which not all of its threads reach".to_string();
            (FindingKind::DivergentBarrier, place, FindingDetail::Words(words))
        }
        ThreadState::Mbarrier { place, address, .. } => {
            let mbarrier = machine.transfers.mbarriers.get(address).cloned().unwrap_or_default();
            let (phase, missing, bytes) = (mbarrier.phase, mbarrier.missing, mbarrier.bytes);
            let image = &block.memory.image;
            let offset = image.holds(address, 8).then(|| (address - image.address()) as u64);
            (FindingKind::Stuck, place, FindingDetail::StuckMbarrier { offset, phase, missing, bytes })
        }
        ThreadState::Polls { place, address } => (FindingKind::Stuck, place, FindingDetail::Polls(address)),
        _ => return None,
    })
}

/// Reports what ended the code of a thread.
pub fn report_trap(all: &mut ResidentBlocks, at: usize, thread: u32, trap: Trap) {
    let start = all.launch.spec.module.image.start;
    let places = trap.places.map(|place| place.saturating_sub(start) as u32);
    let place = first_with_a_line(all, at, thread, places);
    let (kind, words) = match trap.cause {
        TrapCause::Time => return report_end_of_time(all, Site { at, thread, place }),
        TrapCause::Division => (
            FindingKind::Division,
            "divides an integer by zero, or the least integer by -1: CUDA leaves the result undefined, and a GPU goes on with it".to_string(),
        ),
        TrapCause::Stack => (
            FindingKind::LocalMemory,
            format!(
                "needs more than {} KiB of local memory for its calls and local arrays, and CUDA gives a thread at most 512 KiB: make \
                 arrays smaller or end a recursion earlier",
                (SLOT_BYTES - BELOW) >> 10
            ),
        ),
        TrapCause::NoCode(address) => {
            (FindingKind::OutOfBounds, format!("calls a function at address {address:#x}, where there is none"))
        }
        TrapCause::Memory(address) => {
            (FindingKind::OutOfBounds, format!("touches address {address:#x}, which is in no memory of the device"))
        }
        TrapCause::Instruction => {
            (FindingKind::Trap, "comes to an instruction that traps, as compilers put behind __builtin_unreachable".to_string())
        }
    };
    all.report(Site { at, thread, place }, kind, FindingDetail::Words(words));
}

/// Reports the thread that had its turn when the launch's time was over.
pub fn report_end_of_time(all: &mut ResidentBlocks, site: Site) {
    let limit = all.launch.limit.time.unwrap_or_default().as_secs_f64();
    let place = first_with_a_line(all, site.at, site.thread, [site.place]);
    let words = format!(
        "was running when the launch reached its time limit of {limit} s: it loops forever, or needs a higher limit"
    );
    all.report(Site { place, ..site }, FindingKind::TimeLimit, FindingDetail::Words(words));
}

/// The first of these places that is in a line of the kernel's text, or else the last one known of the thread.
fn first_with_a_line(
    all: &ResidentBlocks,
    at: usize,
    thread: u32,
    places: impl IntoIterator<Item = u32>,
) -> u32 {
    let it = &all.blocks[at].threads[thread as usize];
    let has_line = |place: &u32| *place > 0 && all.launch.spec.module.line_of(*place).is_some();
    let known = [it.polling.last.place, it.places.any];
    places.into_iter().chain(known).find(has_line).unwrap_or(it.places.any)
}

fn is_same(one: &ThreadState, other: &ThreadState) -> bool {
    match (one, other) {
        (ThreadState::Mbarrier { address, .. }, ThreadState::Mbarrier { address: other, .. }) => {
            address == other
        }
        (ThreadState::Polls { place, .. }, ThreadState::Polls { place: other, .. }) => place == other,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}
