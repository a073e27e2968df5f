//! Other people's code: kernels from files, and programs. It uses no record and no verdict.
//!
//! - A file that describes either becomes an implementation like any other: [`read`], then [`register`]. Programs: [`program`].
//! - On the emulated device a kernel is host code, which may do whatever a program may. So it runs in a process of its own, within limits,
//!   that has nothing of a run but the graph: [`ExternalProcess`].
//! - [`check`] launches one kernel of any CUDA file in several orders of its blocks and threads.
//!
//! All of these processes are the program itself, started again: its `main` has to call [`serve_if_asked`] first.

pub mod check;
pub mod check_kernel;
pub mod confine;
mod file;
mod kernel_server;
mod process;
pub mod program;
mod solver;
mod variant;

pub use file::{implementation, read};
pub use kernel_server::serve_if_asked;
pub use repro_solvers::kernel_file::{FileError, check_kernel_name};
pub use solver::{ExternalProcess, ExternalProcesses};
pub use variant::Variant;

use file::name_is_taken;
use repro_solvers::{DuplicateName, Implementation, ImplementationFile, find};

/// Registers what a file describes. One that is known already by the same file stays as it is.
///
/// # Errors
/// What is wrong with the file, or that its name is taken.
pub fn register(file: &ImplementationFile) -> Result<(), FileError> {
    enter(file, repro_solvers::register)
}

/// Registers what a file describes by its name alone, not in the catalogue: for an experiment that brings its own implementations along,
/// which do not concern other experiments.
///
/// # Errors
/// As [`register`].
pub fn register_unlisted(file: &ImplementationFile) -> Result<(), FileError> {
    enter(file, repro_solvers::register_unlisted)
}

fn enter(
    file: &ImplementationFile,
    register: fn(Implementation) -> Result<(), DuplicateName>,
) -> Result<(), FileError> {
    if find(&file.name).is_none() && register(implementation(file)?).is_ok() {
        return Ok(());
    }
    match find(&file.name).and_then(|known| known.given.clone()) {
        Some(known) if known.hash() == file.hash() => Ok(()),
        known => Err(name_is_taken(file, known.as_ref())),
    }
}
