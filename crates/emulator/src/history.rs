//! What launches and copies did to a word of global memory, as far as a later one may race with it.
//!
//! Launches and copies of a stream with neither a record of an event nor a wait of the host among them are a *stretch* of it: whatever is
//! queued elsewhere comes after all of a stretch or after none of it. So a word's history is a set of [`Deed`]s, each of one kernel in one
//! stretch. A deed is left out once another one that comes after it collides with all that it would collide with.
//!
//! Words have a history's number. Neighbours mostly have the same, and a step from one history to the next is mostly one that was
//! made before.

use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// In which ways a word was used: a set of these bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Uses(u8);

impl Uses {
    pub const READ: Self = Self(1);
    pub const WRITE: Self = Self(2);
    /// Atomics that may change it.
    pub const ATOMIC: Self = Self(4);
    pub const ATOMIC_READ: Self = Self(8);

    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The uses that one without order races with.
    fn rivals(self) -> u8 {
        let of = |uses: Self, rivals: u8| if self.contains(uses) { rivals } else { 0 };
        of(Self::READ, Self::WRITE.0 | Self::ATOMIC.0)
            | of(Self::WRITE, 15)
            | of(Self::ATOMIC, Self::READ.0 | Self::WRITE.0)
            | of(Self::ATOMIC_READ, Self::WRITE.0)
    }

    fn races_with(self, other: Self) -> bool {
        self.that_race_with(other) != Self::default()
    }

    /// Those of them that race with one of `other`.
    pub fn that_race_with(self, other: Self) -> Self {
        Self(self.0 & other.rivals())
    }

    /// Whether everything that races with `other` also races with this.
    fn covers(self, other: Self) -> bool {
        other.rivals() & !self.rivals() == 0
    }

    /// Whether one of them may change the word.
    pub fn write(self) -> bool {
        self.0 & (Self::WRITE.0 | Self::ATOMIC.0) != 0
    }
}

impl std::ops::BitOr for Uses {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What launches of one kernel, or copies, in one stretch of a stream did to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Deed {
    /// The number of the stretch: that of its first launch or copy.
    pub stretch: u32,
    /// The number of the kernel's name.
    pub kernel: u32,
    pub uses: Uses,
}

/// The name of what is no kernel.
pub const COPY: &str = "a copy";

/// The histories of all words of the devices that one host thread has.
#[derive(Debug, Default)]
pub struct Histories(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    /// Histories that were forgotten. Numbers up to this, and none, are of words of which nothing is known.
    forgotten: u32,
    /// The history of number `forgotten + 1`, and those that follow.
    known: Vec<Arc<[Deed]>>,
    numbers: FxHashMap<Arc<[Deed]>, u32>,
    kernels: Vec<Arc<str>>,
    /// The stretch and the kernel of each launch and copy, by its serial number.
    launches: FxHashMap<u32, (u32, u32)>,
}

/// Histories, or launches, that are kept at most: where no host ever waits, races are missed rather than memory filled.
const MOST: usize = 1 << 20;

impl Histories {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The name of a kernel that a [`Deed`] has the number of.
    pub fn kernel(&self, number: u32) -> Arc<str> {
        self.table().kernels.get(number as usize).cloned().unwrap_or_else(|| COPY.into())
    }

    /// All that is known by this number.
    #[cfg(test)]
    pub fn deeds(&self, history: u32) -> Vec<Deed> {
        self.table().deeds(history).map_or_else(Vec::new, |deeds| deeds.to_vec())
    }

    /// The host waited for everything: what follows comes after it.
    pub fn forget(&self) {
        self.table().forget();
    }

    /// Takes note of a launch or a copy that begins, and returns the number of its kernel.
    pub fn begin(&self, serial: u32, stretch: u32, kernel: &str) -> u32 {
        let mut table = self.table();
        if table.known.len().max(table.launches.len()) >= MOST {
            table.forget();
        }
        let number = table.kernels.iter().position(|known| **known == *kernel).unwrap_or_else(|| {
            table.kernels.push(kernel.into());
            table.kernels.len() - 1
        });
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        table.launches.insert(serial, (stretch, number));
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

    fn deeds(&self, history: u32) -> Option<Arc<[Deed]>> {
        let at = history.checked_sub(self.forgotten)?.checked_sub(1)?;
        self.known.get(at as usize).cloned()
    }

    fn number(&mut self, mut deeds: Vec<Deed>) -> u32 {
        deeds.sort_unstable();
        if let Some(number) = self.numbers.get(&*deeds) {
            return *number;
        }
        let next = u32::try_from(self.known.len() + 1).ok().and_then(|next| self.forgotten.checked_add(next));
        // Out of numbers, nothing is known of a word.
        let Some(number) = next else { return 0 };
        let deeds: Arc<[Deed]> = deeds.into();
        self.known.push(deeds.clone());
        self.numbers.insert(deeds, number);
        number
    }
}

/// Where a launch or a copy stands among the others.
#[derive(Clone, Debug, Default)]
pub struct Place {
    pub serial: u32,
    /// The stretch that it belongs to.
    pub stretch: u32,
    /// The number of its kernel's name.
    pub kernel: u32,
    /// The stretches that no host waited for, ascending, and whether nothing orders them before this.
    pub outstanding: Vec<(u32, bool)>,
    /// The launch in front, where this one may overlap it.
    pub overlapped: Option<u32>,
    pub histories: Arc<Histories>,
}

/// What a host thread knows of the past while it checks one launch or copy.
#[derive(Debug)]
pub struct Past<'a> {
    place: &'a Place,
    /// Steps that were made, each at the place that its history's number and use give.
    steps: [Cell<Step>; STEPS],
}

const STEPS: usize = 32;

/// From a history, by a use that races with none of it, to the next.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    from: u32,
    /// None in a place that is free.
    uses: Uses,
    to: u32,
}

impl<'a> Past<'a> {
    /// The past of what has this place.
    pub fn of(place: &'a Place) -> Self {
        Self { place, steps: Default::default() }
    }

    /// What a word's history becomes by such a use, and what of it is not ordered before.
    #[inline]
    pub fn step(&self, history: u32, uses: Uses) -> (u32, Option<Deed>) {
        let known = &self.steps[(history as usize * 4 + uses.0.trailing_zeros() as usize) % STEPS];
        let step = known.get();
        if step.from == history && step.uses == uses {
            return (step.to, None);
        }
        let (to, rival) = self.make_step(history, uses);
        if rival.is_none() {
            known.set(Step { from: history, uses, to });
        }
        (to, rival)
    }

    /// Whether nothing orders a stretch before this; None for one that the host waited for.
    fn is_beside(&self, stretch: u32) -> Option<bool> {
        let all = &self.place.outstanding;
        let at = all.binary_search_by_key(&stretch, |(stretch, _)| *stretch).ok()?;
        Some(all[at].1)
    }

    #[cold]
    #[inline(never)]
    fn make_step(&self, history: u32, uses: Uses) -> (u32, Option<Deed>) {
        let mut table = self.place.histories.table();
        let before = table.deeds(history);
        let mut after = Vec::new();
        let mut rival = None;
        for deed in before.iter().flat_map(|deeds| deeds.iter()) {
            let Some(beside) = self.is_beside(deed.stretch) else { continue };
            if beside && deed.uses.races_with(uses) {
                rival = rival.or(Some(*deed));
            }
            // Whatever races with it and comes after this also comes after it.
            let of_own_stretch = deed.stretch == self.place.stretch;
            if of_own_stretch && deed.uses.covers(uses) || beside || !uses.covers(deed.uses) {
                after.push(*deed);
            }
        }
        let own = |deed: &&mut Deed| deed.stretch == self.place.stretch;
        if !after.iter_mut().filter(own).any(|deed| deed.uses.covers(uses)) {
            match after.iter_mut().filter(own).find(|deed| deed.kernel == self.place.kernel) {
                Some(deed) => deed.uses = deed.uses | uses,
                None => after.push(Deed { stretch: self.place.stretch, kernel: self.place.kernel, uses }),
            }
        }
        (table.number(after), rival)
    }

    /// The stretch and the kernel of a launch.
    pub fn launch(&self, serial: u32) -> Option<(u32, u32)> {
        self.place.histories.table().launches.get(&serial).copied()
    }

    pub fn overlapped(&self) -> Option<u32> {
        self.place.overlapped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEED: Deed = Deed { stretch: 1, kernel: 0, uses: Uses::WRITE };

    #[test]
    fn what_was_forgotten_has_a_number_that_nothing_else_gets() {
        let mut table = Table::default();
        let first = table.number(vec![DEED]);
        assert_eq!(table.deeds(first).as_deref(), Some(&[DEED][..]));
        assert_eq!(table.number(vec![DEED]), first);
        table.forget();
        let again = table.number(vec![DEED]);
        assert!(again > first && table.deeds(first).is_none() && table.deeds(again).is_some());
        assert!(table.deeds(0).is_none());
    }

    #[test]
    fn out_of_numbers_nothing_is_known() {
        let mut table = Table { forgotten: u32::MAX, ..Table::default() };
        assert_eq!(table.number(vec![DEED]), 0);
        assert!(table.deeds(0).is_none() && table.deeds(u32::MAX).is_none());
    }

    #[test]
    fn where_nobody_waits_for_millions_of_launches_memory_is_not_filled() {
        let histories = Histories::default();
        let known = histories.table().number(vec![DEED]);
        (0..MOST as u32).for_each(|serial| assert_eq!(histories.begin(serial, 0, "kernel"), 0));
        assert_eq!(histories.deeds(known), [DEED]);
        histories.begin(MOST as u32, 0, "kernel");
        assert_eq!(histories.deeds(known), []);
        assert_eq!(histories.table().launches.len(), 1);
    }

    #[test]
    fn uses_race_as_the_memory_model_has_it() {
        let all = [Uses::READ, Uses::WRITE, Uses::ATOMIC, Uses::ATOMIC_READ];
        let rivals = |uses: Uses| all.map(|other| uses.races_with(other));
        assert_eq!(rivals(Uses::READ), [false, true, true, false]);
        assert_eq!(rivals(Uses::WRITE), [true; 4]);
        assert_eq!(rivals(Uses::ATOMIC), [true, true, false, false]);
        assert_eq!(rivals(Uses::ATOMIC_READ), [false, true, false, false]);
        assert!((Uses::READ | Uses::ATOMIC).covers(Uses::ATOMIC_READ) && !Uses::ATOMIC.covers(Uses::READ));
        assert!((Uses::READ | Uses::ATOMIC).that_race_with(Uses::ATOMIC) == Uses::READ);
    }
}
