//! Shared memory of other blocks of a cluster: where it is, and that a block must not leave while others may still use its own.

use crate::block::Block;
use crate::clock::AccessEpoch;
use crate::finding::FindingKind;
use crate::report::FindingDetail;
use crate::request::Request;
use crate::resident::{ResidentBlocks, Site};

/// As many as in runtime.cpp.
const OFFSET_BITS: u32 = 20;

impl ResidentBlocks<'_> {
    /// The block of the same cluster whose shared memory an address is in.
    pub fn cluster_block_at(&self, at: usize, address: usize) -> Option<&Block> {
        let cluster = self.blocks[at].cluster;
        self.blocks.iter().find(|block| block.cluster == cluster && block.image.holds(address, 1))
    }

    /// The index of the block of this rank in the cluster of block `at`.
    pub fn block_of_rank(&self, at: usize, rank: u32) -> Option<usize> {
        let cluster = self.blocks[at].cluster;
        self.blocks.iter().position(|block| block.cluster == cluster && block.rank == rank)
    }

    /// The kind of memory that an address is in, as runtime.hpp numbers it: shared, global, or none of these.
    pub fn space_of(&self, at: usize, address: usize) -> u64 {
        match self.cluster_block_at(at, address) {
            Some(_) => 1,
            None if self.launch.memory_at(address, 1).is_some() => 2,
            None => 0,
        }
    }

    /// The address of a place in the window of shared memory: of the block of the number in the upper bits.
    pub fn shared_place(&self, at: usize, shared: u32) -> usize {
        let (rank, offset) = (shared >> OFFSET_BITS, shared as usize & ((1 << OFFSET_BITS) - 1));
        let block = rank.checked_sub(1).and_then(|rank| self.block_of_rank(at, rank));
        // An address that is in nothing: whoever uses it hears of it.
        block.map_or(shared as usize, |block| self.blocks[block].image.address() + offset)
    }

    /// The corresponding place in another block's shared memory, or with no number the place of an address in the window.
    pub fn map_shared(&self, at: usize, request: &Request) -> u32 {
        if request.numbers[1] == u64::MAX {
            let address = request.address(0);
            return self.cluster_block_at(at, address).map_or(0, |block| {
                (block.rank + 1) << OFFSET_BITS | (address - block.image.address()) as u32
            });
        }
        (request.number(1) + 1) << OFFSET_BITS | request.number(0) & ((1 << OFFSET_BITS) - 1)
    }

    /// Takes note that a thread used the shared memory of the block of this rank.
    pub fn note_visit(&mut self, site: Site, rank: u32) {
        let who = self.blocks[site.at].who(site.thread, site.place);
        if let Some(host) = self.block_of_rank(site.at, rank) {
            self.blocks[host].visitors.insert((who.block, who.thread), who);
        }
    }

    /// Reports who used a block's shared memory without anything to order that before the block's end.
    pub fn check_visitors(&mut self, at: usize) {
        let block = &self.blocks[at];
        let host = block.number;
        let seen = |visitor: &AccessEpoch| {
            (0..block.threads.len() as u32).any(|thread| block.view(thread, 0).follows(visitor))
        };
        let late: Vec<AccessEpoch> =
            block.visitors.values().filter(|visitor| !seen(visitor)).copied().collect();
        for visitor in late {
            if let Some(of) = self.blocks.iter().position(|block| block.number == visitor.block) {
                let site = Site { at: of, thread: u32::from(visitor.thread), place: visitor.place };
                self.report(site, FindingKind::RaceBetweenBlocks, FindingDetail::MayHaveEnded(host));
            }
        }
    }
}
