//! A pass over machine code: loops of tasks in an order and in registers of their own.
//!
//! It changes nothing but the innermost loop of kernels, and there only the order of loads from shared memory, additions and minima, their registers
//! and the bits for the scheduler. `check` looks at what came out without knowing any of this.

mod check;
mod follow;
mod grid;
mod meaning;
mod order;
mod registers;
mod timing;
mod turn;

use crate::image::{INSTRUCTION_BYTES, Image};
use crate::instruction::Instruction;
use crate::listing::Kernel;
use crate::loops::TaskLoop;
pub use check::check;
use follow::is_read_behind;
use grid::Step;
use meaning::Meaning;
use order::Order;
use std::collections::BTreeSet;

/// Another one whenever the same code would come out otherwise: part of the name of what is kept of it.
pub const VERSION: &str = "5";

/// What became of the loop of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub kernel: String,
    /// Why it is as it was; none where it has another order.
    pub left: Option<String>,
    /// Whether it does many tasks of words from shared memory and is not faster as it was.
    pub matters: bool,
}

/// A loop with fewer tasks is none that a kernel spends its time in.
const MANY: u64 = 64;

impl Outcome {
    /// Whether a loop that matters is as it was.
    pub fn is_missed(&self) -> bool {
        self.left.is_some() && self.matters
    }
}

/// The compiled file with the task loops of these kernels, of a listing of the same file, in another order.
///
/// # Errors
/// When the file or a kernel is not as expected. A loop that stays as it is is no error.
pub fn reorder(compiled: &[u8], kernels: &[Kernel]) -> Result<(Vec<u8>, Vec<Outcome>), String> {
    let image = Image::read(compiled)?;
    let mut file = compiled.to_vec();
    let mut outcomes = Vec::new();
    for kernel in kernels {
        let found = kernel.task_loop()?;
        let start = kernel.start + found.first as u64 * INSTRUCTION_BYTES;
        let length = found.instructions.len() as u64 * INSTRUCTION_BYTES;
        let body = image.encodings(&kernel.name, start, length)?;
        let is_best = is_best_as_compiled(kernel, &found);
        let reordered = if is_best {
            Err("the compiler's order is faster in it".into())
        } else if found.repeats {
            unused(kernel, &found).and_then(|unused| body_of(&body, &unused))
        } else {
            Err("it has no loop of tasks".into())
        };
        let place = image.range(&kernel.name, start, length);
        let left = match reordered {
            Ok(body) => {
                let bytes: Vec<u8> = body.iter().flat_map(|code| code.to_le_bytes()).collect();
                let place = place.and_then(|place| file.get_mut(place));
                place.ok_or("its code is not in the file")?.copy_from_slice(&bytes);
                None
            }
            Err(why) => Some(why),
        };
        let matters = found.code.tasks >= MANY && found.code.shared_loads > 0 && !is_best;
        outcomes.push(Outcome { kernel: kernel.name.clone(), left, matters });
    }
    Ok((file, outcomes))
}

/// Kernels of small tiles whose solves took longer with another order: on what they wait for, and not on tasks. Of the second that is so
/// without instructions that add and compare.
fn is_best_as_compiled(kernel: &Kernel, found: &TaskLoop) -> bool {
    match kernel.name.as_str() {
        "solve_chained_tiles_of_64" => true,
        "solve_tiles_of_64" => !found.instructions.iter().any(|one| one.name() == "VIADDMNMX"),
        _ => false,
    }
}

/// The register of the stack.
const STACK: u8 = 1;

/// Registers of a kernel that its loop does not touch and that hold nothing behind it.
fn unused(kernel: &Kernel, found: &TaskLoop) -> Result<BTreeSet<u8>, String> {
    let touched = |instruction: &Instruction| {
        let read: Vec<u8> = instruction.reads().iter().map(|read| read.register).collect();
        read.into_iter().chain(instruction.written())
    };
    let all: BTreeSet<u8> = kernel.instructions.iter().flat_map(touched).collect();
    let in_loop: BTreeSet<u8> = found.instructions.iter().flat_map(touched).collect();
    let end = found.first + found.instructions.len();
    let mut unused = BTreeSet::new();
    for register in all.difference(&in_loop).filter(|register| **register != STACK) {
        if !is_read_behind(kernel, end, *register)? {
            unused.insert(*register);
        }
    }
    Ok(unused)
}

/// The loop with these encodings in another order, which may use other registers too.
fn body_of(body: &[u128], unused: &BTreeSet<u8>) -> Result<Vec<u128>, String> {
    let mut meaning = Meaning::of(body)?;
    meaning.free.extend(unused);
    let steps = Step::all(&meaning)?;
    let reordered = Order::of(&meaning, &steps)?;
    if reordered.len() == body.len() {
        Ok(reordered)
    } else {
        Err(format!("it has {} instructions and would have {}", body.len(), reordered.len()))
    }
}
