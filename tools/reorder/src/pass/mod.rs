//! A pass over machine code: loops of tasks in an order and in registers of their own.
//!
//! It changes nothing but the innermost loop of kernels, and there only the order of loads from shared memory, additions and minima, their registers
//! and the bits for the scheduler. `proof` looks at what came out without knowing any of this.

mod grid;
mod order;
mod semantics;
mod turn;

use crate::encoding::Image;
use crate::kernel::{Instruction, Kernel, Loop};
use crate::proof::is_live_after;
use grid::TaskStep;
use order::LoopScheduler;
use semantics::LoopSemantics;
use std::collections::BTreeSet;

/// Another one whenever the same code would come out otherwise.
pub const VERSION: &str = "5";

/// A loop with fewer tasks is none that a kernel spends its time in.
const MANY: u64 = 64;

/// The compiled file with the task loops of these kernels, of a listing of the same file, in another order.
///
/// # Errors
/// When the file or a kernel is not as expected, when a loop that does many tasks of words from shared memory, and is not faster as it was,
/// stays as it is, and when all do.
pub fn reorder(compiled: &[u8], kernels: &[Kernel]) -> Result<Vec<u8>, String> {
    let image = Image::read(compiled)?;
    let mut file = compiled.to_vec();
    let mut left = Vec::new();
    for kernel in kernels {
        let found = kernel.task_loop()?;
        let body = image.encodings(&kernel.listed, found.range.clone())?;
        let is_best = is_best_as_compiled(kernel, &found);
        let reordered = if is_best {
            Err("the compiler's order is faster in it".into())
        } else if found.repeats {
            unused(kernel, &found).and_then(|unused| reorder_body(&body, &unused))
        } else {
            Err("it has no loop of tasks".into())
        };
        match reordered {
            Ok(body) => {
                let bytes: Vec<u8> = body.iter().flat_map(|code| code.to_le_bytes()).collect();
                let place = image.place(&kernel.listed, found.range).and_then(|place| file.get_mut(place));
                place.ok_or("its code is not in the file")?.copy_from_slice(&bytes);
            }
            Err(why) => {
                let why = format!("of {} {why}", kernel.name());
                if found.code.tasks >= MANY && found.code.shared_loads > 0 && !is_best {
                    return Err(why);
                }
                left.push(why);
            }
        }
    }
    if left.len() < kernels.len() { Ok(file) } else { Err(left.join(", ")) }
}

/// Kernels of small tiles whose solves took longer with another order: on what they wait for, and not on tasks. Of the second that is so
/// without instructions that add and compare.
fn is_best_as_compiled(kernel: &Kernel, found: &Loop) -> bool {
    match kernel.name() {
        "solve_chained_tiles_of_64" => true,
        "solve_tiles_of_64" => !found.instructions.iter().any(|one| one.name() == "VIADDMNMX"),
        _ => false,
    }
}

/// The register of the stack.
const STACK: u8 = 1;

/// Registers of a kernel that its loop does not touch and that hold nothing behind it.
fn unused(kernel: &Kernel, found: &Loop) -> Result<BTreeSet<u8>, String> {
    let all: BTreeSet<u8> = kernel.instructions().iter().flat_map(Instruction::touched).collect();
    let in_loop: BTreeSet<u8> = found.instructions.iter().flat_map(Instruction::touched).collect();
    let end = found.range.end;
    let mut unused = BTreeSet::new();
    for register in all.difference(&in_loop).filter(|register| **register != STACK) {
        if !is_live_after(kernel, end, *register)? {
            unused.insert(*register);
        }
    }
    Ok(unused)
}

/// The loop with these encodings in another order, which may use other registers too.
fn reorder_body(body: &[u128], unused: &BTreeSet<u8>) -> Result<Vec<u128>, String> {
    let mut meaning = LoopSemantics::of(body)?;
    meaning.free.extend(unused);
    let steps = TaskStep::all(&meaning)?;
    let reordered = LoopScheduler::schedule(&meaning, &steps)?;
    if reordered.len() == body.len() {
        Ok(reordered)
    } else {
        Err(format!("it has {} instructions and would have {}", body.len(), reordered.len()))
    }
}
