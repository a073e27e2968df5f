//! Barriers in shared memory: phases that end when the expected threads have arrived and the expected bytes have come.

use crate::block::{Block, ThreadState};
use crate::clock::{FIRST_MBARRIER, SharedClock, VectorClock, copies_of};
use crate::request::Request;
use crate::resident::{DONE, LaunchAbort, LaunchResult, RequestOutcome, RequestResult, ResidentBlocks, Site};
use crate::trace::AccessKind;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The mbarriers of the blocks that a host thread runs, by their address.
#[derive(Default)]
pub struct Mbarriers {
    known: FxHashMap<usize, Mbarrier>,
    /// How many were initialised, modulo 15,000.
    initialised: u16,
}

/// One mbarrier.
#[derive(Clone, Debug, Default)]
pub struct Mbarrier {
    address: usize,
    /// Arrivals a phase, and those that this one lacks.
    count: u32,
    pub missing: u32,
    /// Bytes that this phase lacks.
    pub bytes: i64,
    /// How many phases have ended.
    pub phase: u64,
    /// What waiting threads learn when this phase ends, and what they learned at the end of the last.
    gathered: VectorClock,
    known: SharedClock,
    /// The number under which copies that complete here are known.
    pub copies: u16,
}

/// How a bulk copy completes on an mbarrier.
#[derive(Clone, Copy, Debug)]
pub struct Completion {
    pub mbarrier: usize,
    pub bytes: usize,
    /// The number and the tick under which its writes are known; its reads have the next number.
    pub copies: u16,
    pub time: u32,
}

const INIT: u64 = 0;
const INVALIDATE: u64 = 1;
const ARRIVE: u64 = 2;
const ARRIVE_DROP: u64 = 3;
const EXPECT: u64 = 4;
const ARRIVE_EXPECT: u64 = 5;
const COMPLETE: u64 = 6;
const TEST: u64 = 7;
const TEST_PARITY: u64 = 8;
const TRY: u64 = 9;
const TRY_PARITY: u64 = 10;

const TOO_MANY: &str = "arrives at an mbarrier more often than its phase expects";

impl Mbarriers {
    pub fn get(&self, address: usize) -> Option<&Mbarrier> {
        self.known.get(&address)
    }

    /// Forgets the mbarriers of a block that has ended.
    pub fn forget(&mut self, all: &mut ResidentBlocks, block: &Block) {
        self.known.retain(|address, _| !block.memory.image.holds(*address, 1));
        all.mbarriers.retain(|address, _| !block.memory.image.holds(*address, 1));
    }

    pub fn serve(&mut self, all: &mut ResidentBlocks, site: Site, request: &Request) -> RequestResult {
        let (operation, address) = (request.numbers[0], request.address(1));
        let (a, b) = (request.numbers[2], request.numbers[3]);
        let kind = if operation <= INVALIDATE { AccessKind::Init } else { AccessKind::Atomic };
        all.note(site, address, 8, kind)?;
        all.launch.list_threads();
        if operation == INIT {
            return self.init(all, site, address, a);
        }
        let mbarrier = self.find(all, site, address)?;
        let phase = mbarrier.phase;
        match operation {
            INVALIDATE => {
                self.known.remove(&address);
                all.mbarriers.remove(&address);
                DONE
            }
            EXPECT => {
                mbarrier.bytes += a as i64;
                DONE
            }
            ARRIVE | ARRIVE_DROP | ARRIVE_EXPECT => {
                let missing = u64::from(mbarrier.missing);
                if missing < a {
                    return all.misuse(site, TOO_MANY);
                }
                mbarrier.bytes += if operation == ARRIVE_EXPECT { b as i64 } else { 0 };
                if operation == ARRIVE_DROP {
                    mbarrier.count = mbarrier.count.saturating_sub(a as u32);
                }
                mbarrier.arrive(all, site, a as u32)?;
                Ok(RequestOutcome::Answer(phase | missing << 40))
            }
            COMPLETE => {
                // With the store that it belongs to (`st.async`).
                mbarrier.bytes -= a as i64;
                mbarrier.arrive(all, site, 0)?;
                DONE
            }
            TEST | TRY | TEST_PARITY | TRY_PARITY => {
                let phases = (1u64 << 40) - 1;
                let is_over = match operation {
                    TEST | TRY => phase > a & phases,
                    _ => phase & 1 != a & 1,
                };
                if is_over {
                    let block = all.block(site);
                    block.acquire(site.thread, &mbarrier.known);
                    block.begin_segment(site.thread);
                    return Ok(RequestOutcome::Answer(1));
                }
                if operation == TRY || operation == TRY_PARITY {
                    let place = site.place;
                    return Ok(RequestOutcome::Wait(ThreadState::Mbarrier { place, address, phase }));
                }
                Ok(all.poll(site, address))
            }
            _ => Err(LaunchAbort),
        }
    }

    fn init(&mut self, all: &mut ResidentBlocks, site: Site, address: usize, count: u64) -> RequestResult {
        const MOST: u64 = (1 << 20) - 1;
        if !(1..=MOST).contains(&count) {
            let words = format!("gives an mbarrier {count} arrivals a phase: it takes 1 to {MOST}");
            return all.misuse(site, words);
        }
        if self.known.contains_key(&address) {
            return all.misuse(site, "initialises an mbarrier that is in use: invalidate it first");
        }
        // Two numbers for each mbarrier; after 15,000 mbarriers they repeat.
        let copies = FIRST_MBARRIER + self.initialised * 2 % (u16::MAX - FIRST_MBARRIER - 1);
        self.initialised = self.initialised.wrapping_add(1) % 15_000;
        let count = count as u32;
        let mbarrier = Mbarrier { address, count, missing: count, copies, ..Mbarrier::default() };
        self.known.insert(address, mbarrier);
        let by = all.block(site).who(site.thread, site.place);
        all.mbarriers.insert(address, by);
        DONE
    }

    /// The mbarrier at this address; to use one that nothing initialised is reported.
    pub fn find(
        &mut self,
        all: &mut ResidentBlocks,
        site: Site,
        address: usize,
    ) -> LaunchResult<&mut Mbarrier> {
        match self.known.get_mut(&address) {
            Some(mbarrier) => Ok(mbarrier),
            None => all.misuse(site, "uses an mbarrier that nothing initialised"),
        }
    }

    /// Counts the bytes of a copy that has landed.
    pub fn complete(&mut self, all: &mut ResidentBlocks, site: Site, it: &Completion) -> LaunchResult<()> {
        let Some(mbarrier) = self.known.get_mut(&it.mbarrier) else { return Ok(()) };
        let number = all.blocks.get(site.at).map_or(0, |block| block.number);
        mbarrier.bytes -= it.bytes as i64;
        // Whoever sees the phase end knows of the copy.
        mbarrier.gathered.learn_thread(number, it.copies, it.time + 1);
        mbarrier.gathered.learn_thread(number, it.copies + 1, it.time + 1);
        let at = site.at.min(all.blocks.len().saturating_sub(1));
        mbarrier.end_phase(all, Site { at, ..site })
    }
}

impl Mbarrier {
    /// Counts arrivals, and adds what the thread knows to what the phase's end makes known.
    fn arrive(&mut self, all: &mut ResidentBlocks, site: Site, arrivals: u32) -> LaunchResult<()> {
        if all.checks() {
            if !all.block(site).memory.image.holds(self.address, 8) {
                // The mbarrier's block may go on from what this one did, which is checked first.
                all.check_trace(site.at);
            }
            self.gathered.join(&all.block(site).view(site.thread, 0).passed_on());
            all.block(site).advance(site.thread);
        }
        self.missing = self.missing.saturating_sub(arrivals);
        self.end_phase(all, site)
    }

    /// Notes that copies of a thread have landed. With `keeps_count` (`.noinc`) that is one of the arrivals that the phase expects.
    pub fn hear_copies(
        &mut self,
        all: &mut ResidentBlocks,
        site: Site,
        keeps_count: bool,
    ) -> LaunchResult<()> {
        let block = all.block(site);
        self.gathered.learn_thread(block.number, copies_of(site.thread), block.clock.tick + 1);
        if !keeps_count {
            // The operation adds one to the expected arrivals, and then arrives.
            return Ok(());
        }
        if self.missing == 0 {
            return all.misuse(site, TOO_MANY);
        }
        block.next_tick();
        self.arrive(all, site, 1)
    }

    /// Ends the phase when neither arrivals nor bytes are missing.
    fn end_phase(&mut self, all: &mut ResidentBlocks, site: Site) -> LaunchResult<()> {
        if self.missing > 0 || self.bytes > 0 {
            return Ok(());
        }
        if self.bytes < 0 {
            let more = -self.bytes;
            return all
                .misuse(site, format!("completes {more} bytes more than the phase of its mbarrier expects"));
        }
        self.phase += 1;
        self.missing = self.count;
        self.known = Some(Arc::new(self.gathered.clone()));
        all.progress.changes += 1;
        all.found.counts.mbarrier_phases += 1;
        // Threads that wait for the phase hear that it has ended.
        let is_over = |state: &ThreadState| match state {
            ThreadState::Mbarrier { address, phase, .. } => *address == self.address && self.phase > *phase,
            _ => false,
        };
        all.blocks.iter_mut().for_each(|block| block.wake(1, &self.known, is_over));
        Ok(())
    }
}

/// When nothing else goes on, lets tries of mbarriers end with "not yet", and returns whether there are any.
pub fn let_tries_end(all: &mut ResidentBlocks) -> bool {
    let mut any = false;
    for it in all.threads_mut().filter(|it| matches!(it.state, ThreadState::Mbarrier { .. })) {
        // A kernel may do something else meanwhile.
        any = true;
        it.polling.tries += 1;
        if it.polling.tries < 100 {
            it.state = ThreadState::Ready(0);
        }
    }
    any
}
