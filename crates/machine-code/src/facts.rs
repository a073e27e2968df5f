//! What is in a loop, counted.

use crate::instruction::Instruction;
use crate::listing::INSTRUCTION_BYTES;
use crate::tasks::Tasks;

/// A longer loop is fetched again in each round. Assumed: between two loops that were measured on an H200, of 25 KB at 16.6e12 tasks/s
/// and of 50 KB at 13.8e12. NVIDIA does not publish the size.
const INSTRUCTION_CACHE_BYTES: u64 = 32 * 1024;

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
}

impl TaskCode {
    pub(crate) fn count(body: &[Instruction], found: &Tasks) -> Self {
        let named = |names: &[&str]| body.iter().filter(|one| names.contains(&one.name())).count() as u64;
        Self {
            instructions: body.len() as u64,
            tasks: found.tasks,
            task_instructions: found.instructions.len() as u64,
            shared_loads: named(&["LDS", "LDSM"]),
            local_accesses: named(&["LDL", "STL"]),
        }
    }

    /// Bytes of code that do not fit into the instruction cache, as its size is assumed.
    pub fn uncached_bytes(&self) -> u64 {
        (self.instructions * INSTRUCTION_BYTES).saturating_sub(INSTRUCTION_CACHE_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::tests::instructions;
    use crate::tasks::tasks;

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
        let expected =
            TaskCode { instructions: 7, tasks: 2, task_instructions: 3, shared_loads: 1, local_accesses: 1 };
        assert_eq!(code, expected);
    }

    #[test]
    fn what_exceeds_the_instruction_cache_is_told() {
        let most = (INSTRUCTION_CACHE_BYTES / INSTRUCTION_BYTES) as usize;
        assert_eq!(code(&vec!["NOP"; most]).uncached_bytes(), 0);
        assert_eq!(code(&vec!["NOP"; most + 2]).uncached_bytes(), 32);
    }
}
