//! Why a result was not written to a file.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file was not written: the file, and what came up. Nothing was left under its name.
#[derive(Debug, Error)]
#[error("{}: {problem}", path.display())]
pub struct WriteError {
    /// The file as it was named.
    pub path: PathBuf,
    /// What came up.
    pub problem: WriteProblem,
}

/// What came up while a file was written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteProblem {
    /// The system cannot write it.
    #[error("cannot be written: {0}; {remedy}", remedy = remedy(.0))]
    Unwritable(#[source] io::Error),
    /// Rows have the wrong length.
    #[error(
        "{found} numbers were to be written where the file has {expected}: write whole rows of one result"
    )]
    Numbers { found: usize, expected: usize },
    /// There is no such row, or the writer has got it before.
    #[error(
        "row {row} (counted from 0) of {rows} was to be written, and is not expected: write each row once"
    )]
    NotARow { row: usize, rows: usize },
    /// Rows are missing at the end.
    #[error("only {found} of {expected} rows were written: write the others before the file is finished")]
    RowsMissing { found: usize, expected: usize },
    /// The extension stands for no format.
    #[error("the extension '{extension}' stands for no format: use .npy or .csv")]
    UnknownFormat { extension: String },
    /// Another process has begun the file for something else.
    #[error("was begun with {begun}, and is now to have {wanted}: remove it, or choose another name")]
    OtherHeader { begun: String, wanted: String },
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room, or choose another folder"
        }
        io::ErrorKind::NotFound => "make the folder, or choose another",
        _ => "choose another file or folder",
    }
}

impl WriteProblem {
    /// Turns a problem into an error about the file at `path`.
    pub fn at(self, path: &Path) -> WriteError {
        WriteError { path: path.to_owned(), problem: self }
    }
}

/// Turns a system's error into one about writing `path`.
pub(crate) fn unwritable(path: &Path) -> impl Fn(io::Error) -> WriteError + '_ {
    |error| WriteProblem::Unwritable(error).at(path)
}
