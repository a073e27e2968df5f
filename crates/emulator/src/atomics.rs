//! Order through memory: fences, atomics and flags.
//!
//! A thread that changes a flag, by an atomic or a volatile store, publishes at the flag's address what it knows to have
//! happened before. A releasing change publishes what the thread knows now, any other what it knew at its last fence. A
//! fence or release of block scope publishes to the block alone.
//!
//! A thread that reads the flag later by an atomic that also writes learns at once what was published there. After a relaxed atomic or
//! volatile load a fence must follow: by the thread itself or, after a barrier, by any thread of that barrier. CUDA also requires a fence
//! after a relaxed read-modify-write, but its own guide omits it, so a missing one is not reported.
//!
//! The reductions of asynchronous copies are here, too: each element of the destination is combined with the element that is copied to it.

use crate::block::{ANY, Block, PendingRelease, ThreadState};
use crate::clock::{SharedClock, VectorClock, join_shared};
use crate::memory::bits_at;
use crate::options::Instruments;
use crate::request::Request;
use crate::resident::{DONE, RequestOutcome, RequestResult, ResidentBlocks, Site};
use crate::shadow::BenignRace;
use crate::trace::AccessKind;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

const RELAXED: u32 = 0;
const RELEASES: [u32; 2] = [2, 3];
/// `EMULATED_EXCHANGE` of runtime.hpp.
const EXCHANGE: u32 = 6;
/// How often a thread yields after an operation that may have taken a lock. Later ones mostly take none.
const TURNS_FOR_LOCKS: u32 = 4;

/// An access by one instruction, at most 16 bytes.
pub fn access(all: &mut ResidentBlocks, site: Site, request: &Request) -> RequestResult {
    let (address, bytes) = (request.address(0), request.address(1));
    let mut kind = AccessKind::from_number(request.numbers[2]);
    if kind == AccessKind::VolatileWrite {
        let block = all.block(site);
        let it = &block.threads[site.thread as usize];
        match it.flags.observed.get(&address) {
            // A store after a fence or barrier, over the value that the thread read: as when a turn is passed on.
            Some(&(bits, time))
                if time < it.flags.last_fence.max(it.clock.block_base)
                    && bits == bits_at(address, bytes as u8) =>
            {
                kind = AccessKind::VolatileUpdate;
            }
            Some(_) => {}
            // That several threads set the same flag loses nothing.
            None => block.expected = (address, BenignRace::SameBits),
        }
        // Before it is written down, since that may look through what was done: the store, too, must have happened then. It is an atomic
        // one that is no operation, as far as order goes.
        publish(all, site, address, None);
        all.progress.changes += 1;
    }
    if all.note(site, address, bytes, kind)? {
        return Ok(RequestOutcome::Wait(ThreadState::Polls { place: site.place, address: ANY }));
    }
    if kind != AccessKind::VolatileRead {
        return DONE;
    }
    // The load itself happens when the thread resumes.
    all.thread(site).flags.pending = Some((address, bytes as u8));
    Ok(all.poll(site, address))
}

pub fn begin_atomic(all: &mut ResidentBlocks, site: Site, request: &Request) -> RequestResult {
    let (address, bytes) = (request.address(0), request.address(1));
    let (operation, order, of_block) = (request.number(2), request.number(3), request.number(4) == 0);
    let kind = match operation {
        0 | 3 | 5 => AccessKind::AtomicRead,
        1 | 4 => AccessKind::AtomicWrite,
        _ if of_block => AccessKind::AtomicOfBlock,
        _ => AccessKind::Atomic,
    };
    all.note(site, address, bytes, kind)?;
    let it = all.thread(site);
    it.atomic.before = (bits_at(address, bytes.min(8) as u8), bytes.min(8) as u8);
    it.atomic.loads = kind == AccessKind::AtomicRead;
    it.atomic.may_lock = operation == EXCHANGE;
    if kind.writes() {
        publish(all, site, address, RELEASES.contains(&order).then_some(of_block));
    }
    // Before the operation: when the thread has its turn again, others had theirs.
    Ok(all.poll(site, address))
}

pub fn end_atomic(all: &mut ResidentBlocks, site: Site, request: &Request) -> RequestResult {
    let address = request.address(0);
    let it = all.thread(site);
    let (before, bytes) = it.atomic.before;
    let after = bits_at(address, bytes);
    it.flags.observed.insert(address, (after, it.clock.time));
    if it.atomic.loads && request.number(1) == RELAXED {
        // A fence has to follow.
        it.flags.seen.insert(address);
    } else {
        acquire(all, site, address);
    }
    all.progress.changes += u64::from(after != before);
    // Where a lock may have been taken, others get a turn: whoever does not look whether it is free goes on together with its holder. Not
    // where is counted how often others look.
    let checks_alone = all.launch.spec.instruments == Instruments::CHECK;
    let it = all.thread(site);
    if after != before && it.atomic.may_lock && it.atomic.locks < TURNS_FOR_LOCKS && checks_alone {
        it.atomic.locks += 1;
        return Ok(RequestOutcome::Wait(ThreadState::Polls { place: it.polling.last.place, address }));
    }
    DONE
}

/// Completes the thread's pending volatile read: what was published at its address by now is known after the next fence.
pub fn complete_volatile_read(all: &mut ResidentBlocks, site: Site) {
    let sync_vars = &all.launch.sync_vars;
    let block = all.block(site);
    let number = block.number;
    let it = &mut block.threads[site.thread as usize];
    let Some((address, bytes)) = it.flags.pending.take() else { return };
    let bits = bits_at(address, bytes);
    // Remembers when the thread first saw this value.
    if it.flags.observed.get(&address).is_none_or(|(seen, _)| *seen != bits) {
        it.flags.observed.insert(address, (bits, it.clock.time));
    }
    if sync_vars.acquire(address, number, &it.acquired.known).is_some() {
        it.flags.seen.insert(address);
    }
}

/// What others published at an address is known from here on.
fn acquire(all: &mut ResidentBlocks, site: Site, address: usize) {
    let sync_vars = &all.launch.sync_vars;
    let block = all.block(site);
    let known = &mut block.threads[site.thread as usize].acquired.known;
    if let Some(more) = sync_vars.acquire(address, block.number, known) {
        *known = Some(more);
        block.begin_segment(site.thread);
    }
}

/// Publishes at an address what the thread may: what fences before it made known, and what a release does, to its block alone or to all.
fn publish(all: &mut ResidentBlocks, site: Site, address: usize, release_of_block: Option<bool>) {
    let block = &all.blocks[site.at];
    let it = &block.threads[site.thread as usize];
    if !all.checks() || release_of_block.is_none() && it.fenced.is_none() && block.clock.fenced.is_none() {
        return;
    }
    let fenced = it.fenced.as_deref().map(|fenced| {
        let who = block.who(site.thread, 0);
        (fenced.acquired.view(who, fenced.clock).passed_on(), fenced.of_block)
    });
    let own = release_of_block.map(|of_block| (block.view(site.thread, 0).passed_on(), of_block));
    let (all_fenced, number) = (block.clock.fenced.clone(), block.number);
    // Others may learn of it as soon as it is published.
    all.check_trace(site.at);
    if let Some(known) = all_fenced {
        all.launch.sync_vars.publish(address, &known, None);
    }
    for (known, of_block) in fenced.into_iter().chain(own) {
        all.launch.sync_vars.publish(address, &known, of_block.then_some(number));
    }
    all.block(site).advance(site.thread);
}

pub fn fence(all: &mut ResidentBlocks, site: Site, of_block: bool) {
    if !all.checks() {
        return;
    }
    for address in std::mem::take(&mut all.thread(site).flags.seen) {
        acquire(all, site, address);
    }
    let it = all.thread(site);
    // A narrower fence takes nothing back.
    if !of_block || it.fenced.as_ref().is_none_or(|known| known.of_block) {
        let (clock, acquired) = (it.clock, it.acquired.clone());
        it.fenced = Some(Box::new(PendingRelease { clock, acquired, of_block }));
    }
    all.block(site).advance(site.thread);
    let it = all.thread(site);
    it.flags.last_fence = it.clock.time;
}

/// From here on, asynchronous copies see what the thread knows.
pub fn proxy_fence(all: &mut ResidentBlocks, site: Site) {
    if all.checks() {
        let block = all.block(site);
        let known = block.view(site.thread, 0).passed_on().seen_by_copies();
        block.acquire(site.thread, &Some(Arc::new(known)));
        block.advance(site.thread);
    }
}

/// Flags that threads read before a barrier count as read by all behind it, where any of them has its fence.
pub fn spread_seen(block: &mut Block) {
    let all: BTreeSet<usize> = block.threads.iter().flat_map(|it| it.flags.seen.iter().copied()).collect();
    if !all.is_empty() {
        block.threads.iter_mut().for_each(|it| it.flags.seen.clone_from(&all));
    }
}

/// What fences made known before a barrier is known to be so to all behind it.
pub fn spread_fences(block: &mut Block) {
    let threads = block.threads.iter().zip(0..);
    let fenced: Vec<(&PendingRelease, u16)> =
        threads.filter_map(|(it, thread)| Some((it.fenced.as_deref()?, thread))).collect();
    if fenced.is_empty() {
        return;
    }
    let mut all = VectorClock::default();
    let mut parts: SharedClock = None;
    if fenced.len() == block.threads.len() && fenced.iter().all(|(fenced, _)| !fenced.of_block) {
        // All that each did before the first of these fences was done before its own.
        let first = fenced.iter().map(|(fenced, _)| fenced.clock.time).min().unwrap_or(0);
        all.learn_block(block.number, first + 1);
    }
    for (fenced, thread) in fenced.into_iter().filter(|(fenced, _)| !fenced.of_block) {
        all.learn_block(block.number, fenced.clock.block_base);
        all.learn_thread(block.number, thread, fenced.clock.time + 1);
        join_shared(&mut parts, &fenced.acquired.known);
    }
    for before in parts.iter().chain(&block.clock.fenced) {
        all.join(before);
    }
    block.clock.fenced = Some(Arc::new(all));
    block.threads.iter_mut().for_each(|it| it.fenced = None);
}

/// Combines `bytes` bytes from `from` into `to`, element by element, by an operation on a type, both as runtime.hpp numbers them.
pub fn reduce(from: usize, to: usize, bytes: usize, operation: u64, element: u64) {
    match element {
        1 => each::<u32>(from, to, bytes, |a, b| unsigned(operation, a.into(), b.into()) as u32),
        3 => each::<u64>(from, to, bytes, |a, b| unsigned(operation, a, b)),
        2 => each::<i32>(from, to, bytes, |a, b| signed(operation, a.into(), b.into()) as i32),
        4 => each::<i64>(from, to, bytes, |a, b| signed(operation, a, b)),
        7 => each::<f32>(from, to, bytes, |a, b| match operation {
            2 => a.min(b),
            3 => a.max(b),
            _ => a + b,
        }),
        8 => each::<f64>(from, to, bytes, |a, b| match operation {
            2 => a.min(b),
            3 => a.max(b),
            _ => a + b,
        }),
        _ => each::<u8>(from, to, bytes, |a, b| unsigned(operation, a.into(), b.into()) as u8),
    }
}

fn signed(operation: u64, there: i64, given: i64) -> i64 {
    match operation {
        2 => there.min(given),
        3 => there.max(given),
        _ => unsigned(operation, there.cast_unsigned(), given.cast_unsigned()).cast_signed(),
    }
}

/// Of a narrower type, the low bits of the result are right.
fn unsigned(operation: u64, there: u64, given: u64) -> u64 {
    match operation {
        1 => there.wrapping_add(given),
        2 => there.min(given),
        3 => there.max(given),
        4 => there & given,
        5 => there | given,
        6 => there ^ given,
        // Up to the given number, then from zero again, and the other way.
        7 if there >= given => 0,
        7 => there + 1,
        8 if there > 0 && there <= given => there - 1,
        _ => given,
    }
}

fn each<T: Copy>(from: usize, to: usize, bytes: usize, combine: impl Fn(T, T) -> T) {
    for at in (0..bytes).step_by(size_of::<T>()) {
        let (from, to) = ((from + at) as *const T, (to + at) as *mut T);
        // SAFETY: both were found to be in bounds of live memory when the copy was begun.
        unsafe { to.write_unaligned(combine(to.read_unaligned(), from.read_unaligned())) };
    }
}

/// The clocks that were released in one launch, by the address of the variable that they were released at.
#[derive(Default)]
pub struct SyncVarTable {
    any: AtomicBool,
    places: Mutex<FxHashMap<usize, ReleaseClock>>,
}

#[derive(Default)]
struct ReleaseClock {
    to_all: VectorClock,
    /// What was released to one block alone, the last such block.
    to_block: Option<(u32, VectorClock)>,
}

impl SyncVarTable {
    pub fn publish(&self, address: usize, known: &VectorClock, of_block: Option<u32>) {
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
    pub fn acquire(&self, address: usize, block: u32, known: &SharedClock) -> SharedClock {
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
