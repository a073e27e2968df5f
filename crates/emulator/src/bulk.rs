//! Bulk copies: from global to shared memory, of one block or several, where they complete on an mbarrier; and from shared memory
//! to global memory, in groups of the thread that began them.

use crate::clock::{FIRST_BULK_READ, FIRST_BULK_WRITE, VectorClock};
use crate::copies::{Completion, CopyRun, commit, open_group, take_groups};
use crate::finding::FindingKind;
use crate::launch::FindingDetail;
use crate::request::Request;
use crate::trace::AccessKind;
use crate::worker::{RequestOutcome, Worker};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What a bulk copy does, as in runtime.hpp.
pub const TO_SHARED: u64 = 0;
pub const TO_GLOBAL: u64 = 1;
pub const TO_CLUSTER: u64 = 2;
pub const PREFETCH: u64 = 3;

impl Worker<'_> {
    pub fn copy_bulk(&mut self, at: usize, thread: u32, request: &Request) -> RequestOutcome {
        let numbers = request.numbers;
        let (what, to, from, bytes) =
            (numbers[0], request.address(1), request.address(2), request.address(3));
        let (mbarrier, mask) = (request.address(4), request.number(5));
        if what == PREFETCH {
            return RequestOutcome::Answer(0);
        }
        if (to | from | bytes) % 16 != 0 {
            let raw = FindingDetail::MisalignedCopy { to, from, bytes };
            return self.stop(at, thread, FindingKind::Misaligned, request.place(), raw);
        }
        let part = CopyRun { from: Some(from), to, bytes, reduction: (numbers[6], numbers[7]) };
        self.begin_bulk(at, thread, request.place(), what, vec![part], mbarrier, mask)
    }

    /// Begins a bulk copy of these parts, to every block of `mask` where it goes to shared memory.
    #[allow(clippy::too_many_arguments)]
    pub fn begin_bulk(
        &mut self,
        at: usize,
        thread: u32,
        place: u32,
        what: u64,
        parts: Vec<CopyRun>,
        mbarrier: usize,
        mask: u32,
    ) -> RequestOutcome {
        self.job.listed.store(true, Ordering::Relaxed);
        let bytes: usize = parts.iter().map(|part| part.bytes).sum();
        let count = &mut self.tally.counts.bulk_copies;
        let (copies, moved) = match what {
            TO_GLOBAL => (&mut count.stores, &mut count.stored_bytes),
            TO_CLUSTER => (&mut count.moves, &mut count.moved_bytes),
            _ => (&mut count.loads, &mut count.loaded_bytes),
        };
        *copies += 1;
        *moved += parts.iter().filter(|part| part.from.is_some()).map(|part| part.bytes as u64).sum::<u64>();
        if what == TO_GLOBAL {
            return self.begin_bulk_store(at, thread, place, parts);
        }
        for target in self.targets(at, mask, what) {
            let shift = |address: usize| match target {
                Some(image) => address - self.blocks[at].image.address() + image,
                None => address,
            };
            let there = shift(mbarrier);
            let moved: Vec<CopyRun> =
                parts.iter().map(|part| CopyRun { to: shift(part.to), ..*part }).collect();
            let Some(known) = self.mbarriers.get(&there) else {
                let raw =
                    FindingDetail::Words("completes on an mbarrier that nothing initialised".to_string());
                return self.stop(at, thread, FindingKind::BarrierMisuse, place, raw);
            };
            let (copies, by) = (known.copies, known.by);
            // Any fence of who initialised it will do: fence.mbarrier_init is one.
            let fenced = |it: &crate::block::Thread| it.last_fence > by.time;
            let of_initialiser = self.blocks.iter().find(|block| block.number == by.block);
            let fenced = of_initialiser
                .and_then(|block| block.threads.get(usize::from(by.thread)))
                .is_some_and(fenced);
            let seen =
                self.blocks[at].view(thread, 0).known.is_some_and(|known| known.covers_for_copies(&by));
            if self.job.instruments.check && !fenced && !seen {
                let raw = FindingDetail::NoProxyFence { other: by };
                self.report(at, thread, FindingKind::AsyncRace, place, raw);
            }
            let ranges: Vec<_> = moved
                .iter()
                .map(|part| {
                    (
                        part.from.unwrap_or(0),
                        part.to,
                        part.bytes,
                        if part.from.is_some() { part.bytes } else { 0 },
                    )
                })
                .collect();
            let time =
                match self.record_copy(at, thread, place, copies + 1, copies, AccessKind::Write, &ranges) {
                    Ok(time) => time,
                    Err(next) => return next,
                };
            if what == TO_CLUSTER || target.is_some() {
                // The other block looks at what this one did.
                self.check_trace(at);
                self.blocks[at].begin_segment(thread);
            }
            self.begin_transfer(
                moved,
                Some(Completion { mbarrier: there, bytes, copies, time }),
                (at as u32, thread, place),
            );
        }
        RequestOutcome::Answer(0)
    }

    /// Where a copy to shared memory goes: None for the addresses as they are, or the images of other blocks.
    fn targets(&self, at: usize, mask: u32, what: u64) -> Vec<Option<usize>> {
        if mask == 0 || what != TO_SHARED {
            return vec![None];
        }
        let cluster = self.blocks[at].cluster;
        let chosen =
            self.blocks.iter().filter(|block| block.cluster == cluster && mask >> block.rank & 1 == 1);
        chosen.map(|block| Some(block.image.address())).collect()
    }

    fn begin_bulk_store(
        &mut self,
        at: usize,
        thread: u32,
        place: u32,
        parts: Vec<CopyRun>,
    ) -> RequestOutcome {
        let ranges: Vec<_> =
            parts.iter().filter_map(|part| Some((part.from?, part.to, part.bytes, part.bytes))).collect();
        let (reads, writes) = (FIRST_BULK_READ + thread as u16, FIRST_BULK_WRITE + thread as u16);
        // Reductions of several copies may meet.
        let kind = if parts.iter().any(|part| part.reduction.0 != 0) {
            AccessKind::Atomic
        } else {
            AccessKind::Write
        };
        let time = match self.record_copy(at, thread, place, reads, writes, kind, &ranges) {
            Ok(time) => time,
            Err(next) => return next,
        };
        let id = self.begin_transfer(parts, None, (at as u32, thread, place));
        self.blocks[at].last_bulk = place;
        open_group(&mut self.blocks[at].threads[thread as usize].copies.bulk, time, id);
        RequestOutcome::Answer(0)
    }

    pub fn commit_bulk(&mut self, at: usize, thread: u32) {
        commit(&mut self.blocks[at].threads[thread as usize].copies.bulk);
    }

    /// Waits until at most `pending` groups of bulk copies are left, or have not read what they copy.
    pub fn wait_for_bulk(&mut self, at: usize, thread: u32, pending: u32, read_only: bool) {
        let groups = &mut self.blocks[at].threads[thread as usize].copies.bulk;
        let done = take_groups(groups, pending);
        let left = groups.iter().find_map(|group| group.first);
        self.land(&done);
        let block = &mut self.blocks[at];
        let landed = left.unwrap_or(block.tick + 1);
        let mut known = VectorClock::default();
        known.learn_thread(block.number, FIRST_BULK_READ + thread as u16, landed);
        if !read_only {
            known.learn_thread(block.number, FIRST_BULK_WRITE + thread as u16, landed);
        }
        block.advance(thread);
        block.learn(thread, &Some(Arc::new(known)));
        block.begin_segment(thread);
    }

    /// What a thread must not leave behind: bulk copies that still read its block's shared memory.
    pub fn check_left_copies(&mut self, at: usize, thread: u32) {
        let copies = &self.blocks[at].threads[thread as usize].copies;
        if copies.bulk.iter().any(|group| group.first.is_some()) {
            let place = self
                .transfers
                .iter()
                .find(|it| it.at.0 == at as u32 && it.at.1 == thread)
                .map_or(0, |it| it.at.2);
            let place = if place == 0 { self.blocks[at].last_bulk } else { place };
            let raw = FindingDetail::Words(
                "leaves the kernel before its bulk copy has read shared memory: wait for the group"
                    .to_string(),
            );
            self.report(at, thread, FindingKind::AsyncRace, place, raw);
        }
    }
}
