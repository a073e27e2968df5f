//! Asynchronous copies: of a thread in groups (`cp.async`), and bulk copies that complete on an mbarrier or in groups.
//!
//! The checker treats a copy like one more thread. What the copy reads and writes is ordered after what its thread did
//! before starting it. It is ordered before other accesses only once a thread has waited for the copy. The bytes move as
//! late as the rules allow, or at once when the seed of the order is odd.

use crate::barriers::copies_of;
use crate::block::Group;
use crate::clock::{FIRST_BULK_READ, FIRST_BULK_WRITE, Known, Who};
use crate::finding::FindingKind;
use crate::launch::Raw;
use crate::memory::move_bytes;
use crate::reduce::reduce;
use crate::request::Request;
use crate::trace::{Kind, Learned, NOTHING, Stamp};
use crate::worker::{Next, Worker};
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// Bytes that are to move.
#[derive(Clone, Debug)]
pub struct Transfer {
    pub id: u64,
    /// The runs of bytes that it moves.
    pub parts: Vec<Part>,
    /// The mbarrier on which it completes, if it does on one.
    pub completes: Option<Completion>,
    /// The worker's index of the block, the thread that copies, and the place in the code.
    pub at: (u32, u32, u32),
}

/// How a bulk copy completes on an mbarrier.
#[derive(Clone, Copy, Debug)]
pub struct Completion {
    mbarrier: usize,
    bytes: usize,
    /// The number and the tick under which its writes are known; its reads have the next number.
    copies: u16,
    time: u32,
}

/// One run of bytes of a copy.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// None: zeros.
    pub from: Option<usize>,
    pub to: usize,
    pub bytes: usize,
    /// The operation and the type of a reduction; (0, 0) of a copy.
    pub reduction: (u64, u64),
}

/// What a bulk copy does, as in runtime.hpp.
pub const TO_SHARED: u64 = 0;
pub const TO_GLOBAL: u64 = 1;
pub const TO_CLUSTER: u64 = 2;
pub const PREFETCH: u64 = 3;

impl Worker<'_> {
    pub fn copy_async(&mut self, at: usize, thread: u32, request: &Request) -> Next {
        let (to, from, bytes, wanted) =
            (request.address(0), request.address(1), request.address(2), request.address(3));
        let place = request.place();
        let read = wanted.min(bytes);
        if to % bytes != 0 || (read > 0 && from % bytes != 0) {
            let raw = Raw::MisalignedCopy { to, from, bytes };
            return self.stop(at, thread, FindingKind::Misaligned, place, raw);
        }
        let time = match self.record_copy(
            at,
            thread,
            place,
            copies_of(thread),
            copies_of(thread),
            Kind::Write,
            &[(from, to, bytes, read)],
        ) {
            Ok(time) => time,
            Err(next) => return next,
        };
        let count = &mut self.tally.counts.async_copies;
        count.copies += 1;
        count.bytes += read as u64;
        let mut parts = vec![Part { from: Some(from), to, bytes: read, reduction: (0, 0) }];
        if read < bytes {
            parts.push(Part { from: None, to: to + read, bytes: bytes - read, reduction: (0, 0) });
        }
        let id = self.begin_transfer(parts, None, (at as u32, thread, place));
        open_group(&mut self.blocks[at].threads[thread as usize].copies.groups, time, id);
        Next::Answer(0)
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
    pub fn arrive_with_copies(&mut self, at: usize, thread: u32, request: &Request) -> Next {
        let (address, keeps_count) = (request.address(0), request.numbers[1] != 0);
        let place = request.place();
        if let Err(next) = self.record(at, thread, address, 8, Kind::Atomic, place) {
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
        let mut known = Known::default();
        known.learn_thread(block.number, copies_of(thread), block.tick + 1);
        let Some(mbarrier) = self.mbarriers.get_mut(&address) else {
            let raw = Raw::Words("uses an mbarrier that nothing initialised".to_string());
            return self.stop(at, thread, FindingKind::BarrierMisuse, place, raw);
        };
        mbarrier.gathered.join(&known);
        if !keeps_count {
            // The arrival makes up for one that it adds.
            return Next::Answer(0);
        }
        if mbarrier.missing == 0 {
            let raw = Raw::Words("arrives at an mbarrier more often than its phase expects".to_string());
            return self.stop(at, thread, FindingKind::BarrierMisuse, place, raw);
        }
        self.blocks[at].next_tick();
        self.arrive(at, thread, address, 1, 0, false);
        self.end_phase(at, thread, address, place).unwrap_or(Next::Answer(0))
    }

    pub fn copy_bulk(&mut self, at: usize, thread: u32, request: &Request) -> Next {
        let numbers = request.numbers;
        let (what, to, from, bytes) =
            (numbers[0], request.address(1), request.address(2), request.address(3));
        let (mbarrier, mask) = (request.address(4), request.number(5));
        if what == PREFETCH {
            return Next::Answer(0);
        }
        if (to | from | bytes) % 16 != 0 {
            let raw = Raw::MisalignedCopy { to, from, bytes };
            return self.stop(at, thread, FindingKind::Misaligned, request.place(), raw);
        }
        let part = Part { from: Some(from), to, bytes, reduction: (numbers[6], numbers[7]) };
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
        parts: Vec<Part>,
        mbarrier: usize,
        mask: u32,
    ) -> Next {
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
            let moved: Vec<Part> = parts.iter().map(|part| Part { to: shift(part.to), ..*part }).collect();
            let Some(known) = self.mbarriers.get(&there) else {
                let raw = Raw::Words("completes on an mbarrier that nothing initialised".to_string());
                return self.stop(at, thread, FindingKind::BarrierMisuse, place, raw);
            };
            let (copies, by) = (known.copies, known.by);
            // Any fence of who initialised it will do: fence.mbarrier_init is one.
            let fenced = |it: &crate::block::Thread| it.last_fence > by.time;
            let of_initialiser = self.blocks.iter().find(|block| block.number == by.block);
            let fenced = of_initialiser
                .and_then(|block| block.threads.get(usize::from(by.thread)))
                .is_some_and(fenced);
            if self.job.instruments.check && !fenced && !self.proxy_sees(at, thread, &by) {
                let raw = Raw::NoProxyFence { other: by };
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
            let time = match self.record_copy(at, thread, place, copies + 1, copies, Kind::Write, &ranges) {
                Ok(time) => time,
                Err(next) => return next,
            };
            if what == TO_CLUSTER || target.is_some() {
                // The other block looks at what this one did.
                self.look_through(at);
                self.blocks[at].begin_segment(thread);
            }
            self.begin_transfer(
                moved,
                Some(Completion { mbarrier: there, bytes, copies, time }),
                (at as u32, thread, place),
            );
        }
        Next::Answer(0)
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

    fn begin_bulk_store(&mut self, at: usize, thread: u32, place: u32, parts: Vec<Part>) -> Next {
        let ranges: Vec<_> =
            parts.iter().filter_map(|part| Some((part.from?, part.to, part.bytes, part.bytes))).collect();
        for (from, _, bytes, _) in &ranges {
            if let Some(other) = self.written_unseen(at, thread, *from, *bytes) {
                self.report(at, thread, FindingKind::AsyncRace, place, Raw::NoProxyFence { other });
            }
        }
        let (reads, writes) = (FIRST_BULK_READ + thread as u16, FIRST_BULK_WRITE + thread as u16);
        // Reductions of several copies may meet.
        let kind = if parts.iter().any(|part| part.reduction.0 != 0) { Kind::Atomic } else { Kind::Write };
        let time = match self.record_copy(at, thread, place, reads, writes, kind, &ranges) {
            Ok(time) => time,
            Err(next) => return next,
        };
        let id = self.begin_transfer(parts, None, (at as u32, thread, place));
        self.blocks[at].last_bulk = place;
        open_group(&mut self.blocks[at].threads[thread as usize].copies.bulk, time, id);
        Next::Answer(0)
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
        let mut known = Known::default();
        known.learn_thread(block.number, FIRST_BULK_READ + thread as u16, landed);
        if !read_only {
            known.learn_thread(block.number, FIRST_BULK_WRITE + thread as u16, landed);
        }
        block.advance(thread);
        block.learn(thread, &Some(Rc::new(known)));
        block.begin_segment(thread);
    }

    /// Notes the ranges that a copy reads and writes, and returns the copy's tick. Each range is (from, to, bytes to
    /// write, bytes to read). Reads are noted under the number `reader`, writes under the number `writer`.
    #[allow(clippy::too_many_arguments)]
    fn record_copy(
        &mut self,
        at: usize,
        thread: u32,
        place: u32,
        reader: u16,
        writer: u16,
        writes: Kind,
        ranges: &[(usize, usize, usize, usize)],
    ) -> Result<u32, Next> {
        let block = &mut self.blocks[at];
        let time = block.threads[thread as usize].stamp.time;
        let known = self.job.instruments.check.then(|| Rc::new(block.view(thread, place).passed_on()));
        let learned =
            Learned { lanes: None, landed: block.threads[thread as usize].learned.landed.clone(), known };
        block.trace.learned.push(learned);
        let stamp = Stamp {
            time,
            learned: (block.trace.learned.len() - 1) as u32,
            ..block.threads[thread as usize].stamp
        };
        for (number, kind) in [(reader, Kind::Read), (writer, writes)] {
            self.blocks[at].trace.begin(u32::from(number), stamp);
            for (from, to, bytes, read) in ranges {
                let (address, bytes) = if kind == Kind::Read { (*from, *read) } else { (*to, *bytes) };
                if bytes > 0 {
                    self.record_parts(at, thread, address, bytes, kind, place, 16)?;
                }
            }
        }
        let block = &mut self.blocks[at];
        block.threads[thread as usize].stamp.learned = NOTHING;
        block.advance(thread);
        Ok(time)
    }

    /// Whether asynchronous copies of the thread see what `by` did.
    fn proxy_sees(&self, at: usize, thread: u32, by: &Who) -> bool {
        let own = self.blocks[at].threads[thread as usize].proxy.as_deref();
        if own.is_some_and(|(_, known)| known.covers(by)) {
            return true;
        }
        let of_writer = self.blocks.iter().find(|block| block.number == by.block);
        let fence = of_writer.and_then(|block| block.threads.get(usize::from(by.thread)));
        fence.and_then(|it| it.proxy.as_deref()).is_some_and(|(time, _)| *time > by.time)
    }

    /// Who wrote these bytes of shared memory in a way that copies of the thread do not see.
    fn written_unseen(&mut self, at: usize, thread: u32, from: usize, bytes: usize) -> Option<Who> {
        if !self.job.instruments.check || !self.blocks[at].image.holds(from, bytes) {
            return None;
        }
        self.look_through(at);
        self.blocks[at].begin_segment(thread);
        let block = &self.blocks[at];
        let first = (from - block.image.address()) / crate::shadow::WORD;
        let words = &block.image.shadow[first..first + bytes / crate::shadow::WORD];
        let writers: Vec<Who> = words.iter().filter_map(|word| word.writer_in(block.serial)).collect();
        writers.into_iter().find(|writer| !writer.is_copy() && !self.proxy_sees(at, thread, writer))
    }

    fn begin_transfer(
        &mut self,
        parts: Vec<Part>,
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
            if let Some(Next::Stop) = self.end_phase(at, thread, mbarrier, place) {
                self.job.stop();
            }
        }
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
            let raw = Raw::Words(
                "leaves the kernel before its bulk copy has read shared memory: wait for the group"
                    .to_string(),
            );
            self.report(at, thread, FindingKind::AsyncRace, place, raw);
        }
    }
}

fn open_group(groups: &mut std::collections::VecDeque<Group>, time: u32, id: u64) {
    if groups.back().is_none_or(|group| group.committed) {
        groups.push_back(Group::default());
    }
    if let Some(group) = groups.back_mut() {
        group.first.get_or_insert(time);
        group.pending.push(id);
    }
}

/// Ends the open group; an empty one where nothing was begun.
fn commit(groups: &mut std::collections::VecDeque<Group>) {
    match groups.back_mut() {
        Some(group) if !group.committed => group.committed = true,
        _ => groups.push_back(Group { committed: true, ..Group::default() }),
    }
}

/// Takes off all committed groups but the last `pending`, and with `u32::MAX` every copy.
fn take_groups(groups: &mut std::collections::VecDeque<Group>, pending: u32) -> Vec<u64> {
    let committed = groups.iter().filter(|group| group.committed).count();
    let count = if pending == u32::MAX { groups.len() } else { committed.saturating_sub(pending as usize) };
    groups.drain(..count).flat_map(|group| group.pending).collect()
}
