//! Machine code of kernels, as NVIDIA's disassembler lists it: the innermost loop of each kernel that does tasks of Floyd-Warshall, and what
//! is in it. `docs/machine-code.md` says what is counted.
//!
//! A task is one addition and one minimum. Only [`Disassembler`] knows where listings come from.

mod disassembler;
mod facts;
mod instruction;
mod listing;
mod loops;
mod operand;
mod reaching;
mod role;
pub mod stored;
mod tasks;

pub use disassembler::{DISASSEMBLER_VARIABLE, Disassembler};
pub use facts::TaskCode;
pub use instruction::Instruction;
pub use listing::{INSTRUCTION_BYTES, Kernel, read};
pub use loops::TaskLoop;
pub use operand::Operand;
