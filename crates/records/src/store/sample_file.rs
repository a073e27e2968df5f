//! Reading `samples.csv` back: a row that a kill cut short is distinguished from one that was damaged.

use super::files::{RecordError, append_text, write_atomically, write_rows};
use super::{SampleRow, Status};
use repro_base::CellId;
use repro_base::files::open_to_append;
use repro_timing::Scope;
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The shortest time that a sample can have taken: the resolution of the finest clock here, the host's. CUDA events
/// resolve half a microsecond.
const SHORTEST_S: f64 = 1e-9;
/// The longest, a year: no limit of an experiment lets a solve run for so long.
const LONGEST_S: f64 = 365.25 * 86_400.0;

/// Hexadecimal digits of the digest of a result.
const DIGEST_DIGITS: usize = 32;
/// The digits of a sharded matrix, whose samples have scope `kernel` alone of the usual ones.
const DIGEST_DIGITS_SHARDED: usize = 16;

/// `samples.csv` as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampleFile {
    /// The rows of whole samples.
    pub rows: Vec<SampleRow>,
    bytes: Vec<u8>,
    /// How many of the bytes are header and whole samples.
    whole: usize,
}

impl SampleFile {
    /// Reads the whole samples of a file, of a run whose matrix was sharded or not: what follows the last line end was torn by a kill
    /// and is no part of them, and so is a last sample of which not every scope arrived.
    ///
    /// # Errors
    /// When the file cannot be read, or holds what no run writes: a carriage return, a line that is no sample, a time without
    /// a verified result, a sample that lacks a scope or comes twice.
    pub fn read(path: &Path, sharded: bool) -> Result<Self, RecordError> {
        let bytes = repro_base::files::read_regular(path).map_err(RecordError::read(path))?;
        Self::parse(bytes, sharded).map_err(RecordError::malformed(path))
    }

    fn parse(bytes: Vec<u8>, sharded: bool) -> Result<Self, String> {
        if bytes.contains(&b'\r') {
            let problem = "it has carriage returns, which no run writes";
            return Err(format!("{problem}: restore the file, or turn its line ends into plain newlines"));
        }
        let lines_end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let remedy = "restore the file or start a new run";
        let malformed = |line: Option<u64>, problem: String| match line {
            Some(line) => format!("line {line} is not a sample: {problem}; {remedy}"),
            None => problem,
        };
        let unreadable =
            |error: csv::Error| malformed(error.position().map(csv::Position::line), error.to_string());
        let mut reader = csv::Reader::from_reader(&bytes[..lines_end]);
        let headers = reader.headers().map_err(unreadable)?.clone();
        let scope = headers.iter().position(|name| name == "scope");
        let mut whole = reader.position().byte() as usize;
        let mut rows: Vec<SampleRow> = Vec::new();
        let mut samples = SampleOrder { sharded, ..SampleOrder::default() };
        let mut whole_rows = 0;
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(unreadable)? {
            let line = record.position().map(csv::Position::line);
            if scope.and_then(|at| record.get(at)).is_some_and(|name| Scope::PASSED_OVER.contains(&name)) {
                if rows.len() == whole_rows {
                    whole = reader.position().byte() as usize;
                }
                continue;
            }
            let row: SampleRow = record.deserialize(Some(&headers)).map_err(unreadable)?;
            let is_whole = samples.add(rows[whole_rows..].last(), &row);
            rows.push(row);
            if is_whole.map_err(|problem| malformed(line, problem))? {
                (whole_rows, whole) = (rows.len(), reader.position().byte() as usize);
            }
        }
        rows.truncate(whole_rows);
        Ok(Self { rows, bytes, whole })
    }

    /// Repairs what a kill left of the file at `path`, so that only whole samples remain, and opens it for appending. Without a sample the
    /// header is written anew: an older one may lack columns. What is cut off is kept next to it, in the file that is returned.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn open(&self, path: &Path) -> Result<(File, Option<PathBuf>), RecordError> {
        let header = write_rows(&[SampleRow::default()], true);
        let header = header.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default();
        // A torn header is no loss: it is written again.
        let is_lost = !self.torn().is_empty() && !header.starts_with(self.torn());
        let kept = is_lost.then(|| keep_beside(path, self.torn())).transpose()?;
        let failed = RecordError::write(path);
        let mut file = open_to_append(path).map_err(&failed)?;
        let has_samples = !self.rows.is_empty();
        file.set_len(if has_samples { self.whole as u64 } else { 0 }).map_err(&failed)?;
        if !has_samples {
            append_text(&mut file, path, header)?;
        }
        Ok((file, kept))
    }

    /// The bytes after the whole samples, which a kill cut short.
    pub fn torn(&self) -> &[u8] {
        &self.bytes[self.whole..]
    }
}

/// Writes `bytes` to a new file next to `path`, named after the time.
fn keep_beside(path: &Path, bytes: &[u8]) -> Result<PathBuf, RecordError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S.%9fZ");
    let kept = path.with_file_name(format!("{name}.torn-{time}"));
    write_atomically(&kept, bytes)?;
    Ok(kept)
}

/// Whether a clock here can have shown so many seconds.
pub fn is_time(seconds: f64) -> bool {
    (SHORTEST_S..=LONGEST_S).contains(&seconds)
}

/// What must hold within a row.
fn check(row: &SampleRow, sharded: bool) -> Result<(), String> {
    let timed = matches!(row.status, Status::Ok | Status::Throttled | Status::Impossible);
    let digits = if sharded { DIGEST_DIGITS_SHARDED } else { DIGEST_DIGITS };
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_digest = row.digest.len() == digits && row.digest.bytes().all(is_digit);
    let partly = row.iterations.filter(|iterations| !(1..row.n).contains(iterations));
    Err(match (row.seconds, partly) {
        (_, Some(iterations)) => format!("{iterations} of {} iterations are no part of a solve", row.n),
        (Some(_), _) if !timed => format!("it is {} and has seconds", row.status),
        (None, _) if timed => format!("it is {} and has no seconds", row.status),
        (Some(seconds), _) if !is_time(seconds) => format!("{seconds:?} seconds, which no clock here shows"),
        (Some(_), _) if !row.verified => "it has a time and is not verified".into(),
        _ if row.verified && row.verification.is_none() => "it is verified and does not say how".into(),
        _ if !row.digest.is_empty() && !is_digest => {
            format!("{} is no digest of {digits} hexadecimal digits", row.digest)
        }
        _ => return Ok(()),
    })
}

/// What must hold between rows: a sample with a time has a row for each scope, one after another, any other sample has
/// one row, and the samples of a cell count upwards.
#[derive(Default)]
struct SampleOrder {
    sharded: bool,
    next: HashMap<CellId, usize>,
}

impl SampleOrder {
    /// Whether `row` completes its sample. `last` is the row before, if that did not complete its own.
    fn add(&mut self, last: Option<&SampleRow>, row: &SampleRow) -> Result<bool, String> {
        check(row, self.sharded)?;
        let cell = row.cell();
        if let Some(last) = last.filter(|last| !last.is_of(&cell) || last.sample != row.sample) {
            return Err(format!("sample {} of {} lacks rows of some clocks", last.sample, last.cell()));
        }
        if last.is_none() {
            let next = self.next.entry(cell.clone()).or_default();
            if row.sample < *next {
                return Err(format!("sample {} of {cell} comes twice", row.sample));
            }
            let after = row.sample.checked_add(1);
            *next = after.ok_or_else(|| format!("no sample of {cell} can follow number {}", row.sample))?;
        }
        if row.seconds.is_none() {
            return Ok(true);
        }
        if let Some(lacking) = self.lacking(last.map(|last| last.scope), row.scope) {
            return Err(format!("sample {} of {cell} lacks scope {lacking}", row.sample));
        }
        Ok(self.groups().iter().any(|group| group.last() == Some(&row.scope)))
    }

    /// Scopes that come together, one after another. A sample is whole with the last of a group.
    fn groups(&self) -> &'static [&'static [Scope]] {
        if self.sharded {
            return &[&[Scope::HostSynced, Scope::Kernel]];
        }
        &[&Scope::USUAL, &Scope::FIRST, &[Scope::Program]]
    }

    /// The scope that should have come instead of `scope` after `last`, which is none at a sample's start.
    fn lacking(&self, last: Option<Scope>, scope: Scope) -> Option<Scope> {
        let groups = self.groups();
        let place = |scope: Scope| {
            groups.iter().find_map(|group| Some((group, group.iter().position(|one| *one == scope)?)))
        };
        // Once a group has begun, the rest of it follows.
        if let Some((group, at)) = last.and_then(place) {
            return group.get(at + 1).copied().filter(|next| *next != scope);
        }
        match place(scope) {
            Some((_, 0)) => None,
            Some((group, _)) => Some(group[0]),
            // An extra clock: an experiment reads those that it wants, in the order of scopes.
            None if !self.sharded && last.is_none_or(|last| last < scope) => None,
            None => Some(groups[0][0]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sample::tests::row;
    use proptest::prelude::*;

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
        let read = SampleFile::read(&path, false).unwrap();
        assert_eq!(read.rows, rows);
        assert_eq!(read.whole, bytes.len());
        assert_eq!(read.rows[4].message, "a \"quoted\", message");
    }

    fn error_of(rows: &[SampleRow], sharded: bool) -> String {
        let (_folder, path, _) = file_of(rows);
        SampleFile::read(&path, sharded).unwrap_err().to_string()
    }

    /// Sample `sample`, whose seconds these clocks read.
    fn by(sample: usize, scopes: &[Scope]) -> Vec<SampleRow> {
        let row = SampleRow { sample, ..row("a", 64, 0, 0.5)[0].clone() };
        row.every_scope(&scopes.iter().map(|scope| (*scope, 1.0)).collect())
    }

    /// That of a file that is cut after any row the whole samples before are read, which end after these rows.
    fn assert_whole(rows: &[SampleRow], ends: &[usize], sharded: bool) {
        for kept in 0..=rows.len() {
            let (_folder, path, _) = file_of(&rows[..kept]);
            let whole = ends.iter().copied().filter(|end| *end <= kept).max().unwrap_or(0);
            assert_eq!(SampleFile::read(&path, sharded).unwrap().rows, rows[..whole], "{kept}");
        }
    }

    #[test]
    fn a_sample_with_other_clocks_is_whole_with_the_usual_ones_and_a_first_run_is_one_of_its_own() {
        let more = [&[Scope::CudaGraph, Scope::HostUnsynced], &Scope::USUAL[..]].concat();
        let first = [&[Scope::FirstPrepare], &Scope::FIRST[..]].concat();
        let mut rows = [by(0, &more), by(1, &first), by(2, &more)].concat();
        assert_whole(&rows, &[6, 10, 16], false);
        for missing in [2, 3, 4, 7, 8] {
            let mut damaged = rows.clone();
            damaged.remove(missing);
            assert!(error_of(&damaged, false).contains("scope"), "{missing}");
        }
        // As from before there was that clock.
        rows.remove(6);
        assert_whole(&rows, &[6, 9, 15], false);
    }

    #[test]
    fn rows_of_clocks_that_nothing_reads_are_passed_over_and_stay_in_the_file() {
        let rows = row("a", 64, 0, 0.5);
        let (_folder, path, bytes) = file_of(&rows);
        let text = String::from_utf8(bytes).unwrap();
        let kernel = text.lines().nth(1).unwrap();
        let more =
            Scope::PASSED_OVER.map(|name| kernel.replace(",kernel,", &format!(",{name},")) + "\n").concat();
        let with_more = text.replacen(kernel, &(more + kernel), 1);
        std::fs::write(&path, &with_more).unwrap();
        let read = SampleFile::read(&path, false).unwrap();
        assert_eq!((read.whole, read.rows), (with_more.len(), rows));
        std::fs::write(&path, with_more.replace(",copy-in,", ",copy-under,")).unwrap();
        assert!(SampleFile::read(&path, false).unwrap_err().to_string().contains("copy-under"));
    }

    #[test]
    fn a_sample_of_a_program_ends_with_its_whole_time() {
        let rows = [by(0, &Scope::PROGRAM), by(1, &Scope::PROGRAM[1..]), by(2, &[Scope::Program])].concat();
        assert_whole(&rows, &[3, 5, 6], false);
        error_of(&[by(0, &[Scope::ProgramSolve]), by(1, &[Scope::Program])].concat(), false);
    }

    #[test]
    fn a_sharded_sample_has_two_scopes_and_no_others() {
        let of = |sample, scopes: &[Scope]| -> Vec<SampleRow> {
            let rows = by(sample, scopes).into_iter();
            rows.map(|row| SampleRow { digest: "0123456789abcdef".into(), ..row }).collect()
        };
        let both = [Scope::HostSynced, Scope::Kernel];
        let rows = [of(0, &both), of(1, &both)].concat();
        assert_whole(&rows, &[2, 4], true);
        let error = error_of(&rows, false);
        assert!(error.contains("no digest of 32 hexadecimal digits"), "{error}");
        for wrong in [&[Scope::Kernel][..], &[Scope::HostSynced, Scope::Kernel, Scope::Host], &Scope::USUAL] {
            error_of(&of(0, wrong), true);
        }
    }

    #[test]
    fn carriage_returns_are_refused_with_the_remedy_wherever_they_are() {
        let (_folder, path, bytes) = file_of(&row("a", 64, 0, 1.0));
        let text = String::from_utf8(bytes).unwrap();
        for ends in ["\r", "\r\n", "\n\r"] {
            std::fs::write(&path, text.replace('\n', ends)).unwrap();
            let error = SampleFile::read(&path, false).unwrap_err().to_string();
            assert!(error.contains("carriage returns") && error.contains("plain newlines"), "{error}");
        }
    }

    #[test]
    fn a_row_that_no_run_writes_is_named() {
        type Change = fn(&mut SampleRow);
        let cases: [(Change, &str); 12] = [
            (|row| row.seconds = None, "it is ok and has no seconds"),
            (|row| row.verified = false, "it has a time and is not verified"),
            (|row| row.status = Status::Failed, "it is failed and has seconds"),
            (|row| row.seconds = Some(0.0), "0 seconds"),
            (|row| row.seconds = Some(1e-300), "which no clock here shows"),
            (|row| row.seconds = Some(1e300), "which no clock here shows"),
            (|row| row.seconds = Some(f64::NAN), "NaN seconds"),
            (|row| row.iterations = Some(0), "0 of 64 iterations"),
            (|row| row.iterations = Some(64), "64 of 64 iterations"),
            (|row| row.verification = None, "does not say how"),
            (|row| row.digest = "f00".into(), "f00 is no digest"),
            (|row| row.digest = "0123456789ABCDEF0123456789ABCDEF".into(), "is no digest"),
        ];
        for (change, part) in cases {
            let mut rows = row("a", 64, 0, 1.0);
            change(&mut rows[0]);
            let error = error_of(&rows, false);
            assert!(error.contains("line 2 is not a sample") && error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_sample_that_lacks_a_scope_or_comes_twice_is_named() {
        let rows: Vec<SampleRow> = (0..3).flat_map(|sample| row("a", 64, sample, 0.5)).collect();
        type Change = fn(&mut Vec<SampleRow>);
        let cases: [(Change, &str); 4] = [
            (|rows| _ = rows.remove(5), "line 7 is not a sample: sample 1 of a n = 64 lacks scope device"),
            (|rows| rows.insert(5, rows[4].clone()), "sample 1 of a n = 64 lacks scope device"),
            (|rows| _ = rows.drain(6..8), "sample 1 of a n = 64 lacks rows of some clocks"),
            (|rows| rows.extend_from_within(4..8), "sample 1 of a n = 64 comes twice"),
        ];
        for (change, part) in cases {
            let mut damaged = rows.clone();
            change(&mut damaged);
            let error = error_of(&damaged, false);
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_file_that_was_found_changes_when_it_is_opened_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("samples.csv");
        let rows = row("a", 64, 0, 1.0);
        let (mut file, kept) = SampleFile::default().open(&path).unwrap();
        append_text(&mut file, &path, &write_rows(&rows, false)).unwrap();
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole[..], b"a,64"].concat()).unwrap();
        let found = SampleFile::read(&path, false).unwrap();
        assert_eq!((kept, &found.rows, found.torn()), (None, &rows, &b"a,64"[..]));
        let (_, kept) = found.open(&path).unwrap();
        assert_eq!(std::fs::read(kept.unwrap()).unwrap(), b"a,64");
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_file_cut_anywhere_gives_the_whole_samples_before_the_cut(cut in 0usize..2000) {
            let rows: Vec<SampleRow> = (0..3).flat_map(|sample| row("a", 64, sample, 0.5)).collect();
            let (_folder, path, bytes) = file_of(&rows);
            let cut = cut.min(bytes.len());
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let read = SampleFile::read(&path, false).unwrap();
            prop_assert_eq!(read.rows.len() % 4, 0);
            prop_assert_eq!(&read.rows[..], &rows[..read.rows.len()]);
            prop_assert!(read.whole <= cut);
            prop_assert_eq!(read.torn(), &bytes[read.whole..cut]);
            // What is kept, read again, is the same: resuming twice is resuming once.
            std::fs::write(&path, &bytes[..read.whole]).unwrap();
            let again = SampleFile::read(&path, false).unwrap();
            prop_assert_eq!((again.rows, again.whole), (read.rows, read.whole));
        }
    }
}
