//! Reads of the register file, and what slots keep of it.

use super::numbers::{BANKS, SLOTS};
use crate::kernel::RegisterRead;

/// The bank of a register.
fn bank(register: u8) -> usize {
    usize::from(register) % BANKS
}

/// What the slots keep: of each bank one register of one warp, until another instruction reads that bank through that slot.
#[derive(Clone, Debug, Default)]
pub struct ReuseCache {
    slots: [[Option<(usize, u8)>; BANKS]; SLOTS],
}

impl ReuseCache {
    fn holds(&self, warp: usize, read: &RegisterRead) -> bool {
        self.slots[read.slot][bank(read.register)] == Some((warp, read.register))
    }

    /// Reads of each bank that an instruction of `warp` makes now.
    pub fn needed(&self, warp: usize, reads: &[RegisterRead]) -> [u64; BANKS] {
        let mut needed = [0; BANKS];
        for read in reads.iter().filter(|read| !self.holds(warp, read)) {
            needed[bank(read.register)] += 1;
        }
        needed
    }

    /// After that instruction.
    pub fn read(&mut self, warp: usize, reads: &[RegisterRead]) {
        for read in reads {
            let held = self.holds(warp, read);
            let slot = &mut self.slots[read.slot][bank(read.register)];
            if read.kept {
                *slot = Some((warp, read.register));
            } else if !held {
                *slot = None;
            }
        }
    }
}
