//! Shared memory of other blocks of a cluster: a block must not leave while others may still use its own.

use crate::clock::AccessEpoch;
use crate::finding::FindingKind;
use crate::launch::FindingDetail;
use crate::worker::Worker;

impl Worker<'_> {
    /// Takes note that a thread used the shared memory of the block of this rank.
    pub fn note_visit(&mut self, at: usize, thread: u32, rank: u32, place: u32) {
        let who = self.blocks[at].who(thread, place);
        if let Some(host) = self.block_of_rank(at, rank) {
            self.blocks[host].visitors.insert((who.block, who.thread), who);
        }
    }

    /// Reports who used a block's shared memory without anything to order that before the block's end.
    pub fn check_visitors(&mut self, at: usize) {
        let block = &self.blocks[at];
        let seen = |visitor: &AccessEpoch| {
            (0..block.threads.len() as u32).any(|thread| block.view(thread, 0).follows(visitor))
        };
        let late: Vec<AccessEpoch> =
            block.visitors.values().filter(|visitor| !seen(visitor)).copied().collect();
        for visitor in late {
            let Some(of) = self.blocks.iter().position(|block| block.number == visitor.block) else {
                continue;
            };
            let raw = FindingDetail::MayHaveEnded { host: self.blocks[at].number };
            self.report(of, u32::from(visitor.thread), FindingKind::RaceBetweenBlocks, visitor.place, raw);
        }
    }
}
