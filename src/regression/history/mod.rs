//! The times of every cell, run after run: one CSV file a machine, one row a cell and run; and where the times changed for good.
//!
//! - `row`: a row, what must hold in it, and the rows of a stored run.
//! - `file`: the file of a machine, read and appended to.
//! - `table`: reads and writes such files so that neither a kill nor a second writer loses a row.
//! - `change_points`: the rule: where the times of a cell changed.
//! - `acknowledgements`: change points that somebody acknowledged, and the others, grouped by likely cause.

mod acknowledgements;
mod change_points;
mod file;
mod row;
mod table;

pub use acknowledgements::{AcknowledgedStep, acknowledge, read_acknowledged};
pub use acknowledgements::{UnacknowledgedStep, by_cause, unacknowledged_steps};
pub use change_points::{ChangeDetection, ChangePoint, detect_changes};
pub use file::{AppendReport, History, append, append_rows, check, read, read_folder};
pub use row::{HistoryRow, file_for, rows_of};
pub use table::HistoryError;
