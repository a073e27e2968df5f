//! Machine code of kernels, as NVIDIA's disassembler lists it: the innermost loop of each kernel that does tasks of Floyd-Warshall, and what
//! is in it. `docs/machine-code.md` says what is counted. It uses no solver and runs no kernel.
//!
//! A task is one addition and one minimum. Only [`Disassembler`] knows where listings come from.

pub mod code_index;
mod disassembler;
mod instruction;
mod listing;
mod loops;
mod reaching_definitions;
mod role;
mod tasks;

pub use disassembler::{DISASSEMBLER_VARIABLE, Disassembler};
pub use instruction::Instruction;
pub use instruction::Operand;
pub use listing::{INSTRUCTION_BYTES, KernelListing, read};
pub use loops::LoopCounts;
pub use loops::TaskLoop;
