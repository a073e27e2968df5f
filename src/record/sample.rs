//! One row a sample and scope: the raw material of every figure.

use super::files::RecordError;
use crate::timing::{Scope, Seconds};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// What became of a sample. Only `ok` ones are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Measured and verified.
    Ok,
    /// Measured and verified while the GPU held its clocks down.
    Throttled,
    /// Faster than the measured ceilings allow: shown, never used.
    Impossible,
    /// Wrong result, or an error; the message says which.
    Failed,
    /// Stopped at its time limit.
    Timeout,
    /// Not run; the message says why.
    Skipped,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Ok => "ok",
            Self::Throttled => "throttled",
            Self::Impossible => "impossible",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
            Self::Skipped => "skipped",
        })
    }
}

/// Implementation, size and parameters; the graph is the run's.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CellId {
    pub implementation: String,
    pub n: usize,
    /// As `Parameters` writes them; empty for defaults.
    pub params: String,
}

impl fmt::Display for CellId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} n = {}", self.implementation, self.n)?;
        if self.params.is_empty() { Ok(()) } else { write!(f, " ({})", self.params) }
    }
}

/// A row of `samples.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleRow {
    pub implementation: String,
    pub n: usize,
    pub params: String,
    pub scope: Scope,
    /// Counts from 0 within a cell, over all statuses.
    pub sample: usize,
    /// None when nothing was measured.
    pub seconds: Option<f64>,
    pub status: Status,
    /// Whether this sample's result was compared with the reference and was right.
    pub verified: bool,
    /// How it was compared, for example `exact` or `rows:32`.
    pub verification: String,
    /// Hash of the result: equal for equal results.
    pub digest: String,
    pub sm_mhz: Option<u32>,
    pub memory_mhz: Option<u32>,
    pub power_w: Option<f64>,
    pub temperature_c: Option<u32>,
    pub throttled_by: String,
    pub message: String,
}

impl SampleRow {
    /// A row of scope `kernel` for a sample without a time.
    pub fn without_time(cell: &CellId, sample: usize, status: Status, message: &str) -> Self {
        Self {
            implementation: cell.implementation.clone(),
            n: cell.n,
            params: cell.params.clone(),
            scope: Scope::Kernel,
            sample,
            seconds: None,
            status,
            verified: false,
            verification: String::new(),
            digest: String::new(),
            sm_mhz: None,
            memory_mhz: None,
            power_w: None,
            temperature_c: None,
            throttled_by: String::new(),
            // One line a row, whatever a driver or a panic said.
            message: message.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }

    /// Four rows, one a scope, that share everything but the seconds.
    pub fn every_scope(&self, seconds: &Seconds) -> Vec<Self> {
        Scope::ALL
            .iter()
            .map(|&scope| Self { scope, seconds: Some(seconds.get(scope)), ..self.clone() })
            .collect()
    }

    pub fn cell(&self) -> CellId {
        CellId { implementation: self.implementation.clone(), n: self.n, params: self.params.clone() }
    }
}

/// Rows as CSV text, with the header line in front if asked for.
pub fn write_rows<T: Serialize>(rows: &[T], header: bool) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().has_headers(header).from_writer(Vec::new());
    for row in rows {
        // Writing to memory fails for nothing but unserializable types, and these are plain structs.
        let _ = writer.serialize(row);
    }
    writer.into_inner().unwrap_or_default()
}

/// Reads the whole records of a sample file: what follows the last line end was torn by a kill and is dropped, and so is
/// a last sample of which not every scope arrived. Also tells how many bytes are whole.
///
/// # Errors
/// When the file cannot be read, or a whole line is not a sample.
pub fn read_samples(path: &Path) -> Result<(Vec<SampleRow>, u64), RecordError> {
    let bytes =
        std::fs::read(path).map_err(|source| RecordError::Read { path: path.to_path_buf(), source })?;
    let lines_end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let mut reader = csv::Reader::from_reader(&bytes[..lines_end]);
    let malformed = |error: csv::Error| RecordError::Malformed {
        path: path.to_path_buf(),
        problem: match error.position() {
            Some(position) => format!("line {} is not a sample: {error}", position.line()),
            None => error.to_string(),
        },
    };
    let headers = reader.headers().map_err(malformed)?.clone();
    let mut rows: Vec<SampleRow> = Vec::new();
    let mut ends = Vec::new();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(malformed)? {
        rows.push(record.deserialize(Some(&headers)).map_err(malformed)?);
        ends.push(reader.position().byte());
    }
    let whole = whole_rows(&rows);
    rows.truncate(whole);
    let end = match whole.checked_sub(1) {
        Some(last) => ends[last],
        None => {
            bytes.iter().position(|&byte| byte == b'\n').map_or(0, |at| at as u64 + 1).min(lines_end as u64)
        }
    };
    Ok((rows, end))
}

/// How many of `rows` belong to whole samples: a timed sample has one row a scope, any other a single one.
fn whole_rows(rows: &[SampleRow]) -> usize {
    let Some(last) = rows.last() else { return 0 };
    if last.seconds.is_none() {
        return rows.len();
    }
    let of_last = rows
        .iter()
        .rev()
        .take_while(|row| row.cell() == last.cell() && row.sample == last.sample && row.seconds.is_some())
        .count();
    if of_last == Scope::ALL.len() { rows.len() } else { rows.len() - of_last }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub fn row(implementation: &str, n: usize, sample: usize, seconds: f64) -> Vec<SampleRow> {
        let cell = CellId { implementation: implementation.into(), n, params: String::new() };
        let row = SampleRow {
            verified: true,
            verification: "exact".into(),
            ..SampleRow::without_time(&cell, sample, Status::Ok, "")
        };
        row.every_scope(&Seconds { kernel: seconds, device: seconds, total: seconds, host: seconds })
    }

    fn file_of(rows: &[SampleRow]) -> (tempfile::TempDir, std::path::PathBuf, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("samples.csv");
        let bytes = write_rows(rows, true);
        std::fs::write(&path, &bytes).unwrap();
        (folder, path, bytes)
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut rows = row("a", 64, 0, 1.25e-3);
        let cell = rows[0].cell();
        rows.push(SampleRow::without_time(&cell, 1, Status::Failed, "a \"quoted\",\nmessage"));
        let (_folder, path, bytes) = file_of(&rows);
        let (read, end) = read_samples(&path).unwrap();
        assert_eq!(read, rows);
        assert_eq!(end, bytes.len() as u64);
        assert_eq!(read[4].message, "a \"quoted\", message");
    }

    #[test]
    fn a_line_that_is_no_sample_is_named_by_number() {
        let (_folder, path, mut bytes) = file_of(&row("a", 64, 0, 1.0));
        bytes.extend_from_slice(b"a,sixty-four,,kernel,0,1.0,ok,true,,,,,,,,\n");
        std::fs::write(&path, bytes).unwrap();
        let error = read_samples(&path).unwrap_err().to_string();
        assert!(error.contains("samples.csv") && error.contains("line 6"), "{error}");
    }

    proptest! {
        #[test]
        fn a_file_cut_anywhere_gives_the_whole_samples_before_the_cut(cut in 0usize..2000) {
            let rows: Vec<SampleRow> = (0..3).flat_map(|sample| row("a", 64, sample, 0.5)).collect();
            let (_folder, path, bytes) = file_of(&rows);
            let cut = cut.min(bytes.len());
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let (read, end) = read_samples(&path).unwrap();
            prop_assert_eq!(read.len() % 4, 0);
            prop_assert_eq!(&read[..], &rows[..read.len()]);
            prop_assert!(end as usize <= cut);
            // What is kept, read again, says the same: resuming twice is resuming once.
            std::fs::write(&path, &bytes[..end as usize]).unwrap();
            prop_assert_eq!(read_samples(&path).unwrap(), (read, end));
        }
    }
}
