//! The file of a machine's history.

use super::acknowledgements::ACKNOWLEDGED;
use super::row::{HistoryRow, file_for, rows_of};
use super::table::{HistoryError, Table, add, check_rows, read_table};
use crate::results::StoredRun;
use std::io;
use std::path::{Path, PathBuf};

/// A machine's history, as its file holds it.
pub type History = Table<HistoryRow>;

/// The outcome of appending rows.
#[derive(Clone, Debug, PartialEq)]
pub struct AppendReport {
    pub path: PathBuf,
    pub added: usize,
    /// Rows that the file already had: with the same time, commit, experiment, cell, device and median.
    pub skipped: usize,
    /// Rows, added or there already, that were [disturbed](HistoryRow::is_disturbed).
    pub disturbed: usize,
    /// Bytes of a last line that was no whole row and was cut off.
    pub torn_bytes: usize,
}

/// Appends the rows of `run` to its machine's file in `folder`, as [`append_rows`] does.
///
/// # Errors
/// As [`append_rows`].
pub fn append(folder: &Path, run: &StoredRun) -> Result<AppendReport, HistoryError> {
    append_rows(&folder.join(file_for(run)), &rows_of(run))
}

/// Asserts that the rows of `run` can be appended, as far as that can be checked without writing.
///
/// # Errors
/// As [`append_rows`].
pub fn check(folder: &Path, run: &StoredRun) -> Result<(), HistoryError> {
    check_rows(&folder.join(file_for(run)), &rows_of(run))
}

/// Appends the rows that the file `path` does not have yet; makes the file and its folder if they do not exist.
///
/// # Errors
/// When another version wrote the file, a line in it is no row, a row to append is not valid, or the file cannot be written.
/// Nothing is added then.
pub fn append_rows(path: &Path, rows: &[HistoryRow]) -> Result<AppendReport, HistoryError> {
    let (added, torn_bytes) = add(path, rows)?;
    let disturbed = rows.iter().filter(|row| row.is_disturbed()).count();
    Ok(AppendReport { path: path.to_path_buf(), added, skipped: rows.len() - added, disturbed, torn_bytes })
}

/// Reads a history; without a file it is empty. A last line without a line end that is no whole row is left out.
///
/// # Errors
/// When it cannot be read, another version wrote it, or a line in it is no row.
pub fn read(path: &Path) -> Result<History, HistoryError> {
    read_table(path)
}

/// Reads every `.csv` file in `folder` but that of acknowledgements, by name: the histories, and why others could not be read.
///
/// # Errors
/// When the folder cannot be read.
pub fn read_folder(folder: &Path) -> Result<(Vec<History>, Vec<HistoryError>), HistoryError> {
    let failed = |source| HistoryError::Read { path: folder.to_path_buf(), source };
    let entries =
        std::fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(failed)?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.retain(|path| {
        path.extension().is_some_and(|is| is == "csv") && !path.ends_with(ACKNOWLEDGED) && path.is_file()
    });
    paths.sort();
    let mut errors = Vec::new();
    let known = paths.iter().filter_map(|path| read(path).map_err(|error| errors.push(error)).ok());
    Ok((known.collect(), errors))
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
