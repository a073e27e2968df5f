//! Files of implementations, made known by their names.

use crate::from_file::{FileError, implementation, name_is_taken};
use repro_solvers::{AlreadyRegistered, GivenFile, Implementation, find};

/// Registers what a file describes. One that is known already by the same file stays as it is.
///
/// # Errors
/// What is wrong with the file, or that its name is taken.
pub fn register(file: &GivenFile) -> Result<(), FileError> {
    enter(file, repro_solvers::register)
}

/// Makes it known by its name alone and not in the catalogue: for an experiment that brings its own implementations along, which are
/// nothing to other experiments.
///
/// # Errors
/// As [`register`].
pub fn register_unlisted(file: &GivenFile) -> Result<(), FileError> {
    enter(file, repro_solvers::register_unlisted)
}

fn enter(
    file: &GivenFile,
    register: fn(Implementation) -> Result<(), AlreadyRegistered>,
) -> Result<(), FileError> {
    if let Some(known) = find(&file.name) {
        return match known.method.given() {
            Some(known) if known.hash() == file.hash() => Ok(()),
            known => Err(name_is_taken(file, known)),
        };
    }
    register(implementation(file)?).map_err(|_| name_is_taken(file, None))
}
