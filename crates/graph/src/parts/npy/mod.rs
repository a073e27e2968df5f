//! Matrices as NumPy stores arrays, `.npy`: a header in the syntax of Python, and the numbers.
//!
//! An edge that is not there is `inf` among floating-point numbers. Integers have none: there every number from [`ElementType::limit`] on is no edge,
//! 2^29 in `int32` and 32767 in `uint16`, and what is written is [`Element::ABSENT`](crate::Element::ABSENT), 2^30 - 1 and 32767. The diagonal is 0.

mod header;
mod read;
mod write;

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

use crate::{ElementType, MatrixError, ReadError};
pub(super) use header::MAGIC;
pub use header::NpyArray;
pub use read::{npy_blocks, read_npy};
pub use write::NpyWriter;

/// Why a `.npy` file cannot be used: the file, and what is wrong with it.
#[derive(Debug, Error)]
#[error("{}: {problem}", path.display())]
pub struct NpyError {
    pub path: PathBuf,
    pub problem: NpyProblem,
}

/// What is wrong with a `.npy` file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NpyProblem {
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    #[error("cannot be written: {0}; make room, or choose another folder")]
    Unwritable(io::Error),
    #[error("expected {expected}, found {found}")]
    Unexpected { expected: &'static str, found: String },
    #[error("has {found} bytes, and its header promises {promised}: is it truncated?")]
    Length { promised: u128, found: u64 },
    #[error("was begun with {begun}, and is now to have {wanted}: remove it, or choose another name")]
    OfAnother { begun: String, wanted: String },
    #[error("has {found}, and {wanted} was expected")]
    NotWanted { found: String, wanted: String },
    #[error(transparent)]
    Matrix(#[from] MatrixError),
}

/// Why a graph file cannot be read by block.
#[derive(Debug, Error)]
pub enum OpenError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Npy(#[from] NpyError),
}

fn failed(path: &Path, problem: NpyProblem) -> NpyError {
    NpyError { path: path.to_path_buf(), problem }
}

/// What NumPy calls the numbers of an element type on this machine.
fn descr(element: ElementType) -> &'static str {
    match element {
        ElementType::F32 => "<f4",
        ElementType::F64 => "<f8",
        ElementType::I32 => "<i4",
        ElementType::U16 => "<u2",
    }
}

#[cfg(test)]
mod tests;
