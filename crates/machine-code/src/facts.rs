//! What is in a loop, counted.

use crate::banks::reads_of_round;
use crate::image::INSTRUCTION_BYTES;
use crate::instruction::Instruction;
use crate::model::{BANKS, INSTRUCTION_CACHE_BYTES};
use crate::tasks::Tasks;

/// What one round of a loop has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskCode {
    pub instructions: u64,
    /// Relaxations. 0 of a kernel that does none.
    pub tasks: u64,
    /// Instructions that do them: their additions and minima.
    pub task_instructions: u64,
    /// Loads from shared memory, whatever their width.
    pub shared_loads: u64,
    /// Loads from and stores to a thread's local memory: spills and arrays.
    pub local_accesses: u64,
    /// Operands that are marked to be kept for the next instructions.
    pub kept_operands: u64,
    /// Reads of each bank of the register file, less what is kept.
    pub register_reads: [u64; BANKS],
}

impl TaskCode {
    pub(crate) fn count(body: &[Instruction], found: &Tasks) -> Self {
        let named = |names: &[&str]| body.iter().filter(|one| names.contains(&one.name())).count() as u64;
        let reads: Vec<_> = body.iter().map(Instruction::reads).collect();
        Self {
            instructions: body.len() as u64,
            tasks: found.tasks,
            task_instructions: found.instructions.len() as u64,
            shared_loads: named(&["LDS", "LDSM"]),
            local_accesses: named(&["LDL", "STL"]),
            kept_operands: body.iter().map(Instruction::kept).sum(),
            register_reads: reads_of_round(&reads),
        }
    }

    /// Neither of tasks nor loads from shared memory: counters, addresses, jumps, moves, other accesses.
    pub fn other_instructions(&self) -> u64 {
        self.instructions.saturating_sub(self.task_instructions + self.shared_loads)
    }

    /// Clocks that reads of the fuller bank take beyond the issue slots.
    pub fn conflict_clocks(&self) -> u64 {
        self.register_reads.into_iter().max().unwrap_or(0).saturating_sub(self.instructions)
    }

    pub fn code_bytes(&self) -> u64 {
        self.instructions * INSTRUCTION_BYTES
    }

    /// Bytes of code that do not fit into the instruction cache, as its size is assumed.
    pub fn uncached_bytes(&self) -> u64 {
        self.code_bytes().saturating_sub(INSTRUCTION_CACHE_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::tasks;
    use crate::written::instructions;

    fn code(texts: &[&str]) -> TaskCode {
        let body = instructions(texts);
        TaskCode::count(&body, &tasks(&body))
    }

    #[test]
    fn instructions_are_of_tasks_of_shared_memory_or_others() {
        let code = code(&[
            "LDS.128 R8,[R20]",
            "FADD R1,R8.reuse,R10",
            "FADD R2,R8,R12",
            "VIMNMX3 R4,R4,R1,R2,PT",
            "LDL R9,[R1]",
            "IADD3 R20,R20,0x10,RZ",
            "@P0 BRA 0x100",
        ]);
        let expected = TaskCode {
            instructions: 7,
            tasks: 2,
            task_instructions: 3,
            shared_loads: 1,
            local_accesses: 1,
            kept_operands: 1,
            // R20, R8, R10, R12, R4, R2, R20; R1, R1.
            register_reads: [7, 2],
        };
        assert_eq!(code, expected);
        assert_eq!((code.other_instructions(), code.conflict_clocks(), code.code_bytes()), (3, 0, 112));
    }

    #[test]
    fn a_bank_that_is_read_more_often_than_instructions_are_issued_costs_the_difference() {
        let code = code(&["FADD R1,R8,R10", "FADD R3,R8,R12", "VIMNMX3 R4,R4,R2,R6,PT"]);
        assert_eq!((code.register_reads, code.conflict_clocks()), ([7, 0], 4));
    }

    #[test]
    fn what_exceeds_the_instruction_cache_is_told() {
        let most = (INSTRUCTION_CACHE_BYTES / INSTRUCTION_BYTES) as usize;
        assert_eq!(code(&vec!["NOP"; most]).uncached_bytes(), 0);
        assert_eq!(code(&vec!["NOP"; most + 2]).uncached_bytes(), 32);
    }
}
