//! What every cell took, run after run: one CSV file a machine, one row a cell and run, and where the times changed for good.
//!
//! - `row`: a row, what must hold in it, and the rows of a stored run.
//! - `file`: reading and appending, so that neither a kill nor a second writer loses a row.
//! - `series`: the rows of one cell in the order of time.
//! - `steps`: step changes of a series.

mod file;
mod row;
mod series;
mod steps;

pub use file::{Appended, History, HistoryError, append, append_rows, check, read, read_folder};
pub use row::{HistoryRow, file_for, rows_of};
pub use series::{CellHistory, series};
pub use steps::{LEAST_TOLERANCE, Step, steps, tolerance};
