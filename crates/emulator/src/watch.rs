//! Checks and counts the accesses that a block made since it was last looked through.

use crate::block::WARP;
use crate::clock::{AccessEpoch, ThreadClock};
use crate::finding::FindingKind;
use crate::flags::is_atomic;
use crate::launch::FindingDetail;
use crate::memory::{self, ShadowCursor, bits_at};
use crate::shadow::{BenignRace, ShadowScope, Violation, WordAccess};
use crate::trace::{Access, AccessKind, AcquiredClocks, AnnotatedStore, Space, Trace};
use crate::worker::Worker;
use std::sync::atomic::Ordering;

impl Worker<'_> {
    /// Checks and counts what was done since the last barrier.
    pub fn end_interval(&mut self, at: usize) {
        if !self.job.instruments.any() {
            return;
        }
        if self.job.instruments.check {
            let checked = self.blocks[at].trace.checked;
            self.check_from(at, checked);
        }
        if self.job.instruments.count {
            let threads = self.job.threads() as usize;
            self.tally.counts.add_interval(&self.blocks[at].trace, threads);
        }
        let block = &mut self.blocks[at];
        block.trace.clear();
        for it in &mut block.threads {
            it.stamp.learned = crate::trace::NOTHING;
        }
    }

    /// Checks what was done since this was last called; whoever runs then begins a new segment. A block that has ended, or has done
    /// very much, is counted up to here, too.
    pub fn check_trace(&mut self, at: usize) {
        let block = &self.blocks[at];
        if block.trace.accesses.len() >= crate::recorder::MOST || block.is_done() {
            self.end_interval(at);
        } else if self.job.instruments.check {
            let checked = block.trace.checked;
            self.check_from(at, checked);
            let trace = &mut self.blocks[at].trace;
            trace.checked = trace.segments.len();
        }
    }

    fn check_from(&mut self, at: usize, checked: usize) {
        let trace = std::mem::take(&mut self.blocks[at].trace);
        self.check(at, &trace, checked);
        self.blocks[at].trace = trace;
    }

    /// The threads of a warp go through their accesses side by side, between two points of order: together they mostly touch
    /// neighbours.
    fn check(&mut self, at: usize, trace: &Trace, first: usize) {
        let mut cursor = ShadowCursor::default();
        let nothing = AcquiredClocks::default();
        let job = self.job;
        let before = self.before.clone();
        let listed = job.listed.load(Ordering::Relaxed);
        let group = |at: usize| (trace.segments[at].thread / WARP as u32, trace.segments[at].stamp);
        let mut from = first;
        while from < trace.segments.len() {
            // A thread that comes again goes on from where it was.
            let again = |at: usize| at > from && trace.segments[at].thread <= trace.segments[at - 1].thread;
            let beyond = |at: &usize| group(*at) != group(from) || again(*at);
            let to = (from..trace.segments.len()).find(beyond).unwrap_or(trace.segments.len());
            let mut runs: [(usize, &[Access]); WARP] = [(0, &[]); WARP];
            for (run, at) in runs.iter_mut().zip(from..to) {
                *run = trace.segment(at);
            }
            let runs = &runs[..to - from];
            let stamp = trace.segments[from].stamp;
            let learned = trace.learned.get(stamp.learned as usize).unwrap_or(&nothing);
            let number = self.blocks[at].number;
            let mut view = learned.view(AccessEpoch { block: number, ..AccessEpoch::default() }, stamp);
            let serial = job.place.serial;
            let global =
                ShadowScope { serial, keeps: true, listed, before: Some(&before), waited: stamp.waited };
            let longest = runs.iter().map(|(_, accesses)| accesses.len()).max().unwrap_or(0);
            for turn in 0..longest {
                for (run, segment) in runs.iter().zip(&trace.segments[from..to]) {
                    if let Some(access) = run.1.get(turn) {
                        view.who.thread = segment.thread as u16;
                        view.who.place = access.place;
                        let deliberate = trace.deliberate(run.0 + turn);
                        self.check_access(at, &mut cursor, global, &view, access, deliberate);
                    }
                }
            }
            from = to;
        }
    }

    #[inline]
    fn check_access<'b>(
        &mut self,
        at: usize,
        cursor: &mut ShadowCursor<'b>,
        global: ShadowScope,
        view: &ThreadClock,
        access: &Access,
        deliberate: Option<AnnotatedStore>,
    ) where
        Self: 'b,
    {
        let space = access.space();
        // Shared memory changes before it is looked through; nothing there is declared to race.
        let benign = deliberate
            .filter(|_| space.is_global())
            .and_then(|store| benign_race(store, bits_at(access.address as usize, access.bytes) as u32));
        let touch = WordAccess {
            mask: 0,
            reads: access.kind.reads(),
            writes: access.kind.writes(),
            atomic: is_atomic(access.kind),
            of_block: access.kind == AccessKind::AtomicOfBlock,
            weak: access.kind.is_volatile() && !space.is_global(),
            replaces: access.kind == AccessKind::VolatileWrite && space.is_global() && benign.is_none(),
            read_only: access.kind == AccessKind::ReadOnly,
            benign: benign.filter(|_| access.kind == AccessKind::Write),
        };
        if access.kind == AccessKind::Write
            && !space.is_global()
            && !self.mbarriers.is_empty()
            && !view.who.is_copy()
        {
            self.check_mbarriers(at, access, view);
        }
        let of_block = |serial: u32| ShadowScope { serial, keeps: false, before: None, ..global };
        let fault = match space {
            Space::Global(memory) => cursor.access(self.job.memory(memory), global, view, access, touch),
            Space::Shared(_) | Space::Dynamic => {
                let block = &mut self.blocks[at];
                let offset = access.address - block.image.address() as u64;
                memory::touch(
                    &mut block.image.shadow,
                    of_block(block.serial),
                    view,
                    offset,
                    access.bytes,
                    touch,
                )
            }
            Space::Remote(rank) => {
                let host = self.block_of_rank(at, u32::from(rank));
                host.and_then(|host| {
                    let host = &mut self.blocks[host];
                    let offset = access.address - host.image.address() as u64;
                    memory::touch(
                        &mut host.image.shadow,
                        of_block(host.serial),
                        view,
                        offset,
                        access.bytes,
                        touch,
                    )
                })
            }
        };
        if let Some(fault) = fault {
            self.report_fault(at, access, view.who, *fault);
        }
    }

    /// Whether a store hits an mbarrier that is in use.
    fn check_mbarriers(&mut self, at: usize, access: &Access, view: &ThreadClock) {
        let (start, end) = (access.address as usize, access.address as usize + usize::from(access.bytes));
        let hit = self
            .mbarriers
            .iter()
            .any(|(address, it)| *address < end && start < address + 8 && view.follows(&it.by));
        if hit {
            let raw = FindingDetail::Words("writes over an mbarrier that is in use".to_string());
            self.report(at, u32::from(view.who.thread), FindingKind::BarrierMisuse, access.place, raw);
        }
    }

    fn report_fault(&mut self, at: usize, access: &Access, who: AccessEpoch, fault: Violation) {
        let kind = match fault {
            Violation::Unwritten => FindingKind::Unwritten,
            Violation::ReadOnly { .. } => FindingKind::ReadOnly,
            Violation::Launches { .. } => FindingKind::RaceBetweenLaunches,
            Violation::NoProxyFence { .. } => FindingKind::AsyncRace,
            Violation::Race { other, .. } if other.is_copy() || who.is_copy() => FindingKind::AsyncRace,
            Violation::Race { other, .. } if other.block == who.block => FindingKind::RaceInBlock,
            Violation::Race { .. } => FindingKind::RaceBetweenBlocks,
        };
        let raw = FindingDetail::Violation { access: self.in_its_block(at, access), fault };
        self.report(at, u32::from(who.thread), kind, access.place, raw);
    }
}

/// The race that a store was declared for, if it kept to it.
fn benign_race(store: AnnotatedStore, after: u32) -> Option<BenignRace> {
    let keeps = match store.benign {
        BenignRace::SameBits => store.before == after,
        BenignRace::Lower => f32::from_bits(after) <= f32::from_bits(store.before),
    };
    keeps.then_some(store.benign)
}
