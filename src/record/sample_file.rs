//! Reading `samples.csv` back: what a kill tore off is told from what somebody damaged.

use super::files::RecordError;
use super::sample::{CellId, SampleRow, Status};
use crate::timing::Scope;
use std::collections::HashMap;
use std::path::Path;

/// Reads the whole samples of a file: what follows the last line end was torn by a kill and is dropped, and so is a last
/// sample of which not every scope arrived. Also tells how many bytes are whole.
///
/// # Errors
/// When the file cannot be read, or holds what no run writes: a line that is no sample, a time without a verified
/// result, a sample that lacks a scope or comes twice.
pub fn read_samples(path: &Path) -> Result<(Vec<SampleRow>, u64), RecordError> {
    let bytes =
        std::fs::read(path).map_err(|source| RecordError::Read { path: path.to_path_buf(), source })?;
    let lines_end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let malformed = |line: Option<u64>, problem: String| RecordError::Malformed {
        path: path.to_path_buf(),
        problem: match line {
            Some(line) => {
                format!("line {line} is not a sample: {problem}; restore the file or start a new run")
            }
            None => problem,
        },
    };
    let unreadable =
        |error: csv::Error| malformed(error.position().map(csv::Position::line), error.to_string());
    let mut reader = csv::Reader::from_reader(&bytes[..lines_end]);
    let headers = reader.headers().map_err(unreadable)?.clone();
    let (mut rows, mut end) = (Vec::new(), reader.position().byte());
    let mut samples = Samples::default();
    let mut whole = 0;
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(unreadable)? {
        let line = record.position().map(csv::Position::line);
        let row: SampleRow = record.deserialize(Some(&headers)).map_err(unreadable)?;
        check(&row).and_then(|()| samples.add(&row)).map_err(|problem| malformed(line, problem))?;
        rows.push(row);
        if samples.unfinished.is_none() {
            (whole, end) = (rows.len(), reader.position().byte());
        }
    }
    rows.truncate(whole);
    Ok((rows, end))
}

/// What must hold within a row.
fn check(row: &SampleRow) -> Result<(), String> {
    let timed = matches!(row.status, Status::Ok | Status::Throttled | Status::Impossible);
    match row.seconds {
        Some(_) if !timed => Err(format!("it is {} and has seconds", row.status)),
        None if timed => Err(format!("it is {} and has no seconds", row.status)),
        Some(seconds) if !(seconds >= 0.0 && seconds.is_finite()) => Err(format!("{seconds} seconds")),
        Some(_) if !row.verified => Err("it has a time and is not verified".into()),
        _ => Ok(()),
    }
}

/// What must hold between rows: a sample with a time has a row for each scope, one after another, any other sample has
/// one row, and the samples of a cell count upwards.
#[derive(Default)]
struct Samples {
    next: HashMap<CellId, usize>,
    /// The sample of which rows are missing, and its last scope.
    unfinished: Option<(CellId, usize, Scope)>,
}

impl Samples {
    fn add(&mut self, row: &SampleRow) -> Result<(), String> {
        let cell = row.cell();
        let last = match self.unfinished.take() {
            None => {
                let next = self.next.entry(cell.clone()).or_default();
                if row.sample < *next {
                    return Err(format!("sample {} of {cell} comes twice", row.sample));
                }
                let after = row.sample.checked_add(1);
                *next =
                    after.ok_or_else(|| format!("no sample of {cell} can follow number {}", row.sample))?;
                None
            }
            Some((known, sample, last)) if (&known, sample) == (&cell, row.sample) => Some(last),
            Some((known, sample, _)) => {
                return Err(format!("sample {sample} of {known} is not whole before it"));
            }
        };
        if row.seconds.is_some() {
            if let Some(lacking) = lacking(last, row.scope) {
                return Err(format!("sample {} of {cell} lacks scope {lacking}", row.sample));
            }
            let is_whole = [Scope::USUAL.last(), Scope::FIRST.last()].contains(&Some(&row.scope));
            if !is_whole {
                self.unfinished = Some((cell, row.sample, row.scope));
            }
        }
        Ok(())
    }
}

/// The scope that should have come instead of `scope` after `last`, which is none at a sample's start.
fn lacking(last: Option<Scope>, scope: Scope) -> Option<Scope> {
    let groups = [&Scope::USUAL[..], &Scope::FIRST[..]];
    let place = |scope: Scope| {
        groups.into_iter().find_map(|group| Some((group, group.iter().position(|one| *one == scope)?)))
    };
    // Once a group has begun, the rest of it follows.
    if let Some((group, at)) = last.and_then(place) {
        return group.get(at + 1).copied().filter(|next| *next != scope);
    }
    match place(scope) {
        Some((_, 0)) => None,
        Some((group, _)) => Some(group[0]),
        // Another clock, of which an experiment reads what it wants, in their order.
        None if last.is_none_or(|last| last < scope) => None,
        None => Some(Scope::Kernel),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::tests::row;
    use super::super::sample::write_rows;
    use super::*;
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

    #[test]
    fn a_sample_with_other_clocks_is_whole_with_the_usual_ones_and_a_first_run_is_one_of_its_own() {
        let seconds: crate::timing::Seconds = [Scope::CudaGraph, Scope::HostUnsynced]
            .into_iter()
            .chain(Scope::USUAL)
            .map(|scope| (scope, 1.0))
            .collect();
        let first: crate::timing::Seconds = Scope::FIRST.map(|scope| (scope, 1.0)).into_iter().collect();
        let plain = row("a", 64, 0, 0.5)[0].clone();
        let mut rows = plain.every_scope(&seconds);
        rows.extend(SampleRow { sample: 1, ..plain.clone() }.every_scope(&first));
        rows.extend(SampleRow { sample: 2, ..plain }.every_scope(&seconds));
        for kept in 0..=rows.len() {
            let (_folder, path, _) = file_of(&rows[..kept]);
            let whole = [0, 6, 9, 15].into_iter().filter(|end| *end <= kept).max().unwrap();
            assert_eq!(read_samples(&path).unwrap().0, rows[..whole], "{kept}");
        }
        for missing in [2, 3, 4, 6, 7] {
            let mut damaged = rows.clone();
            damaged.remove(missing);
            let (_folder, path, _) = file_of(&damaged);
            assert!(read_samples(&path).unwrap_err().to_string().contains("scope"), "{missing}");
        }
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
