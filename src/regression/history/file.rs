//! The file of a machine's history.

use super::accepted::ACCEPTED;
use super::row::{HistoryRow, file_for, rows_of};
use super::table::{add, check_rows, read_table};
use crate::lists::count_of;
use crate::results::StoredRun;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a history could not be read or continued.
#[derive(Debug, Error)]
pub enum HistoryError {
    #[error("cannot read {}: {source}; check the path", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}; nothing was added: make room or choose another folder, then append again", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{} line 1 is not the header that this repro knows: use the repro that wrote it, or move it away", path.display())]
    Header { path: PathBuf },
    #[error("{} line {line} is not a row of this file: {problem}; mend it or restore the file, for example from git", path.display())]
    Line { path: PathBuf, line: usize, problem: String },
    #[error("a row for {} cannot be stored: {problem}; check the run that it comes from", path.display())]
    Row { path: PathBuf, problem: String },
}

/// A file as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    pub path: PathBuf,
    /// In the file's order, which need not be that of time.
    pub rows: Vec<HistoryRow>,
    /// What was torn off, in a sentence. None where the file is whole.
    pub notice: Option<String>,
}

/// What became of rows to append.
#[derive(Clone, Debug, PartialEq)]
pub struct Appended {
    pub path: PathBuf,
    pub added: usize,
    /// Rows that were there already: of the same time, commit, experiment, cell and device.
    pub skipped: usize,
    /// Rows, added or there already, that were [disturbed](HistoryRow::is_disturbed).
    pub disturbed: usize,
    /// What was cut off the end of the file before, or that it was written again with more columns, in a sentence. None where it
    /// only grew.
    pub notice: Option<String>,
}

impl fmt::Display for Appended {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} added to {}", count_of(self.added, "cell"), self.path.display())?;
        if self.skipped > 0 {
            let were = if self.skipped == 1 { "was" } else { "were" };
            write!(f, ", {} {were} there already", self.skipped)?;
        }
        if self.disturbed > 0 {
            write!(f, "; {} under load or throttled, which begin no step", self.disturbed)?;
        }
        Ok(())
    }
}

/// Appends the rows of `run` to its machine's file in `folder`, as [`append_rows`] does.
///
/// # Errors
/// As [`append_rows`].
pub fn append(folder: &Path, run: &StoredRun) -> Result<Appended, HistoryError> {
    append_rows(&folder.join(file_for(run)), &rows_of(run))
}

/// Asserts that the rows of `run` can be appended, as far as that can be checked without writing.
///
/// # Errors
/// As [`append_rows`].
pub fn check(folder: &Path, run: &StoredRun) -> Result<(), HistoryError> {
    check_rows(&folder.join(file_for(run)), &rows_of(run)).map(drop)
}

/// Appends rows that are not there yet to the file `path`, which is made with its folder where there is none.
///
/// # Errors
/// When another version wrote the file, a line in it is no row, a row to append is not valid, or the file cannot be written.
/// Nothing is added then.
pub fn append_rows(path: &Path, rows: &[HistoryRow]) -> Result<Appended, HistoryError> {
    let (added, notice) = add(path, rows)?;
    let disturbed = rows.iter().filter(|row| row.is_disturbed()).count();
    Ok(Appended { path: path.to_path_buf(), added, skipped: rows.len() - added, disturbed, notice })
}

/// Reads a file; where there is none it has no rows. A last line without a line end that is no whole row is left out and reported.
///
/// # Errors
/// When it cannot be read, another version wrote it, or a line in it is no row.
pub fn read(path: &Path) -> Result<History, HistoryError> {
    let table = read_table(path)?;
    let notice = table.torn().map(|torn| format!("{}: {torn}; it is left out", path.display()));
    Ok(History { path: path.to_path_buf(), rows: table.rows, notice })
}

/// Reads every `.csv` file in `folder` but that of accepted steps, in the order of their names: the histories, and why others could not be read.
///
/// # Errors
/// When the folder cannot be read.
pub fn read_folder(folder: &Path) -> Result<(Vec<History>, Vec<HistoryError>), HistoryError> {
    let failed = |source| HistoryError::Read { path: folder.to_path_buf(), source };
    let entries: Vec<_> =
        std::fs::read_dir(folder).and_then(Iterator::collect::<io::Result<_>>).map_err(failed)?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "csv") && path.is_file());
    paths.retain(|path| !path.ends_with(ACCEPTED));
    paths.sort();
    let (mut histories, mut errors) = (Vec::new(), Vec::new());
    for path in paths {
        match read(&path) {
            Ok(history) => histories.push(history),
            Err(error) => errors.push(error),
        }
    }
    Ok((histories, errors))
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
