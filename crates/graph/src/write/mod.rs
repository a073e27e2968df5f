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
mod error;
mod npy_writer;

pub use csv_rows::CsvRows;
pub use error::{WriteError, WriteProblem};
pub use npy_writer::NpyWriter;

use std::path::Path;

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
