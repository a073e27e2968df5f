//! Files that are never half-written: replaced by renaming, or appended to a whole record at a time.

use csv::StringRecord;
use repro_base::files::{NewFile, read_if_there};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a record could not be read or written.
#[derive(Debug, Error)]
pub enum RecordError {
    #[error("cannot write {}: {source}; {}", path.display(), remedy(source))]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{}: {problem}", path.display())]
    Malformed { path: PathBuf, problem: String },
}

impl RecordError {
    /// The error that `path` cannot be written.
    pub(super) fn write(path: &Path) -> impl Fn(io::Error) -> Self {
        |source| Self::Write { path: path.to_path_buf(), source }
    }

    /// The error that `path` cannot be read.
    pub(super) fn read(path: &Path) -> impl Fn(io::Error) -> Self {
        |source| Self::Read { path: path.to_path_buf(), source }
    }

    /// The error that the content of `path`, read or to be written, is not as it should be.
    pub(super) fn malformed<E: ToString>(path: &Path) -> impl Fn(E) -> Self {
        |problem| Self::Malformed { path: path.to_path_buf(), problem: problem.to_string() }
    }
}

fn remedy(error: &io::Error) -> &'static str {
    use io::ErrorKind::{FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    match error.kind() {
        StorageFull | QuotaExceeded | FileTooLarge => "make room",
        PermissionDenied | ReadOnlyFilesystem => "choose another folder with --out",
        _ => "check the folder, or choose another with --out",
    }
}

/// Replaces `path` by `content`: written next to it, flushed to the disk, renamed.
///
/// # Errors
/// When any of that fails; the old file is then still there.
pub fn write_atomically(path: &Path, content: &[u8]) -> Result<(), RecordError> {
    replace(path, |file| {
        file.write_all(content)?;
        file.sync_all()
    })
}

/// Replaces `path` by what `fill` writes next to it, by renaming.
///
/// # Errors
/// As [`write_atomically`].
pub fn replace(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), RecordError> {
    let write = |mut file: NewFile| fill(&mut file.file).and_then(|()| file.finish_unflushed());
    NewFile::begin(path).and_then(write).map_err(RecordError::write(path))
}

/// Appends `text` in one write, so that a process killed between two appends leaves whole records.
///
/// # Errors
/// When it cannot be written.
pub fn append_text(file: &mut File, path: &Path, text: &[u8]) -> Result<(), RecordError> {
    file.write_all(text).and_then(|()| file.flush()).map_err(RecordError::write(path))
}

/// The text of a JSON file, indented, of which `path` is named in an error.
///
/// # Errors
/// When the value cannot be written as JSON.
pub fn json_text(path: &Path, value: &impl Serialize) -> Result<Vec<u8>, RecordError> {
    let mut text = serde_json::to_vec_pretty(value).map_err(RecordError::malformed(path))?;
    text.push(b'\n');
    Ok(text)
}

/// Reads a JSON file.
///
/// # Errors
/// When it cannot be read or is not what was expected; the message has line and column.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, RecordError> {
    let text = repro_base::files::read_text(path).map_err(RecordError::read(path))?;
    parse_json(path, &text)
}

/// Reads the text of the JSON file at `path`.
pub(super) fn parse_json<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, RecordError> {
    serde_json::from_str(text).map_err(RecordError::malformed(path))
}

/// Reads a CSV file of rows; a missing file has none.
///
/// # Errors
/// The file, the line and what is wrong with it.
pub fn read_rows<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, RecordError> {
    read_records(path, |record, headers| record.deserialize(Some(headers)))
}

/// Reads a CSV file: what `row` makes of each record and the headers.
pub(super) fn read_records<T>(
    path: &Path,
    row: impl Fn(&StringRecord, &StringRecord) -> csv::Result<T>,
) -> Result<Vec<T>, RecordError> {
    let text = read_if_there(path).map_err(RecordError::read(path))?;
    let Some(text) = text else { return Ok(Vec::new()) };
    let mut reader = csv::Reader::from_reader(&*text);
    let headers = reader.headers().map_err(RecordError::malformed(path))?.clone();
    let mut known = BTreeSet::new();
    if let Some(twice) = headers.iter().find(|name| !known.insert(*name)) {
        return Err(RecordError::malformed(path)(format!("column `{twice}` comes twice")));
    }
    let rows = reader.records().map(|record| row(&record?, &headers));
    rows.collect::<csv::Result<_>>().map_err(RecordError::malformed(path))
}

/// Rows as CSV text, with a header line first if asked for.
pub fn write_rows<T: Serialize>(rows: &[T], header: bool) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().has_headers(header).from_writer(Vec::new());
    for row in rows {
        // Writing to memory fails for nothing but unserializable types, and these are plain structs.
        let _ = writer.serialize(row);
    }
    writer.into_inner().unwrap_or_default()
}
