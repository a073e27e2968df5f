//! What every cell took, run after run: one CSV file a machine, one row a cell and run, and where the times changed for good.
//!
//! - `row`: a row, what must hold in it, and the rows of a stored run.
//! - `file`: the file of a machine, read and appended to.
//! - `table`: such files, so that neither a kill nor a second writer loses a row.
//! - `series`: the rows of one cell in the order of time.
//! - `steps`: step changes of a series.
//! - `accepted`: step changes that somebody acknowledged.
//! - `open`: those that nobody did.

mod accepted;
mod file;
mod open;
mod row;
mod series;
mod steps;
mod table;

pub use accepted::{Accepted, StepId, append_accepted, read_accepted};
pub use file::{Appended, History, HistoryError, append, append_rows, check, read, read_folder};
pub use open::{OpenStep, lines, open_steps};
pub use row::{HistoryRow, file_for, rows_of};
pub use series::{CellHistory, series};
pub use steps::{LEAST_TOLERANCE, Step, steps, tolerance};
