//! Reads of the register file, and what slots keep of it.

use crate::instruction::Read;
use crate::model::{BANKS, SLOTS};

/// The bank of a register.
pub(crate) fn bank(register: u8) -> usize {
    usize::from(register) % BANKS
}

/// What the slots keep: of each bank one register of one warp, until another instruction reads that bank through that slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReuseCache {
    slots: [[Option<(usize, u8)>; BANKS]; SLOTS],
}

impl ReuseCache {
    fn holds(&self, warp: usize, read: &Read) -> bool {
        self.slots[read.slot][bank(read.register)] == Some((warp, read.register))
    }

    /// Reads of each bank that an instruction of `warp` makes now.
    pub(crate) fn needed(&self, warp: usize, reads: &[Read]) -> [u64; BANKS] {
        let mut needed = [0; BANKS];
        for read in reads.iter().filter(|read| !self.holds(warp, read)) {
            needed[bank(read.register)] += 1;
        }
        needed
    }

    /// After that instruction.
    pub(crate) fn read(&mut self, warp: usize, reads: &[Read]) {
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

/// Reads of each bank in a round of a loop that one warp runs alone.
pub(crate) fn reads_of_round(body: &[Vec<Read>]) -> [u64; BANKS] {
    let mut kept = ReuseCache::default();
    // What the end of a round keeps is there at the begin of the next.
    body.iter().for_each(|reads| kept.read(0, reads));
    let mut sum = [0; BANKS];
    for reads in body {
        let needed = kept.needed(0, reads);
        (0..BANKS).for_each(|bank| sum[bank] += needed[bank]);
        kept.read(0, reads);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::written::instructions;

    fn reads(texts: &[&str]) -> [u64; BANKS] {
        let body: Vec<_> = instructions(texts).iter().map(|instruction| instruction.reads()).collect();
        reads_of_round(&body)
    }

    #[test]
    fn even_and_odd_registers_are_read_from_two_banks_and_constants_from_none() {
        assert_eq!(reads(&["VIMNMX3 R3,R3,R60,R62,PT"]), [2, 1]);
        assert_eq!(reads(&["FADD R3,RZ,R5", "FADD R3,R2,0x3f800000"]), [1, 1]);
    }

    #[test]
    fn a_kept_register_is_not_read_again_until_its_bank_is_read_through_its_slot() {
        let first = "FADD R0,R4.reuse,R7";
        // The same register in the same slot; then in another slot.
        assert_eq!(reads(&[first, "FADD R1,R4,R9", "FADD R1,R6,R7"]), [2, 3]);
        assert_eq!(reads(&[first, "FADD R1,R7,R4", "FADD R1,R6,R7"]), [3, 3]);
        // Between them the other bank of the slot is read, which leaves it, or the same bank, which does not.
        assert_eq!(reads(&[first, "FADD R1,R5,R7", "FADD R1,R4,R7", "FADD R1,R6,R7"]), [2, 5]);
        assert_eq!(reads(&[first, "FADD R1,R6,R7", "FADD R1,R4,R7", "FADD R1,R6,R7"]), [4, 4]);
        // Without the mark nothing is kept.
        assert_eq!(reads(&["FADD R0,R4,R7", "FADD R1,R4,R9"]), [2, 2]);
    }

    #[test]
    fn what_the_end_of_a_round_keeps_is_there_at_the_begin_of_the_next() {
        assert_eq!(reads(&["FADD R0,R4,R7", "FADD R1,R4.reuse,R9"]), [0, 2]);
    }

    #[test]
    fn a_kept_register_is_of_one_warp() {
        let body: Vec<_> = instructions(&["FADD R0,R4.reuse,R7"]).iter().map(|one| one.reads()).collect();
        let mut kept = ReuseCache::default();
        kept.read(0, &body[0]);
        assert_eq!(kept.needed(0, &body[0]), [0, 1]);
        assert_eq!(kept.needed(1, &body[0]), [1, 1]);
    }
}
