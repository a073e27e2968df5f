//! Order through memory: fences, atomics and flags.
//!
//! A thread that changes a flag, by an atomic or a volatile store, publishes at the flag's address what it knows to have
//! happened before. A releasing change publishes what the thread knows now, any other what it knew at its last fence. A
//! fence or release of block scope publishes to the block alone.
//!
//! A thread that reads the flag later by an atomic that also writes learns at once what was published there. After a relaxed atomic
//! load and a volatile one a fence must follow, of the thread itself or, behind a barrier, of any that learns of it there. CUDA asks for
//! a fence after a relaxed atomic that also writes, too, and its own guide has none: that such a fence is missing is not found.

use crate::block::{Block, PendingRelease, ThreadState};
use crate::clock::{VectorClock, join_shared};
use crate::memory::bits_at;
use crate::options::Instruments;
use crate::request::Request;
use crate::trace::AccessKind;
use crate::worker::{RequestOutcome, Worker};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What was published at places of memory in one launch.
#[derive(Default)]
pub struct SyncVarTable {
    any: AtomicBool,
    places: Mutex<FxHashMap<usize, ReleaseClock>>,
}

#[derive(Default)]
struct ReleaseClock {
    to_all: VectorClock,
    /// To one block alone.
    to_block: Option<(u32, VectorClock)>,
}

impl SyncVarTable {
    fn publish(&self, address: usize, known: &VectorClock, of_block: Option<u32>) {
        self.any.store(true, Ordering::Relaxed);
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let place = places.entry(address).or_default();
        match of_block {
            None => place.to_all.join(known),
            Some(block) => match &mut place.to_block {
                Some((owner, so_far)) if *owner == block => so_far.join(known),
                other => *other = Some((block, known.clone())),
            },
        }
    }

    /// What a thread of `block` learns from a place, when it is more than `known`.
    fn learn(
        &self,
        address: usize,
        block: u32,
        known: &Option<Arc<VectorClock>>,
    ) -> Option<Arc<VectorClock>> {
        if !self.any.load(Ordering::Relaxed) {
            return None;
        }
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let place = places.get(&address)?;
        let own = place.to_block.as_ref().filter(|(owner, _)| *owner == block).map(|(_, known)| known);
        let news = |news: &&VectorClock| {
            !news.is_empty() && known.as_ref().is_none_or(|known| !known.contains(news))
        };
        let mut learned: Option<VectorClock> = None;
        for part in [Some(&place.to_all), own].into_iter().flatten().filter(news) {
            learned.get_or_insert_with(|| known.as_deref().cloned().unwrap_or_default()).join(part);
        }
        learned.map(Arc::new)
    }
}

const RELEASES: [u32; 2] = [2, 3];
/// `EMULATED_EXCHANGE` of runtime.hpp.
const EXCHANGE: u32 = 6;
/// How often a thread lets others have a turn behind what may take a lock. Most others of such operations take none.
const TURNS_FOR_LOCKS: u32 = 4;

impl Worker<'_> {
    pub fn begin_atomic(&mut self, at: usize, thread: u32, request: &Request) -> RequestOutcome {
        let (address, bytes) = (request.address(0), request.address(1));
        let kind = match request.number(2) {
            0 | 3 | 5 => AccessKind::AtomicRead,
            1 | 4 => AccessKind::AtomicWrite,
            _ if request.number(4) == 0 => AccessKind::AtomicOfBlock,
            _ => AccessKind::Atomic,
        };
        let (order, scope) = (request.number(3), request.number(4));
        if let Err(next) = self.record(at, thread, address, bytes, kind, request.place()) {
            return next;
        }
        let it = &mut self.blocks[at].threads[thread as usize];
        it.before = (bits_at(address, bytes.min(8) as u8), bytes.min(8) as u8);
        it.loads = kind == AccessKind::AtomicRead;
        it.may_lock = request.number(2) == EXCHANGE;
        if kind.writes() {
            self.publish(at, thread, address, RELEASES.contains(&order), scope == 0);
        }
        // Before the operation: when the thread has its turn again, others had theirs.
        match self.poll(at, thread, request.place(), address) {
            RequestOutcome::Wait(status) => RequestOutcome::Wait(status),
            _ => RequestOutcome::Answer(0),
        }
    }

    pub fn end_atomic(&mut self, at: usize, thread: u32, request: &Request) -> RequestOutcome {
        let address = request.address(0);
        let it = &self.blocks[at].threads[thread as usize];
        let (before, bytes) = it.before;
        let after = bits_at(address, bytes);
        let changed = after != before;
        self.progress += u64::from(changed);
        const RELAXED: u32 = 0;
        let it = &mut self.blocks[at].threads[thread as usize];
        it.observed.insert(address, (after, it.stamp.time));
        if it.loads && request.number(1) == RELAXED {
            // A fence has to follow.
            it.seen.insert(address);
        } else {
            self.acquire(at, thread, address);
        }
        // Where a lock may have been taken, others get a turn: whoever does not look whether it is free goes on together with its holder. Not
        // where is counted how often others look.
        let it = &mut self.blocks[at].threads[thread as usize];
        if changed && it.may_lock && it.locks < TURNS_FOR_LOCKS && self.job.instruments == Instruments::CHECK
        {
            it.locks += 1;
            return RequestOutcome::Wait(ThreadState::Polls { place: it.polled.place, address });
        }
        RequestOutcome::Answer(0)
    }

    /// A volatile store: an atomic one that is no operation, as far as order goes.
    pub fn store_volatile(&mut self, at: usize, thread: u32, address: usize) {
        self.publish(at, thread, address, false, false);
        self.progress += 1;
    }

    /// A volatile load.
    pub fn load_volatile(&mut self, at: usize, thread: u32, read: (usize, u8), place: u32) -> RequestOutcome {
        // It reads when it goes on.
        self.blocks[at].threads[thread as usize].reads = Some(read);
        self.poll(at, thread, place, read.0)
    }

    /// A volatile read that was let happen has happened: what was published at its address by now is known behind the next fence.
    pub fn complete_volatile_read(&mut self, at: usize, thread: u32) {
        let block = &mut self.blocks[at];
        let number = block.number;
        let it = &mut block.threads[thread as usize];
        let Some((address, bytes)) = it.reads.take() else { return };
        let bits = bits_at(address, bytes);
        // Since when it sees what is there.
        if it.observed.get(&address).is_none_or(|(seen, _)| *seen != bits) {
            it.observed.insert(address, (bits, it.stamp.time));
        }
        if self.job.flags.learn(address, number, &it.learned.known).is_some() {
            it.seen.insert(address);
        }
    }

    /// What others published at an address is known from here on.
    fn acquire(&mut self, at: usize, thread: u32, address: usize) {
        let block = &mut self.blocks[at];
        let known = &block.threads[thread as usize].learned.known;
        if let Some(learned) = self.job.flags.learn(address, block.number, known) {
            block.threads[thread as usize].learned.known = Some(learned);
            block.begin_segment(thread);
        }
    }

    /// Publishes at an address what the thread may.
    fn publish(&mut self, at: usize, thread: u32, address: usize, releases: bool, of_block: bool) {
        if !self.job.instruments.check {
            return;
        }
        let block = &self.blocks[at];
        let it = &block.threads[thread as usize];
        if !releases && it.fenced.is_none() && block.fenced.is_none() {
            return;
        }
        let fenced = it.fenced.as_deref().map(|fenced| {
            let who = block.who(thread, 0);
            (fenced.learned.view(who, fenced.stamp).passed_on(), fenced.of_block)
        });
        let own = block.view(thread, 0).passed_on();
        let all_fenced = block.fenced.clone();
        let number = block.number;
        // Others may learn of it as soon as it is published.
        self.check_trace(at);
        let flags = &self.job.flags;
        let only = |of_block: bool| of_block.then_some(number);
        if let Some(known) = all_fenced {
            flags.publish(address, &known, None);
        }
        if let Some((known, fence_of_block)) = fenced {
            flags.publish(address, &known, only(fence_of_block));
        }
        if releases {
            flags.publish(address, &own, only(of_block));
        }
        self.blocks[at].advance(thread);
    }

    pub fn fence(&mut self, at: usize, thread: u32, request: &Request) {
        if !self.job.instruments.check {
            return;
        }
        for address in std::mem::take(&mut self.blocks[at].threads[thread as usize].seen) {
            self.acquire(at, thread, address);
        }
        let of_block = request.number(1) == 0;
        let block = &mut self.blocks[at];
        let it = &mut block.threads[thread as usize];
        let wider = it.fenced.as_ref().is_some_and(|known| !known.of_block);
        // A narrower fence takes nothing back.
        if !(of_block && wider) {
            let (stamp, learned) = (it.stamp, it.learned.clone());
            it.fenced = Some(Box::new(PendingRelease { stamp, learned, of_block }));
        }
        block.advance(thread);
        let it = &mut block.threads[thread as usize];
        it.last_fence = it.stamp.time;
    }

    /// From here on, asynchronous copies see what the thread knows.
    pub fn proxy_fence(&mut self, at: usize, thread: u32) {
        if !self.job.instruments.check {
            return;
        }
        let block = &mut self.blocks[at];
        let known = block.view(thread, 0).passed_on().seen_by_copies();
        block.learn(thread, &Some(Arc::new(known)));
        block.advance(thread);
    }
}

impl Block {
    /// SyncVarTable that threads read before a barrier count as read by all behind it, where any of them has its fence.
    pub fn spread_seen(&mut self) {
        let all: BTreeSet<usize> = self.threads.iter().flat_map(|it| it.seen.iter().copied()).collect();
        if !all.is_empty() {
            self.threads.iter_mut().for_each(|it| it.seen.clone_from(&all));
        }
    }

    /// What fences made known before a barrier is known to be so to all behind it.
    pub fn spread_fences(&mut self) {
        let fenced = || {
            self.threads.iter().enumerate().filter_map(|(thread, it)| Some((thread, it.fenced.as_deref()?)))
        };
        if fenced().next().is_none() {
            return;
        }
        let mut all = VectorClock::default();
        let mut parts: Option<Arc<VectorClock>> = None;
        let whole = |fenced: &&PendingRelease| !fenced.of_block;
        if fenced().count() == self.threads.len() && fenced().all(|(_, fenced)| whole(&fenced)) {
            // All that each did before the first of these fences was done before its own.
            let first = fenced().map(|(_, fenced)| fenced.stamp.time).min().unwrap_or(0);
            all.learn_block(self.number, first + 1);
        }
        for (thread, fenced) in fenced().filter(|(_, fenced)| whole(fenced)) {
            all.learn_block(self.number, fenced.stamp.block_base);
            all.learn_thread(self.number, thread as u16, fenced.stamp.time + 1);
            join_shared(&mut parts, &fenced.learned.known);
        }
        if let Some(parts) = parts {
            all.join(&parts);
        }
        if let Some(before) = &self.fenced {
            all.join(before);
        }
        self.fenced = Some(Arc::new(all));
        self.threads.iter_mut().for_each(|it| it.fenced = None);
    }
}

/// Whether an access counts as atomic against others.
pub fn is_atomic(kind: AccessKind) -> bool {
    !matches!(kind, AccessKind::Read | AccessKind::Write | AccessKind::ReadOnly | AccessKind::Init)
}
