//! Kernels of a compiled file: what the disassembler lists, and what the encodings tell the scheduler besides.

use crate::encoding::{Control, Image};
use repro_machine_code::{Instruction as Listed, KernelListing, LoopCounts, Operand};
use std::ops::{Deref, Range};

/// A kernel or a function that kernels call.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    pub listed: KernelListing,
    pub controls: Vec<Control>,
}

/// An instruction, with its bits for the scheduler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instruction<'a> {
    listed: &'a Listed,
    pub control: Control,
}

/// A register that an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterRead {
    /// Which of the three ways into the arithmetic it takes.
    pub slot: usize,
    pub register: u8,
    /// Whether the register stays in its slot for the next instructions.
    pub kept: bool,
}

/// What of a kernel is repeated task after task.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop<'a> {
    /// Its place in the kernel.
    pub range: Range<usize>,
    pub instructions: Vec<Instruction<'a>>,
    /// Whether it is a loop: otherwise it is all of the kernel.
    pub repeats: bool,
    pub code: LoopCounts,
}

impl Kernel {
    /// The listed kernels of a compiled file.
    ///
    /// # Errors
    /// When they are not in it.
    pub fn all(listed: Vec<KernelListing>, compiled: &[u8]) -> Result<Vec<Self>, String> {
        let image = Image::read(compiled)?;
        let with_controls = |listed: KernelListing| {
            let codes = image.encodings(&listed, 0..listed.instructions.len())?;
            Ok(Self { controls: codes.into_iter().map(Control::decode).collect(), listed })
        };
        listed.into_iter().map(with_controls).collect()
    }

    pub fn name(&self) -> &str {
        &self.listed.name
    }

    pub fn instructions(&self) -> Vec<Instruction<'_>> {
        let both = self.listed.instructions.iter().zip(&self.controls);
        both.map(|(listed, control)| Instruction { listed, control: *control }).collect()
    }

    /// The loop that does its tasks, or all of a kernel that has none.
    ///
    /// # Errors
    /// When a jump goes to no place in the kernel.
    pub fn task_loop(&self) -> Result<Loop<'_>, String> {
        let found = self.listed.task_loop()?;
        let range = found.first..found.first + found.instructions.len();
        let instructions = self.instructions()[range.clone()].to_vec();
        Ok(Loop { range, instructions, repeats: found.repeats, code: found.code })
    }

    /// The index of the instruction that it jumps to.
    pub fn place_of_jump(&self, jump: &Instruction) -> Option<usize> {
        self.listed.place_of_jump(jump.listed)
    }
}

/// Their only operand goes the second way.
const SECOND_SLOT: [&str; 7] = ["MOV", "I2FP", "I2F", "F2I", "F2F", "IABS", "MUFU"];

impl Instruction<'_> {
    /// The slot of each source: the order of the operands, with two exceptions that the encodings of compiled kernels show.
    fn slot(&self, source: usize) -> usize {
        match self.name() {
            "FADD" if source == 1 => 2,
            name if SECOND_SLOT.contains(&name) => 1,
            _ => source.min(2),
        }
    }

    /// Registers that it reads, each as often as an operand names it. RZ, numbers and constants are none.
    pub fn reads(&self) -> Vec<RegisterRead> {
        let mut reads = Vec::new();
        for (at, source) in self.sources().enumerate() {
            let read = |register| RegisterRead { slot: self.slot(at), register, kept: is_kept(source) };
            let more = match source.register() {
                Some(first) => {
                    (1..self.words_of(at, source)).filter_map(|word| first.checked_add(word)).collect()
                }
                None => Vec::new(),
            };
            reads.extend(source.registers().into_iter().chain(more).map(read));
        }
        reads
    }

    /// Registers of one operand that its text does not show.
    fn words_of(&self, source: usize, operand: &Operand) -> u8 {
        let stored = self.name().starts_with("ST") && !operand.is_address();
        match () {
            () if stored && self.has("128") => 4,
            () if stored && self.has("64") => 2,
            () if self.name() == "FADD2" || (self.has("WIDE") && source == 2) => 2,
            () => 1,
        }
    }

    /// Registers that it reads or writes.
    pub fn touched(&self) -> impl Iterator<Item = u8> {
        self.reads().into_iter().map(|read| read.register).chain(self.written())
    }

    /// Clocks until the next instruction of the same warp, at least.
    pub fn clocks(&self) -> u64 {
        u64::from(self.control.stall.max(1))
    }
}

/// Whether the operand's register is kept for the next instructions.
fn is_kept(operand: &Operand) -> bool {
    operand.text().contains(".reuse")
}

impl Deref for Instruction<'_> {
    type Target = Listed;

    fn deref(&self) -> &Listed {
        self.listed
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::kernel;

    #[test]
    fn registers_go_the_way_that_encodings_show() {
        let check = |text: &str, read: &[(usize, u8)]| {
            let kernel = kernel(&[text]);
            let reads = kernel.instructions()[0].reads();
            let reads: Vec<_> = reads.iter().map(|read| (read.slot, read.register)).collect();
            assert_eq!(reads, read, "{text}");
        };
        check("FADD R0,R1,R2", &[(0, 1), (2, 2)]);
        check("VIMNMX3 R3,R3,R60,R62,PT", &[(0, 3), (1, 60), (2, 62)]);
        check("IMAD R4,R5,0x1,R6", &[(0, 5), (2, 6)]);
        check("LDS.128 R4,[R9+0x10]", &[(0, 9)]);
        check("STS.64 [R9],R4", &[(0, 9), (1, 4), (1, 5)]);
        check("IMAD.WIDE R2,R4,0x4,R6", &[(0, 4), (2, 6), (2, 7)]);
        check("IADD3 R4,RZ,0x5,UR4", &[]);
    }
}
