//! Machine code of kernels, as NVIDIA's disassembler lists it: the innermost loop of each kernel that does tasks of Floyd-Warshall, and what
//! is in it. `docs/machine-code.md` says what is counted.
//!
//! A task is one addition and one minimum. Nothing here knows of devices, of compilers or of where listings come from.

mod instruction;
mod listing;
mod loops;
mod reaching;
mod role;
pub mod stored;
mod tasks;

pub use instruction::Instruction;
pub use instruction::Operand;
pub use listing::{INSTRUCTION_BYTES, Kernel, read};
pub use loops::TaskCode;
pub use loops::TaskLoop;
