//! A user's files, read with all that they name: kernels, whose format `repro_solvers` has, and programs.

mod given;
pub mod headers;

pub use given::{name_is_taken, read};

use crate::program;
use given::{Head, as_text};
use repro_solvers::kernel_file::{self, FileError};
use repro_solvers::{Implementation, ImplementationFile};

/// The implementation that a file describes, with all numbers of the file tried out.
///
/// # Errors
/// What is wrong, with its file, line and key.
pub fn implementation(given: &ImplementationFile) -> Result<Implementation, FileError> {
    let of = as_text(given);
    let head: Head = toml::from_str(&given.text).map_err(|error| of.unreadable(&error))?;
    if head.program.is_none() {
        return kernel_file::implementation(given);
    }
    program::implementation(of, given)
}

#[cfg(test)]
mod tests;
