//! An instruction as the simulation sees it: what it occupies, and for how long.

use crate::control::Control;
use crate::instruction::{Instruction, Read};
use crate::model::{GLOBAL_LATENCY, OTHER_LATENCY, SCHEDULERS, SHARED_LATENCY};

/// What an instruction occupies in addition to its issue slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Minima, comparisons, logic, shifts, integer additions.
    Minimum,
    /// Either of the two pipes of float arithmetic.
    Float,
    /// The one of those that also multiplies integers.
    Product,
    /// Memory of the multiprocessor, for so many clocks of this scheduler: the others are taken to need as many.
    Memory { clocks: u64, latency: u64 },
    /// Nothing that is modelled.
    None,
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub unit: Unit,
    pub reads: Vec<Read>,
    pub control: Control,
    /// From its turn until its write barrier is free.
    pub latency: u64,
}

impl Step {
    /// None without control bits.
    pub(crate) fn of(instruction: &Instruction) -> Option<Self> {
        let unit = unit(instruction);
        let latency = match unit {
            Unit::Memory { latency, .. } => latency,
            _ => OTHER_LATENCY,
        };
        Some(Self { unit, reads: instruction.reads(), control: instruction.control?, latency })
    }
}

fn unit(instruction: &Instruction) -> Unit {
    match instruction.name() {
        "FMNMX" | "FMNMX3" | "IMNMX" | "VIMNMX" | "VIMNMX3" | "VMNMX" | "VIADDMNMX" | "IADD" | "IADD3"
        | "LOP3" | "PLOP3" | "ISETP" | "FSETP" | "SHF" | "LEA" | "SEL" | "FSEL" | "PRMT" | "MOV" | "IABS" => {
            Unit::Minimum
        }
        "FADD" | "FADD2" | "FMUL" | "FFMA" | "HADD2" | "HFMA2" => Unit::Float,
        // VIADD too: compiled code leaves as many clocks between it and IMAD as between two IMAD, and fewer between it and IADD3.
        "IMAD" | "VIADD" => Unit::Product,
        "LDS" | "STS" | "LDSM" | "ATOMS" => memory(instruction, SHARED_LATENCY),
        "LDG" | "STG" | "LD" | "ST" | "LDL" | "STL" | "ATOMG" | "ATOM" | "RED" => {
            memory(instruction, GLOBAL_LATENCY)
        }
        _ => Unit::None,
    }
}

/// 32 lanes of 4 bytes a clock, whether they want the same words or not; without bank conflicts.
fn memory(instruction: &Instruction, latency: u64) -> Unit {
    let clocks = if instruction.has("128") || instruction.name() == "LDSM" {
        4
    } else if instruction.has("64") {
        2
    } else {
        1
    };
    Unit::Memory { clocks: SCHEDULERS * clocks, latency }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::written::instruction;

    #[test]
    fn each_instruction_occupies_what_its_name_says() {
        let shared = |clocks| Unit::Memory { clocks, latency: SHARED_LATENCY };
        for (text, expected) in [
            ("VIMNMX3.U16x2 R3,R3,R60,R62,PT", Unit::Minimum),
            ("FADD.FTZ R0,R1,R2", Unit::Float),
            ("IMAD.IADD R0,R1,0x1,R2", Unit::Product),
            ("VIADD R0,R1,0x1", Unit::Product),
            ("LDS R0,[R1]", shared(4)),
            ("STS.64 [R1],R2", shared(8)),
            ("LDS.128 R4,[R1]", shared(16)),
            ("LDG.E.64 R4,desc[UR4][R2.64]", Unit::Memory { clocks: 8, latency: GLOBAL_LATENCY }),
            ("BRA 0x100", Unit::None),
        ] {
            assert_eq!(unit(&instruction(text)), expected, "{text}");
        }
        let mut unknown = instruction("NOP");
        unknown.control = None;
        assert!(Step::of(&unknown).is_none());
    }
}
