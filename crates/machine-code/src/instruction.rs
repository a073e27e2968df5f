//! One instruction: what it is called, what it reads and what it writes.

use crate::control::Control;
use crate::operand::Operand;

/// A register that an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// Which of the three ways into the arithmetic it takes.
    pub slot: usize,
    pub register: u8,
    /// Whether the register stays in its slot for the next instructions.
    pub kept: bool,
}

/// An instruction of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub predicate: Option<String>,
    /// With what modifies it, as in `LDS.128`.
    pub opcode: String,
    pub operands: Vec<Operand>,
    /// None where the encoding is not known.
    pub control: Option<Control>,
}

/// Their first operand is read.
const WITHOUT_RESULT: [&str; 8] = ["BAR", "BRX", "CALL", "NANOSLEEP", "RET", "WARPSYNC", "BREAK", "ERRBAR"];
/// Their only operand goes the second way.
const SECOND_SLOT: [&str; 7] = ["MOV", "I2FP", "I2F", "F2I", "F2F", "IABS", "MUFU"];

impl Instruction {
    /// The opcode without what modifies it.
    pub fn name(&self) -> &str {
        self.opcode.split('.').next().unwrap_or_default()
    }

    /// Whether the opcode has this modifier.
    pub(crate) fn has(&self, modifier: &str) -> bool {
        self.opcode.split('.').skip(1).any(|one| one == modifier)
    }

    /// Whether whatever follows is reached by a jump alone.
    pub(crate) fn leaves(&self) -> bool {
        self.predicate.is_none() && matches!(self.name(), "EXIT" | "RET")
    }

    /// Where the operands that it reads begin, and the register that it writes if that is one of a thread's own.
    fn halves(&self) -> (usize, Option<u8>) {
        let is_predicate = |at: usize| self.operands.get(at).is_some_and(Operand::is_predicate);
        let mut at = 0;
        while is_predicate(at) {
            at += 1;
        }
        if WITHOUT_RESULT.contains(&self.name()) || self.name().ends_with("SETP") {
            return (at, None);
        }
        match self.operands.get(at) {
            Some(first) if first.is_place() => {
                let result = first.register();
                at += 1;
                // Carries.
                while is_predicate(at) {
                    at += 1;
                }
                (at, result)
            }
            _ => (at, None),
        }
    }

    /// Registers that it writes.
    pub(crate) fn written(&self) -> Vec<u8> {
        let words = if self.has("128") {
            4
        } else if self.has("64") || self.has("WIDE") || self.name() == "FADD2" {
            2
        } else {
            1
        };
        let first = self.halves().1;
        first
            .into_iter()
            .flat_map(|first| (0..words).filter_map(move |word| first.checked_add(word)))
            .collect()
    }

    /// What it reads other than predicates: the last of them may be the one that chooses between minimum and maximum.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &Operand> {
        self.operands.iter().skip(self.halves().0).filter(|operand| !operand.is_predicate())
    }

    /// The last operand where that is a predicate.
    pub(crate) fn last_predicate(&self) -> Option<&str> {
        self.operands.last().filter(|operand| operand.is_predicate()).map(Operand::text)
    }

    /// The slot of each source: the order of the operands, with two exceptions that the encodings of compiled kernels show.
    pub(crate) fn slot(&self, source: usize) -> usize {
        match self.name() {
            "FADD" if source == 1 => 2,
            name if SECOND_SLOT.contains(&name) => 1,
            _ => source.min(2),
        }
    }

    /// Registers that it reads, each as often as an operand names it. RZ, numbers and constants are none.
    pub(crate) fn reads(&self) -> Vec<Read> {
        let mut reads = Vec::new();
        for (at, source) in self.sources().enumerate() {
            let read = |register| Read { slot: self.slot(at), register, kept: source.is_kept() };
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

    /// Operands that are marked as kept.
    pub(crate) fn kept(&self) -> u64 {
        self.operands.iter().filter(|operand| operand.is_kept()).count() as u64
    }

    /// Whether the marks of the listing and the bits of the encoding agree on which slots are kept. False where either is missing.
    pub fn marks_agree(&self) -> bool {
        let marks = self.sources().enumerate().filter(|(_, source)| source.is_kept());
        let marks = marks.fold(0, |marks, (at, _)| marks | 1 << self.slot(at));
        self.control.is_some_and(|control| control.reuse == marks)
    }
}

#[cfg(test)]
mod tests {
    use crate::written::instruction;

    fn registers(text: &str) -> Vec<(usize, u8)> {
        instruction(text).reads().iter().map(|read| (read.slot, read.register)).collect()
    }

    #[test]
    fn results_are_not_read_and_sources_are() {
        let check = |text: &str, written: &[u8], read: &[(usize, u8)]| {
            assert_eq!(instruction(text).written(), written, "{text}");
            assert_eq!(registers(text), read, "{text}");
        };
        check("FADD R0,R1,R2", &[0], &[(0, 1), (2, 2)]);
        check("VIMNMX3 R3,R3,R60,R62,PT", &[3], &[(0, 3), (1, 60), (2, 62)]);
        check("IMAD R4,R5,0x1,R6", &[4], &[(0, 5), (2, 6)]);
        check("IADD3 R4,P0,R5,R6,RZ", &[4], &[(0, 5), (1, 6)]);
        check("ISETP.GE.AND P0,PT,R42,R7,PT", &[], &[(0, 42), (1, 7)]);
        check("LDS.128 R4,[R9+0x10]", &[4, 5, 6, 7], &[(0, 9)]);
        check("STS.64 [R9],R4", &[], &[(0, 9), (1, 4), (1, 5)]);
        check("IMAD.WIDE R2,R4,0x4,R6", &[2, 3], &[(0, 4), (2, 6), (2, 7)]);
        check("LDG.E R1,desc[UR4][R2.64]", &[1], &[(0, 2), (0, 3)]);
        check("BAR.ARV R1,R2", &[], &[(0, 1), (1, 2)]);
        check("R2UR UR4,R1", &[], &[(0, 1)]);
        check("FADD2 R0,R2,R4", &[0, 1], &[(0, 2), (0, 3), (1, 4), (1, 5)]);
    }

    #[test]
    fn zero_and_numbers_are_not_read() {
        assert_eq!(registers("IADD3 R4,RZ,0x5,UR4"), []);
        assert_eq!(registers("FADD R4,R4,c[0x0][0x28]"), [(0, 4)]);
    }
}
