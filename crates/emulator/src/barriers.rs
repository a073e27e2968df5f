//! Barriers of a block, named barriers among some of its warps, and the barrier of a cluster.
//!
//! `__syncthreads` is passed once every thread of the block that has not left the kernel waits at it. It is found divergent
//! when a thread has left, or when two wait at different places of the code; on a GPU either is undefined. Only the places
//! are compared: threads that come to the same barrier in different turns of a loop are taken to meet there.

use crate::block::{NamedBarrier, ThreadState};
use crate::clock::{FIRST_COPY, VectorClock, join_shared};
use crate::finding::FindingKind;
use crate::launch::FindingDetail;
use crate::request::Request;
use crate::worker::{RequestOutcome, Worker};
use std::rc::Rc;
use std::sync::Arc;

/// As in runtime.hpp: what the threads of a barrier learn of each other's predicates. AccessEpoch only arrives does not wait.
const ARRIVE: u64 = 1;
const COUNT: u64 = 2;
const AND: u64 = 3;
const OR: u64 = 4;

fn outcome(kind: u64, all: bool, any: bool, count: u64) -> u64 {
    match kind {
        COUNT => count,
        AND => u64::from(all),
        OR => u64::from(any),
        _ => 0,
    }
}

impl Worker<'_> {
    pub fn arrive_at_barrier(&mut self, at: usize, thread: u32, request: &Request) -> RequestOutcome {
        let (id, given, kind, predicate) =
            (request.number(0), request.number(1), request.numbers[2], request.numbers[3]);
        let place = request.place();
        let threads = self.job.threads();
        let expected = if given == 0 { threads } else { given };
        if id == 0 && expected == threads && kind != ARRIVE {
            return RequestOutcome::Wait(ThreadState::Barrier { place, kind, predicate });
        }
        if id > 15 {
            let raw = FindingDetail::Words(format!("uses the barrier {id}: a block has those from 0 to 15"));
            return self.stop(at, thread, FindingKind::BarrierMisuse, place, raw);
        }
        // Warps of a block whose threads are no multiple count whole.
        let whole = |threads: u32| threads.next_multiple_of(32);
        if expected % 32 != 0 && expected != threads {
            let raw = FindingDetail::Words(format!(
                "expects {expected} threads at barrier {id}: it takes a multiple of 32"
            ));
            return self.stop(at, thread, FindingKind::BarrierMisuse, place, raw);
        }
        let (waits, expected) = (kind != ARRIVE, whole(expected));
        let block = &mut self.blocks[at];
        let own = block.view(thread, place).passed_on();
        let named = block.named.entry(id).or_default();
        if named.arrived == 0 {
            named.expected = expected;
            (named.all, named.any, named.count) = (1, 0, 0);
        } else if named.expected != expected {
            let raw = FindingDetail::Words(format!(
                "expects {expected} threads at barrier {id}, at which others expect {}",
                named.expected
            ));
            return self.stop(at, thread, FindingKind::BarrierMisuse, place, raw);
        }
        // The lanes that a last warp lacks come with its last thread.
        named.arrived += if thread + 1 == threads { whole(threads) - threads + 1 } else { 1 };
        named.gathered.join(&own);
        named.all &= u64::from(predicate != 0);
        named.any |= u64::from(predicate != 0);
        named.count += u64::from(predicate != 0);
        if waits {
            named.waiting.push(thread);
        }
        block.advance(thread);
        self.job.listed.store(true, std::sync::atomic::Ordering::Relaxed);
        let block = &mut self.blocks[at];
        let arrived = block.named[&id].arrived;
        if arrived > expected {
            let raw = FindingDetail::Words(format!(
                "is the {arrived}th thread at barrier {id}, which expects {expected}"
            ));
            return self.stop(at, thread, FindingKind::BarrierMisuse, place, raw);
        }
        if arrived == expected {
            let passed = block.named.remove(&id).unwrap_or_default();
            return self.pass_named(at, thread, kind, passed);
        }
        if waits { RequestOutcome::Wait(ThreadState::Named { place, id }) } else { RequestOutcome::Answer(0) }
    }

    /// Lets all go on that wait at a named barrier; `last` has just arrived there.
    fn pass_named(&mut self, at: usize, last: u32, kind: u64, named: NamedBarrier) -> RequestOutcome {
        let answer = outcome(kind, named.all != 0, named.any != 0, named.count);
        let known = Some(Arc::new(named.gathered));
        let block = &mut self.blocks[at];
        for &thread in &named.waiting {
            block.learn(thread, &known);
            block.threads[thread as usize].polls = 0;
            if thread != last {
                block.threads[thread as usize].status = ThreadState::Ready(answer);
            }
        }
        block.begin_segment(last);
        self.tally.counts.named_barriers += 1;
        self.meetings += 1;
        RequestOutcome::Answer(if kind == ARRIVE { 0 } else { answer })
    }

    /// Lets a block pass `__syncthreads` when all of its threads that have not left wait there. Whether they do.
    pub fn pass_barrier(&mut self, at: usize) -> bool {
        let block = &self.blocks[at];
        let mut first: Option<(usize, u32, u64)> = None;
        let mut apart: Option<(usize, u32)> = None;
        let mut gone: Option<usize> = None;
        let (mut all, mut any, mut count) = (true, false, 0);
        for (thread, it) in block.threads.iter().enumerate() {
            match (it.status, first) {
                (ThreadState::Barrier { place, kind, predicate }, known) => {
                    (all, any, count) =
                        (all && predicate != 0, any || predicate != 0, count + u64::from(predicate != 0));
                    match known {
                        None => first = Some((thread, place, kind)),
                        Some((_, known, _)) if place != known => apart = apart.or(Some((thread, place))),
                        Some(_) => {}
                    }
                }
                (ThreadState::Done, _) => gone = gone.or(Some(thread)),
                _ => return false,
            }
        }
        let Some((thread, place, _)) = first else { return false };
        if let Some(other) = gone {
            self.report(
                at,
                thread as u32,
                FindingKind::DivergentBarrier,
                place,
                FindingDetail::Left { other: other as u32 },
            );
        } else if let Some((other, other_place)) = apart {
            let raw = FindingDetail::Elsewhere { other: other as u32, place: other_place };
            self.report(at, thread as u32, FindingKind::DivergentBarrier, place, raw);
        }
        self.end_interval(at);
        if self.job.instruments.check {
            self.order_block(at);
        }
        for it in &mut self.blocks[at].threads {
            if let ThreadState::Barrier { kind, .. } = it.status {
                (it.status, it.polls) = (ThreadState::Ready(outcome(kind, all, any, count)), 0);
            }
        }
        self.tally.counts.barriers += 1;
        self.meetings += 1;
        true
    }

    /// What any thread of the block did is done before what any does from here on.
    fn order_block(&mut self, at: usize) {
        let block = &mut self.blocks[at];
        block.spread_fences();
        block.spread_seen();
        let time = block.next_tick();
        let mut known: Option<Arc<VectorClock>> = None;
        let mut landed: Option<Vec<u32>> = None;
        for (thread, it) in block.threads.iter().enumerate() {
            join_shared(&mut known, &it.learned.known);
            if it.stamp.own_landed > 0 {
                let threads = block.threads.len();
                let so_far = || it.learned.landed.as_deref().cloned().unwrap_or_else(|| vec![0; threads]);
                landed.get_or_insert_with(so_far)[thread] = it.stamp.own_landed;
            }
        }
        let landed = landed.map(Rc::new);
        for it in &mut block.threads {
            (it.stamp.time, it.stamp.block_base, it.stamp.warp_base) = (time, time, time);
            it.learned.lanes = None;
            it.learned.known.clone_from(&known);
            if landed.is_some() {
                it.learned.landed.clone_from(&landed);
            }
        }
    }

    pub fn arrive_at_cluster(&mut self, at: usize, thread: u32, request: &Request) -> RequestOutcome {
        let relaxed = request.number(0) == 0;
        let cluster = self.blocks[at].cluster;
        let known =
            (!relaxed && self.job.instruments.check).then(|| self.blocks[at].view(thread, 0).passed_on());
        if known.is_some() {
            self.check_trace(at);
        }
        let Some(barrier) = self.clusters.get_mut(&cluster) else { return RequestOutcome::Stop };
        if self.blocks[at].threads[thread as usize].arrived_cluster > barrier.phase {
            let raw = FindingDetail::Words(
                "arrives at the barrier of its cluster again before it waited there".to_string(),
            );
            return self.stop(at, thread, FindingKind::BarrierMisuse, request.place(), raw);
        }
        barrier.arrived += 1;
        if let Some(known) = known {
            barrier.gathered.join(&known);
        }
        let phase = barrier.phase;
        self.job.listed.store(true, std::sync::atomic::Ordering::Relaxed);
        let block = &mut self.blocks[at];
        block.threads[thread as usize].arrived_cluster = phase + 1;
        block.advance(thread);
        RequestOutcome::Answer(0)
    }

    pub fn wait_for_cluster(&mut self, at: usize, thread: u32, place: u32) -> RequestOutcome {
        let cluster = self.blocks[at].cluster;
        let it = &self.blocks[at].threads[thread as usize];
        let phase = self.clusters.get(&cluster).map_or(0, |barrier| barrier.phase);
        if it.arrived_cluster == 0 {
            let raw = FindingDetail::Words(
                "waits at the barrier of its cluster without having arrived there".to_string(),
            );
            return self.stop(at, thread, FindingKind::BarrierMisuse, place, raw);
        }
        if it.arrived_cluster <= phase {
            // All had arrived before.
            let known = self.clusters.get(&cluster).and_then(|barrier| barrier.known.clone());
            self.blocks[at].learn(thread, &known);
            self.blocks[at].begin_segment(thread);
            return RequestOutcome::Answer(0);
        }
        RequestOutcome::Wait(ThreadState::Cluster { place })
    }

    /// Ends the phase of each cluster at whose barrier all threads have arrived that have not left.
    pub fn pass_cluster_barriers(&mut self) {
        let clusters: Vec<u32> =
            self.clusters.iter().filter(|(_, barrier)| barrier.arrived > 0).map(|(id, _)| *id).collect();
        for cluster in clusters {
            let mut waiting = false;
            let mut missing = false;
            let Some(barrier) = self.clusters.get(&cluster) else { continue };
            for block in self.blocks.iter().filter(|block| block.cluster == cluster) {
                for it in &block.threads {
                    waiting |= matches!(it.status, ThreadState::Cluster { .. });
                    missing |= it.arrived_cluster <= barrier.phase && it.status != ThreadState::Done;
                }
            }
            if missing {
                continue;
            }
            let Some(barrier) = self.clusters.get_mut(&cluster) else { continue };
            barrier.phase += 1;
            barrier.arrived = 0;
            barrier.known = Some(Arc::new(barrier.gathered.clone()));
            let known = barrier.known.clone();
            self.tally.counts.cluster_barriers += 1;
            self.progress += 1;
            if waiting {
                for block in self.blocks.iter_mut().filter(|block| block.cluster == cluster) {
                    for thread in 0..block.threads.len() {
                        if matches!(block.threads[thread].status, ThreadState::Cluster { .. }) {
                            block.threads[thread].status = ThreadState::Ready(0);
                            block.learn(thread as u32, &known);
                        }
                    }
                }
            }
        }
    }
}

/// The barrier of one cluster.
#[derive(Debug, Default)]
pub struct Cluster {
    pub phase: u32,
    pub arrived: u32,
    pub gathered: VectorClock,
    /// What all knew at the end of the last phase.
    pub known: Option<Arc<VectorClock>>,
}

/// The number under which the copies of a thread's groups are known.
pub fn copies_of(thread: u32) -> u16 {
    FIRST_COPY + thread as u16
}
