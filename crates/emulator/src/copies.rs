//! Asynchronous copies of all kinds, and those of a thread in groups (`cp.async`).
//!
//! The checker treats a copy like one more thread. What the copy reads and writes is ordered after what its thread did
//! before starting it. It is ordered before other accesses only once a thread has waited for the copy. The bytes move as
//! late as the rules allow, or at once when the seed of the order is odd.

use crate::atomics::reduce;
use crate::clock::copies_of;
use crate::finding::FindingKind;
use crate::mbarrier::{Completion, Mbarriers};
use crate::memory::move_bytes;
use crate::report::FindingDetail;
use crate::request::Request;
use crate::resident::{DONE, LaunchResult, RequestResult, ResidentBlocks, Site};
use crate::trace::{AccessKind, AcquiredClocks, ClockSnapshot};
use std::collections::VecDeque;
use std::sync::Arc;

/// Copies whose bytes have not moved yet, by number, and what they complete on.
#[derive(Default)]
pub struct Transfers {
    pub mbarriers: Mbarriers,
    waiting: Vec<Transfer>,
    last: u64,
}

/// Bytes that are to move.
struct Transfer {
    id: u64,
    runs: Vec<CopyRun>,
    /// The mbarrier on which it completes, if it does on one.
    completes: Option<Completion>,
    site: Site,
}

/// One run of bytes of a copy.
#[derive(Clone, Copy, Debug)]
pub struct CopyRun {
    /// None: zeros.
    pub from: Option<usize>,
    pub to: usize,
    pub bytes: usize,
    /// The operation and the type of a reduction; (0, 0) for a plain copy.
    pub reduction: (u64, u64),
}

/// The numbers under which the reads and the writes of a copy are known, and how it writes.
#[derive(Clone, Copy, Debug)]
pub struct CopyAccess {
    pub reader: u16,
    pub writer: u16,
    pub writes: AccessKind,
}

impl Transfers {
    pub fn copy_async(&mut self, all: &mut ResidentBlocks, site: Site, request: &Request) -> RequestResult {
        let (to, from, bytes, wanted) =
            (request.address(0), request.address(1), request.address(2), request.address(3));
        let read = wanted.min(bytes);
        if to % bytes != 0 || (read > 0 && from % bytes != 0) {
            let detail = FindingDetail::MisalignedCopy { to, from, bytes };
            return all.stop(site, FindingKind::Misaligned, detail);
        }
        let copied = CopyRun { from: Some(from), to, bytes: read, reduction: (0, 0) };
        let zeros = CopyRun { from: None, to: to + read, bytes: bytes - read, reduction: (0, 0) };
        let runs = vec![copied, zeros];
        let (reader, writer) = (copies_of(site.thread), copies_of(site.thread));
        let time = record_copy(all, site, CopyAccess { reader, writer, writes: AccessKind::Write }, &runs)?;
        let count = &mut all.found.counts.async_copies;
        count.copies += 1;
        count.bytes += read as u64;
        let id = self.begin(all, site, runs, None);
        all.thread(site).copies.add(time, id);
        DONE
    }

    /// Waits until at most `pending` committed groups are left (`u32::MAX`: no copy). Returns the tick before which all have landed.
    pub fn wait(
        &mut self,
        all: &mut ResidentBlocks,
        site: Site,
        groups: fn(&mut crate::block::Thread) -> &mut CopyGroups,
        pending: u32,
    ) -> u32 {
        let groups = groups(all.thread(site));
        let done = groups.take(pending);
        let left = groups.first();
        self.land(all, |id| done.contains(&id));
        // All copies that began before the first one left have landed.
        let landed = left.unwrap_or(all.block(site).clock.tick + 1);
        all.block(site).advance(site.thread);
        landed
    }

    /// Tells an mbarrier that the thread's copies have landed (`cp.async.mbarrier.arrive`).
    pub fn arrive(&mut self, all: &mut ResidentBlocks, site: Site, request: &Request) -> RequestResult {
        let (address, keeps_count) = (request.address(0), request.numbers[1] != 0);
        all.note(site, address, 8, AccessKind::Atomic)?;
        let ids = all.thread(site).copies.ids();
        self.land(all, |id| ids.contains(&id));
        self.mbarriers.find(all, site, address)?.hear_copies(all, site, keeps_count)?;
        DONE
    }

    pub fn begin(
        &mut self,
        all: &mut ResidentBlocks,
        site: Site,
        runs: Vec<CopyRun>,
        completes: Option<Completion>,
    ) -> u64 {
        self.last += 1;
        let begun = self.last;
        self.waiting.push(Transfer { id: begun, runs, completes, site });
        if all.launch.spec.seed % 2 == 1 {
            self.land(all, |id| id == begun);
        }
        begun
    }

    /// Where the thread began a copy whose bytes have not moved.
    pub fn place_of(&self, site: Site) -> Option<u32> {
        let of_thread = |it: &&Transfer| (it.site.at, it.site.thread) == (site.at, site.thread);
        self.waiting.iter().find(of_thread).map(|it| it.site.place)
    }

    /// Moves the bytes of the chosen copies, and returns whether there were any.
    pub fn land(&mut self, all: &mut ResidentBlocks, is_chosen: impl Fn(u64) -> bool) -> bool {
        let (landing, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.waiting).into_iter().partition(|transfer| is_chosen(transfer.id));
        self.waiting = rest;
        for transfer in &landing {
            for run in &transfer.runs {
                match run.from {
                    Some(from) if run.reduction.0 != 0 => {
                        reduce(from, run.to, run.bytes, run.reduction.0, run.reduction.1);
                    }
                    from => move_bytes(from, run.to, run.bytes),
                }
            }
            all.progress.changes += 1;
            let completes = transfer.completes.as_ref();
            if completes.is_some_and(|it| self.mbarriers.complete(all, transfer.site, it).is_err()) {
                all.launch.stop();
            }
        }
        !landing.is_empty()
    }
}

/// Notes what a copy reads and writes, and returns the copy's tick.
pub fn record_copy(
    all: &mut ResidentBlocks,
    site: Site,
    access: CopyAccess,
    runs: &[CopyRun],
) -> LaunchResult<u32> {
    let checks = all.checks();
    let block = all.block(site);
    let it = &block.threads[site.thread as usize];
    let known = checks.then(|| Arc::new(block.view(site.thread, site.place).passed_on()));
    let acquired = AcquiredClocks { lanes: None, landed: it.acquired.landed.clone(), known };
    block.trace.acquired.push(acquired);
    let clock = ClockSnapshot { acquired: block.trace.acquired.len() as u32, ..it.clock };
    for (number, kind) in [(access.reader, AccessKind::Read), (access.writer, access.writes)] {
        all.block(site).trace.begin(u32::from(number), clock);
        for run in runs.iter().filter(|run| run.bytes > 0) {
            let address = if kind == AccessKind::Read { run.from } else { Some(run.to) };
            if let Some(address) = address {
                all.record_range(site, address, run.bytes, kind)?;
            }
        }
    }
    all.thread(site).clock.acquired = 0;
    all.block(site).advance(site.thread);
    Ok(clock.time)
}

/// Copies of one kind that a thread did not wait for, the oldest group first; the last one may be open.
#[derive(Debug, Default)]
pub struct CopyGroups(VecDeque<CopyGroup>);

/// Copies that end together.
#[derive(Debug, Default)]
struct CopyGroup {
    /// The tick of its first copy; None for an empty group.
    first: Option<u32>,
    committed: bool,
    /// Numbers of its copies, whether or not their bytes have moved.
    pending: Vec<u64>,
}

impl CopyGroups {
    /// Adds a copy to the open group.
    pub fn add(&mut self, time: u32, id: u64) {
        if self.0.back().is_none_or(|group| group.committed) {
            self.0.push_back(CopyGroup::default());
        }
        if let Some(group) = self.0.back_mut() {
            group.first.get_or_insert(time);
            group.pending.push(id);
        }
    }

    /// Ends the open group, or adds an empty one where none is open.
    pub fn commit(&mut self) {
        match self.0.back_mut() {
            Some(group) if !group.committed => group.committed = true,
            _ => self.0.push_back(CopyGroup { committed: true, ..CopyGroup::default() }),
        }
    }

    /// Removes all committed groups but the last `pending`, or with `u32::MAX` all groups. Returns their copies.
    pub fn take(&mut self, pending: u32) -> Vec<u64> {
        let committed = self.0.iter().filter(|group| group.committed).count();
        let count =
            if pending == u32::MAX { self.0.len() } else { committed.saturating_sub(pending as usize) };
        self.0.drain(..count).flat_map(|group| group.pending).collect()
    }

    /// The tick of the first copy; None without any.
    pub fn first(&self) -> Option<u32> {
        self.0.iter().find_map(|group| group.first)
    }

    /// The numbers of all copies.
    pub fn ids(&self) -> Vec<u64> {
        self.0.iter().flat_map(|group| group.pending.iter().copied()).collect()
    }
}
