//! Asynchronous copies of all kinds, and those of a thread in groups (`cp.async`).
//!
//! The checker treats a copy like one more thread. What the copy reads and writes is ordered after what its thread did
//! before starting it. It is ordered before other accesses only once a thread has waited for the copy. The bytes move as
//! late as the rules allow, or at once when the seed of the order is odd.

use crate::barriers::copies_of;
use crate::block::CopyGroup;
use crate::clock::VectorClock;
use crate::finding::FindingKind;
use crate::launch::FindingDetail;
use crate::memory::move_bytes;
use crate::reduce::reduce;
use crate::request::Request;
use crate::trace::{AccessKind, AcquiredClocks, ClockSnapshot, NOTHING};
use crate::worker::{RequestOutcome, Worker};
use std::sync::Arc;

/// Bytes that are to move.
#[derive(Clone, Debug)]
pub struct Transfer {
    pub id: u64,
    /// The runs of bytes that it moves.
    pub parts: Vec<CopyRun>,
    /// The mbarrier on which it completes, if it does on one.
    pub completes: Option<Completion>,
    /// The worker's index of the block, the thread that copies, and the place in the code.
    pub at: (u32, u32, u32),
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

/// One run of bytes of a copy.
#[derive(Clone, Copy, Debug)]
pub struct CopyRun {
    /// None: zeros.
    pub from: Option<usize>,
    pub to: usize,
    pub bytes: usize,
    /// The operation and the type of a reduction; (0, 0) of a copy.
    pub reduction: (u64, u64),
}

impl Worker<'_> {
    pub fn copy_async(&mut self, at: usize, thread: u32, request: &Request) -> RequestOutcome {
        let (to, from, bytes, wanted) =
            (request.address(0), request.address(1), request.address(2), request.address(3));
        let place = request.place();
        let read = wanted.min(bytes);
        if to % bytes != 0 || (read > 0 && from % bytes != 0) {
            let raw = FindingDetail::MisalignedCopy { to, from, bytes };
            return self.stop(at, thread, FindingKind::Misaligned, place, raw);
        }
        let time = match self.record_copy(
            at,
            thread,
            place,
            copies_of(thread),
            copies_of(thread),
            AccessKind::Write,
            &[(from, to, bytes, read)],
        ) {
            Ok(time) => time,
            Err(next) => return next,
        };
        let count = &mut self.tally.counts.async_copies;
        count.copies += 1;
        count.bytes += read as u64;
        let mut parts = vec![CopyRun { from: Some(from), to, bytes: read, reduction: (0, 0) }];
        if read < bytes {
            parts.push(CopyRun { from: None, to: to + read, bytes: bytes - read, reduction: (0, 0) });
        }
        let id = self.begin_transfer(parts, None, (at as u32, thread, place));
        open_group(&mut self.blocks[at].threads[thread as usize].copies.groups, time, id);
        RequestOutcome::Answer(0)
    }

    pub fn commit_copies(&mut self, at: usize, thread: u32) {
        commit(&mut self.blocks[at].threads[thread as usize].copies.groups);
    }

    /// Waits until at most `pending` of the committed groups have not landed; all copies with `u32::MAX`.
    pub fn wait_for_copies(&mut self, at: usize, thread: u32, pending: u32) {
        let groups = &mut self.blocks[at].threads[thread as usize].copies.groups;
        let done = take_groups(groups, pending);
        let left = groups.iter().find_map(|group| group.first);
        self.land(&done);
        let block = &mut self.blocks[at];
        // What was copied before the first of those that are left is there.
        let landed = left.unwrap_or(block.tick + 1);
        block.advance(thread);
        block.threads[thread as usize].stamp.own_landed = landed;
        block.begin_segment(thread);
    }

    /// An mbarrier hears when the copies land that the thread has begun.
    pub fn arrive_with_copies(&mut self, at: usize, thread: u32, request: &Request) -> RequestOutcome {
        let (address, keeps_count) = (request.address(0), request.numbers[1] != 0);
        let place = request.place();
        if let Err(next) = self.record(at, thread, address, 8, AccessKind::Atomic, place) {
            return next;
        }
        let ids: Vec<u64> = self.blocks[at].threads[thread as usize]
            .copies
            .groups
            .iter()
            .flat_map(|group| group.pending.clone())
            .collect();
        self.land(&ids);
        let block = &self.blocks[at];
        let mut known = VectorClock::default();
        known.learn_thread(block.number, copies_of(thread), block.tick + 1);
        let Some(mbarrier) = self.mbarriers.get_mut(&address) else {
            let raw = FindingDetail::Words("uses an mbarrier that nothing initialised".to_string());
            return self.stop(at, thread, FindingKind::BarrierMisuse, place, raw);
        };
        mbarrier.gathered.join(&known);
        if !keeps_count {
            // The arrival makes up for one that it adds.
            return RequestOutcome::Answer(0);
        }
        if mbarrier.missing == 0 {
            let raw =
                FindingDetail::Words("arrives at an mbarrier more often than its phase expects".to_string());
            return self.stop(at, thread, FindingKind::BarrierMisuse, place, raw);
        }
        self.blocks[at].next_tick();
        self.arrive(at, thread, address, 1, 0, false);
        self.end_phase(at, thread, address, place).unwrap_or(RequestOutcome::Answer(0))
    }

    /// Notes the ranges that a copy reads and writes, and returns the copy's tick. Each range is (from, to, bytes to
    /// write, bytes to read). Reads are noted under the number `reader`, writes under the number `writer`.
    #[allow(clippy::too_many_arguments)]
    pub fn record_copy(
        &mut self,
        at: usize,
        thread: u32,
        place: u32,
        reader: u16,
        writer: u16,
        writes: AccessKind,
        ranges: &[(usize, usize, usize, usize)],
    ) -> Result<u32, RequestOutcome> {
        let block = &mut self.blocks[at];
        let time = block.threads[thread as usize].stamp.time;
        let known = self.job.instruments.check.then(|| Arc::new(block.view(thread, place).passed_on()));
        let learned = AcquiredClocks {
            lanes: None,
            landed: block.threads[thread as usize].learned.landed.clone(),
            known,
        };
        block.trace.learned.push(learned);
        let stamp = ClockSnapshot {
            time,
            learned: (block.trace.learned.len() - 1) as u32,
            ..block.threads[thread as usize].stamp
        };
        for (number, kind) in [(reader, AccessKind::Read), (writer, writes)] {
            self.blocks[at].trace.begin(u32::from(number), stamp);
            for (from, to, bytes, read) in ranges {
                let (address, bytes) = if kind == AccessKind::Read { (*from, *read) } else { (*to, *bytes) };
                if bytes > 0 {
                    self.record_parts(at, thread, address, bytes, kind, place)?;
                }
            }
        }
        let block = &mut self.blocks[at];
        block.threads[thread as usize].stamp.learned = NOTHING;
        block.advance(thread);
        Ok(time)
    }

    pub fn begin_transfer(
        &mut self,
        parts: Vec<CopyRun>,
        completes: Option<Completion>,
        at: (u32, u32, u32),
    ) -> u64 {
        self.last_transfer += 1;
        let id = self.last_transfer;
        self.transfers.push(Transfer { id, parts, completes, at });
        if self.job.seed % 2 == 1 {
            self.land(&[id]);
        }
        id
    }

    /// Moves the bytes of these copies, if they have not moved.
    pub fn land(&mut self, ids: &[u64]) {
        let (landing, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.transfers).into_iter().partition(|transfer| ids.contains(&transfer.id));
        self.transfers = rest;
        landing.into_iter().for_each(|transfer| self.land_one(transfer));
    }

    /// Moves the bytes of all copies. Whether there were any.
    pub fn land_transfers(&mut self) -> bool {
        let all = std::mem::take(&mut self.transfers);
        let any = !all.is_empty();
        all.into_iter().for_each(|transfer| self.land_one(transfer));
        any
    }

    fn land_one(&mut self, transfer: Transfer) {
        for part in &transfer.parts {
            if part.reduction.0 == 0 {
                move_bytes(part.from, part.to, part.bytes);
            } else if let Some(from) = part.from {
                reduce(from, part.to, part.bytes, part.reduction);
            }
        }
        self.progress += 1;
        let (at, thread, place) = transfer.at;
        if let Some(Completion { mbarrier, bytes, copies, time }) = transfer.completes {
            let number = self.blocks.get(at as usize).map_or(0, |block| block.number);
            if let Some(known) = self.mbarriers.get_mut(&mbarrier) {
                known.bytes -= bytes as i64;
                // Whoever sees the phase end knows of the copy.
                known.gathered.learn_thread(number, copies, time + 1);
                known.gathered.learn_thread(number, copies + 1, time + 1);
            }
            let at = (at as usize).min(self.blocks.len().saturating_sub(1));
            if let Some(RequestOutcome::Stop) = self.end_phase(at, thread, mbarrier, place) {
                self.job.stop();
            }
        }
    }
}

pub fn open_group(groups: &mut std::collections::VecDeque<CopyGroup>, time: u32, id: u64) {
    if groups.back().is_none_or(|group| group.committed) {
        groups.push_back(CopyGroup::default());
    }
    if let Some(group) = groups.back_mut() {
        group.first.get_or_insert(time);
        group.pending.push(id);
    }
}

/// Ends the open group; an empty one where nothing was begun.
pub fn commit(groups: &mut std::collections::VecDeque<CopyGroup>) {
    match groups.back_mut() {
        Some(group) if !group.committed => group.committed = true,
        _ => groups.push_back(CopyGroup { committed: true, ..CopyGroup::default() }),
    }
}

/// Takes off all committed groups but the last `pending`, and with `u32::MAX` every copy.
pub fn take_groups(groups: &mut std::collections::VecDeque<CopyGroup>, pending: u32) -> Vec<u64> {
    let committed = groups.iter().filter(|group| group.committed).count();
    let count = if pending == u32::MAX { groups.len() } else { committed.saturating_sub(pending as usize) };
    groups.drain(..count).flat_map(|group| group.pending).collect()
}
