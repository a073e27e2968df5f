//! What the threads of a block did since its last barrier, in the order in which they ran.

use super::shadow::Meant;

/// Which memory an access was to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Shared variables of fixed size.
    Shared,
    /// Shared memory whose size the launch gives.
    Dynamic,
    /// The allocation of this index.
    Global(u16),
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Read,
    Write,
    Atomic,
}

/// A store that is meant to race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deliberate {
    /// Its index among the accesses.
    pub index: usize,
    /// The bits that were there before.
    pub before: u32,
    pub meant: Meant,
}

/// One load, store or atomic of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The offset in shared memory, or the address in global memory.
    pub at: u64,
    /// Where in the code, as an offset into the library.
    pub place: u32,
    pub bytes: u8,
    pub kind: Kind,
    pub space: Space,
}

/// A run of accesses of one thread, up to the next one's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    pub thread: u32,
    /// How often the thread's warp had synchronized in this block.
    pub warp_epoch: u32,
    pub start: usize,
}

/// All accesses of a block between two barriers.
#[derive(Default)]
pub struct Trace {
    pub accesses: Vec<Access>,
    pub segments: Vec<Segment>,
    /// Stores that are meant to race, by index, ascending.
    pub deliberate: Vec<Deliberate>,
}

impl Trace {
    pub fn clear(&mut self) {
        self.accesses.clear();
        self.segments.clear();
        self.deliberate.clear();
    }

    /// What follows belongs to `thread`.
    pub fn begin(&mut self, thread: u32, warp_epoch: u32) {
        self.segments.push(Segment { thread, warp_epoch, start: self.accesses.len() });
    }

    /// What is known of the store of this index, if it is meant to race.
    #[inline]
    pub fn deliberate(&self, index: usize) -> Option<Deliberate> {
        let at = self.deliberate.binary_search_by_key(&index, |store| store.index).ok()?;
        Some(self.deliberate[at])
    }

    /// The accesses of segment `at`, and the index of the first.
    #[inline]
    pub fn of(&self, at: usize) -> (usize, &[Access]) {
        let start = self.segments[at].start;
        let end = self.segments.get(at + 1).map_or(self.accesses.len(), |next| next.start);
        (start, &self.accesses[start..end])
    }
}
