//! Which part of a task an instruction could do, judged by its opcode and operands alone. Its neighbours decide whether it is (`tasks.rs`).

use crate::instruction::Instruction;
use crate::instruction::Operand;

/// What an instruction could do in a task, which is an addition and a minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskRole {
    /// Each register that it writes is a sum.
    Addition {
        float: bool,
    },
    /// The minimum of `inputs` registers, which is `inputs - 1` minima of two, for each of `lanes` numbers in a register.
    Minimum {
        inputs: u64,
        lanes: u64,
    },
    /// A sum and a minimum in one instruction.
    Both {
        lanes: u64,
    },
    /// A comparison, after which the lesser is kept.
    Comparison {
        float: bool,
    },
    None,
}

impl TaskRole {
    pub(crate) fn of(instruction: &Instruction) -> Self {
        let registers = instruction.sources().filter(|source| source.register().is_some()).count() as u64;
        let lanes = if instruction.has("U16x2") || instruction.has("S16x2") { 2 } else { 1 };
        match instruction.name() {
            "FADD" | "FADD2" => Self::Addition { float: true },
            "IADD" | "IADD3" | "VIADD" if adds_values(instruction) => Self::Addition { float: false },
            "IMAD" if multiplies_by_one(instruction) => Self::Addition { float: false },
            // With an immediate or RZ it bounds an index, and is no minimum of two lengths.
            "FMNMX" | "IMNMX" | "VIMNMX" | "VMNMX" | "FMNMX3" | "VIMNMX3"
                if takes_least(instruction) && registers >= 2 =>
            {
                Self::Minimum { inputs: registers, lanes }
            }
            "VIADDMNMX" if takes_least(instruction) && registers == 3 => Self::Both { lanes },
            "FSETP" => Self::Comparison { float: true },
            "ISETP" if registers == 2 => Self::Comparison { float: false },
            _ => Self::None,
        }
    }

    /// Whether it could be the minimum of a task.
    pub(crate) fn may_be_minimum(self) -> bool {
        matches!(self, Self::Minimum { .. } | Self::Both { .. } | Self::Comparison { float: true })
    }
}

/// Whether it takes minima. Maxima have these opcodes, too; the last predicate decides.
fn takes_least(instruction: &Instruction) -> bool {
    instruction.last_predicate().is_none_or(|predicate| predicate == "PT")
}

/// Whether it adds two registers, without carry or subtraction: of a path's length both summands vary, of most addresses one is an
/// immediate.
fn adds_values(instruction: &Instruction) -> bool {
    let carries = instruction.has("X")
        || instruction.has("64")
        || instruction.operands.iter().any(Operand::is_predicate);
    let other = instruction.sources().any(|source| source.text().starts_with(['-', '~', '0']));
    let registers = instruction.sources().filter(|source| source.register().is_some()).count();
    !carries && !other && registers >= 2
}

/// a x 1 + b, or a x b + c where the compiler does not know that b is 1: an addition on the pipe that minima do not use.
fn multiplies_by_one(instruction: &Instruction) -> bool {
    let plain = instruction.opcode == "IMAD" || instruction.opcode == "IMAD.IADD";
    let sources: Vec<&Operand> = instruction.sources().collect();
    let [first, factor, added] = sources[..] else { return false };
    let one = factor.text() == "0x1" || factor.register().is_some() || factor.text().starts_with("UR");
    let is_value = |source: &Operand| source.register().is_some() && source.text().starts_with('R');
    plain && one && is_value(first) && is_value(added)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::tests::instruction;

    fn role(text: &str) -> TaskRole {
        TaskRole::of(&instruction(text))
    }

    #[test]
    fn additions_of_two_values_are_told_from_those_of_numbers_and_addresses() {
        let (integer, float) = (TaskRole::Addition { float: false }, TaskRole::Addition { float: true });
        for (text, expected) in [
            ("IADD3 R0,R1,R2,RZ", integer),
            ("IADD R0,R1,R2", integer),
            ("VIADD R0,R1,R2", integer),
            ("IMAD.IADD R0,R1,0x1,R2", integer),
            ("IMAD R0,R1,R9,R2", integer),
            ("IMAD R0,R1.reuse,UR18,R2", integer),
            ("FADD R0,R1,R2", float),
            ("FADD.FTZ R0,R1,UR4", float),
            ("FADD2 R0,R2,R4", float),
            ("IADD3 R0,R1,0x1,RZ", TaskRole::None),
            ("IADD3 R0,P0,R1,R2,RZ", TaskRole::None),
            ("IADD3.X R0,R1,R2,RZ,P0,!PT", TaskRole::None),
            ("IADD3 R0,R1,-R2,RZ", TaskRole::None),
            ("IMAD.IADD R0,R1,0x1,-R2", TaskRole::None),
            ("VIADD R0,R1,0x4", TaskRole::None),
            ("IMAD R0,R1,0x20,R2", TaskRole::None),
            ("IMAD.MOV.U32 R0,RZ,RZ,R2", TaskRole::None),
            ("IMAD.WIDE R0,R1,0x1,R2", TaskRole::None),
            ("IMAD.SHL.U32 R0,R1,0x4,RZ", TaskRole::None),
            ("UIADD3 UR4,UR4,0x1,URZ", TaskRole::None),
            ("LEA R0,R1,R2,0x2", TaskRole::None),
        ] {
            assert_eq!(role(text), expected, "{text}");
        }
    }

    #[test]
    fn minima_are_told_from_maxima_and_from_bounds_of_indices() {
        let minimum = |inputs, lanes| TaskRole::Minimum { inputs, lanes };
        for (text, expected) in [
            ("FMNMX R3,R3,R2,PT", minimum(2, 1)),
            ("VIMNMX R3,R3,R2,PT", minimum(2, 1)),
            ("IMNMX.U32 R3,R3,R2,PT", minimum(2, 1)),
            ("VMNMX R3,R3,R2,PT", minimum(2, 1)),
            ("VIMNMX.S16x2 R3,R3,R2,PT", minimum(2, 2)),
            ("VIMNMX3 R3,R3,R2,R4,PT", minimum(3, 1)),
            ("FMNMX3 R3,R3,R2,R4,PT", minimum(3, 1)),
            ("VIMNMX3.U16x2 R3,R3,R2,R4,PT", minimum(3, 2)),
            ("VIMNMX3 R3,R3,R2,RZ,PT", minimum(2, 1)),
            ("VIADDMNMX R3,R1,R2,R3,PT", TaskRole::Both { lanes: 1 }),
            ("VIADDMNMX.U16x2 R3,R1,R2,R3,PT", TaskRole::Both { lanes: 2 }),
            ("FSETP.GEU.AND P0,PT,R3,R0,PT", TaskRole::Comparison { float: true }),
            ("ISETP.GE.AND P0,PT,R3,R0,PT", TaskRole::Comparison { float: false }),
            ("FMNMX R3,R3,R2,!PT", TaskRole::None),
            ("VIADDMNMX R3,R1,R2,R3,!PT", TaskRole::None),
            ("VIADDMNMX R3,R1,0x4,R3,PT", TaskRole::None),
            ("VIMNMX R3,R3,0x7f,PT", TaskRole::None),
            ("VIMNMX R3,R3,UR4,PT", TaskRole::None),
            ("ISETP.GE.AND P0,PT,R3,0x10,PT", TaskRole::None),
        ] {
            assert_eq!(role(text), expected, "{text}");
        }
    }
}
