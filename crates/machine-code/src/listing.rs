//! What `nvdisasm -json` prints.

use crate::instruction::Instruction;
use crate::instruction::Operand;
use crate::loops::{self, TaskLoop};
use serde::Deserialize;
use serde_json::Value;

/// Bytes of an instruction from compute capability 7.0 on.
pub const INSTRUCTION_BYTES: u64 = 16;

/// A kernel or a function that kernels call.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelListing {
    pub name: String,
    /// Where it begins, bytes.
    pub start: u64,
    pub instructions: Vec<Instruction>,
}

#[derive(Deserialize)]
struct Function {
    #[serde(rename = "function-name")]
    name: String,
    start: u64,
    /// Bytes.
    length: u64,
    #[serde(rename = "sass-instructions")]
    instructions: Vec<ListingLine>,
}

#[derive(Deserialize)]
struct ListingLine {
    predicate: Option<String>,
    opcode: String,
    operands: Option<String>,
}

/// Every kernel of a listing.
///
/// # Errors
/// What of it is not as expected, in a few words.
pub fn read(json: &[u8]) -> Result<Vec<KernelListing>, String> {
    let not_listed = |error: serde_json::Error| format!("its listing cannot be read ({error})");
    // A description of the file, then the functions.
    let parts: Vec<Value> = serde_json::from_slice(json).map_err(not_listed)?;
    let functions = parts.into_iter().nth(1).ok_or("its listing has no functions")?;
    let functions: Vec<Function> = serde_json::from_value(functions).map_err(not_listed)?;
    functions.into_iter().map(kernel).collect()
}

fn kernel(function: Function) -> Result<KernelListing, String> {
    let Function { name, start, length, instructions } = function;
    if instructions.len() as u64 * INSTRUCTION_BYTES != length {
        return Err(format!("of {name} it lists {} instructions in {length} bytes", instructions.len()));
    }
    let instructions = instructions.into_iter().map(|listed| Instruction {
        // For P2R this field is an operand that it reads, without the `@` of a guard.
        predicate: listed.predicate.filter(|predicate| predicate.starts_with('@')),
        opcode: listed.opcode,
        operands: match listed.operands.as_deref() {
            None | Some("") => Vec::new(),
            Some(operands) => operands.split(',').flat_map(parts).map(Operand::new).collect(),
        },
    });
    Ok(KernelListing { name, start, instructions: instructions.collect() })
}

/// Splits a result from the address after it, which listings write as one: `R72[R0]`. Does not split a constant, `c[0x0][0x28]`,
/// nor an address after its memory descriptor.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let bracket = text
        .find('[')
        .filter(|at| Operand::new(&text[..*at]).is_register() || Operand::new(&text[..*at]).is_predicate());
    let (first, rest) = text.split_at(bracket.unwrap_or(text.len()));
    [first, rest].into_iter().filter(|part| !part.is_empty())
}

impl KernelListing {
    /// What is repeated task after task: the innermost loop with tasks (of several, the one with most), or all of a kernel without one.
    ///
    /// # Errors
    /// When a jump goes to no place in the kernel.
    pub fn task_loop(&self) -> Result<TaskLoop<'_>, String> {
        loops::task_loop(self)
    }

    /// The index of the instruction that `jump`, one of the kernel's own, leads to; none where it is no jump, or leads out of the kernel.
    pub fn place_of_jump(&self, jump: &Instruction) -> Option<usize> {
        loops::place_of_jump(self, jump)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn listing(name: &str, length: usize, instructions: &[Value]) -> Vec<u8> {
        let function = json!({
            "function-name": name,
            "start": 0x100,
            "length": length,
            "sass-instructions": instructions,
        });
        serde_json::to_vec(&json!([{"SchemaVersion": {"major": 13}}, [function]])).unwrap()
    }

    #[test]
    fn instructions_are_taken_as_they_are_listed() {
        let listed = [
            json!({"opcode": "EXIT", "predicate": "@P0", "other-attributes": {}}),
            json!({"opcode": "FADD", "operands": "R0,R1.reuse,R2"}),
        ];
        let kernel = read(&listing("kernel", 32, &listed)).unwrap().remove(0);
        assert_eq!((kernel.name.as_str(), kernel.start), ("kernel", 0x100));
        let [exit, add] = &kernel.instructions[..] else { panic!("{kernel:?}") };
        assert_eq!((exit.predicate.as_deref(), exit.operands.len()), (Some("@P0"), 0));
        assert_eq!((add.operands.len(), add.operands[1].text()), (3, "R1.reuse"));
    }

    #[test]
    fn a_result_is_told_from_the_address_behind_it() {
        let split = |text: &'static str| parts(text).collect::<Vec<_>>();
        assert_eq!(split("R72[R0+0x10]"), ["R72", "[R0+0x10]"]);
        assert_eq!(split("P0[UR8]"), ["P0", "[UR8]"]);
        for whole in ["[R0]", "c[0x0][0x28]", "desc[UR20][R2.64]", "[UR12][UR6]", "R4.reuse"] {
            assert_eq!(split(whole), [whole]);
        }
        let listed = [json!({"opcode": "LDS.128", "operands": "R72[R0]"})];
        let load = &read(&listing("kernel", 16, &listed)).unwrap()[0].instructions[0];
        assert_eq!((load.written(), load.sources().count()), (vec![72, 73, 74, 75], 1));
    }

    #[test]
    fn a_listing_that_is_not_understood_is_refused_and_never_counted() {
        assert!(read(b"Fatal").unwrap_err().contains("cannot be read"));
        assert!(read(b"[{}]").unwrap_err().contains("no functions"));
        let listed = [json!({"opcode": "EXIT"})];
        assert!(read(&listing("kernel", 24, &listed)).unwrap_err().contains("1 instructions in 24 bytes"));
    }
}
