//! Matrices as NumPy stores arrays, `.npy`: a header in the syntax of Python, and the numbers.
//!
//! An edge that is not there is `inf` among floating-point numbers. Integers have none: there it is [`Element::ABSENT`](crate::Element::ABSENT),
//! 2^30 - 1 in `int32` and 32767 in `uint16`, and a number above what the type is used for is refused. The diagonal is 0.

mod array;
mod file;
mod header;
mod number;
#[cfg(test)]
mod tests;

pub(crate) use array::Array;
pub(crate) use file::npy_blocks;
pub use file::{NpyFile, read_npy};
pub use header::NpyHeader;
pub(crate) use number::{NumberType, count};

use std::io;
use thiserror::Error;

/// What is wrong with a `.npy` file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NpyProblem {
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    #[error("expected {expected}, found {found}")]
    Unexpected { expected: &'static str, found: String },
    #[error(
        "has {found} bytes, and its header promises {promised}: {}",
        if u128::from(*found) < *promised { "is it truncated?" } else { "store one array in it, and nothing else" }
    )]
    Length { promised: u128, found: u64 },
    #[error("has {found}, and {wanted} was expected")]
    NotWanted { found: String, wanted: String },
}
