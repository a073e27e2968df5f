//! User kernels on the emulated device. There they are host code, which may do whatever a program may: so they run in a process of
//! their own, within limits, that has nothing of a run but the graph.

mod inside;
mod messages;
mod process;
mod solver;

pub use inside::{RUN_EXTERNAL, serve};
pub(crate) use messages::CACHE;
pub(crate) use process::{Started, answer_each, printable, short};
pub use solver::{ExternalProcess, SharedProcess};
