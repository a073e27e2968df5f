//! Machine code as a disassembler lists it: the innermost loop of each kernel that does tasks, and what is in it.

use serde::Deserialize;
use serde_json::Value;

/// What of a kernel is repeated task after task: its innermost loop with tasks, or all of a kernel that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskCode {
    pub instructions: u64,
    /// Relaxations. 0 of a kernel that does none.
    pub tasks: u64,
    /// Loads from shared memory.
    pub shared_loads: u64,
    /// Loads from and stores to a thread's local memory: spills and arrays.
    pub local_accesses: u64,
}

/// A kernel's or function's instructions.
#[derive(Debug, Deserialize)]
struct Function {
    #[serde(rename = "function-name")]
    name: String,
    start: u64,
    /// Bytes.
    length: u64,
    #[serde(rename = "sass-instructions")]
    instructions: Vec<Instruction>,
}

#[derive(Debug, Deserialize)]
struct Instruction {
    predicate: Option<String>,
    opcode: String,
    operands: Option<String>,
}

impl Instruction {
    /// The opcode without what modifies it.
    fn name(&self) -> &str {
        self.opcode.split('.').next().unwrap_or_default()
    }

    /// Additions of two floats. On Blackwell one instruction may add two pairs.
    fn additions(&self) -> u64 {
        match self.name() {
            "FADD" => 1,
            "FADD2" => 2,
            _ => 0,
        }
    }

    /// Minima of two, or comparisons that decide whether to store. A minimum of three is two of two.
    fn minima(&self) -> u64 {
        match self.name() {
            "FMNMX" | "VIMNMX" | "VMNMX" | "FSETP" => 1,
            "FMNMX3" | "VIMNMX3" => 2,
            _ => 0,
        }
    }

    /// Whether whatever follows is reached by a jump alone.
    fn leaves(&self) -> bool {
        self.predicate.is_none() && matches!(self.name(), "EXIT" | "RET")
    }
}

/// The task code of every kernel in what `nvdisasm -json` printed.
///
/// # Errors
/// What of it is not as expected, in a few words.
pub fn task_codes(json: &[u8]) -> Result<Vec<(String, TaskCode)>, String> {
    let not_listed = |error: serde_json::Error| format!("its listing cannot be read ({error})");
    // A description of the file, then the functions.
    let parts: Vec<Value> = serde_json::from_slice(json).map_err(not_listed)?;
    let functions = parts.into_iter().nth(1).ok_or("its listing has no functions")?;
    let functions: Vec<Function> = serde_json::from_value(functions).map_err(not_listed)?;
    functions.iter().map(|function| Ok((function.name.clone(), task_code(function)?))).collect()
}

/// Of several innermost loops with tasks, the one with most of them.
fn task_code(function: &Function) -> Result<TaskCode, String> {
    let loops: Vec<&[Instruction]> = innermost(&loops(function)?)
        .into_iter()
        .map(|(first, last)| &function.instructions[first..=last])
        .collect();
    let most = loops.into_iter().map(count).max_by_key(|code| code.tasks);
    Ok(most.unwrap_or_else(|| count(&function.instructions)))
}

fn count(instructions: &[Instruction]) -> TaskCode {
    let named = |names: &[&str]| instructions.iter().filter(|one| names.contains(&one.name())).count() as u64;
    TaskCode {
        instructions: instructions.len() as u64,
        tasks: tasks(instructions),
        shared_loads: named(&["LDS", "LDSM"]),
        local_accesses: named(&["LDL", "STL"]),
    }
}

/// Relaxations: each has an addition and a minimum, so that there are no more of them than of the rarer one. Instructions that a
/// change adds are then never taken for tasks, whichever of the two they are. Where the compiler put the minimum into what is
/// neither, additions are all there is to count.
fn tasks(instructions: &[Instruction]) -> u64 {
    let additions: u64 = instructions.iter().map(Instruction::additions).sum();
    let minima: u64 = instructions.iter().map(Instruction::minima).sum();
    if minima == 0 { additions } else { additions.min(minima) }
}

/// Loops with tasks, as the indices of their first and last instructions.
fn loops(function: &Function) -> Result<Vec<(usize, usize)>, String> {
    let instructions = &function.instructions;
    let size = function.length.checked_div(instructions.len() as u64).filter(|&size| size > 0);
    let mut loops = Vec::new();
    for (at, instruction) in instructions.iter().enumerate() {
        if instruction.name() != "BRA" {
            continue;
        }
        let target = target(instruction).and_then(|address| {
            let first = address.checked_sub(function.start)?.checked_div(size?)?;
            usize::try_from(first).ok().filter(|&first| first < instructions.len())
        });
        let first = target.ok_or_else(|| {
            let operands = instruction.operands.as_deref().unwrap_or_default();
            format!("in {} it has a jump to '{operands}', which is no place in it", function.name)
        })?;
        // A jump back from behind the end belongs to code that was moved out of the way, and not to a loop.
        let body = instructions.get(first..=at).unwrap_or_default();
        if !body.iter().any(Instruction::leaves) && count(body).tasks > 0 {
            loops.push((first, at));
        }
    }
    Ok(loops)
}

/// Those that contain no other: a loop inside that does no task does not count, it only fetches for them.
fn innermost(loops: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let contains = |outer: &(usize, usize), inner: &(usize, usize)| {
        outer != inner && outer.0 <= inner.0 && inner.1 <= outer.1
    };
    loops.iter().filter(|outer| !loops.iter().any(|inner| contains(outer, inner))).copied().collect()
}

/// Where it jumps to: the last operand, behind predicates.
fn target(instruction: &Instruction) -> Option<u64> {
    let last = instruction.operands.as_ref()?.rsplit(',').next()?.trim();
    u64::from_str_radix(last.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A listing of one function at address 0x100 with 16 bytes an instruction, each "[@predicate] opcode [operands]".
    fn listing(instructions: &[&str]) -> Vec<u8> {
        let instruction = |text: &&str| {
            let mut words = text.split(' ').peekable();
            let predicate = words.next_if(|word| word.starts_with('@'));
            let mut listed = json!({"opcode": words.next(), "other-attributes": {}});
            if let Some(predicate) = predicate {
                listed["predicate"] = json!(predicate);
            }
            if let Some(operands) = words.next() {
                listed["operands"] = json!(operands);
            }
            listed
        };
        let function = json!({
            "function-name": "kernel",
            "start": 0x100,
            "length": 16 * instructions.len(),
            "sass-instructions": instructions.iter().map(instruction).collect::<Vec<_>>(),
        });
        serde_json::to_vec(&json!([{"SchemaVersion": {"major": 13}}, [function]])).unwrap()
    }

    fn code(instructions: &[&str]) -> TaskCode {
        let codes = task_codes(&listing(instructions)).unwrap();
        assert_eq!(codes[0].0, "kernel");
        codes[0].1
    }

    #[test]
    fn the_loop_with_tasks_counts_and_not_what_lies_around_it() {
        let counted = code(&[
            "S2R R0,SR_TID.X",
            "LDS R1,[R0]",
            "LDS.128 R4,[R0]", // 0x120
            "FADD R2,R1,R4",
            "FMNMX R3,R3,R2,PT",
            "STL [R1],R3",
            "@P0 BRA P1,0x120",
            "FADD R2,R1,R4",
            "EXIT",
            "BRA 0x190",
        ]);
        assert_eq!(counted, TaskCode { instructions: 5, tasks: 1, shared_loads: 1, local_accesses: 1 });
    }

    #[test]
    fn of_nested_loops_the_inner_counts_unless_it_does_no_task() {
        let nested = ["FADD R0,R1,R2", "FADD R0,R1,R2", "@P0 BRA 0x110", "@P1 BRA 0x100", "EXIT"];
        assert_eq!(code(&nested).instructions, 2);
        let fetching = ["LDG.E R0,[R2]", "LDS R1,[R3]", "@P0 BRA 0x110", "FADD R0,R0,R1", "@P1 BRA 0x100"];
        assert_eq!(
            code(&fetching),
            TaskCode { instructions: 5, tasks: 1, shared_loads: 1, local_accesses: 0 }
        );
    }

    #[test]
    fn of_several_loops_the_one_with_most_tasks_counts() {
        let apart = ["FADD R0,R1,R2", "@P0 BRA 0x100", "FADD R0,R1,R2", "FADD2 R0,R2,R4", "BRA UP0,0x120"];
        assert_eq!(code(&apart), TaskCode { instructions: 3, tasks: 3, shared_loads: 0, local_accesses: 0 });
    }

    #[test]
    fn there_are_no_more_tasks_than_additions_and_minima() {
        let tasks = |instructions: &[&str]| task_codes(&listing(instructions)).unwrap()[0].1.tasks;
        assert_eq!(tasks(&["FADD R0,R1,R2", "FADD R0,R0,RZ", "FMNMX R3,R0,R3", "EXIT"]), 1);
        assert_eq!(tasks(&["FADD R0,R1,R2", "FMNMX R3,R0,R3", "FMNMX R3,R4,R3", "EXIT"]), 1);
        assert_eq!(tasks(&["FADD R0,R1,R2", "FADD R4,R1,R2", "FMNMX3 R3,R0,R4,R3", "EXIT"]), 2);
        assert_eq!(tasks(&["FADD R0,R1,R2", "FSETP.GEU P0,R3,R0", "@!P0 STS [R5],R0", "EXIT"]), 1);
    }

    #[test]
    fn a_kernel_without_a_loop_around_tasks_counts_as_a_whole() {
        let unrolled = ["NOP", "@P0 BRA 0x100", "FADD R0,R1,R2", "FADD.FTZ R0,R1,R2", "EXIT"];
        assert_eq!(code(&unrolled).instructions, 5);
        assert_eq!(code(&unrolled).tasks, 2);
        let without_tasks = ["MOV R0,R1", "EXIT"];
        assert_eq!(code(&without_tasks).tasks, 0);
    }

    #[test]
    fn code_moved_behind_the_end_that_jumps_back_makes_no_loop() {
        let moved = ["FADD R0,R1,R2", "@P0 BRA 0x130", "EXIT", "MOV R1,R2", "BRA 0x100"];
        assert_eq!(code(&moved).instructions, 5);
        let early = ["FADD R0,R1,R2", "@P0 EXIT", "BRA 0x100"];
        assert_eq!(code(&early).instructions, 3);
        let early = ["MOV R1,R2", "FADD R0,R1,R2", "@P0 EXIT", "BRA 0x110"];
        assert_eq!(code(&early).instructions, 3);
    }

    #[test]
    fn a_listing_that_is_not_understood_is_refused_and_never_counted() {
        assert!(task_codes(b"Fatal").unwrap_err().contains("cannot be read"));
        assert!(task_codes(b"[{}]").unwrap_err().contains("no functions"));
        for jump in ["@P0 BRA `(.L_1)", "BRA 0x900", "BRA 0x10", "BRA"] {
            let error = task_codes(&listing(&["FADD R0,R1,R2", jump])).unwrap_err();
            assert!(error.contains("in kernel it has a jump to"), "{error}");
        }
    }
}
