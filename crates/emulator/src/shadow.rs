//! What is known of each word of memory: who wrote it last, who read it since, and whether anything ever wrote it. From
//! that an access is found to race, or to read what nothing wrote.
//!
//! Two accesses to the same bytes race when at least one of them writes, not both are atomic, and nothing orders them:
//! different blocks of one launch are never ordered, threads of a block are by a block's barrier, threads of a warp also by
//! a warp's. A warp's barrier is taken to order the whole warp, whichever lanes it names.
//!
//! A word that is accessed in parts is known byte by byte from then on. What is missed, of a word or of such a byte: only the
//! last writer is remembered, and what an earlier one did is forgotten once another has written, so that a plain store by one
//! block can hide behind an atomic of the same block that follows it. Of the readers of earlier epochs, one block's are
//! remembered, and whether there were others.

/// Bytes a word of shadow stands for.
pub const WORD: usize = 4;

/// An access, as far as order depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Who {
    pub block: u32,
    /// How many barriers the block had passed.
    pub epoch: u32,
    pub warp_epoch: u16,
    pub thread: u16,
    /// Where in the code.
    pub place: u32,
}

impl Who {
    /// Whether something puts `earlier` before `self`, of the same launch.
    fn follows(&self, earlier: &Who) -> bool {
        earlier.block == self.block
            && (earlier.thread == self.thread
                || earlier.epoch != self.epoch
                || (earlier.is_in_warp_of(self) && earlier.warp_epoch != self.warp_epoch))
    }

    fn is_in_warp_of(&self, other: &Who) -> bool {
        self.block == other.block && self.thread / 32 == other.thread / 32
    }
}

/// What an access was found to do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// With an access of `other`, which writes if `other_writes`.
    Race {
        other: Who,
        other_writes: bool,
    },
    Unwritten,
}

/// What a store that is meant to race may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meant {
    /// Put the bits there that were there: others may read it meanwhile, or do the same.
    SameBits,
    /// Put a float there that is no greater: others may read it meanwhile.
    Lower,
}

/// How an access touches a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// One bit a byte.
    pub mask: u8,
    pub reads: bool,
    pub writes: bool,
    pub atomic: bool,
    /// A store that is meant to race, and did what it was meant to.
    pub meant: Option<Meant>,
}

/// What is known of a word, in one line of a cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Word(Known);

/// Of the whole, or of each byte once one was accessed without the others. An enum that asks for an alignment itself would
/// not tell the two apart inside of the first one.
#[derive(Clone, Debug)]
enum Known {
    Whole(State),
    Bytes(Box<[State; WORD]>),
}

impl Default for Word {
    fn default() -> Self {
        Self(Known::Whole(State::default()))
    }
}

impl Word {
    /// Bytes `mask` hold something from here on.
    pub fn fill(&mut self, mask: u8) {
        match &mut self.0 {
            Known::Whole(state) if mask == WHOLE => state.written = true,
            _ => self.of_bytes(mask).for_each(|byte| byte.written = true),
        }
    }

    /// Takes note of an access in `scope`, and says what is wrong with it, boxed since it nearly never is
    /// anything. What was written in another scope still counts as written when `keeps`.
    #[inline]
    pub fn access(&mut self, scope: u32, keeps: bool, who: Who, touch: Touch) -> Option<Box<Fault>> {
        match &mut self.0 {
            Known::Whole(state) if touch.mask == WHOLE => state.access(scope, keeps, who, touch),
            _ => {
                let faults = self.of_bytes(touch.mask).map(|byte| byte.access(scope, keeps, who, touch));
                // Each byte is to take note, also where the first is at fault.
                faults.fold(None, Option::or)
            }
        }
    }

    /// The states of some bytes.
    fn of_bytes(&mut self, mask: u8) -> impl Iterator<Item = &mut State> {
        if let Known::Whole(state) = self.0 {
            self.0 = Known::Bytes(Box::new([state; WORD]));
        }
        let bytes: &mut [State] = match &mut self.0 {
            Known::Bytes(bytes) => &mut bytes[..],
            Known::Whole(_) => &mut [],
        };
        bytes.iter_mut().enumerate().filter(move |(at, _)| mask >> at & 1 == 1).map(|(_, byte)| byte)
    }
}

/// The mask of all bytes of a word.
const WHOLE: u8 = (1 << WORD) - 1;

/// What is known of a word or a byte.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// The launch, or for shared memory the block, that everything but `written` is about.
    scope: u32,
    /// Whether something wrote it.
    written: bool,
    /// Whether something wrote it in this scope: `writer`.
    has_writer: bool,
    write_atomic: bool,
    /// When the last store was meant to race, and no store that is unordered with its readers hides behind it.
    write_meant: Option<Meant>,
    /// Whether a plain store of an earlier epoch does: readers of other blocks race with that one.
    behind_plain: bool,
    has_reader: bool,
    /// Whether all readers are atomic, and all in the block and epoch of `reader`.
    read_atomic: bool,
    epoch_atomic: bool,
    /// Readers of several blocks, or of several warps in the epoch of `reader`.
    many_blocks: bool,
    many_warps: bool,
    writer: Who,
    reader: Who,
    reader_atomic: bool,
    /// The last reader that is another thread than `reader`, in the same block and epoch.
    other_reader: Who,
    /// Whether that one is atomic; None when there is none.
    other_atomic: Option<bool>,
}

impl State {
    /// See [`Word::access`].
    #[inline]
    fn access(&mut self, scope: u32, keeps: bool, who: Who, touch: Touch) -> Option<Box<Fault>> {
        if self.adds_nothing(scope, &who, touch) {
            return None;
        }
        if self.scope != scope {
            *self = Self { scope, written: keeps && self.written, ..Self::default() };
        }
        let mut fault = None;
        let both_atomic = touch.atomic && self.write_atomic;
        let let_be = both_atomic || self.is_let_be(&who, touch);
        if self.has_writer && !let_be && !who.follows(&self.writer) {
            fault = Some(Box::new(Fault::Race { other: self.writer, other_writes: true }));
        }
        if touch.writes && fault.is_none() && self.has_reader && touch.meant.is_none() {
            fault = self
                .unordered_reader(&who, touch)
                .map(|other| Box::new(Fault::Race { other, other_writes: false }));
        }
        if touch.reads && !self.written && fault.is_none() {
            fault = Some(Box::new(Fault::Unwritten));
        }
        if touch.reads {
            self.note_reader(who, touch);
        }
        if touch.writes {
            self.note_meant(&who, touch);
            self.write_atomic = touch.atomic;
            self.writer = who;
            (self.has_writer, self.written) = (true, true);
        }
        fault
    }

    /// Takes note of whether a store is meant to race, before its writer replaces the last one: what it may meet, an earlier
    /// plain store that nothing orders before its readers may not.
    fn note_meant(&mut self, who: &Who, touch: Touch) {
        let earlier = self.has_writer.then_some((self.write_meant, self.behind_plain));
        (self.write_meant, self.behind_plain) = match (touch.meant, earlier) {
            (None, _) => (None, false),
            (Some(meant), None) => (Some(meant), false),
            (Some(meant), Some((Some(known), behind))) => {
                // The one that fewer may meet.
                (Some(if known == meant { meant } else { Meant::Lower }), behind)
            }
            (Some(meant), Some((None, _))) => {
                let a_barrier_ago = self.writer.block == who.block && self.writer.epoch != who.epoch;
                (a_barrier_ago.then_some(meant), a_barrier_ago)
            }
        };
    }

    /// Whether the last writer's store was meant to meet such an access.
    fn is_let_be(&self, who: &Who, touch: Touch) -> bool {
        match self.write_meant {
            None => false,
            Some(_) if self.behind_plain && who.block != self.writer.block => false,
            Some(_) if !touch.writes => true,
            Some(meant) => meant == Meant::SameBits && touch.meant == Some(Meant::SameBits),
        }
    }

    /// Whether this is one more plain read, right, after which every later access is judged as without it: most accesses
    /// are. That is so once readers of two warps are known in this epoch, or two of this warp that nothing came between.
    fn adds_nothing(&self, scope: u32, who: &Who, touch: Touch) -> bool {
        let same_epoch = |other: &Who| other.block == who.block && other.epoch == who.epoch;
        let same_turn =
            |other: &Who| same_epoch(other) && other.is_in_warp_of(who) && other.warp_epoch == who.warp_epoch;
        let two_of_this_warp = || {
            !self.reader_atomic
                && self.other_atomic == Some(false)
                && same_turn(&self.reader)
                && same_turn(&self.other_reader)
        };
        !touch.writes
            && !touch.atomic
            && self.scope == scope
            && self.written
            && self.has_reader
            && !self.epoch_atomic
            && same_epoch(&self.reader)
            && (!self.has_writer || (self.writer.block == who.block && self.writer.epoch != who.epoch))
            && (self.many_warps || two_of_this_warp())
    }

    fn unordered_reader(&self, who: &Who, touch: Touch) -> Option<Who> {
        if touch.atomic && self.read_atomic {
            return None;
        }
        let collides = |reader: &Who, atomic: bool| {
            // Atomics of two warps beside a plain read: the read races with one of the two, whichever warp it is of.
            let spared = self.epoch_atomic && reader.block == who.block || reader.is_in_warp_of(who);
            !(touch.atomic && atomic && spared || who.follows(reader))
        };
        let other = self.other_atomic.map(|_| self.other_reader);
        let beside = other.filter(|other| collides(other, self.other_atomic == Some(true)));
        if collides(&self.reader, self.reader_atomic) {
            return Some(self.reader);
        }
        let same_epoch = self.reader.block == who.block && self.reader.epoch == who.epoch;
        let spared = touch.atomic && self.epoch_atomic;
        if self.many_blocks || (self.many_warps && same_epoch && !spared) {
            return Some(beside.or(other).unwrap_or(self.reader));
        }
        beside
    }

    fn note_reader(&mut self, who: Who, touch: Touch) {
        if !self.has_reader {
            (self.read_atomic, self.epoch_atomic) = (true, true);
        } else if self.reader.block != who.block {
            (self.many_blocks, self.many_warps, self.epoch_atomic) = (true, false, true);
            self.put_reader_beside();
        } else if self.reader.epoch != who.epoch {
            (self.many_warps, self.epoch_atomic) = (false, true);
            if !self.many_blocks {
                self.other_atomic = None;
            }
        } else if self.reader.thread != who.thread {
            self.many_warps |= !self.reader.is_in_warp_of(&who);
            self.put_reader_beside();
        }
        self.read_atomic &= touch.atomic;
        self.epoch_atomic &= touch.atomic;
        self.has_reader = true;
        (self.reader, self.reader_atomic) = (who, touch.atomic);
    }

    fn put_reader_beside(&mut self) {
        (self.other_reader, self.other_atomic) = (self.reader, Some(self.reader_atomic));
    }
}

#[cfg(test)]
mod tests;
