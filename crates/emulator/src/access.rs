//! One access: what it is to, whether a GPU would let it happen, and writing it down.

use crate::block::{Block, ThreadState};
use crate::finding::FindingKind;
use crate::launch::FindingDetail;
use crate::memory::bits_at;
use crate::recorder;
use crate::request::Request;
use crate::shadow::{BenignRace, WORD};
use crate::trace::{Access, AccessKind, AnnotatedStore, Space};
use crate::worker::{RequestOutcome, Worker};

/// What an address belongs to.
enum AddressTarget {
    In(Space, std::ops::Range<usize>),
    /// What is neither checked nor counted: tables of constants, flags of the host's compiler.
    Unwatched,
    /// Another block's shared memory after it left.
    Ended {
        rank: u32,
    },
    Nothing,
}

impl Worker<'_> {
    /// An access by one instruction, at most 16 bytes.
    pub fn access(&mut self, at: usize, thread: u32, request: &Request) -> RequestOutcome {
        let (address, bytes, mut kind) =
            (request.address(0), request.address(1), AccessKind::of(request.numbers[2]));
        let place = request.place();
        if kind == AccessKind::VolatileWrite {
            let block = &mut self.blocks[at];
            let it = &block.threads[thread as usize];
            match it.observed.get(&address) {
                // Behind a fence or barrier, as whoever waits for a turn and gives it on.
                Some(&(bits, time))
                    if time < it.last_fence.max(it.stamp.block_base)
                        && bits == bits_at(address, bytes as u8) =>
                {
                    kind = AccessKind::VolatileUpdate;
                }
                Some(_) => {}
                // That several threads set the same flag loses nothing.
                None => block.expected = (address, BenignRace::SameBits),
            }
            // Before it is written down, since that may look through what was done: the store, too, must have happened then.
            self.store_volatile(at, thread, address);
        }
        match self.record(at, thread, address, bytes, kind, place) {
            Err(next) => next,
            Ok(()) if kind == AccessKind::VolatileRead => {
                self.load_volatile(at, thread, (address, bytes as u8), place)
            }
            Ok(()) => RequestOutcome::Answer(0),
        }
    }

    /// An access of any number of bytes, by as many instructions as their alignment asks for.
    pub fn access_range(&mut self, at: usize, thread: u32, request: &Request) -> RequestOutcome {
        let (address, bytes, kind) =
            (request.address(0), request.address(1), AccessKind::of(request.numbers[2]));
        match self.record_parts(at, thread, address, bytes, kind, request.place()) {
            Err(next) => next,
            Ok(()) => RequestOutcome::Answer(0),
        }
    }

    /// Writes an access down, where one needs to be.
    pub fn record(
        &mut self,
        at: usize,
        thread: u32,
        address: usize,
        bytes: usize,
        kind: AccessKind,
        place: u32,
    ) -> Result<(), RequestOutcome> {
        let found = self.find(at, address, bytes, kind);
        let (space, range) = match found {
            AddressTarget::In(space, range) => (space, range),
            AddressTarget::Unwatched => return Ok(()),
            AddressTarget::Ended { rank } => {
                let raw = FindingDetail::Ended { rank, kind, bytes };
                return Err(self.stop(at, thread, FindingKind::RaceBetweenBlocks, place, raw));
            }
            AddressTarget::Nothing => return Err(self.outside(at, thread, address, bytes, kind, place)),
        };
        let access = Access { address: address as u64, place, tag: space.tag(), bytes: bytes as u8, kind };
        if bytes.is_power_of_two() && address & (bytes - 1) != 0 {
            return Err(self.stop(
                at,
                thread,
                FindingKind::Misaligned,
                place,
                FindingDetail::Misaligned(self.in_its_block(at, &access)),
            ));
        }
        if let Space::Shared(variable) = space {
            self.tally.shared_used.insert(variable);
        }
        if !self.job.instruments.any() {
            return Ok(());
        }
        if let Space::Remote(rank) = space {
            self.note_visit(at, thread, u32::from(rank), place);
        }
        let block = &mut self.blocks[at];
        block.note_annotated_store(address, bytes, kind);
        block.recorder.remember(range.start, range.len(), space.tag());
        block.trace.accesses.push(access);
        if block.trace.accesses.len() >= recorder::MOST {
            let since = block.trace.segments.last().map_or(0, |segment| segment.start);
            let alone = block.trace.accesses.len() - since >= recorder::MOST / 2;
            self.check_trace(at);
            self.blocks[at].begin_segment(thread);
            if alone {
                // It may wait for what others write by plain stores, though no compiler has to let it see them.
                return Err(RequestOutcome::Wait(ThreadState::Polls { place, address: ANY }));
            }
        }
        Ok(())
    }

    /// Writes down an access of any size as several, of at most what the hardware moves at once.
    pub fn record_parts(
        &mut self,
        at: usize,
        thread: u32,
        address: usize,
        bytes: usize,
        kind: AccessKind,
        place: u32,
    ) -> Result<(), RequestOutcome> {
        let (space, _) = match self.find(at, address, bytes, kind) {
            AddressTarget::In(space, range) => (space, range),
            AddressTarget::Unwatched => return Ok(()),
            _ => return Err(self.outside(at, thread, address, bytes, kind, place)),
        };
        if let Space::Shared(variable) = space {
            self.tally.shared_used.insert(variable);
        }
        if !self.job.instruments.any() {
            return Ok(());
        }
        let mut done = 0;
        while done < bytes {
            let part = (bytes - done).min(MOST_AT_ONCE);
            let address = (address + done) as u64;
            let access = Access { address, place, tag: space.tag(), bytes: part as u8, kind };
            self.blocks[at].trace.accesses.push(access);
            done += part;
        }
        Ok(())
    }

    /// An access with the offset into the block's shared memory for its address.
    pub fn in_its_block(&self, at: usize, access: &Access) -> Access {
        let shared = matches!(access.space(), Space::Shared(_) | Space::Dynamic);
        let start = if shared { self.blocks[at].image.address() as u64 } else { 0 };
        Access { address: access.address - start, ..*access }
    }

    /// What holds all of these bytes.
    fn find(&self, at: usize, address: usize, bytes: usize, kind: AccessKind) -> AddressTarget {
        let block = &self.blocks[at];
        let module = self.job.module;
        if block.image.holds(address, 1) {
            let offset = address - block.image.address();
            if module.is_flag(offset, bytes) {
                return AddressTarget::Unwatched;
            }
            let dynamic =
                module.dynamic_offset..module.dynamic_offset + self.job.launch.dynamic_shared_bytes as usize;
            if dynamic.contains(&offset) && bytes <= dynamic.end - offset {
                let start = block.image.address() + dynamic.start;
                return AddressTarget::In(Space::Dynamic, start..start + dynamic.len());
            }
            return match module.shared_holding(offset as u64, bytes as u64) {
                Some(index) => {
                    let variable = &module.shared[index];
                    let start = block.image.address() + variable.offset as usize;
                    AddressTarget::In(Space::Shared(index as u16), start..start + variable.bytes as usize)
                }
                None => AddressTarget::Nothing,
            };
        }
        if let Some(index) = self.job.memory_at(address, bytes) {
            if self.job.is_heap(index) {
                let part = self.job.heap_part(address, bytes);
                return part
                    .map_or(AddressTarget::Nothing, |part| AddressTarget::In(Space::Global(index), part));
            }
            let memory = self.job.memory(index);
            return AddressTarget::In(
                Space::Global(index),
                memory.address()..memory.address() + memory.bytes(),
            );
        }
        if let Some(other) = self.cluster_block_at(at, address) {
            if other.is_done() {
                return AddressTarget::Ended { rank: other.rank };
            }
            let start = other.image.address();
            let offset = address - start;
            let dynamic_end = module.dynamic_offset + self.job.launch.dynamic_shared_bytes as usize;
            let inside = module.shared_holding(offset as u64, bytes as u64).is_some()
                || offset >= module.dynamic_offset && offset + bytes <= dynamic_end;
            let range = address..address + bytes;
            return if inside {
                AddressTarget::In(Space::Remote(other.rank as u16), range)
            } else {
                AddressTarget::Nothing
            };
        }
        if !kind.writes() && module.is_constant(address, bytes) {
            return AddressTarget::Unwatched;
        }
        AddressTarget::Nothing
    }

    /// The block of the same cluster, another one, whose shared memory an address is in.
    pub fn cluster_block_at(&self, at: usize, address: usize) -> Option<&Block> {
        let cluster = self.blocks[at].cluster;
        self.blocks.iter().find(|block| block.cluster == cluster && block.image.holds(address, 1))
    }

    /// The index of the block of this rank in the cluster of block `at`.
    pub fn block_of_rank(&self, at: usize, rank: u32) -> Option<usize> {
        let cluster = self.blocks[at].cluster;
        self.blocks.iter().position(|block| block.cluster == cluster && block.rank == rank)
    }

    fn outside(
        &mut self,
        at: usize,
        thread: u32,
        address: usize,
        bytes: usize,
        kind: AccessKind,
        place: u32,
    ) -> RequestOutcome {
        let image = &self.blocks[at].image;
        let raw = if image.holds(address, 1) {
            FindingDetail::BesideShared { at: (address - image.address()) as u64, bytes, kind }
        } else {
            FindingDetail::Outside { address, bytes, kind }
        };
        self.stop(at, thread, FindingKind::OutOfBounds, place, raw)
    }

    pub fn space_of(&self, at: usize, address: usize) -> u64 {
        if self.cluster_block_at(at, address).is_some() {
            1
        } else if self.job.memory_at(address, 1).is_some() {
            2
        } else {
            0
        }
    }

    /// The address of a place in the window of shared memory: of the block of the number in the upper bits.
    pub fn shared_place(&self, at: usize, shared: u32) -> usize {
        let (rank, offset) = (shared >> OFFSET_BITS, shared as usize & ((1 << OFFSET_BITS) - 1));
        let block =
            rank.checked_sub(1).and_then(|rank| self.block_of_rank(at, rank)).map(|at| &self.blocks[at]);
        // An address that is in nothing: whoever uses it hears of it.
        block.map_or(shared as usize, |block| block.image.address() + offset)
    }

    /// The corresponding place in another block's shared memory, or with no number the place of an address in the window.
    pub fn map_shared(&self, at: usize, request: &Request) -> RequestOutcome {
        if request.numbers[1] == u64::MAX {
            let address = request.address(0);
            let place = self.cluster_block_at(at, address).map_or(0, |block| {
                (block.rank + 1) << OFFSET_BITS | (address - block.image.address()) as u32
            });
            return RequestOutcome::Answer(u64::from(place));
        }
        let offset = request.number(0) & ((1 << OFFSET_BITS) - 1);
        RequestOutcome::Answer(u64::from((request.number(1) + 1) << OFFSET_BITS | offset))
    }
}

/// Bytes that one instruction of a thread moves at most.
const MOST_AT_ONCE: usize = 16;

/// In place of an address: whatever a thread looks at.
pub const ANY: usize = usize::MAX;

/// As many as in runtime.cpp.
const OFFSET_BITS: u32 = 20;

impl Block {
    /// The next store to this address may race if it does what is meant.
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
            let index = self.trace.accesses.len();
            self.trace.deliberate.push(AnnotatedStore {
                index,
                before: bits_at(address, bytes as u8) as u32,
                benign,
            });
        }
    }
}
