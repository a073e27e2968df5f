//! Bulk copies: from global to shared memory, of one block or several, where they complete on an mbarrier; and from shared memory
//! to global memory, in groups of the thread that began them.

use crate::clock::{FIRST_BULK_READ, FIRST_BULK_WRITE, VectorClock};
use crate::copies::{CopyAccess, CopyRun, Transfers, record_copy};
use crate::finding::FindingKind;
use crate::mbarrier::Completion;
use crate::report::FindingDetail;
use crate::request::Request;
use crate::resident::{DONE, LaunchResult, RequestResult, ResidentBlocks, Site};
use crate::trace::AccessKind;
use std::sync::Arc;

/// Which way a bulk copy goes.
#[derive(Clone, Copy, PartialEq)]
pub enum BulkKind {
    /// To shared memory: of each block of the cluster whose rank is in the mask; with mask 0, to the address itself.
    Load { mask: u32 },
    /// To global memory.
    Store,
    /// To the shared memory of another block.
    Move,
}

impl BulkKind {
    /// From the number in runtime.hpp; None for a prefetch, which moves nothing.
    pub fn new(number: u64, mask: u32) -> Option<Self> {
        [Some(Self::Load { mask }), Some(Self::Store), Some(Self::Move), None][number.min(3) as usize]
    }
}

/// What a thread asks to be copied.
pub struct BulkCopy {
    pub kind: BulkKind,
    pub runs: Vec<CopyRun>,
    pub mbarrier: usize,
}

impl BulkCopy {
    /// Reads the copy that a request asks for; None for a prefetch.
    pub fn read(all: &mut ResidentBlocks, site: Site, request: &Request) -> LaunchResult<Option<Self>> {
        let (to, from, bytes) = (request.address(1), request.address(2), request.address(3));
        let Some(kind) = BulkKind::new(request.numbers[0], request.number(5)) else { return Ok(None) };
        if (to | from | bytes) % 16 != 0 {
            let detail = FindingDetail::MisalignedCopy { to, from, bytes };
            return all.stop(site, FindingKind::Misaligned, detail);
        }
        let reduction = (request.numbers[6], request.numbers[7]);
        let runs = vec![CopyRun { from: Some(from), to, bytes, reduction }];
        Ok(Some(Self { kind, runs, mbarrier: request.address(4) }))
    }

    pub fn begin(self, all: &mut ResidentBlocks, transfers: &mut Transfers, site: Site) -> RequestResult {
        all.launch.list_threads();
        let count = &mut all.found.counts.bulk_copies;
        let (copies, moved) = match self.kind {
            BulkKind::Store => (&mut count.stores, &mut count.stored_bytes),
            BulkKind::Move => (&mut count.moves, &mut count.moved_bytes),
            BulkKind::Load { .. } => (&mut count.loads, &mut count.loaded_bytes),
        };
        *copies += 1;
        *moved += self.runs.iter().filter(|run| run.from.is_some()).map(|run| run.bytes as u64).sum::<u64>();
        if self.kind == BulkKind::Store {
            return self.begin_store(all, transfers, site);
        }
        let bytes: usize = self.runs.iter().map(|run| run.bytes).sum();
        let own = all.block(site).memory.image.address();
        for target in self.targets(all, site) {
            let shift = |address: usize| target.map_or(address, |image| address - own + image);
            let mbarrier = shift(self.mbarrier);
            let runs: Vec<CopyRun> =
                self.runs.iter().map(|run| CopyRun { to: shift(run.to), ..*run }).collect();
            let copies = transfers.mbarriers.find(all, site, mbarrier)?.copies;
            // Any fence of the thread that initialised the mbarrier will do: fence.mbarrier_init is one.
            let by = all.mbarriers.get(&mbarrier).copied().unwrap_or_default();
            let initialiser = all.blocks.iter().find(|block| block.number == by.block);
            let initialiser = initialiser.and_then(|block| block.threads.get(usize::from(by.thread)));
            let is_fenced = initialiser.is_some_and(|it| it.flags.last_fence > by.time);
            let known = all.blocks[site.at].view(site.thread, 0).known;
            if all.checks() && !is_fenced && !known.is_some_and(|known| known.covers_for_copies(&by)) {
                all.report(site, FindingKind::AsyncRace, FindingDetail::NoProxyFence(by));
            }
            let access = CopyAccess { reader: copies + 1, writer: copies, writes: AccessKind::Write };
            let time = record_copy(all, site, access, &runs)?;
            if self.kind == BulkKind::Move || target.is_some() {
                // This copy may let another block go on: what this block did until now is checked before that.
                all.check_trace(site.at);
                all.block(site).begin_segment(site.thread);
            }
            let completion = Completion { mbarrier, bytes, copies, time };
            transfers.begin(all, site, runs, Some(completion));
        }
        DONE
    }

    /// Where a copy to shared memory goes: None: the addresses as they are; else where the shared memory of each block of the mask begins.
    fn targets(&self, all: &ResidentBlocks, site: Site) -> Vec<Option<usize>> {
        let BulkKind::Load { mask: mask @ 1.. } = self.kind else { return vec![None] };
        let cluster = all.blocks[site.at].cluster.first;
        let chosen = all
            .blocks
            .iter()
            .filter(|block| block.cluster.first == cluster && mask >> block.cluster.rank & 1 == 1);
        chosen.map(|block| Some(block.memory.image.address())).collect()
    }

    fn begin_store(self, all: &mut ResidentBlocks, transfers: &mut Transfers, site: Site) -> RequestResult {
        let (reader, writer) = (FIRST_BULK_READ + site.thread as u16, FIRST_BULK_WRITE + site.thread as u16);
        // Reductions of several copies may update the same bytes.
        let reduces = self.runs.iter().any(|run| run.reduction.0 != 0);
        let writes = if reduces { AccessKind::Atomic } else { AccessKind::Write };
        let time = record_copy(all, site, CopyAccess { reader, writer, writes }, &self.runs)?;
        let id = transfers.begin(all, site, self.runs, None);
        all.block(site).last_bulk = site.place;
        all.thread(site).bulk_copies.add(time, id);
        DONE
    }
}

/// Waits until no more groups of bulk copies than asked for are unfinished (with `.read`: have yet to read their source).
pub fn wait_for_bulk(all: &mut ResidentBlocks, transfers: &mut Transfers, site: Site, request: &Request) {
    let landed = transfers.wait(all, site, |it| &mut it.bulk_copies, request.number(0));
    let block = all.block(site);
    let mut known = VectorClock::default();
    known.learn_thread(block.number, FIRST_BULK_READ + site.thread as u16, landed);
    let read_only = request.numbers[1] != 0;
    if !read_only {
        known.learn_thread(block.number, FIRST_BULK_WRITE + site.thread as u16, landed);
    }
    block.acquire(site.thread, &Some(Arc::new(known)));
    block.begin_segment(site.thread);
}

/// Reports a thread that leaves the kernel while its bulk copies may still read its block's shared memory.
pub fn check_left_copies(all: &mut ResidentBlocks, transfers: &Transfers, site: Site) {
    if all.thread(site).bulk_copies.first().is_some() {
        let begun = transfers.place_of(site).filter(|place| *place != 0);
        let place = begun.unwrap_or(all.block(site).last_bulk);
        let words = "leaves the kernel before its bulk copy has read shared memory: wait for the group";
        all.report(Site { place, ..site }, FindingKind::AsyncRace, FindingDetail::Words(words.into()));
    }
}
