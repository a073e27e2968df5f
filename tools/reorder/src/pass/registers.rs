//! Registers that a reordered loop may use as it likes.

use std::collections::{BTreeSet, VecDeque};

/// Aligned groups of four for loads, and single ones of either bank for sums.
pub(super) struct Registers {
    quads: VecDeque<u8>,
    singles: [VecDeque<u8>; 2],
}

impl Registers {
    /// # Errors
    /// When there are fewer than `quads` groups.
    pub fn allocate(free: &BTreeSet<u8>, quads: usize) -> Result<Self, String> {
        let is_free = |first: &u8| (0..4).all(|at| free.contains(&(first + at)));
        let all: Vec<u8> = (0..252).step_by(4).filter(is_free).collect();
        if all.len() < quads {
            return Err(format!("{} groups of four registers are free, and {quads} are needed", all.len()));
        }
        let taken = &all[..quads];
        let mut singles = [VecDeque::new(), VecDeque::new()];
        for register in free.iter().filter(|register| !taken.contains(&(**register / 4 * 4))) {
            singles[usize::from(register % 2)].push_back(*register);
        }
        Ok(Self { quads: taken.iter().copied().collect(), singles })
    }

    pub fn take_quads(&mut self, count: usize) -> Vec<u8> {
        self.quads.drain(..count.min(self.quads.len())).collect()
    }

    /// One of this bank, the one that was given back first, or else one of the other bank.
    pub fn take(&mut self, bank: u8) -> Option<u8> {
        let bank = usize::from(bank);
        self.singles[bank].pop_front().or_else(|| self.singles[1 - bank].pop_front())
    }

    pub fn give_back(&mut self, register: u8) {
        self.singles[usize::from(register % 2)].push_back(register);
    }
}
