//! A CSV file in a folder of histories. It is read whole, and written whole in place of the old one, under a lock.

use super::file::HistoryError;
use crate::store::write_rows;
use repro_files::{NewFile, open_lock, open_to_append, read_regular};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::hash::Hash;
use std::io::{self, Write};
use std::path::Path;

/// A row of such a file. Its last column shows whether a last line without a line end is whole: cut off anywhere, it is no longer valid.
pub(super) trait Row: Serialize + DeserializeOwned {
    /// The first line. Another one is another version.
    const HEADER: &str;

    /// # Errors
    /// What does not hold in it, with its value.
    fn check(&self) -> Result<(), String>;

    /// Equal for rows that measure one thing, of which a file needs only one.
    fn identity(&self) -> impl Eq + Hash;
}

/// What a file holds.
pub(super) struct Table<R> {
    pub rows: Vec<R>,
    /// Bytes of a last line that is no whole row.
    torn_bytes: usize,
}

impl<R: Row> Table<R> {
    /// Those of `rows` that are not among its own, each once.
    fn without<'a>(&'a self, rows: &'a [R]) -> Vec<&'a R> {
        let mut known: HashSet<_> = self.rows.iter().map(R::identity).collect();
        rows.iter().filter(|row| known.insert(row.identity())).collect()
    }

    /// That there is a last line that is no whole row.
    pub fn torn(&self) -> Option<String> {
        let bytes = self.torn_bytes;
        (bytes > 0)
            .then(|| format!("the last line, {bytes} bytes, is no whole row, as when a writer is killed"))
    }
}

/// Reads a file. Where there is none it holds nothing.
///
/// # Errors
/// When it cannot be read, another version wrote it, or a line in it is no row.
pub(super) fn read_table<R: Row>(path: &Path) -> Result<Table<R>, HistoryError> {
    match read_regular(path) {
        Ok(bytes) => parse(path, &bytes),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(Table { rows: Vec::new(), torn_bytes: 0 })
        }
        Err(source) => Err(HistoryError::Read { path: path.to_path_buf(), source }),
    }
}

/// Asserts that these rows can be added, as far as that can be checked without writing. Gives what the file holds.
///
/// # Errors
/// As [`add`].
pub(super) fn check_rows<R: Row>(path: &Path, rows: &[R]) -> Result<Table<R>, HistoryError> {
    let refused = |problem| HistoryError::Row { path: path.to_path_buf(), problem };
    for row in rows {
        row.check().map_err(refused)?;
        let text = String::from_utf8_lossy(&write_rows(&[row], false)).into_owned();
        if text.trim_end_matches('\n').contains(['\n', '\r']) {
            return Err(refused(format!("{text:?} is more than one line")));
        }
    }
    read_table(path)
}

/// Adds those of `rows` that are not there yet. Gives how many these are, and what else was done to the file, in a sentence: a last line
/// that is no whole row is cut off. A kill leaves the old file or the new one.
///
/// # Errors
/// When another version wrote the file, a line in it is no row, a row to add is not valid, or it cannot be written. Nothing is added then.
pub(super) fn add<R: Row>(path: &Path, rows: &[R]) -> Result<(usize, Option<String>), HistoryError> {
    // Before there is a lock, which is a file too.
    let before = check_rows(path, rows)?;
    if before.torn_bytes == 0 && before.without(rows).is_empty() {
        return Ok((0, None));
    }
    let failed = |source| HistoryError::Write { path: path.to_path_buf(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    // Beside the file: a lock on what is replaced keeps nobody out.
    let lock = open_lock(&folder.join(".lock")).map_err(failed)?;
    lock.lock().map_err(failed)?;
    // What has a second name, or is a link, would be replaced under this name alone: it is refused, as is what may not be written.
    let old = open_to_append(path).map_err(failed)?;
    let table = read_table::<R>(path)?;
    let new = table.without(rows);
    let cut = table.torn().map(|torn| format!("{torn}; it was cut off"));
    if !new.is_empty() || cut.is_some() {
        let write = || -> io::Result<()> {
            let mut file = NewFile::begin(path)?;
            file.file().set_permissions(old.metadata()?.permissions())?;
            file.write_all(R::HEADER.as_bytes())?;
            file.write_all(&write_rows(
                &table.rows.iter().chain(new.iter().copied()).collect::<Vec<_>>(),
                false,
            ))?;
            file.finish()
        };
        write().map_err(failed)?;
    }
    Ok((new.len(), cut))
}

fn parse<R: Row>(path: &Path, bytes: &[u8]) -> Result<Table<R>, HistoryError> {
    let mut table = Table { rows: Vec::new(), torn_bytes: bytes.len() };
    for (at, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let is_ended = line.ends_with(b"\n");
        if at == 0 {
            match line {
                line if line == R::HEADER.as_bytes() => (),
                // The start of a header is one that was torn; anything else is somebody's.
                line if !is_ended && R::HEADER.as_bytes().starts_with(line) => break,
                _ => return Err(HistoryError::Header { path: path.to_path_buf() }),
            }
        } else {
            match row_in(line) {
                Ok(row) => table.rows.push(row),
                Err(_) if !is_ended => break,
                Err(problem) => {
                    return Err(HistoryError::Line { path: path.to_path_buf(), line: at + 1, problem });
                }
            }
        }
        table.torn_bytes -= line.len();
    }
    Ok(table)
}

fn row_in<R: Row>(line: &[u8]) -> Result<R, String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line);
    let mut record = csv::StringRecord::new();
    reader.read_record(&mut record).map_err(|error| error.to_string())?;
    let (found, expected) = (record.len(), R::HEADER.split(',').count());
    if found != expected {
        return Err(format!("{found} columns instead of {expected}"));
    }
    let row: R = record.deserialize(None).map_err(|error| error.to_string())?;
    row.check().map(|()| row)
}
