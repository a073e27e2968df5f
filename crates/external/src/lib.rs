//! Other people's code: kernels from files, and programs.
//!
//! - A file that describes either becomes an implementation like any other: [`read`], then [`register`]. Programs: [`program`].
//! - On the emulated device a kernel is host code, which may do whatever a program may. So it runs in a process of its own, within limits,
//!   that has nothing of a run but the graph: [`ExternalProcess`].
//! - [`check`] launches one kernel of any CUDA file in several orders of its blocks and threads.
//!
//! All of these processes are the program itself, started again: its `main` has to call [`serve_if_asked`] first.

pub mod check;
mod from_file;
mod inside;
mod messages;
mod process;
pub mod program;
mod register;
mod solver;

pub use from_file::{FileError, check_kernel_name, implementation, read};
pub use inside::serve_if_asked;
pub use register::{register, register_unlisted};
pub use solver::{ExternalProcess, SharedProcess};
