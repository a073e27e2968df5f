//! Checks and counts the accesses that a block made since it was last looked through.

use crate::block::WARP;
use crate::clock::{AccessEpoch, ThreadClock};
use crate::finding::FindingKind;
use crate::memory::{self, ShadowCursor, bits_at};
use crate::report::FindingDetail;
use crate::resident::{ResidentBlocks, Site};
use crate::shadow::{BenignRace, ShadowScope, Violation, WordAccess};
use crate::trace::{Access, AccessKind, AcquiredClocks, AnnotatedStore, Space, Trace};
use std::cell::Cell;
use std::sync::atomic::Ordering;

impl ResidentBlocks<'_> {
    /// Checks and counts what was done since the last barrier.
    pub fn end_interval(&mut self, at: usize) {
        let instruments = self.launch.spec.instruments;
        if !instruments.any() {
            return;
        }
        if instruments.check {
            self.check_new(at);
        }
        if instruments.count {
            self.found.counts.add_interval(&self.blocks[at].trace, self.launch.threads() as usize);
        }
        let block = &mut self.blocks[at];
        block.trace.clear();
        block.threads.iter_mut().for_each(|it| it.clock.acquired = 0);
    }

    /// Checks what was done since this was last called; the caller then begins a new segment for the thread that runs. A block
    /// that has ended, or has done very much, is counted up to here, too.
    pub fn check_trace(&mut self, at: usize) {
        let block = &self.blocks[at];
        if block.trace.accesses.len() >= crate::report::MOST_RECORDED || block.is_done() {
            self.end_interval(at);
        } else if self.checks() {
            self.check_new(at);
        }
    }

    fn check_new(&mut self, at: usize) {
        let mut trace = std::mem::take(&mut self.blocks[at].trace);
        self.check(at, &trace, trace.checked);
        trace.checked = trace.segments.len();
        self.blocks[at].trace = trace;
    }

    /// The threads of a warp go through their accesses side by side, between two points of order: together they mostly touch
    /// neighbours.
    fn check(&mut self, at: usize, trace: &Trace, first: usize) {
        let mut cursor = ShadowCursor::default();
        let nothing = AcquiredClocks::default();
        let before = self.before.clone();
        let serial = self.launch.spec.place.serial;
        let listed = self.launch.listed.load(Ordering::Relaxed);
        let block = self.blocks[at].number;
        let group = |at: usize| (trace.segments[at].thread / WARP as u32, trace.segments[at].clock);
        let mut from = first;
        while from < trace.segments.len() {
            // A thread that comes again begins a new group.
            let again = |at: usize| at > from && trace.segments[at].thread <= trace.segments[at - 1].thread;
            let beyond = |at: &usize| group(*at) != group(from) || again(*at);
            let to = (from..trace.segments.len()).find(beyond).unwrap_or(trace.segments.len());
            let mut runs: [(usize, &[Access]); WARP] = [(0, &[]); WARP];
            for (run, at) in runs.iter_mut().zip(from..to) {
                *run = trace.segment(at);
            }
            let runs = &runs[..to - from];
            let clock = trace.segments[from].clock;
            let acquired = trace.acquired_by(&clock).unwrap_or(&nothing);
            let covered = Cell::default();
            let mut view = acquired.view(AccessEpoch { block, ..AccessEpoch::default() }, clock);
            view.covered = Some(&covered);
            let waited = clock.waited;
            let global = ShadowScope { serial, keeps: true, listed, before: Some(&before), waited };
            let longest = runs.iter().map(|(_, accesses)| accesses.len()).max().unwrap_or(0);
            for turn in 0..longest {
                for (run, segment) in runs.iter().zip(&trace.segments[from..to]) {
                    if let Some(access) = run.1.get(turn) {
                        view.who.thread = segment.thread as u16;
                        view.who.place = access.place;
                        let annotated = trace.annotated(run.0 + turn);
                        self.check_access(at, &mut cursor, global, &view, access, annotated);
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
        annotated: Option<AnnotatedStore>,
    ) where
        Self: 'b,
    {
        let space = access.space();
        let made = word_access(access, space.is_global(), annotated);
        let host = match space {
            Space::Global(memory) => {
                let violation = cursor.access(self.launch.memory(memory), global, view, access, made);
                if let Some(violation) = violation {
                    self.report_violation(at, access, view.who, *violation);
                }
                return;
            }
            Space::Shared(_) | Space::Dynamic => Some(at),
            Space::Remote(rank) => self.block_of_rank(at, u32::from(rank)),
        };
        if access.kind == AccessKind::Write && !self.mbarriers.is_empty() && !view.who.is_copy() {
            self.check_mbarriers(at, access, view);
        }
        let Some(host) = host else { return };
        let host = &mut self.blocks[host];
        let scope = ShadowScope { serial: host.serial, keeps: false, before: None, ..global };
        let offset = access.address - host.memory.image.address() as u64;
        let violation =
            memory::access_shared(&mut host.memory.image.shadow, scope, view, offset, access.bytes, made);
        if let Some(violation) = violation {
            self.report_violation(at, access, view.who, *violation);
        }
    }

    /// Reports a store that hits an mbarrier that is in use.
    fn check_mbarriers(&mut self, at: usize, access: &Access, view: &ThreadClock) {
        let (start, end) = (access.address as usize, access.address as usize + usize::from(access.bytes));
        let hits =
            |(address, by): (&usize, &AccessEpoch)| *address < end && start < address + 8 && view.follows(by);
        if self.mbarriers.iter().any(hits) {
            let site = Site { at, thread: u32::from(view.who.thread), place: access.place };
            let words = "writes over an mbarrier that is in use".to_string();
            self.report(site, FindingKind::BarrierMisuse, FindingDetail::Words(words));
        }
    }

    fn report_violation(&mut self, at: usize, access: &Access, who: AccessEpoch, violation: Violation) {
        let kind = match violation {
            Violation::Unwritten => FindingKind::Unwritten,
            Violation::ReadOnly { .. } => FindingKind::ReadOnly,
            Violation::Launches { .. } => FindingKind::RaceBetweenLaunches,
            Violation::NoProxyFence { .. } => FindingKind::AsyncRace,
            Violation::Race { other, .. } if other.is_copy() || who.is_copy() => FindingKind::AsyncRace,
            Violation::Race { other, .. } if other.block == who.block => FindingKind::RaceInBlock,
            Violation::Race { .. } => FindingKind::RaceBetweenBlocks,
        };
        let detail = FindingDetail::Violation { access: self.blocks[at].with_offset(access), violation };
        self.report(Site { at, thread: u32::from(who.thread), place: access.place }, kind, detail);
    }
}

/// How an access touches each of its words.
#[inline]
fn word_access(access: &Access, is_global: bool, annotated: Option<AnnotatedStore>) -> WordAccess {
    // Shared memory may change again before it is checked, so no store there counts as meant to race.
    let benign = annotated
        .filter(|_| is_global)
        .and_then(|store| benign_race(store, bits_at(access.address as usize, access.bytes) as u32));
    let kind = access.kind;
    WordAccess {
        mask: 0,
        reads: kind.reads(),
        writes: kind.writes(),
        atomic: kind.is_atomic(),
        of_block: kind == AccessKind::AtomicOfBlock,
        weak: kind.is_volatile() && !is_global,
        replaces: kind == AccessKind::VolatileWrite && is_global && benign.is_none(),
        read_only: kind == AccessKind::ReadOnly,
        benign: benign.filter(|_| kind == AccessKind::Write),
    }
}

/// The race that a store was declared to be meant for, if it did what was declared.
fn benign_race(store: AnnotatedStore, after: u32) -> Option<BenignRace> {
    let keeps = match store.benign {
        BenignRace::SameBits => store.before == after,
        BenignRace::Lower => f32::from_bits(after) <= f32::from_bits(store.before),
    };
    keeps.then_some(store.benign)
}
