//! Matrices as NumPy stores arrays, `.npy`: a header in the syntax of Python, and the numbers.
//!
//! An edge that is not there is `inf` among floating-point numbers. Integers have none: there it is [`Element::ABSENT`](crate::Element::ABSENT),
//! 2^30 - 1 in `int32` and 32767 in `uint16`, and a number above what the type is used for is refused. The diagonal is 0.

mod file;
mod header;
mod number;
#[cfg(test)]
mod tests;

pub(crate) use file::npy_blocks;
pub use file::{NpyFile, read_npy};
pub use header::NpyHeader;
pub(crate) use number::Array;
pub(crate) use number::{NO_COUNT, NumberType, count};
