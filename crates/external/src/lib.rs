//! Kernels from users' files on the emulated device. There they are host code, which may do whatever a program may: so they run in a
//! process of their own, within limits, that has nothing of a run but the graph.
//!
//! [`ExternalProcess`] solves with a file's kernels; [`check`] launches one kernel of any file in several orders of its blocks and threads.
//! Either process is the program itself, started again: its `main` has to call [`serve`] where its first argument is [`RUN_EXTERNAL`], and
//! [`check::serve`] where it is [`check::CHECKER`], after `repro_confine::serve_if_asked`.

pub mod check;
mod inside;
mod messages;
mod process;
mod solver;

pub use inside::{RUN_EXTERNAL, serve};
pub use solver::{ExternalProcess, SharedProcess};
