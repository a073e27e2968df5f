//! What is known of each word of memory: who wrote it last, who read it since, and whether anything ever wrote it. From
//! that an access is found to race, or to read what nothing wrote.
//!
//! Two accesses to the same bytes race when at least one of them writes, not both are atomic, and nothing orders them; `clock.rs`
//! says what does. A word that is accessed in parts is known byte by byte from then on.
//!
//! Not every reader since the last store is kept. Kept are the last one, and one more that is not ordered before it, from
//! another block or warp if there is one: a store that barriers order after these two comes after all readers. Where
//! mbarriers and the like order threads one by one, all readers are listed. Of atomics, the last is kept and the last from
//! another block; a plain store before them stays known.
//!
//! All this is about one launch. What earlier launches did to a word is its history: see `history.rs`.

use crate::clock::{AccessEpoch, ThreadClock};
use crate::history::{AccessKinds, HappensBefore, PriorAccess};

/// Bytes of memory that one shadow word describes.
pub const WORD: usize = 4;

/// What an access was found to do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// It races with the access `other`, which writes if `other_writes`.
    Race {
        other: AccessEpoch,
        other_writes: bool,
    },
    /// It races with an access of another launch, or a copy, that nothing orders before this one.
    Launches {
        /// The number of the other kernel's name, where that is known.
        kernel: Option<u32>,
        /// The other access with its thread, where that is known.
        other: Option<AccessEpoch>,
        other_writes: bool,
    },
    /// It reads through the read-only cache what this launch writes, or writes what this launch reads through that cache.
    ReadOnly {
        other: AccessEpoch,
        other_writes: bool,
    },
    /// A bulk copy reads what was written, or writes over what was read or written, without a proxy fence between the two.
    NoProxyFence {
        other: AccessEpoch,
        other_writes: bool,
    },
    Unwritten,
}

impl Violation {
    /// The access that it collides with, where that is known.
    pub fn other(&self) -> Option<&AccessEpoch> {
        match self {
            Self::Race { other, .. } | Self::ReadOnly { other, .. } | Self::NoProxyFence { other, .. } => {
                Some(other)
            }
            Self::Launches { other, .. } => other.as_ref(),
            Self::Unwritten => None,
        }
    }
}

/// What is wrong with an access, boxed since that is rare.
pub type Verdict = Option<Box<Violation>>;

/// What a store that is meant to race may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenignRace {
    /// Store the bits that were there already: others may read them meanwhile, or store the same.
    SameBits,
    /// Store a float that is no greater than the old one: others may read it meanwhile.
    Lower,
}

/// How an access touches a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordAccess {
    /// One bit for each byte.
    pub mask: u8,
    pub reads: bool,
    pub writes: bool,
    pub atomic: bool,
    /// A volatile access to shared memory: between lanes of one warp it does not count as atomic.
    pub weak: bool,
    /// Atomic for the threads of its block only.
    pub of_block: bool,
    /// A volatile store to global memory that changes the bits: it may undo another change that is not ordered with it.
    pub replaces: bool,
    /// A read through the read-only cache, which is for memory that this launch does not write.
    pub read_only: bool,
    /// A store that is meant to race, and did what it was meant to.
    pub benign: Option<BenignRace>,
}

impl WordAccess {
    fn uses(self) -> AccessKinds {
        match (self.atomic, self.writes) {
            (true, true) => AccessKinds::ATOMIC,
            (true, false) => AccessKinds::ATOMIC_READ,
            (false, true) => AccessKinds::WRITE,
            (false, false) => AccessKinds::READ,
        }
    }

    fn is_weak_to(self, view: &ThreadClock, other: &AccessEpoch) -> bool {
        self.weak && other.is_in_warp_of(&view.who)
    }
}

/// Which accesses a word's state is about.
#[derive(Clone, Copy, Debug)]
pub struct ShadowScope<'a> {
    /// The launch, or for shared memory the block.
    pub serial: u32,
    /// Whether what was written in another scope still counts as written.
    pub keeps: bool,
    /// Whether threads are ordered one by one, so that readers must be listed.
    pub listed: bool,
    /// What is known of other launches; None for shared memory, which they do not touch.
    pub before: Option<&'a HappensBefore<'a>>,
    /// Whether the thread waited for the launch before this one, which this one may overlap.
    pub waited: bool,
}

/// What is known of a word, in one line of a cache.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub struct ShadowWord(AccessHistory);

const _: () = assert!(size_of::<ShadowWord>() == 64, "a word is one line of a cache");

impl ShadowWord {
    /// Marks the bytes in `mask` as written.
    pub fn fill(&mut self, mask: u8) {
        if mask == WHOLE && self.0.beyond.is_none() {
            self.0.set(WRITTEN, true);
        } else {
            self.of_bytes(mask).for_each(|byte| byte.set(WRITTEN, true));
        }
    }

    /// Records an access, and returns what is wrong with it.
    #[inline]
    pub fn access(&mut self, scope: ShadowScope, view: &ThreadClock, made: WordAccess) -> Verdict {
        if made.mask == WHOLE && !self.is_split() {
            return self.0.access(scope, view, made);
        }
        let violations = self.of_bytes(made.mask).map(|byte| byte.access(scope, view, made));
        // Without a short circuit: each byte must record the access, also after a violation.
        violations.fold(None, Option::or)
    }

    #[inline]
    fn is_split(&self) -> bool {
        self.0.beyond.as_ref().is_some_and(|beyond| beyond.bytes.is_some())
    }

    /// The states of the bytes in `mask`. Splits the word into bytes first, if it is whole.
    fn of_bytes(&mut self, mask: u8) -> impl Iterator<Item = &mut AccessHistory> {
        if !self.is_split() {
            let whole = self.0.clone();
            let bytes = Box::new(std::array::from_fn(|_| whole.clone()));
            self.0.beyond.get_or_insert_default().bytes = Some(bytes);
        }
        let bytes =
            self.0.beyond.iter_mut().filter_map(|beyond| beyond.bytes.as_mut()).flat_map(|all| &mut **all);
        bytes.enumerate().filter(move |(at, _)| mask >> at & 1 == 1).map(|(_, byte)| byte)
    }
}

/// The mask of all bytes of a word.
const WHOLE: u8 = (1 << WORD) - 1;

/// Something wrote it.
const WRITTEN: u16 = 1;
/// Something wrote it in this scope: `writer`.
const HAS_WRITER: u16 = 2;
const WRITER_ATOMIC: u16 = 4;
/// A plain store came a barrier before the benign one: readers of other blocks race with the plain store.
const BEHIND_PLAIN: u16 = 8;
const HAS_READER: u16 = 16;
const HAS_OTHER: u16 = 32;
/// Something read it through the read-only cache.
const READ_ONLY: u16 = 64;

const WRITER_OF_BLOCK: u16 = 128;
/// All changes up to the writer's are atomic operations that read what the one before left: whoever follows the last follows them all.
const CHAIN: u16 = 256;

/// What is known of a word or a byte.
#[derive(Clone, Debug, Default)]
struct AccessHistory {
    /// The launch or block that all but `history` and `WRITTEN` is about.
    scope: u32,
    /// The number of its history: what launches did to it, this one included.
    history: u32,
    flags: u16,
    /// The kinds of access of this scope that the history has already.
    noted: AccessKinds,
    /// How the last store is meant to race; None for a plain store, and where an earlier plain store may race with the readers.
    write_benign: Option<BenignRace>,
    writer: AccessEpoch,
    /// The last plain reader, and one that nothing orders before it.
    reader: AccessEpoch,
    other: AccessEpoch,
    beyond: Option<Box<ExtendedHistory>>,
}

/// The part of a state that few words need.
#[derive(Clone, Debug, Default)]
struct ExtendedHistory {
    bytes: Option<Box<[AccessHistory; WORD]>>,
    /// The last plain store before the atomic `writer`.
    plain: Option<AccessEpoch>,
    /// The last atomic of a block other than `writer`'s that changes it.
    atomic: Option<AccessEpoch>,
    /// The last atomic that only reads.
    atomic_reader: Option<AccessEpoch>,
    /// All plain readers without an order among them, at most two of a warp at one time, and some that come before these.
    readers: Vec<AccessEpoch>,
}

impl AccessHistory {
    fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    fn set(&mut self, flag: u16, on: bool) {
        if on { self.flags |= flag } else { self.flags &= !flag }
    }

    /// See [`ShadowWord::access`].
    #[inline]
    fn access(&mut self, scope: ShadowScope, view: &ThreadClock, made: WordAccess) -> Verdict {
        if self.scope == scope.serial && self.is_redundant(scope, view, made) {
            return None;
        }
        let violation = scope.before.and_then(|before| self.record_and_check_launches(before, scope, made));
        if self.scope != scope.serial {
            let kept = if scope.keeps { self.flags & WRITTEN } else { 0 };
            let (history, noted) = (self.history, self.noted);
            *self = Self { scope: scope.serial, flags: kept, history, noted, ..Self::default() };
        }
        let violation = violation.or_else(|| self.violation(view, made)).map(Box::new);
        if made.reads {
            self.note_reader(scope, view, made);
        }
        if made.writes {
            self.note_writer(view, made);
        }
        violation
    }

    fn violation(&self, view: &ThreadClock, made: WordAccess) -> Option<Violation> {
        let race = |other: AccessEpoch, other_writes| Violation::Race { other, other_writes };
        if self.has(HAS_WRITER) {
            let both_atomic = made.atomic
                && self.has(WRITER_ATOMIC)
                && !made.is_weak_to(view, &self.writer)
                && (view.who.block == self.writer.block || !(made.of_block || self.has(WRITER_OF_BLOCK)))
                && !made.replaces;
            if !both_atomic && !self.is_benign(view, made) && !view.follows(&self.writer) {
                return Some(race(self.writer, true));
            }
            if let Some(beyond) = &self.beyond {
                if let Some(plain) = beyond.plain.filter(|plain| !view.follows(plain)) {
                    return Some(race(plain, true));
                }
                let chained = self.has(CHAIN) && view.follows(&self.writer);
                let alone = |atomic: &AccessEpoch| !made.atomic && !chained && !view.follows(atomic);
                if let Some(atomic) = beyond.atomic.filter(alone) {
                    return Some(race(atomic, true));
                }
            }
            if view.lacks_proxy_fence(&self.writer) {
                return Some(Violation::NoProxyFence { other: self.writer, other_writes: true });
            }
            if made.read_only {
                return Some(Violation::ReadOnly { other: self.writer, other_writes: true });
            }
        }
        if made.writes && made.benign.is_none() {
            if let Some(other) = self.unordered_reader(view, made) {
                return Some(race(other, false));
            }
            if view.who.is_bulk_copy()
                && let Some(other) = self.reader_that(|reader| view.lacks_proxy_fence(reader))
            {
                return Some(Violation::NoProxyFence { other, other_writes: false });
            }
            if self.has(READ_ONLY) {
                return Some(Violation::ReadOnly { other: self.reader, other_writes: false });
            }
        }
        (made.reads && !self.has(WRITTEN)).then_some(Violation::Unwritten)
    }

    /// Adds an access to the history while `scope` is still that of the last access. Returns a race with another launch.
    #[inline]
    fn record_and_check_launches(
        &mut self,
        before: &HappensBefore,
        scope: ShadowScope,
        made: WordAccess,
    ) -> Option<Violation> {
        let begins = self.scope != scope.serial;
        let noted = if begins { AccessKinds::default() } else { self.noted };
        let uses = made.uses();
        // Whatever races with another use also races with a store.
        if noted.contains(uses) || noted.contains(AccessKinds::WRITE) {
            return None;
        }
        self.noted = noted.with(uses);
        let (history, rival) = before.step(self.history, uses);
        self.history = history;
        if begins && !scope.waited && before.overlapping_launch() == Some(self.scope) {
            // The history takes the overlapped launch to be over, so it is checked here.
            return self
                .violation_in_front(before, made)
                .or_else(|| rival.map(|access| self.violation_with(before, access, made)));
        }
        rival.map(|access| self.violation_with(before, access, made))
    }

    /// The race of an access with the launch before this one, which this one may overlap.
    fn violation_in_front(&self, before: &HappensBefore, made: WordAccess) -> Option<Violation> {
        let kernel = before.launch(self.scope).map(|(_, kernel)| kernel);
        if self.has(HAS_WRITER) && !(made.atomic && self.has(WRITER_ATOMIC)) {
            return Some(Violation::Launches { kernel, other: Some(self.writer), other_writes: true });
        }
        (made.writes && self.has(HAS_READER)).then_some(Violation::Launches {
            kernel,
            other: Some(self.reader),
            other_writes: false,
        })
    }

    /// A race with an earlier launch. It names the thread if that launch was the last to access this word.
    #[cold]
    fn violation_with(&self, before: &HappensBefore, access: PriorAccess, made: WordAccess) -> Violation {
        let other_writes = access.uses.that_race_with(made.uses()).write();
        let (flag, who) = if other_writes { (HAS_WRITER, self.writer) } else { (HAS_READER, self.reader) };
        let is_last = before.launch(self.scope) == Some((access.epoch, access.kernel));
        let other = Some(who).filter(|_| is_last && self.has(flag));
        Violation::Launches { kernel: Some(access.kernel), other, other_writes }
    }

    fn note_writer(&mut self, view: &ThreadClock, made: WordAccess) {
        self.note_benign(view, made);
        let (was, was_atomic) = (self.writer, self.has(WRITER_ATOMIC));
        if made.atomic && self.has(HAS_WRITER) {
            let other_block = was.block != view.who.block;
            if !was_atomic {
                self.beyond.get_or_insert_default().plain = Some(was);
            } else if other_block {
                self.beyond.get_or_insert_default().atomic = Some(was);
            }
        } else if let Some(beyond) = &mut self.beyond {
            (beyond.plain, beyond.atomic) = (None, None);
            if !made.atomic {
                beyond.atomic_reader = None;
            }
        }
        if !made.atomic && made.benign.is_none() {
            // All that came before is ordered with it, or is a race that was reported.
            self.set(HAS_READER, false);
            self.set(HAS_OTHER, false);
            if let Some(beyond) = &mut self.beyond {
                beyond.readers.clear();
            }
        }
        let operation = made.atomic && made.reads;
        let chained = !self.has(HAS_WRITER) || self.has(CHAIN) || view.follows(&self.writer);
        self.set(CHAIN, operation && chained);
        self.set(WRITER_ATOMIC, made.atomic);
        self.set(WRITER_OF_BLOCK, made.of_block);
        self.set(HAS_WRITER, true);
        self.set(WRITTEN, true);
        self.writer = view.who;
    }

    /// Notes whether a store is meant to race, before `writer` is replaced. It hides an earlier plain store, which must not race
    /// with readers either.
    fn note_benign(&mut self, view: &ThreadClock, made: WordAccess) {
        let earlier = self.has(HAS_WRITER).then_some((self.write_benign, self.has(BEHIND_PLAIN)));
        let (benign, behind) = match (made.benign, earlier) {
            (None, _) => (None, false),
            (Some(benign), None) => (Some(benign), false),
            (Some(benign), Some((Some(known), behind))) => {
                // The stricter of the two: under `Lower` others may only read.
                (Some(if known == benign { benign } else { BenignRace::Lower }), behind)
            }
            (Some(benign), Some((None, _))) => {
                let a_barrier_ago = self.writer.block == view.who.block && self.writer.time < view.block_base;
                (a_barrier_ago.then_some(benign), a_barrier_ago)
            }
        };
        self.write_benign = benign;
        self.set(BEHIND_PLAIN, behind);
    }

    /// Whether the last writer's store is meant to race with such an access.
    fn is_benign(&self, view: &ThreadClock, made: WordAccess) -> bool {
        match self.write_benign {
            None => false,
            Some(_) if self.has(BEHIND_PLAIN) && view.who.block != self.writer.block => false,
            Some(_) if !made.writes => true,
            Some(benign) => benign == BenignRace::SameBits && made.benign == Some(BenignRace::SameBits),
        }
    }

    /// Whether this is a plain read without violation that changes no later verdict, as most accesses are: readers of two warps since the
    /// last barrier are known already.
    #[inline]
    fn is_redundant(&self, scope: ShadowScope, view: &ThreadClock, made: WordAccess) -> bool {
        const READ_TWICE: u16 = WRITTEN | HAS_READER | HAS_OTHER;
        let since_barrier =
            |reader: &AccessEpoch| reader.block == view.who.block && reader.time >= view.block_base;
        !made.writes
            && !made.atomic
            && !made.read_only
            && !scope.listed
            && self.beyond.is_none()
            && self.flags & READ_TWICE == READ_TWICE
            && since_barrier(&self.reader)
            && since_barrier(&self.other)
            && !self.reader.is_in_warp_of(&self.other)
            && (!self.has(HAS_WRITER)
                || (self.writer.block == view.who.block && self.writer.time < view.block_base))
    }

    fn unordered_reader(&self, view: &ThreadClock, made: WordAccess) -> Option<AccessEpoch> {
        let atomic = self.beyond.as_ref().and_then(|beyond| beyond.atomic_reader);
        let atomic = atomic.filter(|reader| !made.atomic || made.is_weak_to(view, reader));
        let unordered = |reader: &AccessEpoch| !view.follows(reader);
        atomic.filter(unordered).or_else(|| self.reader_that(unordered))
    }

    /// A known plain reader for which `is_it` holds.
    fn reader_that(&self, is_it: impl Fn(&AccessEpoch) -> bool) -> Option<AccessEpoch> {
        let listed = self.beyond.iter().flat_map(|beyond| &beyond.readers);
        let last = [(HAS_READER, &self.reader), (HAS_OTHER, &self.other)];
        let last = last.into_iter().filter(|(flag, _)| self.has(*flag)).map(|(_, reader)| reader);
        listed.chain(last).find(|reader| is_it(reader)).copied()
    }

    fn note_reader(&mut self, scope: ShadowScope, view: &ThreadClock, made: WordAccess) {
        if made.atomic {
            if !made.writes {
                self.beyond.get_or_insert_default().atomic_reader = Some(view.who);
            }
            return;
        }
        if made.read_only {
            self.set(READ_ONLY, true);
        }
        if scope.listed {
            self.list_reader(view);
        } else if self.has(HAS_READER) {
            let was = self.reader;
            if self.has(HAS_OTHER) && view.follows(&self.other) {
                self.set(HAS_OTHER, false);
            }
            let rank = |reader: &AccessEpoch| match () {
                () if reader.block != view.who.block => 2,
                () if !reader.is_in_warp_of(&view.who) => 1,
                () => 0,
            };
            if !view.follows(&was) && (!self.has(HAS_OTHER) || rank(&was) >= rank(&self.other)) {
                self.other = was;
                self.set(HAS_OTHER, true);
            }
        }
        self.reader = view.who;
        self.set(HAS_READER, true);
    }

    fn list_reader(&mut self, view: &ThreadClock) {
        let (reader, other) = (self.has(HAS_READER), self.has(HAS_OTHER));
        let readers = &mut self.beyond.get_or_insert_default().readers;
        if readers.is_empty() {
            readers.extend(reader.then_some(self.reader));
            readers.extend(other.then_some(self.other));
        }
        let who = view.who;
        let is_own = |reader: &AccessEpoch| reader.is_in_warp_of(&who) && reader.time == who.time;
        match &mut readers[..] {
            [.., first, last] if is_own(first) && is_own(last) => *last = who,
            _ => {
                // Readers ordered before others may stay for a while: whoever follows the others follows them, too.
                if readers.len() == readers.capacity() {
                    readers.retain(|reader| !view.follows(reader));
                }
                readers.push(who);
            }
        }
    }
}

#[cfg(test)]
mod launches;
#[cfg(test)]
mod tests;
