//! What became of a block's accesses between two barriers: checked against the shadow of memory, and counted.

use super::block::{WARP, Worker};
use super::context::bits_at;
use super::finding::FindingKind;
use super::launch::Raw;
use super::memory::{self, ShadowCursor};
use super::shadow::{Fault, Meant, Touch, Who, Word};
use super::trace::{Access, Deliberate, Kind, Segment, Space, Trace};

impl Worker<'_> {
    /// Checks and counts what was done since the last barrier.
    pub fn end_interval(&mut self) {
        if !self.context.traced {
            return;
        }
        let mut trace = self.context.trace.take();
        if self.job.instruments.check {
            self.check(&trace);
        }
        if self.job.instruments.count {
            self.tally.counts.add_interval(&trace, self.job.threads() as usize);
        }
        trace.clear();
        *self.context.trace.borrow_mut() = trace;
    }

    /// The threads of a warp go through their accesses side by side, between two operations of the warp: nothing orders
    /// them there, and together they mostly touch neighbours.
    fn check(&mut self, trace: &Trace) {
        let mut cursor = ShadowCursor::default();
        let warp_of = |at: usize| (trace.segments[at].thread / WARP as u32, trace.segments[at].warp_epoch);
        let mut from = 0;
        while from < trace.segments.len() {
            // A thread that comes again, after a shuffle, goes on from where it was.
            let again = |at: usize| at > from && trace.segments[at].thread <= trace.segments[at - 1].thread;
            let beyond = |at: &usize| warp_of(*at) != warp_of(from) || again(*at);
            let to = (from..trace.segments.len()).find(beyond).unwrap_or(trace.segments.len());
            let mut runs: [(usize, &[Access]); WARP] = [(0, &[]); WARP];
            for (run, at) in runs.iter_mut().zip(from..to) {
                *run = trace.of(at);
            }
            let runs = &runs[..to - from];
            let longest = runs.iter().map(|(_, accesses)| accesses.len()).max().unwrap_or(0);
            for turn in 0..longest {
                for (run, segment) in runs.iter().zip(&trace.segments[from..to]) {
                    if let Some(access) = run.1.get(turn) {
                        self.check_access(&mut cursor, trace, segment, run.0 + turn, access);
                    }
                }
            }
            from = to;
        }
    }

    fn check_access<'b>(
        &mut self,
        cursor: &mut ShadowCursor<'b>,
        trace: &Trace,
        segment: &Segment,
        index: usize,
        access: &Access,
    ) where
        Self: 'b,
    {
        // Shared memory's addresses are not kept; nothing there is declared to race.
        let meant = match access.space {
            Space::Global(_) if access.kind == Kind::Write => trace
                .deliberate(index)
                .and_then(|store| kept(store, bits_at(access.at as usize, access.bytes))),
            _ => None,
        };
        let touch = Touch {
            mask: 0,
            reads: access.kind != Kind::Write,
            writes: access.kind != Kind::Read,
            atomic: access.kind == Kind::Atomic,
            meant,
        };
        let who = Who {
            block: self.block,
            epoch: self.epoch,
            // Threads a block are at most 1,024; a warp that synchronizes 65,536 times between two barriers has no race
            // that it would not have had before.
            warp_epoch: segment.warp_epoch as u16,
            thread: segment.thread as u16,
            place: access.place,
        };
        let fault = match access.space {
            Space::Global(memory) => {
                let memory = self.job.memories[usize::from(memory)];
                cursor.access(memory, self.job.serial, who, access.at as usize, access.bytes, touch)
            }
            Space::Shared => touch_shared(&mut self.pool.shared, self.pool.serial, who, access, touch),
            Space::Dynamic => touch_shared(&mut self.pool.dynamic, self.pool.serial, who, access, touch),
        };
        if let Some(fault) = fault {
            self.report_fault(access, who, *fault);
        }
    }

    fn report_fault(&mut self, access: &Access, who: Who, fault: Fault) {
        let kind = match fault {
            Fault::Unwritten => FindingKind::Unwritten,
            Fault::Race { other, .. } if other.block == who.block => FindingKind::RaceInBlock,
            Fault::Race { .. } => FindingKind::RaceBetweenBlocks,
        };
        self.report(kind, u32::from(who.thread), access.place, Raw::Fault { access: *access, fault });
    }
}

/// What a store was meant to do, if that is what it did.
fn kept(store: Deliberate, after: u32) -> Option<Meant> {
    let keeps = match store.meant {
        Meant::SameBits => store.before == after,
        Meant::Lower => f32::from_bits(after) <= f32::from_bits(store.before),
    };
    keeps.then_some(store.meant)
}

/// Takes note of an access to a block's own memory, and says what is wrong with it.
fn touch_shared(
    shadow: &mut [Word],
    scope: u32,
    who: Who,
    access: &Access,
    touch: Touch,
) -> Option<Box<Fault>> {
    let mut fault = None;
    for (word, mask) in memory::words(access.at, access.bytes) {
        if let Some(word) = shadow.get_mut(word) {
            fault = fault.or(word.access(scope, false, who, Touch { mask, ..touch }));
        }
    }
    fault
}
