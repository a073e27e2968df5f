//! What the compiler encodes for the scheduler in each instruction, in the upper bits of its 128.
//!
//! Bits 105 to 125, as several groups found them for compute capability 7.0 and later: 4 of stall, 1 that keeps the warp, 3 each of the
//! barriers that the instruction sets, 6 of barriers that it waits for, 4 of operands that are kept. That the last are where they are
//! said to be is tested on every kernel of this project: they agree with the `.reuse` of its listing.

/// The control bits of one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Clocks until the next instruction of the same warp, at least.
    pub stall: u8,
    /// Whether the scheduler is to stay with this warp; otherwise it is to turn to another.
    pub stays: bool,
    /// Of six barriers the one that is free again when the result is there.
    pub write_barrier: Option<u8>,
    /// The one that is free again when the operands have been read.
    pub read_barrier: Option<u8>,
    /// A bit for each barrier that has to be free before this instruction.
    pub waits: u8,
    /// A bit for each operand slot whose register is kept for the next instructions.
    pub reuse: u8,
}

impl Control {
    /// Of an instruction's 16 bytes, the lowest first.
    pub(crate) fn of(encoding: u128) -> Self {
        let bits = |from: u32, count: u32| ((encoding >> from) & ((1 << count) - 1)) as u8;
        // 7 is none: there are six.
        let barrier = |from| Some(bits(from, 3)).filter(|&barrier| barrier < 6);
        Self {
            stall: bits(105, 4),
            stays: bits(109, 1) == 1,
            write_barrier: barrier(110),
            read_barrier: barrier(113),
            waits: bits(116, 6),
            reuse: bits(122, 4),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(high: u64, low: u64) -> Control {
        Control::of(u128::from(high) << 64 | u128::from(low))
    }

    #[test]
    fn the_bits_of_real_instructions_are_taken_apart() {
        // VIADD R22, R3.reuse, 0x1
        let added = of(0x040f_e200_0000_0000, 0x0000_0001_0316_7836);
        let expected =
            Control { stall: 1, stays: true, write_barrier: None, read_barrier: None, waits: 0, reuse: 1 };
        assert_eq!(added, expected);
        // S2R R0, SR_TID.X sets barrier 0, and IMAD.IADD R2, R0, 0x1, R43 waits for it.
        let special = of(0x000e_2e00_0000_2100, 0x0000_0000_0000_7919);
        assert_eq!((special.stall, special.stays, special.write_barrier), (7, true, Some(0)));
        let waiting = of(0x001f_c800_078e_022b, 0x0000_0001_0002_7824);
        assert_eq!((waiting.stall, waiting.stays, waiting.waits), (4, false, 1));
    }
}
