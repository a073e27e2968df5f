//! The loops of a kernel, which of them does the tasks, and what is in it, counted.

use crate::instruction::Instruction;
use crate::listing::{INSTRUCTION_BYTES, KernelListing};
use crate::tasks::{Tasks, tasks};

/// What of a kernel is repeated task after task: its innermost loop with tasks, or all of a kernel that has none.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskLoop<'a> {
    /// The place of its first instruction in the kernel.
    pub first: usize,
    pub instructions: &'a [Instruction],
    /// Whether it is a loop.
    pub repeats: bool,
    pub code: LoopCounts,
}

impl<'a> TaskLoop<'a> {
    fn new(instructions: &'a [Instruction], repeats: bool) -> Self {
        Self::with(0, instructions, repeats, &tasks(instructions))
    }

    fn with(first: usize, instructions: &'a [Instruction], repeats: bool, found: &Tasks) -> Self {
        Self { first, instructions, repeats, code: LoopCounts::count(instructions, found) }
    }
}

/// The innermost loop with most tasks; of equals, the last. A loop with a barrier (`BAR`) is taken only if every innermost loop with
/// tasks has one.
pub(crate) fn task_loop(kernel: &KernelListing) -> Result<TaskLoop<'_>, String> {
    let waits = |found: &LoopSpan| {
        kernel.instructions[found.first..=found.last].iter().any(|instruction| instruction.name() == "BAR")
    };
    let most = innermost(loops(kernel)?).into_iter().max_by_key(|found| (!waits(found), found.tasks.tasks));
    Ok(match most {
        Some(LoopSpan { first, last, tasks }) => {
            TaskLoop::with(first, &kernel.instructions[first..=last], true, &tasks)
        }
        None => TaskLoop::new(&kernel.instructions, false),
    })
}

/// A loop with tasks: the indices of its first and last instructions.
struct LoopSpan {
    first: usize,
    last: usize,
    tasks: Tasks,
}

fn loops(kernel: &KernelListing) -> Result<Vec<LoopSpan>, String> {
    let instructions = &kernel.instructions;
    let mut loops = Vec::new();
    for (last, instruction) in instructions.iter().enumerate() {
        if instruction.name() != "BRA" {
            continue;
        }
        let first = place_of_jump(kernel, instruction).ok_or_else(|| {
            let operands: Vec<&str> = instruction.operands.iter().map(|operand| operand.text()).collect();
            format!("in {} it has a jump to '{}', which is no place in it", kernel.name, operands.join(","))
        })?;
        // A jump back from after the kernel's end (EXIT, RET) belongs to code that was moved out of the way, and not to a loop.
        let body = instructions.get(first..=last).unwrap_or_default();
        if body.iter().any(Instruction::ends_control_flow) {
            continue;
        }
        let tasks = tasks(body);
        if tasks.tasks > 0 {
            loops.push(LoopSpan { first, last, tasks });
        }
    }
    Ok(loops)
}

/// The loops that contain no other of these. An inner loop without tasks is not among them: it only fetches data for the tasks.
fn innermost(loops: Vec<LoopSpan>) -> Vec<LoopSpan> {
    let places: Vec<(usize, usize)> = loops.iter().map(|found| (found.first, found.last)).collect();
    let contains = |outer: &LoopSpan, inner: &(usize, usize)| {
        (outer.first, outer.last) != *inner && outer.first <= inner.0 && inner.1 <= outer.last
    };
    loops.into_iter().filter(|outer| !places.iter().any(|inner| contains(outer, inner))).collect()
}

/// The index of the instruction that it jumps to.
pub(crate) fn place_of_jump(kernel: &KernelListing, jump: &Instruction) -> Option<usize> {
    let first = target(jump)?.checked_sub(kernel.start)? / INSTRUCTION_BYTES;
    usize::try_from(first).ok().filter(|&first| first < kernel.instructions.len())
}

/// Instructions that name a place in the code. In all others a number is an immediate.
const JUMPS: [&str; 6] = ["BRA", "BRX", "BSSY", "CALL", "JMP", "WARPSYNC"];

/// The address that it jumps to: the last operand, after predicates.
fn target(instruction: &Instruction) -> Option<u64> {
    let opcode = instruction.opcode.split('.').next()?;
    JUMPS.contains(&opcode).then_some(())?;
    u64::from_str_radix(instruction.operands.last()?.text().strip_prefix("0x")?, 16).ok()
}

/// Code of a longer loop is fetched again in each iteration. The size is assumed, since NVIDIA does not publish it: between two loops
/// that were measured on an H200, of 25 KB at 16.6e12 tasks/s and of 50 KB at 13.8e12.
const INSTRUCTION_CACHE_BYTES: u64 = 32 * 1024;

/// What one iteration of a loop has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopCounts {
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

impl LoopCounts {
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

    fn kernel(texts: &[&str]) -> KernelListing {
        KernelListing { name: "kernel".to_string(), start: 0x100, instructions: instructions(texts) }
    }

    fn code(texts: &[&str]) -> LoopCounts {
        kernel(texts).task_loop().unwrap().code
    }

    #[test]
    fn the_loop_with_tasks_counts_and_not_what_lies_around_it() {
        let counted = code(&[
            "LDS R1,[R0]",
            "LDS.128 R8,[R20]", // 0x110
            "FADD R1,R8.reuse,R10",
            "FADD R2,R8,R12",
            "VIMNMX3 R4,R4,R1,R2,PT",
            "LDL R9,[R1]",
            "IADD3 R20,R20,0x10,RZ",
            "@P0 BRA P1,0x110",
            "FADD R2,R1,R4",
            "EXIT",
            "BRA 0x190",
        ]);
        let expected = LoopCounts {
            instructions: 7,
            tasks: 2,
            task_instructions: 3,
            shared_loads: 1,
            local_accesses: 1,
        };
        assert_eq!(counted, expected);
    }

    /// The inner one of two unless it does no task, of several the one with most tasks, and none that code behind the end makes.
    #[test]
    fn of_several_loops_one_counts() {
        for (texts, instructions, tasks) in [
            (&["FADD R0,R1,R2", "FADD R0,R1,R2", "@P0 BRA 0x110", "@P1 BRA 0x100", "EXIT"][..], 2, 1),
            (&["LDG.E R0,[R2]", "LDS R1,[R3]", "@P0 BRA 0x110", "FADD R0,R0,R1", "@P1 BRA 0x100"], 5, 1),
            (&["FADD R0,R1,R2", "@P0 BRA 0x100", "FADD R0,R1,R2", "FADD2 R0,R2,R4", "BRA UP0,0x120"], 3, 3),
            (&["FADD R0,R1,R2", "@P0 BRA 0x130", "EXIT", "MOV R1,R2", "BRA 0x100"], 5, 1),
            (&["FADD R0,R1,R2", "@P0 EXIT", "BRA 0x100"], 3, 1),
            (&["MOV R1,R2", "FADD R0,R1,R2", "@P0 EXIT", "BRA 0x110"], 3, 1),
            (&["MOV R0,R1", "EXIT"], 2, 0),
        ] {
            let found = code(texts);
            assert_eq!((found.instructions, found.tasks), (instructions, tasks), "{texts:?}");
        }
    }

    #[test]
    fn a_kernel_without_a_loop_around_tasks_counts_as_a_whole_and_a_jump_to_no_place_is_refused() {
        let unrolled = kernel(&["NOP", "@P0 BRA 0x100", "FADD R0,R1,R2", "FADD.FTZ R0,R1,R2", "EXIT"]);
        let whole = unrolled.task_loop().unwrap();
        assert_eq!((whole.code.instructions, whole.code.tasks, whole.repeats), (5, 2, false));
        for jump in ["@P0 BRA `(.L_1)", "BRA 0x900", "BRA 0x10", "BRA"] {
            let error = kernel(&["FADD R0,R1,R2", jump]).task_loop().unwrap_err();
            assert!(error.contains("in kernel it has a jump to"), "{error}");
        }
    }

    #[test]
    fn what_exceeds_the_instruction_cache_is_told() {
        let most = (INSTRUCTION_CACHE_BYTES / INSTRUCTION_BYTES) as usize;
        for (count, bytes) in [(most, 0), (most + 2, 32)] {
            assert_eq!(code(&vec!["NOP"; count]).uncached_bytes(), bytes);
        }
    }
}
