//! Machine code of kernels, as NVIDIA's disassembler lists it: the innermost loop of each kernel that does tasks of Floyd-Warshall, what
//! is in it, and how many clocks a model of an H200 takes for it. `docs/machine-code.md` has the model and its limits.
//!
//! A task is one addition and one minimum. Nothing here knows of devices, of compilers or of where listings come from.

mod banks;
mod control;
mod encoding;
mod facts;
mod image;
mod instruction;
mod listing;
mod loops;
pub mod model;
mod operand;
mod reaching;
pub mod reorder;
mod role;
mod simulation;
mod step;
mod tasks;
#[cfg(test)]
mod written;

pub use control::Control;
pub use facts::TaskCode;
pub use instruction::Instruction;
pub use listing::{Kernel, read};
pub use loops::TaskLoop;
pub use operand::Operand;
pub use simulation::{Estimate, Split};
