//! Whether a value is read on any way from a place of a kernel on.

use crate::kernel::{Instruction, Kernel};
use std::collections::BTreeSet;

/// Whether a register is read from instruction `from` on before it is written.
///
/// # Errors
/// Where it is not known which instruction follows.
pub fn is_live_after(kernel: &Kernel, from: usize, register: u8) -> Result<bool, String> {
    let instructions = kernel.instructions();
    let mut seen = BTreeSet::new();
    // With each place the predicate under which it was written on the way there, if only under one.
    let mut open: Vec<(usize, Option<&str>)> = vec![(from, None)];
    while let Some((at, under)) = open.pop() {
        if !seen.insert((at, under)) {
            continue;
        }
        let Some(instruction) = instructions.get(at) else { continue };
        let predicate = instruction.predicate.as_deref();
        let is_written = under.is_some() && predicate == under;
        if !is_written && instruction.reads().iter().any(|read| read.register == register) {
            return Ok(true);
        }
        let always = predicate.is_none();
        let writes = instruction.written().contains(&register);
        if always && writes {
            continue;
        }
        let under = match under {
            _ if writes => predicate,
            Some(known) if changes(instruction, known) => None,
            known => known,
        };
        match instruction.name() {
            "EXIT" if always => {}
            "BRA" => {
                let target = kernel.place_of_jump(instruction).ok_or("it has a jump to no place in it")?;
                open.push((target, under));
                if !always || has_condition(instruction) {
                    open.push((at + 1, under));
                }
            }
            "BRX" | "BRXU" | "JMX" | "CALL" | "RET" | "JMP" => {
                return Err(format!("cannot determine the instruction after {}", instruction.name()));
            }
            _ => open.push((at + 1, under)),
        }
    }
    Ok(false)
}

/// Whether it may write the predicate of this guard, `@!P0`: those that it writes come first.
fn changes(instruction: &Instruction, guard: &str) -> bool {
    if instruction.name() == "R2P" {
        // All at once, whatever their names.
        return true;
    }
    let name = guard.trim_start_matches(['@', '!']);
    instruction.operands.iter().any(|operand| operand.text() == name)
}

/// A jump may have a condition in addition to its predicate.
fn has_condition(instruction: &Instruction) -> bool {
    instruction.operands.len() > 1
}
