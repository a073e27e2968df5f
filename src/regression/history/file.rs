//! The file of a machine's history: whole rows are appended under a lock, in one write.

use super::accepted::ACCEPTED;
use super::row::{HistoryRow, file_for, rows_of};
use crate::lists::count_of;
use crate::results::StoredRun;
use crate::store::write_rows;
use repro_files::{NewFile, open_lock, open_to_append, read_regular};
use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The first line. Another one is another version.
const HEADER: &str = "time,commit,dirty,experiment,implementation,n,params,graph,scope,samples,median_s,ci_low_s,ci_high_s,\
                      ci_confidence,device,device_uuid,driver,compiler,host_cpu,sm_mhz,beside,\
                      power_w,temperature_c,throttled,others_load,graph_digest\n";
/// The columns that files of before have not. In them they are empty.
const TELEMETRY: [&str; 4] = ["power_w", "temperature_c", "throttled", "others_load"];

/// Why a history could not be read or continued.
#[derive(Debug, Error)]
pub enum HistoryError {
    #[error("cannot read {}: {source}; check the path", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}; nothing was added: make room or choose another folder, then append again", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{} line 1 is not the header of the histories that this repro knows: use the repro that wrote it, or move it away", path.display())]
    Header { path: PathBuf },
    #[error("{} line {line} is not a row of a history: {problem}; take it out or restore the file, for example from git", path.display())]
    Line { path: PathBuf, line: usize, problem: String },
    #[error("{} line {line} is not a row of accepted steps: {problem}; mend it or restore the file, for example from git", path.display())]
    Accepted { path: PathBuf, line: usize, problem: String },
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

/// Asserts that the rows of `run` can be appended, as far as that can be told without writing.
///
/// # Errors
/// As [`append_rows`].
pub fn check(folder: &Path, run: &StoredRun) -> Result<(), HistoryError> {
    check_rows(&folder.join(file_for(run)), &rows_of(run))
}

fn check_rows(path: &Path, rows: &[HistoryRow]) -> Result<(), HistoryError> {
    let refused = |problem| HistoryError::Row { path: path.to_path_buf(), problem };
    rows.iter().try_for_each(|row| row.check().map_err(refused))?;
    match read_regular(path) {
        Ok(bytes) => parse(path, &bytes).map(drop),
        Err(error) if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind()) => {
            Ok(())
        }
        Err(source) => Err(HistoryError::Read { path: path.to_path_buf(), source }),
    }
}

/// Appends rows that are not there yet to the file `path`, which is made with its folder where there is none. A last line
/// without a line end is completed when it is a whole row, and cut off otherwise. A file of before the columns of telemetry is
/// replaced by one that has them.
///
/// # Errors
/// When another version wrote the file, a line in it is no row, a row to append is not valid, or the file cannot be written.
/// Nothing is added then.
pub fn append_rows(path: &Path, rows: &[HistoryRow]) -> Result<Appended, HistoryError> {
    // Before there is a lock, which is a file too.
    check_rows(path, rows)?;
    let failed = |source| HistoryError::Write { path: path.to_path_buf(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    // Beside the file: git replaces the file itself, and a lock on what was replaced keeps nobody out.
    let lock = open_lock(&folder.join(".lock")).map_err(failed)?;
    lock.lock().map_err(failed)?;
    let mut file = open_to_append(path).map_err(failed)?;
    let bytes =
        read_regular(path).map_err(|source| HistoryError::Read { path: path.to_path_buf(), source })?;
    let parsed = parse(path, &bytes)?;
    let mut known: HashSet<_> = parsed.rows.iter().map(identity).collect();
    let new: Vec<&HistoryRow> = rows.iter().filter(|row| known.insert(identity(row))).collect();
    let mut notice = parsed.torn(bytes.len(), "it was cut off");
    let written = if parsed.is_before_telemetry && !new.is_empty() {
        let more =
            format!("it was written again with the columns {}, which it had not", TELEMETRY.join(", "));
        notice = Some(notice.map_or(more.clone(), |torn| format!("{torn}; {more}")));
        rewrite(path, &parsed.rows.iter().chain(new.iter().copied()).collect::<Vec<_>>())
    } else {
        extend(&mut file, &bytes, parsed.end, &new)
    };
    written.map_err(failed)?;
    Ok(Appended {
        path: path.to_path_buf(),
        added: new.len(),
        skipped: rows.len() - new.len(),
        disturbed: rows.iter().filter(|row| row.is_disturbed()).count(),
        notice,
    })
}

/// Puts `rows` behind the first `end` of the `bytes` of a file. What is behind these is cut off.
fn extend(file: &mut File, bytes: &[u8], end: usize, rows: &[&HistoryRow]) -> io::Result<()> {
    let mut text = Vec::new();
    match end {
        0 => text.extend_from_slice(HEADER.as_bytes()),
        end if bytes[end - 1] != b'\n' => text.push(b'\n'),
        _ => (),
    }
    text.extend(write_rows(rows, false));
    let mut write = || -> io::Result<()> {
        if end < bytes.len() {
            file.set_len(end as u64)?;
        }
        file.write_all(&text)?;
        file.sync_data()
    };
    let written = write();
    if written.is_err() {
        // On a full disk a part may have arrived.
        let _ = file.set_len(end as u64);
    }
    written
}

/// Replaces a file by one of these rows: a kill leaves the old one or the new one.
fn rewrite(path: &Path, rows: &[&HistoryRow]) -> io::Result<()> {
    let mut file = NewFile::begin(path)?;
    file.write_all(HEADER.as_bytes())?;
    file.write_all(&write_rows(rows, false))?;
    file.finish()
}

/// Reads a file. A last line without a line end that is no whole row is left out and told.
///
/// # Errors
/// When it cannot be read, another version wrote it, or a line in it is no row.
pub fn read(path: &Path) -> Result<History, HistoryError> {
    let bytes =
        read_regular(path).map_err(|source| HistoryError::Read { path: path.to_path_buf(), source })?;
    let parsed = parse(path, &bytes)?;
    let notice = parsed.torn(bytes.len(), "it is left out");
    let notice = notice.map(|notice| format!("{}: {notice}", path.display()));
    Ok(History { path: path.to_path_buf(), rows: parsed.rows, notice })
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

/// What a file holds.
struct Parsed {
    rows: Vec<HistoryRow>,
    /// Bytes up to the end of the last whole line, or of a last row that lacks its line end alone.
    end: usize,
    /// Whether its header is that of before the columns of telemetry.
    is_before_telemetry: bool,
}

impl Parsed {
    fn torn(&self, length: usize, fate: &str) -> Option<String> {
        let torn = length - self.end;
        (torn > 0).then(|| {
            format!("the last line, {torn} bytes, is no whole row, as when a writer is killed; {fate}")
        })
    }
}

/// The same for rows of which one is enough. The device and the median too: two runs may be started in one second.
fn identity(row: &HistoryRow) -> impl Eq + std::hash::Hash + use<> {
    let own = |text: &String| text.clone();
    (
        [&row.time, &row.commit, &row.experiment, &row.graph_digest, &row.device_uuid, &row.host_cpu]
            .map(own),
        row.cell.clone(),
        row.scope,
        row.seconds.value.to_bits(),
    )
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Parsed, HistoryError> {
    let mut parsed = Parsed { rows: Vec::new(), end: 0, is_before_telemetry: false };
    let before = header_before_telemetry();
    for (at, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let is_ended = line.ends_with(b"\n");
        if at == 0 {
            match line {
                line if line == HEADER.as_bytes() => (),
                line if line == before.as_bytes() => parsed.is_before_telemetry = true,
                // The start of a header is one that was torn; anything else is somebody's.
                line if !is_ended && [HEADER, &before].iter().any(|one| one.as_bytes().starts_with(line)) => {
                    break;
                }
                _ => return Err(HistoryError::Header { path: path.to_path_buf() }),
            }
        } else {
            match row_in(line, parsed.is_before_telemetry) {
                Ok(row) => parsed.rows.push(row),
                Err(_) if !is_ended => break,
                Err(problem) => {
                    return Err(HistoryError::Line { path: path.to_path_buf(), line: at + 1, problem });
                }
            }
        }
        parsed.end += line.len();
    }
    Ok(parsed)
}

fn header_before_telemetry() -> String {
    HEADER.replace(&format!("{},", TELEMETRY.join(",")), "")
}

fn row_in(line: &[u8], is_before_telemetry: bool) -> Result<HistoryRow, String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line);
    let mut record = csv::StringRecord::new();
    reader.read_record(&mut record).map_err(|error| error.to_string())?;
    let missing = if is_before_telemetry { TELEMETRY.len() } else { 0 };
    let (found, expected) = (record.len(), HEADER.split(',').count() - missing);
    if found != expected {
        return Err(format!("{found} columns instead of {expected}"));
    }
    let (most, digest) = (record.iter().take(found - 1), record.iter().skip(found - 1));
    let record: csv::StringRecord =
        most.chain(TELEMETRY.map(|_| "").into_iter().take(missing)).chain(digest).collect();
    let row: HistoryRow = record.deserialize(None).map_err(|error| error.to_string())?;
    row.check().map(|()| row)
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
