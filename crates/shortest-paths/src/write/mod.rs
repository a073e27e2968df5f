//! Results to files.
//!
//! Every file has a temporary name in its folder until it is whole: its own with `.new` after it. An error, or a writer that is dropped before
//! `finish`, as by a cancelled computation, removes it, and leaves what was under the final name as it was.
//!
//! | File | Rows | No path |
//! |---|---|---|
//! | [`NpyRows`], `.npy` | in any order, from many threads | `inf`; 2^30 - 1 in `int32`, 32767 in `uint16` |
//! | [`NpzRows`], `.npz` | in their order | as in `.npy` |
//! | [`CsvRows`], `.csv` | in their order | left out |
//! | `ParquetRows`, `.parquet`, with the feature `parquet` | in their order | left out |
//! | [`write_matrix_market`], `.mtx` | the whole matrix, since the format goes by columns | `inf` |
//!
//! [`InOrder`] takes rows from [`Searches::rows`](crate::Searches::rows) and hands them on in their order.

mod csv_rows;
mod error;
mod in_order;
mod latched;
mod matrix_market;
mod npy;
mod npz;
mod number;
#[cfg(feature = "parquet")]
mod parquet_rows;
mod solution;
mod unfinished;

pub use csv_rows::CsvRows;
pub use error::{WriteError, WriteProblem};
pub use in_order::{InOrder, WriteRow};
pub use matrix_market::write_matrix_market;
pub use npy::NpyRows;
pub use npz::NpzRows;
#[cfg(feature = "parquet")]
pub use parquet_rows::ParquetRows;
pub use solution::{OutputFormat, write_solution};
