//! The bits of an instruction, 16 bytes from compute capability 7.0 on: what the scheduler is told by any, and what the few that
//! [`crate::pass`] writes are. That the latter are where they are said to be is seen whenever a reordered file is listed again and checked.
//!
//! The scheduler's are bits 105 to 125, as several groups found them: 4 of stall, 1 that keeps the warp, 3 each of the barriers that the
//! instruction sets, 6 of barriers that it waits for, 4 of operands that are kept. That the last are where they are said to be is tested:
//! they agree with the `.reuse` of listings.
//!
//! Listings leave encodings out: they come from the compiled file itself, an ELF with a section a kernel.

use object::{Object, ObjectSection};
use repro_machine_code::{INSTRUCTION_BYTES, KernelListing};
use std::ops::Range;

/// What the compiler encodes for the scheduler in an instruction.
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
    pub fn decode(code: u128) -> Self {
        // 7 is none: there are six.
        let barrier = |field: Bits| Some(field.byte_of(code)).filter(|&barrier| barrier < 6);
        Self {
            stall: STALL.byte_of(code),
            stays: STAYS.extract(code) == 1,
            write_barrier: barrier(WRITE_BARRIER),
            read_barrier: barrier(READ_BARRIER),
            waits: WAITS.byte_of(code),
            reuse: REUSE.byte_of(code),
        }
    }
}

/// What an instruction is, by its lowest 12 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpcodeClass {
    /// `FADD d, a, b`, or `IMAD d, a, u, b` with a uniform register `u`; where `b` is.
    Add(Bits),
    /// `VIADDMNMX d, a, b, c`: the minimum of `a + b` and `c`.
    Both,
    /// `VIMNMX3 d, a, b, c`, or `FMNMX d, a, b`: the places of what it takes the minimum of.
    Minimum(&'static [Bits]),
    /// `LDS.128 d, [a + number]`.
    Load,
    Other,
}

pub const OPCODE: Bits = Bits(0, 12);
/// `PLOP3`.
pub const COMBINES_PREDICATES: u32 = 0x81c;
/// RZ, which is always 0.
pub const NO_REGISTER: u8 = 255;
/// An instruction that is done in any case has 7 here.
const PREDICATE: Bits = Bits(12, 4);
pub const RESULT: Bits = Bits(16, 8);
pub const FIRST: Bits = Bits(24, 8);
pub const SECOND: Bits = Bits(32, 8);
pub const THIRD: Bits = Bits(64, 8);
/// Of a load, signed.
pub const OFFSET: Bits = Bits(40, 24);
const WIDTH: Bits = Bits(73, 3);
/// All barriers.
pub const ALL: u8 = 0x3f;
pub const STALL: Bits = Bits(105, 4);
pub const STAYS: Bits = Bits(109, 1);
pub const WRITE_BARRIER: Bits = Bits(110, 3);
pub const READ_BARRIER: Bits = Bits(113, 3);
pub const WAITS: Bits = Bits(116, 6);
pub const REUSE: Bits = Bits(122, 4);

/// No barrier.
pub const NONE: u8 = 7;
const WIDTH_128: u32 = 6;

/// From which bit on, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits(u32, u32);

impl Bits {
    fn mask(self) -> u128 {
        ((1 << self.1) - 1) << self.0
    }

    pub fn extract(self, code: u128) -> u32 {
        ((code & self.mask()) >> self.0) as u32
    }

    pub fn byte_of(self, code: u128) -> u8 {
        self.extract(code) as u8
    }

    pub fn set(self, code: &mut u128, value: u8) {
        *code = *code & !self.mask() | u128::from(value) << self.0 & self.mask();
    }
}

pub fn kind(code: u128) -> OpcodeClass {
    match (OPCODE.extract(code), PREDICATE.extract(code)) {
        (0x221, 7) => OpcodeClass::Add(SECOND),
        (0xc24, 7) => OpcodeClass::Add(THIRD),
        (0x246, 7) => OpcodeClass::Both,
        (0x20f, 7) => OpcodeClass::Minimum(&[FIRST, SECOND, THIRD]),
        (0x209, 7) => OpcodeClass::Minimum(&[FIRST, SECOND]),
        (0x984, 7) if WIDTH.extract(code) == WIDTH_128 => OpcodeClass::Load,
        _ => OpcodeClass::Other,
    }
}

/// The compiled file.
pub struct Image<'a> {
    file: object::File<'a>,
    bytes: &'a [u8],
}

impl<'a> Image<'a> {
    /// # Errors
    /// When it is no compiled file.
    pub fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let file = object::File::parse(bytes);
        file.map(|file| Self { file, bytes })
            .map_err(|error| format!("it is no compiled file that can be read ({error})"))
    }

    /// Where in the file these instructions of a kernel are.
    pub fn place(&self, kernel: &KernelListing, instructions: Range<usize>) -> Option<Range<usize>> {
        let section = self.file.section_by_name(&format!(".text.{}", kernel.name))?;
        let (first, size) = section.file_range()?;
        let at = |index: usize| kernel.start.checked_add(index as u64 * INSTRUCTION_BYTES);
        let [start, end] = [at(instructions.start)?, at(instructions.end).filter(|end| *end <= size)?];
        let in_file = |offset: u64| usize::try_from(first.checked_add(offset)?).ok();
        Some(in_file(start)?..in_file(end)?)
    }

    /// Their encodings.
    ///
    /// # Errors
    /// When the file does not have them.
    pub fn encodings(&self, kernel: &KernelListing, instructions: Range<usize>) -> Result<Vec<u128>, String> {
        let count = instructions.len();
        let code = self.place(kernel, instructions).and_then(|place| self.bytes.get(place));
        let code = code.ok_or_else(|| format!("it has not all {count} instructions of {}", kernel.name))?;
        let (codes, _) = code.as_chunks::<{ INSTRUCTION_BYTES as usize }>();
        Ok(codes.iter().copied().map(u128::from_le_bytes).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(low: u64, high: u64) -> u128 {
        u128::from(high) << 64 | u128::from(low)
    }

    #[test]
    fn fields_are_where_compiled_code_has_them() {
        // FADD R72, R4.reuse, R86; VIMNMX3 R66, R66, R3, R72, PT; LDS.128 R96, [R0+0x280], which sets barrier 0.
        let add = code(0x0000_0056_0448_7221, 0x040f_e200_0000_0000);
        let minimum = code(0x0000_0003_4242_720f, 0x000f_e200_0380_0148);
        let load = code(0x0002_8000_0060_7984, 0x000e_2200_0000_0c00);
        let of_three = OpcodeClass::Minimum(&[FIRST, SECOND, THIRD]);
        assert_eq!([add, minimum, load].map(kind), [OpcodeClass::Add(SECOND), of_three, OpcodeClass::Load]);
        // IMAD R5, R44.reuse, UR11, R3; VIADDMNMX.U16x2 R54, R28, R14.reuse, R18, PT.
        let product = code(0x0000_000b_2c05_7c24, 0x040f_e400_0f8e_0203);
        let both = code(0x0000_000e_1c36_7246, 0x080f_e200_0380_0212);
        assert_eq!([product, both].map(kind), [OpcodeClass::Add(THIRD), OpcodeClass::Both]);
        assert_eq!([RESULT, FIRST, THIRD, REUSE].map(|field| field.extract(product)), [5, 44, 3, 1]);
        assert_eq!([RESULT, FIRST, SECOND, THIRD].map(|field| field.extract(both)), [54, 28, 14, 18]);
        let of = |code, fields: [Bits; 3]| fields.map(|field| field.extract(code));
        assert_eq!(of(add, [RESULT, FIRST, SECOND]), [72, 4, 86]);
        assert_eq!(of(add, [STALL, STAYS, REUSE]), [1, 1, 1]);
        assert_eq!(of(minimum, [FIRST, SECOND, THIRD]), [66, 3, 72]);
        assert_eq!(of(load, [RESULT, OFFSET, WRITE_BARRIER]), [96, 0x280, 0]);
        // FMNMX R66, R66, R72, PT.
        let of_two = code(0x0000_0048_4242_7209, 0x000f_e200_0380_0000);
        assert_eq!(kind(of_two), OpcodeClass::Minimum(&[FIRST, SECOND]));
        // @!P1 BRA
        assert_eq!(kind(code(0xffff_ffe8_00e8_9947, 0x000f_ec00_0383_ffff)), OpcodeClass::Other);
    }

    #[test]
    fn a_field_is_set_and_nothing_else() {
        let mut all = u128::MAX;
        SECOND.set(&mut all, 5);
        assert_eq!(SECOND.extract(all), 5);
        SECOND.set(&mut all, 255);
        assert_eq!(all, u128::MAX);
    }

    #[test]
    fn what_real_instructions_tell_the_scheduler_is_taken_apart() {
        // VIADD R22, R3.reuse, 0x1
        let added = Control::decode(code(0x0000_0001_0316_7836, 0x040f_e200_0000_0000));
        let expected =
            Control { stall: 1, stays: true, write_barrier: None, read_barrier: None, waits: 0, reuse: 1 };
        assert_eq!(added, expected);
        // S2R R0, SR_TID.X sets barrier 0, and IMAD.IADD R2, R0, 0x1, R43 waits for it.
        let special = Control::decode(code(0x0000_0000_0000_7919, 0x000e_2e00_0000_2100));
        assert_eq!((special.stall, special.stays, special.write_barrier), (7, true, Some(0)));
        let waiting = Control::decode(code(0x0000_0001_0002_7824, 0x001f_c800_078e_022b));
        assert_eq!((waiting.stall, waiting.stays, waiting.waits), (4, false, 1));
    }
}
