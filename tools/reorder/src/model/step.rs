//! An instruction as the simulation sees it: what it occupies, and for how long.

use super::numbers::{GLOBAL_LATENCY, OTHER_LATENCY, SCHEDULERS, SHARED_LATENCY};
use crate::encoding::Control;
use crate::kernel::{Instruction, RegisterRead};

/// What an instruction occupies in addition to its issue slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipe {
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
pub struct Step {
    pub unit: Pipe,
    pub reads: Vec<RegisterRead>,
    pub control: Control,
    /// From its turn until its write barrier is free.
    pub latency: u64,
}

impl Step {
    pub fn of(instruction: &Instruction) -> Self {
        let unit = unit(instruction);
        let latency = match unit {
            Pipe::Memory { latency, .. } => latency,
            _ => OTHER_LATENCY,
        };
        Self { unit, reads: instruction.reads(), control: instruction.control, latency }
    }
}

fn unit(instruction: &Instruction) -> Pipe {
    match instruction.name() {
        "FMNMX" | "FMNMX3" | "IMNMX" | "VIMNMX" | "VIMNMX3" | "VMNMX" | "VIADDMNMX" | "IADD" | "IADD3"
        | "LOP3" | "PLOP3" | "ISETP" | "FSETP" | "SHF" | "LEA" | "SEL" | "FSEL" | "PRMT" | "MOV" | "IABS" => {
            Pipe::Minimum
        }
        "FADD" | "FADD2" | "FMUL" | "FFMA" | "HADD2" | "HFMA2" => Pipe::Float,
        // VIADD too: compiled code leaves as many clocks between it and IMAD as between two IMAD, and fewer between it and IADD3.
        "IMAD" | "VIADD" => Pipe::Product,
        "LDS" | "STS" | "LDSM" | "ATOMS" => memory(instruction, SHARED_LATENCY),
        "LDG" | "STG" | "LD" | "ST" | "LDL" | "STL" | "ATOMG" | "ATOM" | "RED" => {
            memory(instruction, GLOBAL_LATENCY)
        }
        _ => Pipe::None,
    }
}

/// 32 lanes of 4 bytes a clock, whether they want the same words or not; without bank conflicts.
fn memory(instruction: &Instruction, latency: u64) -> Pipe {
    let clocks = if instruction.has("128") || instruction.name() == "LDSM" {
        4
    } else if instruction.has("64") {
        2
    } else {
        1
    };
    Pipe::Memory { clocks: SCHEDULERS * clocks, latency }
}
