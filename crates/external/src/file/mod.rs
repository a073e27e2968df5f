//! A user's files, read with all that they name: kernels, whose format `repro_solvers` has, and programs.

mod given;
pub mod headers;

pub use given::{name_is_taken, read};

use crate::program::{self, ProgramFile};
use given::as_text;
use repro_solvers::kernel_file::{self, FileError};
use repro_solvers::{GivenFile, Implementation};
use serde::Deserialize;

/// What kind of implementation a file describes.
#[derive(Deserialize)]
struct Kind {
    program: Option<toml::Value>,
}

/// The implementation that a file describes, with all numbers of the file tried out.
///
/// # Errors
/// What is wrong, with its file, line and key.
pub fn implementation(given: &GivenFile) -> Result<Implementation, FileError> {
    let of = as_text(given);
    let kind: Kind = toml::from_str(&given.text).map_err(|error| of.unreadable(&error))?;
    if kind.program.is_none() {
        return kernel_file::implementation(given);
    }
    let file: ProgramFile = toml::from_str(&given.text).map_err(|error| of.unreadable(&error))?;
    kernel_file::check_head(of, &file.name, &file.summary, &file.from)?;
    program::implementation_of(file, &given.folder, Some(given.clone()))
        .map_err(|error| of.error(&error.span, error.problem))
}

#[cfg(test)]
mod tests;
