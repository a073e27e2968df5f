//! Results to files.
//!
//! Every file has a temporary name in its folder until it is whole: its own with `.new` after it. An error, or a writer that is dropped before
//! `finish`, as by a cancelled computation, removes it, and leaves what was under the final name as it was.
//!
//! | File | Rows | No path |
//! |---|---|---|
//! | [`NpyWriter`], `.npy` | in any order, from many threads and processes | `inf`; 2^30 - 1 in `int32`, 32767 in `uint16` |
//! | [`CsvRows`], `.csv` | in their order | left out |

mod csv_rows;
mod npy_writer;

pub use csv_rows::CsvRows;
pub use npy_writer::NpyWriter;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A format of result files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputFormat {
    /// Distances as a matrix of NumPy.
    Npy,
    /// A line for each source and target with a path between them.
    Csv,
}

impl OutputFormat {
    /// The format that the name's extension stands for.
    ///
    /// # Errors
    /// When the extension stands for no format.
    pub fn of(path: &Path) -> Result<Self, WriteError> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        match extension.to_ascii_lowercase().as_str() {
            "npy" => Ok(Self::Npy),
            "csv" => Ok(Self::Csv),
            _ => Err(WriteProblem::UnknownFormat { extension }.at(path)),
        }
    }
}

/// A file that takes rows of distances one after the other.
pub trait WriteRow<T>: Send {
    /// Writes the next row, whose source is this vertex.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write_row(&mut self, source: usize, distances: &[T]) -> Result<(), WriteError>;

    /// The file that errors name.
    fn path(&self) -> &Path;

    /// Gives the file its name when all of it is on the disk.
    ///
    /// # Errors
    /// When the system cannot.
    fn finish(self: Box<Self>) -> Result<(), WriteError>;
}

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
