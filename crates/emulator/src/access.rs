//! One access: which memory it touches, whether a GPU would allow it, and how it is recorded.
//!
//! Also the shared memory of other blocks of a cluster: where it is, and that a block must not end while others may use its own.

use crate::block::Block;
use crate::clock::AccessEpoch;
use crate::finding::FindingKind;
use crate::memory::bits_at;
use crate::report::{FindingDetail, MOST_RECORDED};
use crate::request::Request;
use crate::resident::{LaunchResult, ResidentBlocks, Site};
use crate::shadow::{BenignRace, WORD};
use crate::trace::{Access, AccessKind, AnnotatedStore, Space};
use std::ops::Range;

/// What an address belongs to.
enum AddressTarget {
    In(Space, Range<usize>),
    /// Memory that is neither checked nor counted: tables of constants, flags of the host's compiler.
    Unwatched,
    /// Another block's shared memory after it left.
    Ended {
        rank: u32,
    },
    Nothing,
}

impl ResidentBlocks<'_> {
    /// Records an access by one instruction, of at most 16 bytes, if instruments need it. Returns whether the thread has recorded so
    /// many that others should have a turn: it may poll what they write by plain stores, though no compiler has to let it see them.
    pub fn note(&mut self, site: Site, address: usize, bytes: usize, kind: AccessKind) -> LaunchResult<bool> {
        let Some((space, range)) = self.target(site, address, bytes, kind)? else { return Ok(false) };
        let tag = space.tag();
        let access = Access { address: address as u64, place: site.place, tag, bytes: bytes as u8, kind };
        if bytes.is_power_of_two() && address & (bytes - 1) != 0 {
            let access = self.blocks[site.at].with_offset(&access);
            return self.stop(site, FindingKind::Misaligned, FindingDetail::Misaligned(access));
        }
        if !self.launch.spec.instruments.any() {
            return Ok(false);
        }
        if let Space::Remote(rank) = space {
            self.note_visit(site, u32::from(rank));
        }
        let block = self.block(site);
        block.note_annotated_store(address, bytes, kind);
        block.recorder.remember(range.start, range.len(), tag);
        block.trace.accesses.push(access);
        if block.trace.accesses.len() < MOST_RECORDED {
            return Ok(false);
        }
        let since = block.trace.segments.last().map_or(0, |segment| segment.start);
        let alone = block.trace.accesses.len() - since >= MOST_RECORDED / 2;
        self.check_trace(site.at);
        self.block(site).begin_segment(site.thread);
        Ok(alone)
    }

    /// Records an access of any size as several, each of at most [`MOST_AT_ONCE`] bytes.
    pub fn record_range(
        &mut self,
        site: Site,
        address: usize,
        bytes: usize,
        kind: AccessKind,
    ) -> LaunchResult<()> {
        let Some((space, _)) = self.target(site, address, bytes, kind)? else { return Ok(()) };
        if self.launch.spec.instruments.any() {
            let parts = (0..bytes).step_by(MOST_AT_ONCE).map(|done| Access {
                address: (address + done) as u64,
                place: site.place,
                tag: space.tag(),
                bytes: (bytes - done).min(MOST_AT_ONCE) as u8,
                kind,
            });
            self.block(site).trace.accesses.extend(parts);
        }
        Ok(())
    }

    /// The memory that holds all of these bytes, and the addresses allocated together with them; None where accesses are not watched.
    fn target(
        &mut self,
        site: Site,
        address: usize,
        bytes: usize,
        kind: AccessKind,
    ) -> LaunchResult<Option<(Space, Range<usize>)>> {
        let image = &self.blocks[site.at].memory.image;
        let (finding, detail) = match self.find(site.at, address, bytes, kind) {
            AddressTarget::In(space, range) => {
                if let Space::Shared(variable) = space {
                    self.found.shared_used.insert(variable);
                }
                return Ok(Some((space, range)));
            }
            AddressTarget::Unwatched => return Ok(None),
            AddressTarget::Ended { rank } => {
                (FindingKind::RaceBetweenBlocks, FindingDetail::Ended { rank, kind, bytes })
            }
            AddressTarget::Nothing if image.holds(address, 1) => {
                let at = (address - image.address()) as u64;
                (FindingKind::OutOfBounds, FindingDetail::BesideShared { at, bytes, kind })
            }
            AddressTarget::Nothing => {
                (FindingKind::OutOfBounds, FindingDetail::Outside { address, bytes, kind })
            }
        };
        self.stop(site, finding, detail)
    }

    fn find(&self, at: usize, address: usize, bytes: usize, kind: AccessKind) -> AddressTarget {
        let (block, module) = (&self.blocks[at], self.launch.spec.module);
        let dynamic = self.launch.spec.shape.dynamic_shared_bytes as usize;
        if block.memory.image.holds(address, 1) {
            let start = block.memory.image.address();
            if module.is_flag(address - start, bytes) {
                return AddressTarget::Unwatched;
            }
            let found = module.shared_at(address - start, bytes, dynamic);
            return found.map_or(AddressTarget::Nothing, |(space, range)| {
                AddressTarget::In(space, start + range.start..start + range.end)
            });
        }
        if let Some(index) = self.launch.memory_at(address, bytes) {
            let range = self.launch.allocation(index, address, bytes);
            return range
                .map_or(AddressTarget::Nothing, |range| AddressTarget::In(Space::Global(index), range));
        }
        if let Some(other) = self.cluster_block_at(at, address) {
            let space = Space::Remote(other.cluster.rank as u16);
            return match module.shared_at(address - other.memory.image.address(), bytes, dynamic) {
                _ if other.is_done() => AddressTarget::Ended { rank: other.cluster.rank },
                Some(_) => AddressTarget::In(space, address..address + bytes),
                None => AddressTarget::Nothing,
            };
        }
        if !kind.writes() && module.is_constant(address, bytes) {
            return AddressTarget::Unwatched;
        }
        AddressTarget::Nothing
    }
}

/// Bytes that one instruction of a thread moves at most.
const MOST_AT_ONCE: usize = 16;

impl Block {
    /// Lets the next store to this address race, if it keeps the bits (`allowed` 0) or lowers the value.
    pub fn allow_benign_store(&mut self, address: usize, allowed: u32) {
        self.expected = (address, if allowed == 0 { BenignRace::SameBits } else { BenignRace::Lower });
        self.recorder.expect(address);
    }

    fn note_annotated_store(&mut self, address: usize, bytes: usize, kind: AccessKind) {
        let (expected, benign) = self.expected;
        if matches!(kind, AccessKind::Write | AccessKind::VolatileWrite)
            && expected == address
            && bytes <= WORD
        {
            self.expected.0 = usize::MAX;
            self.recorder.expect(usize::MAX);
            let (index, before) = (self.trace.accesses.len(), bits_at(address, bytes as u8) as u32);
            self.trace.annotated.push(AnnotatedStore { index, before, benign });
        }
    }
}

/// Bits of an offset in the window of shared memory, below the block's rank + 1. The same in runtime.cpp.
const OFFSET_BITS: u32 = 20;

impl ResidentBlocks<'_> {
    /// The block of the same cluster whose shared memory an address is in.
    pub fn cluster_block_at(&self, at: usize, address: usize) -> Option<&Block> {
        let cluster = self.blocks[at].cluster.first;
        self.blocks
            .iter()
            .find(|block| block.cluster.first == cluster && block.memory.image.holds(address, 1))
    }

    /// The index of the block of this rank in the cluster of block `at`.
    pub fn block_of_rank(&self, at: usize, rank: u32) -> Option<usize> {
        let cluster = self.blocks[at].cluster.first;
        self.blocks.iter().position(|block| block.cluster.first == cluster && block.cluster.rank == rank)
    }

    /// The kind of memory that an address is in, as runtime.hpp numbers it: shared, global, or none of these.
    pub fn space_of(&self, at: usize, address: usize) -> u64 {
        match self.cluster_block_at(at, address) {
            Some(_) => 1,
            None if self.launch.memory_at(address, 1).is_some() => 2,
            None => 0,
        }
    }

    /// The address for a place in the window of shared memory: the upper bits are the block's rank + 1, the lower ones the offset.
    pub fn shared_place(&self, at: usize, shared: u32) -> usize {
        let (rank, offset) = (shared >> OFFSET_BITS, shared as usize & ((1 << OFFSET_BITS) - 1));
        let block = rank.checked_sub(1).and_then(|rank| self.block_of_rank(at, rank));
        // There is no such block: an address in no memory, whose use is reported.
        block.map_or(shared as usize, |block| self.blocks[block].memory.image.address() + offset)
    }

    /// The place in the window of the same offset in another block; with `u64::MAX` for its rank, the place of an address.
    pub fn map_shared(&self, at: usize, request: &Request) -> u32 {
        if request.numbers[1] == u64::MAX {
            let address = request.address(0);
            return self.cluster_block_at(at, address).map_or(0, |block| {
                (block.cluster.rank + 1) << OFFSET_BITS | (address - block.memory.image.address()) as u32
            });
        }
        (request.number(1) + 1) << OFFSET_BITS | request.number(0) & ((1 << OFFSET_BITS) - 1)
    }

    /// Takes note that a thread used the shared memory of the block of this rank.
    pub fn note_visit(&mut self, site: Site, rank: u32) {
        let who = self.blocks[site.at].who(site.thread, site.place);
        if let Some(host) = self.block_of_rank(site.at, rank) {
            self.blocks[host].memory.visitors.insert((who.block, who.thread), who);
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
            block.memory.visitors.values().filter(|visitor| !seen(visitor)).copied().collect();
        for visitor in late {
            if let Some(of) = self.blocks.iter().position(|block| block.number == visitor.block) {
                let site = Site { at: of, thread: u32::from(visitor.thread), place: visitor.place };
                self.report(site, FindingKind::RaceBetweenBlocks, FindingDetail::MayHaveEnded(host));
            }
        }
    }
}
