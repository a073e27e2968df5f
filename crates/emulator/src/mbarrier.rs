//! Barriers in shared memory: phases that end when so many threads have arrived and so many bytes have come.

use crate::block::ThreadState;
use crate::clock::{AccessEpoch, FIRST_MBARRIER, VectorClock};
use crate::finding::FindingKind;
use crate::launch::FindingDetail;
use crate::request::Request;
use crate::trace::AccessKind;
use crate::worker::{RequestOutcome, Worker};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// One of them.
#[derive(Clone, Debug)]
pub struct Mbarrier {
    /// Arrivals a phase, and those that this one lacks.
    pub count: u32,
    pub missing: u32,
    /// Bytes that this phase lacks.
    pub bytes: i64,
    /// How many have ended.
    pub phase: u64,
    /// What is known once this phase ends, and what was at the end of the last.
    pub gathered: VectorClock,
    pub known: Option<Arc<VectorClock>>,
    /// AccessEpoch initialised it.
    pub by: AccessEpoch,
    /// The number under which copies that complete here are known.
    pub copies: u16,
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

impl Worker<'_> {
    pub fn use_mbarrier(&mut self, at: usize, thread: u32, request: &Request) -> RequestOutcome {
        let (what, address) = (request.numbers[0], request.address(1));
        let (a, b, place) = (request.numbers[2], request.numbers[3], request.place());
        let kind = if what == INIT || what == INVALIDATE { AccessKind::Init } else { AccessKind::Atomic };
        if let Err(next) = self.record(at, thread, address, 8, kind, place) {
            return next;
        }
        self.job.listed.store(true, Ordering::Relaxed);
        let wrong = |words: &str| FindingDetail::Words(words.to_string());
        if what == INIT {
            return self.init_mbarrier(at, thread, address, a, place);
        }
        let Some(mbarrier) = self.mbarriers.get(&address) else {
            let raw = wrong("uses an mbarrier that nothing initialised");
            return self.stop(at, thread, FindingKind::BarrierMisuse, place, raw);
        };
        let phase = mbarrier.phase;
        match what {
            INVALIDATE => {
                self.mbarriers.remove(&address);
                RequestOutcome::Answer(0)
            }
            EXPECT => {
                if let Some(mbarrier) = self.mbarriers.get_mut(&address) {
                    mbarrier.bytes += a as i64;
                }
                RequestOutcome::Answer(0)
            }
            ARRIVE | ARRIVE_DROP | ARRIVE_EXPECT => {
                let state = phase | u64::from(mbarrier.missing) << 40;
                let bytes = if what == ARRIVE_EXPECT { b as i64 } else { 0 };
                if u64::from(mbarrier.missing) < a {
                    let raw = wrong("arrives at an mbarrier more often than its phase expects");
                    return self.stop(at, thread, FindingKind::BarrierMisuse, place, raw);
                }
                self.arrive(at, thread, address, a as u32, bytes, what == ARRIVE_DROP);
                self.end_phase(at, thread, address, place).unwrap_or(RequestOutcome::Answer(state))
            }
            COMPLETE => {
                // With the store that it belongs to (`st.async`).
                self.arrive(at, thread, address, 0, 0, false);
                if let Some(mbarrier) = self.mbarriers.get_mut(&address) {
                    mbarrier.bytes -= a as i64;
                }
                self.end_phase(at, thread, address, place).unwrap_or(RequestOutcome::Answer(0))
            }
            TEST | TRY | TEST_PARITY | TRY_PARITY => {
                let phases = (1u64 << 40) - 1;
                let over = match what {
                    TEST | TRY => phase > a & phases,
                    _ => phase & 1 != a & 1,
                };
                if over {
                    let known = mbarrier.known.clone();
                    self.blocks[at].learn(thread, &known);
                    self.blocks[at].begin_segment(thread);
                    return RequestOutcome::Answer(1);
                }
                if what == TRY || what == TRY_PARITY {
                    return RequestOutcome::Wait(ThreadState::Mbarrier { place, address, phase });
                }
                self.poll(at, thread, place, address)
            }
            _ => RequestOutcome::Stop,
        }
    }

    fn init_mbarrier(
        &mut self,
        at: usize,
        thread: u32,
        address: usize,
        count: u64,
        place: u32,
    ) -> RequestOutcome {
        const MOST: u64 = (1 << 20) - 1;
        if !(1..=MOST).contains(&count) {
            let raw = FindingDetail::Words(format!(
                "gives an mbarrier {count} arrivals a phase: it takes 1 to {MOST}"
            ));
            return self.stop(at, thread, FindingKind::BarrierMisuse, place, raw);
        }
        if self.mbarriers.contains_key(&address) {
            let raw = FindingDetail::Words(
                "initialises an mbarrier that is in use: invalidate it first".to_string(),
            );
            return self.stop(at, thread, FindingKind::BarrierMisuse, place, raw);
        }
        // Two for each, the last ones given again after very many.
        let numbers = self.initialised * 2 % (u16::MAX - FIRST_MBARRIER - 1);
        self.initialised = self.initialised.wrapping_add(1) % 15_000;
        let mbarrier = Mbarrier {
            count: count as u32,
            missing: count as u32,
            bytes: 0,
            phase: 0,
            gathered: VectorClock::default(),
            known: None,
            by: self.blocks[at].who(thread, place),
            copies: FIRST_MBARRIER + numbers,
        };
        self.mbarriers.insert(address, mbarrier);
        RequestOutcome::Answer(0)
    }

    /// Counts arrivals, with what the thread knows.
    pub fn arrive(&mut self, at: usize, thread: u32, address: usize, arrivals: u32, bytes: i64, drops: bool) {
        if self.job.instruments.check {
            if !self.blocks[at].image.holds(address, 8) {
                // Its block looks at what this one did.
                self.check_trace(at);
            }
            let known = self.blocks[at].view(thread, 0).passed_on();
            if let Some(mbarrier) = self.mbarriers.get_mut(&address) {
                mbarrier.gathered.join(&known);
            }
            self.blocks[at].advance(thread);
        }
        if let Some(mbarrier) = self.mbarriers.get_mut(&address) {
            mbarrier.bytes += bytes;
            mbarrier.missing = mbarrier.missing.saturating_sub(arrivals);
            if drops {
                mbarrier.count = mbarrier.count.saturating_sub(arrivals);
            }
        }
    }

    /// Ends the phase when nothing lacks. What is wrong with it otherwise, if something is.
    pub fn end_phase(
        &mut self,
        at: usize,
        thread: u32,
        address: usize,
        place: u32,
    ) -> Option<RequestOutcome> {
        let mbarrier = self.mbarriers.get_mut(&address)?;
        if mbarrier.missing > 0 {
            return None;
        }
        if mbarrier.bytes < 0 {
            let raw = FindingDetail::Words(format!(
                "completes {} bytes more than the phase of its mbarrier expects",
                -mbarrier.bytes
            ));
            return Some(self.stop(at, thread, FindingKind::BarrierMisuse, place, raw));
        }
        if mbarrier.bytes > 0 {
            return None;
        }
        mbarrier.phase += 1;
        mbarrier.missing = mbarrier.count;
        mbarrier.known = Some(Arc::new(mbarrier.gathered.clone()));
        self.progress += 1;
        self.tally.counts.mbarrier_phases += 1;
        self.wake_at_mbarrier(address);
        None
    }

    /// Lets threads try again that wait for the phase that has ended.
    fn wake_at_mbarrier(&mut self, wanted: usize) {
        let Some(mbarrier) = self.mbarriers.get(&wanted) else { return };
        let known = mbarrier.known.clone();
        for block in &mut self.blocks {
            for thread in 0..block.threads.len() {
                if let ThreadState::Mbarrier { address, phase, .. } = block.threads[thread].status
                    && address == wanted
                    && mbarrier.phase > phase
                {
                    block.threads[thread].status = ThreadState::Ready(1);
                    block.learn(thread as u32, &known);
                }
            }
        }
    }

    /// Threads that try an mbarrier hear that it is not yet time, when nothing else goes on. Whether there are any.
    pub fn let_tries_end(&mut self) -> bool {
        let mut any = false;
        for it in self.blocks.iter_mut().flat_map(|block| &mut block.threads) {
            if matches!(it.status, ThreadState::Mbarrier { .. }) {
                // A kernel may do something else meanwhile.
                any = true;
                it.tries += 1;
                if it.tries < 100 {
                    it.status = ThreadState::Ready(0);
                }
            }
        }
        any
    }
}
