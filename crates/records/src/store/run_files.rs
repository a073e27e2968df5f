//! The record files of a run: made, repaired, appended to and replaced.

use crate::store::digests::FILES;
use crate::store::{RecordError, SampleFile, SampleRow, append_text, write_atomically, write_rows};
use repro_base::files::open_to_append;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const SAMPLES: &str = "samples.csv";

/// The record files of one run. Those that were found are changed in nothing before [`Self::open`].
pub(super) struct RunFiles {
    folder: PathBuf,
    samples: Samples,
}

/// `samples.csv`.
enum Samples {
    /// As it was found; what it lacks or has too much is repaired before anything is added.
    Found(SampleFile),
    Open(File),
}

impl RunFiles {
    /// Makes the files of a new run: first the manifest, which makes the folder a run that can be resumed, whatever happens next.
    ///
    /// # Errors
    /// When one cannot be written; see [`remove`] for those that were.
    pub fn create(folder: &Path, manifest: &[u8]) -> Result<Self, RecordError> {
        let mut files = Self::found(folder, SampleFile::default());
        write_atomically(&folder.join(MANIFEST), manifest)?;
        files.open()?;
        Ok(files)
    }

    /// The files of a run that is there.
    pub fn found(folder: &Path, samples: SampleFile) -> Self {
        Self { folder: folder.to_path_buf(), samples: Samples::Found(samples) }
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
        Ok(kept)
    }

    /// Appends the rows of one sample and hands them to the operating system.
    ///
    /// # Errors
    /// When they cannot be written, or the files are not open.
    pub fn append(&mut self, rows: &[SampleRow]) -> Result<(), RecordError> {
        let path = self.folder.join(SAMPLES);
        let Samples::Open(file) = &mut self.samples else { return Err(not_open(path)) };
        append_text(file, &path, &write_rows(rows, false))
    }

    /// Replaces the file `name` as a whole.
    ///
    /// # Errors
    /// When it cannot be written, or the files are not open.
    pub fn replace(&self, name: &str, content: &[u8]) -> Result<(), RecordError> {
        let path = self.folder.join(name);
        if self.is_open() { write_atomically(&path, content) } else { Err(not_open(path)) }
    }

    /// Makes sure that samples are on the disk.
    ///
    /// # Errors
    /// When the operating system cannot.
    pub fn sync(&self) -> Result<(), RecordError> {
        let Samples::Open(file) = &self.samples else { return Ok(()) };
        file.sync_data().map_err(RecordError::write(&self.folder.join(SAMPLES)))
    }
}

/// Removes the files of a run in which nothing was measured.
///
/// # Errors
/// When one that is there cannot be removed.
pub(super) fn remove(folder: &Path) -> Result<(), RecordError> {
    // The manifest last: as long as it is there, the folder is a run.
    for name in FILES.into_iter().chain([MANIFEST]) {
        let path = folder.join(name);
        repro_base::files::remove_if_there(&path).map_err(RecordError::write(&path))?;
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
    let has_samples = !found.rows.is_empty();
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
    use crate::store::sample::tests::row;

    #[test]
    fn files_that_were_found_are_not_written_to_before_they_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        drop(RunFiles::create(folder.path(), b"{}").unwrap());
        let read = || SampleFile::read(&folder.path().join(SAMPLES), false).unwrap();
        let mut files = RunFiles::found(folder.path(), read());
        let rows = row("a", 64, 0, 1.0);
        assert!(files.append(&rows).is_err() && files.replace(MANIFEST, b"new").is_err());
        assert_eq!(std::fs::read(folder.path().join(MANIFEST)).unwrap(), b"{}");
        files.open().unwrap();
        files.append(&rows).unwrap();
        assert_eq!(read().rows, rows);
        remove(folder.path()).unwrap();
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
    }
}
