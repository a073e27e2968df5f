//! A CSV file in a folder of histories. It is read whole, and written whole in place of the old one, under a lock.

use crate::store::write_rows;
use repro_base::files::{NewFile, open_lock, open_to_append, read_regular};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::hash::Hash;
use std::io::{self, Write};
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
    #[error("{} has no row: `repro history RUN` adds those of a run, or remove the file", path.display())]
    Empty { path: PathBuf },
    #[error("{} line {line} is not a row of this file: {problem}; mend it or restore the file, for example from git", path.display())]
    Line { path: PathBuf, line: usize, problem: String },
    #[error("a row for {} cannot be stored: {problem}; check the run that it comes from", path.display())]
    Row { path: PathBuf, problem: String },
}

/// A row of such a file, whose texts hold no line end. The last column shows whether a last line without a line end is whole: cut off
/// anywhere, it is not valid.
pub(super) trait TableRow: Serialize + DeserializeOwned {
    /// The first line of the file. A different one means another version.
    const HEADER: &str;

    /// # Errors
    /// The condition that the row breaks, with its value.
    fn check(&self) -> Result<(), String>;

    /// A key that is equal for rows of the same measurement, of which a file needs only one.
    fn identity(&self) -> impl Eq + Hash;
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Table<R> {
    pub path: PathBuf,
    /// In the file's order, which need not be that of time.
    pub rows: Vec<R>,
    /// Bytes of a torn last line, as when a writer is killed, which was left out.
    pub torn_bytes: usize,
}

/// Reads a file. A file that does not exist has no rows.
///
/// # Errors
/// When it cannot be read, another version wrote it, or a line in it is no row.
pub(super) fn read_table<R: TableRow>(path: &Path) -> Result<Table<R>, HistoryError> {
    let failed = |source| HistoryError::Read { path: path.to_path_buf(), source };
    let bytes = if path.exists() { read_regular(path).map_err(failed)? } else { Vec::new() };
    let mut table = Table { path: path.to_path_buf(), rows: Vec::new(), torn_bytes: 0 };
    let header = R::HEADER.as_bytes();
    // A partial header is a torn one; anything else is somebody else's file.
    if bytes.len() < header.len() && header.starts_with(&bytes) {
        return Ok(Table { torn_bytes: bytes.len(), ..table });
    }
    let lines =
        bytes.strip_prefix(header).ok_or_else(|| HistoryError::Header { path: path.to_path_buf() })?;
    for (at, line) in lines.split_inclusive(|&byte| byte == b'\n').enumerate() {
        match row_in(line) {
            Ok(row) => table.rows.push(row),
            Err(_) if !line.ends_with(b"\n") => table.torn_bytes = line.len(),
            Err(problem) => return Err(HistoryError::Line { path: table.path, line: at + 2, problem }),
        }
    }
    Ok(table)
}

/// Asserts that these rows can be added, as far as that can be checked without writing.
///
/// # Errors
/// As [`add`].
pub(super) fn check_rows<R: TableRow>(path: &Path, rows: &[R]) -> Result<(), HistoryError> {
    let refused = |problem| HistoryError::Row { path: path.to_path_buf(), problem };
    for row in rows {
        row.check().map_err(refused)?;
        if write_rows(&[row], false).iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() > 1 {
            return Err(refused("a text in it has several lines".to_string()));
        }
    }
    read_table::<R>(path).map(drop)
}

/// Adds the rows that the file does not have yet. Returns how many these are, and how many bytes of a torn last line were cut off. A kill
/// leaves the old file or the new one.
///
/// # Errors
/// When another version wrote the file, a line in it is no row, a row to add is not valid, or it cannot be written. Nothing is added then.
pub(super) fn add<R: TableRow>(path: &Path, rows: &[R]) -> Result<(usize, usize), HistoryError> {
    // Checked before the lock is made, since it is a file too.
    check_rows(path, rows)?;
    let failed = |source| HistoryError::Write { path: path.to_path_buf(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    // The lock is a file of its own: a lock on a file that is replaced keeps nobody out.
    let lock = open_lock(&folder.join(".lock")).map_err(failed)?;
    lock.lock().map_err(failed)?;
    let table = read_table::<R>(path)?;
    let mut known: HashSet<_> = table.rows.iter().map(R::identity).collect();
    let new: Vec<&R> = rows.iter().filter(|row| known.insert(row.identity())).collect();
    if new.is_empty() && table.torn_bytes == 0 {
        return Ok((0, 0));
    }
    let write = || -> io::Result<()> {
        // A file with a second hard link, or a symbolic link, is refused: only this name would be replaced. So is one that is read-only. None
        // is made here, since a kill would leave it without a row.
        let old = if path.symlink_metadata().is_ok() { open_to_append(path)? } else { lock.try_clone()? };
        let mut file = NewFile::begin(path)?;
        file.file.set_permissions(old.metadata()?.permissions())?;
        file.file.write_all(R::HEADER.as_bytes())?;
        file.file.write_all(&write_rows(&table.rows, false))?;
        file.file.write_all(&write_rows(&new, false))?;
        file.finish()
    };
    write().map_err(failed)?;
    Ok((new.len(), table.torn_bytes))
}

fn row_in<R: TableRow>(line: &[u8]) -> Result<R, String> {
    let mut rows = csv::ReaderBuilder::new().has_headers(false).from_reader(line).into_deserialize();
    let row: R = rows.next().ok_or("it is empty")?.map_err(|error| error.to_string())?;
    row.check().map(|()| row)
}

/// # Errors
/// The text, when it is no time in RFC 3339.
pub(super) fn check_time(text: &str) -> Result<(), String> {
    text.parse::<jiff::Timestamp>().map(drop).map_err(|_| format!("{text} is not of RFC 3339"))
}
