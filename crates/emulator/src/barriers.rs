//! Barriers of a block, named barriers among some of its warps, and the barrier of a cluster.
//!
//! `__syncthreads` is passed once every thread of the block that has not left the kernel waits at it. It is found divergent
//! when a thread has left, or when two wait at different places of the code; on a GPU either is undefined. Only the places
//! are compared: threads that come to the same barrier in different turns of a loop are taken to meet there.

use crate::atomics::{spread_fences, spread_seen};
use crate::block::{Block, ThreadState};
use crate::clock::{SharedClock, VectorClock, join_shared};
use crate::finding::FindingKind;
use crate::report::FindingDetail;
use crate::request::Request;
use crate::resident::{DONE, LaunchAbort, RequestOutcome, RequestResult, ResidentBlocks, Site};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// What a barrier returns of its threads' predicates, numbered as in runtime.hpp. With `ARRIVE` a thread does not wait.
const ARRIVE: u64 = 1;
const COUNT: u64 = 2;
const AND: u64 = 3;
const OR: u64 = 4;

/// The barriers at which some threads are, of the blocks that a host thread runs.
#[derive(Default)]
pub struct Barriers {
    /// By the serial number of the block and the barrier's own number.
    named: FxHashMap<(u32, u32), NamedBarrier>,
    /// By the number of the cluster.
    clusters: FxHashMap<u32, ClusterBarrier>,
}

/// One named barrier, while some threads are at it.
#[derive(Debug, Default)]
pub struct NamedBarrier {
    pub expected: u32,
    pub arrived: u32,
    waiting: Vec<u32>,
    votes: Votes,
    gathered: VectorClock,
}

/// The barrier of one cluster.
#[derive(Debug, Default)]
struct ClusterBarrier {
    phase: u32,
    arrived: u32,
    gathered: VectorClock,
    /// What all knew at the end of the last phase.
    known: SharedClock,
}

/// The predicates that threads brought to a barrier.
#[derive(Clone, Copy, Debug, Default)]
struct Votes {
    all: u64,
    yes: u64,
}

impl Votes {
    fn add(&mut self, predicate: u64) {
        self.all += 1;
        self.yes += u64::from(predicate != 0);
    }

    fn answer(self, kind: u64) -> u64 {
        match kind {
            COUNT => self.yes,
            AND => u64::from(self.yes == self.all),
            OR => u64::from(self.yes > 0),
            _ => 0,
        }
    }
}

impl Barriers {
    pub fn begin_cluster(&mut self, cluster: u32) {
        self.clusters.insert(cluster, ClusterBarrier::default());
    }

    /// Forgets the barriers of a block that has ended.
    pub fn forget(&mut self, block: &Block) {
        self.clusters.remove(&block.cluster.first);
        self.named.retain(|(serial, _), _| *serial != block.serial);
    }

    /// The named barrier of this number, if threads are at it.
    pub fn named(&self, block: &Block, id: u32) -> Option<&NamedBarrier> {
        self.named.get(&(block.serial, id))
    }

    pub fn arrive(&mut self, all: &mut ResidentBlocks, site: Site, request: &Request) -> RequestResult {
        let (id, given, kind, predicate) =
            (request.number(0), request.number(1), request.numbers[2], request.numbers[3]);
        let Site { thread, place, .. } = site;
        let threads = all.launch.threads();
        let expected = if given == 0 { threads } else { given };
        if id == 0 && expected == threads && kind != ARRIVE {
            return Ok(RequestOutcome::Wait(ThreadState::Barrier { place, kind, predicate }));
        }
        if id > 15 {
            return all.misuse(site, format!("uses the barrier {id}: a block has those from 0 to 15"));
        }
        if expected % 32 != 0 && expected != threads {
            let words = format!("expects {expected} threads at barrier {id}: it takes a multiple of 32");
            return all.misuse(site, words);
        }
        // A block's last warp counts as whole, also where it has fewer threads.
        let expected = expected.next_multiple_of(32);
        let block = &mut all.blocks[site.at];
        let named = self.named.entry((block.serial, id)).or_default();
        if named.arrived > 0 && named.expected != expected {
            let others = named.expected;
            let words =
                format!("expects {expected} threads at barrier {id}, at which others expect {others}");
            return all.misuse(site, words);
        }
        named.expected = expected;
        // The block's last thread also arrives for the lanes that its warp lacks.
        named.arrived += if thread + 1 == threads { threads.next_multiple_of(32) - thread } else { 1 };
        named.gathered.join(&block.view(thread, place).passed_on());
        named.votes.add(predicate);
        if kind != ARRIVE {
            named.waiting.push(thread);
        }
        block.advance(thread);
        all.launch.list_threads();
        let arrived = named.arrived;
        if arrived > expected {
            let words = format!("is the {arrived}th thread at barrier {id}, which expects {expected}");
            return all.misuse(site, words);
        }
        if arrived < expected {
            let waits = RequestOutcome::Wait(ThreadState::Named { place, id });
            return if kind == ARRIVE { DONE } else { Ok(waits) };
        }
        let passed = self.named.remove(&(block.serial, id)).unwrap_or_default();
        let (answer, known) = (passed.votes.answer(kind), Some(Arc::new(passed.gathered)));
        for waiting in passed.waiting {
            block.acquire(waiting, &known);
            let it = &mut block.threads[waiting as usize];
            it.polling.reads = 0;
            if waiting != thread {
                it.state = ThreadState::Ready(answer);
            }
        }
        block.begin_segment(thread);
        all.found.counts.named_barriers += 1;
        all.progress.meetings += 1;
        Ok(RequestOutcome::Answer(answer))
    }

    pub fn cluster_arrive(&mut self, all: &mut ResidentBlocks, site: Site, relaxed: bool) -> RequestResult {
        let known = (!relaxed && all.checks()).then(|| all.block(site).view(site.thread, 0).passed_on());
        if known.is_some() {
            all.check_trace(site.at);
        }
        let barrier = self.clusters.get_mut(&all.block(site).cluster.first).ok_or(LaunchAbort)?;
        if all.thread(site).arrived_cluster > barrier.phase {
            return all.misuse(site, "arrives at the barrier of its cluster again before it waited there");
        }
        barrier.arrived += 1;
        if let Some(known) = known {
            barrier.gathered.join(&known);
        }
        all.launch.list_threads();
        all.thread(site).arrived_cluster = barrier.phase + 1;
        all.block(site).advance(site.thread);
        DONE
    }

    pub fn cluster_wait(&mut self, all: &mut ResidentBlocks, site: Site) -> RequestResult {
        let barrier = self.clusters.get(&all.block(site).cluster.first).ok_or(LaunchAbort)?;
        let arrived = all.thread(site).arrived_cluster;
        if arrived == 0 {
            return all.misuse(site, "waits at the barrier of its cluster without having arrived there");
        }
        if arrived > barrier.phase {
            return Ok(RequestOutcome::Wait(ThreadState::Cluster { place: site.place }));
        }
        // The phase has ended already.
        all.block(site).acquire(site.thread, &barrier.known);
        all.block(site).begin_segment(site.thread);
        DONE
    }

    /// Ends the phase of each cluster at whose barrier all threads have arrived that have not left.
    pub fn pass_cluster_barriers(&mut self, all: &mut ResidentBlocks) {
        for (cluster, barrier) in self.clusters.iter_mut().filter(|(_, barrier)| barrier.arrived > 0) {
            let mut blocks = all.blocks.iter().filter(|block| block.cluster.first == *cluster);
            if blocks.any(|block| {
                let mut threads = block.threads.iter();
                threads.any(|it| it.arrived_cluster <= barrier.phase && it.state != ThreadState::Done)
            }) {
                continue;
            }
            barrier.phase += 1;
            barrier.arrived = 0;
            barrier.known = Some(Arc::new(barrier.gathered.clone()));
            all.found.counts.cluster_barriers += 1;
            all.progress.changes += 1;
            for block in all.blocks.iter_mut().filter(|block| block.cluster.first == *cluster) {
                block.wake(0, &barrier.known, |state| matches!(state, ThreadState::Cluster { .. }));
            }
        }
    }
}

/// Lets a block pass `__syncthreads` when all of its threads that have not left wait there, and returns whether it did.
pub fn pass_barrier(all: &mut ResidentBlocks, at: usize) -> bool {
    let (mut first, mut apart, mut gone, mut votes) = (None, None, None, Votes::default());
    for (it, thread) in all.blocks[at].threads.iter().zip(0..) {
        match it.state {
            ThreadState::Barrier { place, predicate, .. } => {
                votes.add(predicate);
                let (_, known) = *first.get_or_insert((thread, place));
                if place != known {
                    apart = apart.or(Some((thread, place)));
                }
            }
            ThreadState::Done => gone = gone.or(Some(thread)),
            _ => return false,
        }
    }
    let Some((thread, place)) = first else { return false };
    let elsewhere = apart.map(|(other, place)| FindingDetail::Elsewhere { other, place });
    if let Some(detail) = gone.map(FindingDetail::Left).or(elsewhere) {
        all.report(Site { at, thread, place }, FindingKind::DivergentBarrier, detail);
    }
    all.end_interval(at);
    if all.checks() {
        order_block(&mut all.blocks[at]);
    }
    for it in &mut all.blocks[at].threads {
        if let ThreadState::Barrier { kind, .. } = it.state {
            (it.state, it.polling.reads) = (ThreadState::Ready(votes.answer(kind)), 0);
        }
    }
    all.found.counts.barriers += 1;
    all.progress.meetings += 1;
    true
}

/// Orders what the block's threads did so far before what they do from here on.
fn order_block(block: &mut Block) {
    spread_fences(block);
    spread_seen(block);
    let time = block.next_tick();
    let mut known: SharedClock = None;
    let mut landed: Option<Vec<u32>> = None;
    for (thread, it) in block.threads.iter().enumerate() {
        join_shared(&mut known, &it.acquired.known);
        if it.clock.own_landed > 0 {
            let threads = block.threads.len();
            let so_far = || it.acquired.landed.as_deref().cloned().unwrap_or_else(|| vec![0; threads]);
            landed.get_or_insert_with(so_far)[thread] = it.clock.own_landed;
        }
    }
    let landed = landed.map(Rc::new);
    for it in &mut block.threads {
        (it.clock.time, it.clock.block_base, it.clock.warp_base) = (time, time, time);
        it.acquired.lanes = None;
        it.acquired.known.clone_from(&known);
        if landed.is_some() {
            it.acquired.landed.clone_from(&landed);
        }
    }
}
