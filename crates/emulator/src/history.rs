//! What launches and copies did to a word of global memory, as far as a later one may race with it.
//!
//! Launches and copies of a stream with neither a record of an event nor a wait of the host among them are an *epoch* of it: whatever is
//! queued elsewhere comes after all of an epoch or after none of it. So a word's history is a set of [`PriorAccess`]es, each of one kernel in one
//! epoch. An access is left out once another one that comes after it collides with all that it would collide with.
//!
//! A word stores the number of its history. Neighbouring words mostly have the same, and most steps from one history to the
//! next were made before, so they are cached.

use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// In which ways a word was used: a set of these bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccessKinds(u8);

impl AccessKinds {
    pub const READ: Self = Self(1);
    pub const WRITE: Self = Self(2);
    /// Atomics that may change it.
    pub const ATOMIC: Self = Self(4);
    pub const ATOMIC_READ: Self = Self(8);

    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The uses that race with one of these where nothing orders the two.
    fn conflicting(self) -> u8 {
        let of = |uses: Self, conflicting: u8| if self.contains(uses) { conflicting } else { 0 };
        of(Self::READ, Self::WRITE.0 | Self::ATOMIC.0)
            | of(Self::WRITE, 15)
            | of(Self::ATOMIC, Self::READ.0 | Self::WRITE.0)
            | of(Self::ATOMIC_READ, Self::WRITE.0)
    }

    fn races_with(self, other: Self) -> bool {
        self.that_race_with(other) != Self::default()
    }

    /// The uses of this set that race with one of `other`.
    pub fn that_race_with(self, other: Self) -> Self {
        Self(self.0 & other.conflicting())
    }

    /// Whether everything that races with `other` also races with this.
    fn covers(self, other: Self) -> bool {
        other.conflicting() & !self.conflicting() == 0
    }

    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether one of them may change the word.
    pub fn write(self) -> bool {
        self.0 & (Self::WRITE.0 | Self::ATOMIC.0) != 0
    }
}

/// What launches of one kernel, or copies, did to a word in one epoch of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PriorAccess {
    /// The number of the epoch: that of its first launch or copy.
    pub epoch: u32,
    /// The number of the kernel's name.
    pub kernel: u32,
    pub uses: AccessKinds,
}

/// In place of a kernel's name, for a copy.
pub const COPY: &str = "a copy";

/// The histories of all words of the devices that one host thread has.
#[derive(Debug, Default)]
pub struct AccessHistories(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    /// How many histories were forgotten. For numbers up to this one, 0 included, nothing is known of a word.
    forgotten: u32,
    /// The history of number `forgotten + 1`, and those that follow.
    known: Vec<Arc<[PriorAccess]>>,
    numbers: FxHashMap<Arc<[PriorAccess]>, u32>,
    kernels: Vec<Arc<str>>,
    /// The epoch and the kernel of each launch and copy, by its serial number.
    launches: FxHashMap<u32, (u32, u32)>,
}

/// Histories, or launches, that are kept at most: where the host never waits, races are missed rather than memory filled.
const MOST: usize = 1 << 20;

impl AccessHistories {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The name of a kernel that a [`PriorAccess`] has the number of.
    pub fn kernel(&self, number: u32) -> Arc<str> {
        self.table().kernels.get(number as usize).cloned().unwrap_or_else(|| COPY.into())
    }

    /// The accesses of this history.
    #[cfg(test)]
    pub fn accesses(&self, history: u32) -> Vec<PriorAccess> {
        self.table().accesses(history).map_or_else(Vec::new, |accesses| accesses.to_vec())
    }

    /// Forgets all histories: the host waited for everything, so what follows comes after it.
    pub fn forget(&self) {
        self.table().forget();
    }

    /// Takes note of a launch or a copy that begins, and returns the number of its kernel.
    pub fn begin(&self, serial: u32, epoch: u32, kernel: &str) -> u32 {
        let mut table = self.table();
        if table.known.len().max(table.launches.len()) >= MOST {
            table.forget();
        }
        let number = table.kernels.iter().position(|known| **known == *kernel).unwrap_or_else(|| {
            table.kernels.push(kernel.into());
            table.kernels.len() - 1
        });
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        table.launches.insert(serial, (epoch, number));
        number
    }
}

impl Table {
    fn forget(&mut self) {
        self.forgotten = self.forgotten.saturating_add(u32::try_from(self.known.len()).unwrap_or(u32::MAX));
        self.known.clear();
        self.numbers.clear();
        self.launches.clear();
    }

    fn accesses(&self, history: u32) -> Option<Arc<[PriorAccess]>> {
        let at = history.checked_sub(self.forgotten)?.checked_sub(1)?;
        self.known.get(at as usize).cloned()
    }

    fn number(&mut self, mut accesses: Vec<PriorAccess>) -> u32 {
        accesses.sort_unstable();
        if let Some(number) = self.numbers.get(&*accesses) {
            return *number;
        }
        let next = u32::try_from(self.known.len() + 1).ok().and_then(|next| self.forgotten.checked_add(next));
        // Out of numbers, nothing is known of a word.
        let Some(number) = next else { return 0 };
        let accesses: Arc<[PriorAccess]> = accesses.into();
        self.known.push(accesses.clone());
        self.numbers.insert(accesses, number);
        number
    }
}

/// Where a launch or a copy stands among the others.
#[derive(Clone, Debug, Default)]
pub struct QueuePosition {
    pub serial: u32,
    /// The epoch that it belongs to.
    pub epoch: u32,
    /// The number of its kernel's name.
    pub kernel: u32,
    /// The epochs that the host did not wait for, ascending, each with whether nothing orders it before this.
    pub outstanding: Vec<(u32, bool)>,
    /// The previous launch of the stream, where this one may overlap it.
    pub overlapped: Option<u32>,
    pub histories: Arc<AccessHistories>,
}

/// What happens before a launch or copy, as its host thread checks it.
#[derive(Debug)]
pub struct HappensBefore<'a> {
    place: &'a QueuePosition,
    /// A cache of steps, each in the slot that its history's number and its use give.
    steps: [Cell<CachedTransition>; STEPS],
}

const STEPS: usize = 32;

/// A step from one history to the next, by a use that races with nothing in it.
#[derive(Clone, Copy, Debug, Default)]
struct CachedTransition {
    from: u32,
    /// Empty in a free slot.
    uses: AccessKinds,
    to: u32,
}

impl<'a> HappensBefore<'a> {
    /// What happens before the launch or copy at this place.
    pub fn of(place: &'a QueuePosition) -> Self {
        Self { place, steps: Default::default() }
    }

    /// The number of a word's history after such a use, and an earlier access that races with the use.
    #[inline]
    pub fn step(&self, history: u32, uses: AccessKinds) -> (u32, Option<PriorAccess>) {
        let known = &self.steps[(history as usize * 4 + uses.0.trailing_zeros() as usize) % STEPS];
        let step = known.get();
        if step.from == history && step.uses == uses {
            return (step.to, None);
        }
        let (to, rival) = self.make_step(history, uses);
        if rival.is_none() {
            known.set(CachedTransition { from: history, uses, to });
        }
        (to, rival)
    }

    /// Whether nothing orders an epoch before this; None for one that the host waited for.
    fn is_concurrent(&self, epoch: u32) -> Option<bool> {
        let all = &self.place.outstanding;
        let at = all.binary_search_by_key(&epoch, |(epoch, _)| *epoch).ok()?;
        Some(all[at].1)
    }

    #[cold]
    #[inline(never)]
    fn make_step(&self, history: u32, uses: AccessKinds) -> (u32, Option<PriorAccess>) {
        let mut table = self.place.histories.table();
        let before = table.accesses(history);
        let mut after = Vec::new();
        let mut rival = None;
        for access in before.iter().flat_map(|accesses| accesses.iter()) {
            let Some(concurrent) = self.is_concurrent(access.epoch) else { continue };
            if concurrent && access.uses.races_with(uses) {
                rival = rival.or(Some(*access));
            }
            // Left out is an access that comes before this one, if all that would race with it would race with this one, too.
            let of_own_epoch = access.epoch == self.place.epoch;
            if of_own_epoch && access.uses.covers(uses) || concurrent || !uses.covers(access.uses) {
                after.push(*access);
            }
        }
        let own = |access: &&mut PriorAccess| access.epoch == self.place.epoch;
        if !after.iter_mut().filter(own).any(|access| access.uses.covers(uses)) {
            match after.iter_mut().filter(own).find(|access| access.kernel == self.place.kernel) {
                Some(access) => access.uses = access.uses.with(uses),
                None => after.push(PriorAccess { epoch: self.place.epoch, kernel: self.place.kernel, uses }),
            }
        }
        (table.number(after), rival)
    }

    /// The epoch and the kernel of a launch.
    pub fn launch(&self, serial: u32) -> Option<(u32, u32)> {
        self.place.histories.table().launches.get(&serial).copied()
    }

    pub fn overlapping_launch(&self) -> Option<u32> {
        self.place.overlapped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCESS: PriorAccess = PriorAccess { epoch: 1, kernel: 0, uses: AccessKinds::WRITE };

    #[test]
    fn what_was_forgotten_has_a_number_that_nothing_else_gets() {
        let mut table = Table::default();
        let first = table.number(vec![ACCESS]);
        assert_eq!(table.accesses(first).as_deref(), Some(&[ACCESS][..]));
        assert_eq!(table.number(vec![ACCESS]), first);
        table.forget();
        let again = table.number(vec![ACCESS]);
        assert!(again > first && table.accesses(first).is_none() && table.accesses(again).is_some());
        assert!(table.accesses(0).is_none());
    }

    #[test]
    fn out_of_numbers_nothing_is_known() {
        let mut table = Table { forgotten: u32::MAX, ..Table::default() };
        assert_eq!(table.number(vec![ACCESS]), 0);
        assert!(table.accesses(0).is_none() && table.accesses(u32::MAX).is_none());
    }

    #[test]
    fn where_nobody_waits_for_millions_of_launches_memory_is_not_filled() {
        let histories = AccessHistories::default();
        let known = histories.table().number(vec![ACCESS]);
        (0..MOST as u32).for_each(|serial| assert_eq!(histories.begin(serial, 0, "kernel"), 0));
        assert_eq!(histories.accesses(known), [ACCESS]);
        histories.begin(MOST as u32, 0, "kernel");
        assert_eq!(histories.accesses(known), []);
        assert_eq!(histories.table().launches.len(), 1);
    }
}
