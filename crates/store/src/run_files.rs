//! The record files of a run: made, repaired, appended to, replaced, and sealed whenever they change.
//!
//! Samples are appended before the seal has them, and the seal names both contents of a file that is being replaced: wherever a kill
//! falls, what is left is known to be the run's own.

use crate::seal::{MANIFEST, WHOLE_FILES};
use crate::{
    RecordError, SEAL, SampleFile, SampleRow, Seal, append_text, write_atomically, write_rows, write_unsynced,
};
use repro_files::open_to_append;
use serde::Serialize;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

pub(super) const SAMPLES: &str = "samples.csv";

/// The record files of one run. Those that were found are changed in nothing before [`Self::open`].
pub(super) struct RunFiles {
    folder: PathBuf,
    samples: Samples,
    seal: Seal,
}

/// `samples.csv`.
enum Samples {
    /// As it was found; what it lacks or has too much is repaired before anything is added.
    Found(SampleFile),
    Open(File),
}

impl RunFiles {
    /// Makes the files of a new run: the seal, so that what follows is known, then the manifest, which makes the folder a run that
    /// can be resumed, whatever happens next.
    ///
    /// # Errors
    /// When one cannot be written; see [`remove`] for those that were.
    pub fn create(folder: &Path, manifest: &[u8]) -> Result<Self, RecordError> {
        let mut files = Self::found(folder, SampleFile::default(), Seal::new(&header()));
        files.put(MANIFEST, manifest)?;
        files.open()?;
        Ok(files)
    }

    /// The files of a run that is there. `seal` has all of `samples`.
    pub fn found(folder: &Path, samples: SampleFile, seal: Seal) -> Self {
        Self { folder: folder.to_path_buf(), samples: Samples::Found(samples), seal }
    }

    pub fn is_open(&self) -> bool {
        matches!(self.samples, Samples::Open(_))
    }

    /// Repairs what a kill left of `samples.csv` and opens it. What is cut off is kept next to it, in the file that is returned.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn open(&mut self) -> Result<Option<PathBuf>, RecordError> {
        let Samples::Found(found) = &self.samples else { return Ok(None) };
        let path = self.folder.join(SAMPLES);
        // Of the header nothing is lost: it is written again.
        let is_lost = !found.torn().is_empty() && !header().starts_with(found.torn());
        let kept = is_lost.then(|| keep_beside(&path, found.torn())).transpose()?;
        let file = open_samples(&path, found)?;
        self.samples = Samples::Open(file);
        self.seal.set_header(&header());
        self.write_seal(write_unsynced)?;
        Ok(kept)
    }

    /// Appends the rows of one sample and hands them to the operating system.
    ///
    /// # Errors
    /// When they cannot be written, or the files are not open.
    pub fn append(&mut self, rows: &[SampleRow]) -> Result<(), RecordError> {
        let path = self.folder.join(SAMPLES);
        let Samples::Open(file) = &mut self.samples else { return Err(not_open(path)) };
        let lines: Vec<Vec<u8>> =
            rows.iter().map(|row| write_rows(std::slice::from_ref(row), false)).collect();
        append_text(file, &path, &lines.concat())?;
        let Some(first) = rows.first() else { return Ok(()) };
        let lines: Vec<&[u8]> = lines.iter().map(|line| line.strip_suffix(b"\n").unwrap_or(line)).collect();
        let added = self.seal.add_sample(&first.cell(), &lines);
        // Replacing the file would take milliseconds.
        let path = self.folder.join(SEAL);
        let mut file = open_to_append(&path).map_err(RecordError::write(&path))?;
        append_text(&mut file, &path, &seal_line(&self.folder, &added)?)
    }

    /// Replaces the file `name` as a whole.
    ///
    /// # Errors
    /// When it cannot be written, or the files are not open.
    pub fn replace(&mut self, name: &str, content: &[u8]) -> Result<(), RecordError> {
        if !self.is_open() {
            return Err(not_open(self.folder.join(name)));
        }
        self.put(name, content)
    }

    fn put(&mut self, name: &str, content: &[u8]) -> Result<(), RecordError> {
        self.seal.replacing(name, content);
        // On the disk before the file is.
        self.write_seal(write_atomically)?;
        write_atomically(&self.folder.join(name), content)?;
        self.seal.replaced(name, content);
        self.write_seal(write_unsynced)
    }

    /// Makes sure that samples and seal are on the disk.
    ///
    /// # Errors
    /// When the operating system cannot.
    pub fn sync(&self) -> Result<(), RecordError> {
        let Samples::Open(file) = &self.samples else { return Ok(()) };
        file.sync_data().map_err(RecordError::write(&self.folder.join(SAMPLES)))?;
        self.write_seal(write_atomically)
    }

    fn write_seal(&self, write: fn(&Path, &[u8]) -> Result<(), RecordError>) -> Result<(), RecordError> {
        write(&self.folder.join(SEAL), &seal_line(&self.folder, &self.seal)?)
    }
}

/// A line of the seal: all of it, or what is appended for a sample.
fn seal_line(folder: &Path, value: &impl Serialize) -> Result<Vec<u8>, RecordError> {
    let mut text = serde_json::to_vec(value).map_err(RecordError::malformed(&folder.join(SEAL)))?;
    text.push(b'\n');
    Ok(text)
}

/// Removes the files of a run in which nothing was measured.
///
/// # Errors
/// When one that is there cannot be removed.
pub(super) fn remove(folder: &Path) -> Result<(), RecordError> {
    // The manifest before the seal, and after the rest: as long as it is there, the folder is a run.
    for name in [SAMPLES].into_iter().chain(WHOLE_FILES.into_iter().rev()).chain([SEAL]) {
        let path = folder.join(name);
        repro_files::remove_if_there(&path).map_err(RecordError::write(&path))?;
    }
    Ok(())
}

fn not_open(path: PathBuf) -> RecordError {
    RecordError::Write { path, source: io::Error::other("the run was not opened for writing") }
}

/// The header line of `samples.csv`.
fn header() -> Vec<u8> {
    let text = write_rows(&[SampleRow::default()], true);
    text.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default().to_vec()
}

/// Opens the samples for appending, with what is whole of them and nothing else. Without a sample the header is written anew: an
/// older one may lack columns.
fn open_samples(path: &Path, found: &SampleFile) -> Result<File, RecordError> {
    let has_samples = found.lines().next().is_some();
    let length = if has_samples { found.whole() as u64 } else { 0 };
    let failed = RecordError::write(path);
    let mut file = open_to_append(path).map_err(&failed)?;
    file.set_len(length).map_err(&failed)?;
    match has_samples {
        false => append_text(&mut file, path, &header())?,
        true if found.lacks_line_end() => append_text(&mut file, path, b"\n")?,
        true => {}
    }
    Ok(file)
}

/// Writes `bytes` to a new file next to `path`, named after the time.
fn keep_beside(path: &Path, bytes: &[u8]) -> Result<PathBuf, RecordError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
    let mut kept = path.with_file_name(format!("{name}.torn-{time}"));
    for count in 2.. {
        if !kept.exists() {
            break;
        }
        kept = path.with_file_name(format!("{name}.torn-{time}-{count}"));
    }
    write_atomically(&kept, bytes)?;
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::COUNTS;
    use crate::{SealCheck, Status};
    use repro_types::CellId;
    use std::time::Instant;

    fn rows(cell: usize, sample: usize) -> Vec<SampleRow> {
        let cell = CellId { implementation: "staged-load".into(), n: 1024 + cell, ..CellId::default() };
        let row = SampleRow {
            verified: true,
            verification: Some(crate::Verification::EXACT),
            digest: "0123456789abcdef".repeat(2),
            ..SampleRow::without_time(&cell, sample, Status::Ok, "")
        };
        row.every_scope(&repro_timing::Seconds::same(0.0123456789))
    }

    fn check(folder: &Path, finished: bool) -> SealCheck {
        let samples = SampleFile::read(&folder.join(SAMPLES), false).unwrap();
        SealCheck::of(folder, &Seal::read(folder), &Seal::read(folder), &samples, finished)
    }

    #[test]
    fn after_every_change_the_records_are_as_their_seal_says() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = RunFiles::create(folder.path(), b"{}").unwrap();
        assert!(check(folder.path(), true).is_sound());
        files.append(&rows(0, 0)).unwrap();
        files.append(&rows(1, 0)).unwrap();
        assert!(check(folder.path(), true).is_sound());
        for content in [&b"one"[..], b"two"] {
            files.replace(COUNTS, content).unwrap();
            files.replace(MANIFEST, content).unwrap();
            assert!(check(folder.path(), true).is_sound());
        }
        files.sync().unwrap();
        assert!(check(folder.path(), true).is_sound());
        remove(folder.path()).unwrap();
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
    }

    #[test]
    fn files_that_were_found_are_not_written_to_before_they_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        drop(RunFiles::create(folder.path(), b"{}").unwrap());
        let samples = SampleFile::read(&folder.path().join(SAMPLES), false).unwrap();
        let seal = Seal::read(folder.path()).unwrap();
        let mut files = RunFiles::found(folder.path(), samples, seal);
        assert!(files.append(&rows(0, 0)).is_err() && files.replace(MANIFEST, b"new").is_err());
        assert_eq!(std::fs::read(folder.path().join(MANIFEST)).unwrap(), b"{}");
        files.open().unwrap();
        files.append(&rows(0, 0)).unwrap();
        assert!(check(folder.path(), true).is_sound());
    }

    /// Prints microseconds: `cargo test --release --lib run_files -- --ignored --nocapture`.
    #[test]
    #[ignore = "a measurement"]
    fn what_a_seal_adds_to_a_sample() {
        for (cells, samples) in [(16, 6), (100, 6), (400, 11)] {
            let folder = tempfile::tempdir().unwrap();
            let mut files = RunFiles::create(folder.path(), b"{}").unwrap();
            let all: Vec<Vec<SampleRow>> =
                (0..samples).flat_map(|sample| (0..cells).map(move |cell| rows(cell, sample))).collect();
            let mut sealed: Vec<f64> = Vec::new();
            for rows in &all {
                let begun = Instant::now();
                files.append(rows).unwrap();
                sealed.push(begun.elapsed().as_secs_f64() * 1e6);
            }
            let path = folder.path().join("bare.csv");
            let mut file = open_samples(&path, &SampleFile::default()).unwrap();
            let mut bare: Vec<f64> = Vec::new();
            for rows in &all {
                let begun = Instant::now();
                append_text(&mut file, &path, &write_rows(rows, false)).unwrap();
                bare.push(begun.elapsed().as_secs_f64() * 1e6);
            }
            let last = all.len() - cells;
            let median = |of: &[f64]| repro_timing::median(&of[last..]).unwrap_or_default();
            let bytes = std::fs::metadata(folder.path().join(SEAL)).unwrap().len();
            println!(
                "{cells} cells, {samples} samples each: {:.0} us with a seal of {bytes} bytes, {:.0} us without",
                median(&sealed),
                median(&bare)
            );
        }
    }
}
