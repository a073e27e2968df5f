//! The folder of a run: what is there, what is added, and that nobody else adds to it.

use super::history::History;
use super::resolve::Experiment;
use super::tables;
use crate::record::{
    CellId, Environment, Manifest, RecordError, SampleRow, SummaryRow, append_text, read_json, read_samples,
    summarize, write_atomically, write_rows,
};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a folder cannot hold or continue a run.
#[derive(Debug, Error)]
pub enum JournalError {
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("{} holds another run: continue it with --resume, or choose another folder with --out", .0.display())]
    Occupied(PathBuf),
    #[error("{} holds no run (no manifest.json): check the path, or start one with --out", .0.display())]
    Empty(PathBuf),
    #[error("another repro is writing to {}: wait for it or stop it", .0.display())]
    Locked(PathBuf),
    #[error("{}: schema version {found} is not the {known} that this repro reads: use the repro that wrote it", path.display())]
    Schema { path: PathBuf, found: u32, known: u32 },
    #[error("{} was measured with another {differs}: results must not be mixed; start a new run", path.display())]
    Differs { path: PathBuf, differs: String },
}

/// An open run folder.
pub struct Journal {
    folder: PathBuf,
    samples_file: File,
    samples: Vec<SampleRow>,
    history: History,
    manifest: Manifest<Experiment>,
    // Held until the journal is dropped or the process ends, however it ends.
    _lock: File,
}

impl Journal {
    /// Starts a run in `folder`, which is created.
    ///
    /// # Errors
    /// When it holds a run already or cannot be written.
    pub fn create(folder: &Path, manifest: Manifest<Experiment>) -> Result<Self, JournalError> {
        std::fs::create_dir_all(folder)
            .map_err(|source| RecordError::Write { path: folder.to_path_buf(), source })?;
        let lock = lock(folder)?;
        if folder.join("manifest.json").exists() || folder.join("samples.csv").exists() {
            return Err(JournalError::Occupied(folder.to_path_buf()));
        }
        let path = folder.join("samples.csv");
        let mut samples_file = open_for_append(&path, 0)?;
        append_text(&mut samples_file, &path, &header())?;
        let journal = Self::open(folder, samples_file, Vec::new(), manifest, lock);
        journal.write_manifest()?;
        Ok(journal)
    }

    /// Opens the run in `folder` to continue it: what a kill tore off is cut away.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn resume(folder: &Path) -> Result<Self, JournalError> {
        let manifest_path = folder.join("manifest.json");
        if !manifest_path.exists() {
            return Err(JournalError::Empty(folder.to_path_buf()));
        }
        let lock = lock(folder)?;
        check_schema(&manifest_path)?;
        let manifest: Manifest<Experiment> = read_json(&manifest_path)?;
        let path = folder.join("samples.csv");
        let (samples, whole) = read_samples(&path)?;
        let mut samples_file = open_for_append(&path, whole)?;
        if whole == 0 {
            append_text(&mut samples_file, &path, &header())?;
        }
        Ok(Self::open(folder, samples_file, samples, manifest, lock))
    }

    fn open(
        folder: &Path,
        samples_file: File,
        samples: Vec<SampleRow>,
        manifest: Manifest<Experiment>,
        lock: File,
    ) -> Self {
        let mut history = History::default();
        history.add(&samples);
        Self { folder: folder.to_path_buf(), samples_file, samples, history, manifest, _lock: lock }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn manifest(&self) -> &Manifest<Experiment> {
        &self.manifest
    }

    /// All rows, in the order in which they were measured.
    pub fn samples(&self) -> &[SampleRow] {
        &self.samples
    }

    /// What the rows say of each cell.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Appends the rows of one sample and hands them to the operating system before returning.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn append(&mut self, rows: Vec<SampleRow>) -> Result<(), JournalError> {
        let path = self.folder.join("samples.csv");
        append_text(&mut self.samples_file, &path, &write_rows(&rows, false))?;
        self.history.add(&rows);
        self.samples.extend(rows);
        Ok(())
    }

    /// Notes where samples come from.
    ///
    /// # Errors
    /// When earlier samples of this run come from elsewhere.
    pub fn set_environment(&mut self, mut environment: Environment) -> Result<(), JournalError> {
        if let Some(earlier) = &self.manifest.environment {
            let differs = earlier.differences(&environment);
            if !differs.is_empty() && !self.samples.is_empty() {
                return Err(JournalError::Differs {
                    path: self.folder.clone(),
                    differs: differs.join(" and another "),
                });
            }
            environment.ceilings = earlier.ceilings.best_of(environment.ceilings);
        }
        self.change_manifest(|manifest| manifest.environment = Some(environment))
    }

    /// Changes the manifest and writes it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn change_manifest(
        &mut self,
        change: impl FnOnce(&mut Manifest<Experiment>),
    ) -> Result<(), JournalError> {
        change(&mut self.manifest);
        self.write_manifest()
    }

    /// One row a cell of `cells` about which there is something to say.
    pub fn summary(&self, cells: &[CellId]) -> Vec<SummaryRow> {
        let table = tables::published_table(&self.manifest.experiment);
        summarize(cells, &self.samples, &|cell| table.as_ref()?.seconds(&cell.implementation, cell.n))
    }

    /// Writes `summary.csv` and `table.md` from the samples so far, and makes sure that those are on the disk.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write_derived(&self, cells: &[CellId]) -> Result<(), JournalError> {
        let path = self.folder.join("samples.csv");
        self.samples_file.sync_data().map_err(|source| RecordError::Write { path, source })?;
        let summary = self.summary(cells);
        write_atomically(&self.folder.join("summary.csv"), &write_rows(&summary, true))?;
        let markdown = tables::tables(&self.manifest, &summary).markdown();
        write_atomically(&self.folder.join("table.md"), markdown.as_bytes())?;
        Ok(())
    }

    fn write_manifest(&self) -> Result<(), JournalError> {
        let mut text = serde_json::to_vec_pretty(&self.manifest).map_err(|error| RecordError::Malformed {
            path: self.folder.join("manifest.json"),
            problem: error.to_string(),
        })?;
        text.push(b'\n');
        Ok(write_atomically(&self.folder.join("manifest.json"), &text)?)
    }
}

/// The header line of `samples.csv`.
fn header() -> Vec<u8> {
    let cell = CellId { implementation: String::new(), n: 0, params: String::new() };
    let row = SampleRow::without_time(&cell, 0, crate::record::Status::Ok, "");
    let mut text = write_rows(&[row], true);
    let end = text.iter().position(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    text.truncate(end);
    text
}

fn open_for_append(path: &Path, length: u64) -> Result<File, RecordError> {
    let open = || {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        file.set_len(length)?;
        Ok(file)
    };
    open().map_err(|source| RecordError::Write { path: path.to_path_buf(), source })
}

fn lock(folder: &Path) -> Result<File, JournalError> {
    let path = folder.join(".lock");
    let file = File::create(&path).map_err(|source| RecordError::Write { path: path.clone(), source })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(JournalError::Locked(folder.to_path_buf())),
        Err(std::fs::TryLockError::Error(source)) => Err(RecordError::Write { path, source }.into()),
    }
}

/// Looks at the version alone first: anything else may mean something different in another version.
fn check_schema(path: &Path) -> Result<(), JournalError> {
    #[derive(serde::Deserialize)]
    struct Version {
        schema_version: u32,
    }
    let Version { schema_version: found } = read_json(path)?;
    let known = crate::record::SCHEMA_VERSION;
    if found == known { Ok(()) } else { Err(JournalError::Schema { path: path.to_path_buf(), found, known }) }
}
