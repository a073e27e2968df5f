//! Operations of a warp. Each ends when all lanes of its mask that have not left the kernel are at an operation of the same
//! kind with the same mask.

use crate::block::{Block, Exchange, ThreadState, WARP, WarpLanes};
use crate::clock::{SharedClock, VectorClock, copies_of, join_shared};
use crate::finding::FindingKind;
use crate::report::FindingDetail;
use crate::request::Request;
use crate::resident::{RequestOutcome, RequestResult, ResidentBlocks, Site};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// `EMULATED_SYNC` of runtime.hpp (`__syncwarp`), the only kind of operation that orders lanes.
const SYNC: u64 = 0;

pub fn begin_exchange(all: &mut ResidentBlocks, site: Site, request: &Request) -> RequestResult {
    let (kind, mut mask, value) = (request.numbers[0], request.number(1), request.numbers[2]);
    let lane = site.thread as usize % WARP;
    all.thread(site).places.exchange = site.place;
    let block = all.block(site);
    let lanes = block.threads.len() - (site.thread as usize - lane);
    if lanes < WARP {
        mask &= (1 << lanes) - 1;
    }
    if mask >> lane & 1 == 0 {
        let detail = FindingDetail::NotNamed(request.number(1));
        return all.stop(site, FindingKind::WarpOperation, detail);
    }
    block.exchanges.pending = true;
    Ok(RequestOutcome::Wait(ThreadState::Exchange(Exchange { kind, mask, value, place: site.place })))
}

/// Answers every operation of a warp at which all lanes that it names have arrived.
pub fn resolve_exchanges(all: &mut ResidentBlocks, at: usize) {
    if !std::mem::take(&mut all.blocks[at].exchanges.pending) {
        return;
    }
    let threads = all.blocks[at].threads.len();
    for first in (0..threads).step_by(WARP) {
        let warp = first..threads.min(first + WARP);
        for thread in warp.clone() {
            let ThreadState::Exchange(exchange) = all.blocks[at].threads[thread].state else { continue };
            if have_all_arrived(&all.blocks[at], &warp, &exchange) {
                resolve(all, at, &warp, thread, &exchange);
            } else {
                all.blocks[at].exchanges.pending = true;
            }
        }
    }
}

/// The threads of a warp that the mask of an operation names.
fn named(warp: &Range<usize>, mask: u32) -> impl Iterator<Item = usize> {
    let first = warp.start;
    warp.clone().filter(move |thread| mask >> (thread - first) & 1 == 1)
}

fn have_all_arrived(block: &Block, warp: &Range<usize>, exchange: &Exchange) -> bool {
    named(warp, exchange.mask).all(|thread| match block.threads[thread].state {
        ThreadState::Done => true,
        ThreadState::Exchange(other) => other.mask == exchange.mask && other.kind == exchange.kind,
        _ => false,
    })
}

fn resolve(all: &mut ResidentBlocks, at: usize, warp: &Range<usize>, leader: usize, exchange: &Exchange) {
    if all.checks() {
        check_passed_by(all, Site { at, thread: leader as u32, place: exchange.place }, warp, exchange);
    }
    let checks = all.checks();
    let block = &mut all.blocks[at];
    let value = |thread: usize| match block.threads[thread].state {
        ThreadState::Exchange(own) => Some((thread - warp.start, own.value)),
        _ => None,
    };
    let brought: Vec<(usize, u64)> = named(warp, exchange.mask).filter_map(value).collect();
    let answer = put_lanes(block, leader, &brought);
    if exchange.kind == SYNC && checks {
        order_lanes(block, warp, block.exchanges.lanes[leader].present);
    }
    for (lane, _) in brought {
        let it = &mut block.threads[warp.start + lane];
        (it.state, it.polling.reads) = (ThreadState::Ready(answer), 0);
    }
    all.found.counts.warp_operations += 1;
    all.progress.meetings += 1;
}

/// Reports a lane that the mask names and that left the kernel without taking part, if it was last on a line after the
/// operation: it passed by.
fn check_passed_by(all: &mut ResidentBlocks, site: Site, warp: &Range<usize>, exchange: &Exchange) {
    let threads = &all.blocks[site.at].threads;
    let mut left = named(warp, exchange.mask).filter(|thread| threads[*thread].state == ThreadState::Done);
    let late = left.find(|thread| all.launch.is_behind(threads[*thread].places.any, site.place));
    if let Some(other) = late {
        let detail = FindingDetail::PassedBy { other: other as u32, last: threads[other].places.any };
        all.report(site, exchange_mistake(exchange), detail);
    }
}

/// The kind of finding where not all lanes that an operation names take part.
pub fn exchange_mistake(exchange: &Exchange) -> FindingKind {
    if exchange.kind == SYNC { FindingKind::DivergentBarrier } else { FindingKind::WarpOperation }
}

/// Keeps what lanes brought where kernel code reads it, until `leader`'s next operation.
fn put_lanes(block: &mut Block, leader: usize, brought: &[(usize, u64)]) -> u64 {
    let lanes: &mut WarpLanes = &mut block.exchanges.lanes[leader];
    lanes.present = brought.iter().fold(0, |mask, (lane, _)| mask | 1 << lane);
    for (lane, value) in brought {
        lanes.values[*lane] = *value;
    }
    std::ptr::from_ref(lanes) as u64
}

/// Orders what each of these lanes did before what the others do from here on.
fn order_lanes(block: &mut Block, warp: &Range<usize>, present: u32) {
    let time = block.next_tick();
    let (number, first) = (block.number, warp.start);
    let warp = &mut block.threads[warp.clone()];
    let is_present = |lane: usize| present >> lane & 1 == 1;
    let is_whole =
        warp.iter().enumerate().all(|(lane, it)| is_present(lane) || it.state == ThreadState::Done);
    let mut known: SharedClock = None;
    let mut merged = [0u32; WARP];
    let mut landed = VectorClock::default();
    for (lane, it) in warp.iter().enumerate().filter(|(lane, _)| is_present(*lane)) {
        join_shared(&mut known, &it.acquired.known);
        if let Some(lanes) = &it.acquired.lanes {
            merged.iter_mut().zip(lanes.iter()).for_each(|(own, other)| *own = (*own).max(*other));
        }
        if it.clock.own_landed > 0 {
            landed.learn_thread(number, copies_of((first + lane) as u32), it.clock.own_landed);
        }
    }
    if !landed.is_empty() {
        join_shared(&mut known, &Some(Arc::new(landed)));
    }
    let present = (0..warp.len()).filter(|lane| is_present(*lane));
    present.clone().for_each(|lane| merged[lane] = time);
    let merged = (!is_whole).then(|| Rc::new(merged));
    for lane in present {
        let it = &mut warp[lane];
        it.clock.time = time;
        it.acquired.known.clone_from(&known);
        it.acquired.lanes.clone_from(&merged);
        if is_whole {
            it.clock.warp_base = time;
        }
    }
}
