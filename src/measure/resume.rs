//! Opening a run to continue it, with the implementations that it brought along.

use crate::external::{self, FileError};
use crate::store::{Journal, JournalError};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a run cannot be continued.
#[derive(Debug, Error)]
pub enum ResumeError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("{}: an implementation of its own cannot be used: {error}", path.display())]
    Given { path: PathBuf, error: FileError },
    #[error("{} was measured with another {file} than --with names: do without --with to continue it, or start a new run", path.display())]
    OtherFile { path: PathBuf, file: String },
}

/// Opens the run in `folder` to continue it, and registers the implementations whose files it keeps.
///
/// # Errors
/// As [`Journal::resume`], or when another implementation has the name of one of these.
pub fn resume(folder: &Path) -> Result<Journal, ResumeError> {
    let journal = Journal::resume(folder)?;
    for given in &journal.manifest().experiment.given {
        let path = folder.to_path_buf();
        external::register(given).map_err(|error| match error {
            FileError::Taken { file, by: Some(_), .. } => ResumeError::OtherFile { path, file },
            error => ResumeError::Given { path, error },
        })?;
    }
    Ok(journal)
}
