//! Operations of a warp. Each ends when all lanes of its mask that have not left the kernel are at an operation of the same
//! kind with the same mask.

use crate::block::{Exchange, ThreadState, WARP, WarpLanes};
use crate::clock::{VectorClock, join_shared};
use crate::finding::FindingKind;
use crate::launch::FindingDetail;
use crate::request::Request;
use crate::worker::{RequestOutcome, Worker};
use std::rc::Rc;
use std::sync::Arc;

/// The kinds of operations, as in runtime.hpp, that are distinguished here.
const SYNC: u64 = 0;
const ACTIVE: u64 = 5;

impl Worker<'_> {
    pub fn begin_exchange(&mut self, at: usize, thread: u32, request: &Request) -> RequestOutcome {
        let (kind, mut mask) = (request.numbers[0], request.number(1));
        let lane = thread as usize % WARP;
        self.blocks[at].threads[thread as usize].exchanged = request.place();
        let block = &mut self.blocks[at];
        let lanes = block.threads.len() - (thread as usize / WARP * WARP);
        if lanes < WARP {
            mask &= (1 << lanes) - 1;
        }
        if kind == ACTIVE {
            // Whichever lanes are here together is the hardware's choice: this one alone is one.
            return RequestOutcome::Answer(self.put_lanes(
                at,
                thread,
                1 << lane,
                &[(lane, request.numbers[2])],
            ));
        }
        if mask >> lane & 1 == 0 {
            let raw = FindingDetail::NotNamed { mask: request.number(1) };
            self.report(at, thread, FindingKind::WarpOperation, request.place(), raw);
            return RequestOutcome::Stop;
        }
        RequestOutcome::Wait(ThreadState::Exchange(Exchange {
            kind,
            mask,
            value: request.numbers[2],
            place: request.place(),
        }))
    }

    /// Answers every operation of a warp at which all lanes that it names have arrived.
    pub fn resolve_exchanges(&mut self, at: usize) {
        let threads = self.blocks[at].threads.len();
        for first in (0..threads).step_by(WARP) {
            let end = threads.min(first + WARP);
            for thread in first..end {
                let ThreadState::Exchange(exchange) = self.blocks[at].threads[thread].status else {
                    continue;
                };
                if self.all_arrived(at, first..end, &exchange) {
                    self.exchange(at, first..end, thread, &exchange);
                }
            }
        }
    }

    fn all_arrived(&self, at: usize, warp: std::ops::Range<usize>, exchange: &Exchange) -> bool {
        warp.clone().filter(|thread| exchange.mask >> (thread - warp.start) & 1 == 1).all(|thread| match self
            .blocks[at]
            .threads[thread]
            .status
        {
            ThreadState::Done => true,
            ThreadState::Exchange(other) => other.mask == exchange.mask && other.kind == exchange.kind,
            _ => false,
        })
    }

    fn exchange(&mut self, at: usize, warp: std::ops::Range<usize>, leader: usize, exchange: &Exchange) {
        let mut brought = Vec::with_capacity(WARP);
        for thread in warp.clone() {
            if exchange.mask >> (thread - warp.start) & 1 == 1
                && let ThreadState::Exchange(own) = self.blocks[at].threads[thread].status
            {
                brought.push((thread - warp.start, own.value));
            }
        }
        self.check_passed_by(at, warp.clone(), leader, exchange);
        let present = brought.iter().fold(0, |mask, (lane, _)| mask | 1 << lane);
        let answer = self.put_lanes(at, leader as u32, present, &brought);
        if exchange.kind == SYNC && self.job.instruments.check {
            self.order_lanes(at, warp.start, present);
        }
        for (lane, _) in brought {
            let it = &mut self.blocks[at].threads[warp.start + lane];
            (it.status, it.polls) = (ThreadState::Ready(answer), 0);
        }
        self.tally.counts.warp_operations += 1;
        self.meetings += 1;
    }

    /// Reports lanes that the mask names, that did not come, and that did something behind the operation before they left the
    /// kernel: they were there when it began.
    fn check_passed_by(
        &mut self,
        at: usize,
        warp: std::ops::Range<usize>,
        leader: usize,
        exchange: &Exchange,
    ) {
        if !self.job.instruments.check {
            return;
        }
        let named = |thread: &usize| exchange.mask >> (thread - warp.start) & 1 == 1;
        let block = &self.blocks[at];
        let left =
            warp.clone().filter(named).filter(|thread| block.threads[*thread].status == ThreadState::Done);
        let late: Vec<(u32, u32)> =
            left.map(|thread| (thread as u32, block.threads[thread].last_place)).collect();
        for (thread, last) in late {
            if self.job.is_behind(last, exchange.place) {
                let kind = if exchange.kind == SYNC {
                    FindingKind::DivergentBarrier
                } else {
                    FindingKind::WarpOperation
                };
                let raw = FindingDetail::PassedBy { other: thread, last };
                self.report(at, leader as u32, kind, exchange.place, raw);
                return;
            }
        }
    }

    /// Keeps what lanes brought where kernel code reads it, until `leader`'s next operation.
    fn put_lanes(&mut self, at: usize, leader: u32, present: u32, brought: &[(usize, u64)]) -> u64 {
        let lanes: &mut WarpLanes = &mut self.blocks[at].lanes[leader as usize];
        lanes.present = present;
        for (lane, value) in brought {
            lanes.values[*lane] = *value;
        }
        std::ptr::from_ref(lanes) as u64
    }

    /// What each of these lanes did is done before what the others do from here on.
    fn order_lanes(&mut self, at: usize, first: usize, present: u32) {
        let block = &mut self.blocks[at];
        let time = block.next_tick();
        let lanes = block.threads.len().min(first + WARP) - first;
        let all = (0..lanes)
            .all(|lane| present >> lane & 1 == 1 || block.threads[first + lane].status == ThreadState::Done);
        let chosen = || (0..lanes).filter(|lane| present >> lane & 1 == 1);
        let mut known: Option<Arc<VectorClock>> = None;
        let mut merged = [0u32; WARP];
        let mut partial = !all;
        let mut landed = VectorClock::default();
        for lane in chosen() {
            let it = &block.threads[first + lane];
            join_shared(&mut known, &it.learned.known);
            if let Some(lanes) = &it.learned.lanes {
                partial = true;
                merged.iter_mut().zip(lanes.iter()).for_each(|(own, other)| *own = (*own).max(*other));
            }
            if it.stamp.own_landed > 0 {
                let issuer = crate::clock::FIRST_COPY + (first + lane) as u16;
                landed.learn_thread(block.number, issuer, it.stamp.own_landed);
            }
        }
        if !landed.is_empty() {
            join_shared(&mut known, &Some(Arc::new(landed)));
        }
        for lane in chosen() {
            merged[lane] = time;
        }
        let merged = (partial && !all).then(|| Rc::new(merged));
        for lane in chosen() {
            let it = &mut block.threads[first + lane];
            it.stamp.time = time;
            it.learned.known.clone_from(&known);
            if all {
                it.stamp.warp_base = time;
                it.learned.lanes = None;
            } else {
                it.learned.lanes.clone_from(&merged);
            }
        }
    }
}
