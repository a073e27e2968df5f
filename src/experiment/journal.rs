//! The folder of a run: what is there, what is added, and that nobody else adds to it.

use super::history::History;
use super::resolve::Experiment;
use super::stored::{self, Records};
use super::tables;
use super::tables::Results;
use crate::record::{
    Build, CellId, CountRow, Environment, KernelTimeRow, Manifest, Pair, RecordError, SampleRow, Side,
    SummaryRow, append_text, replace_rows, write_atomically, write_rows,
};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a folder cannot hold or continue a run.
#[derive(Debug, Error)]
pub enum JournalError {
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("{} holds another run: choose another folder with --out, or continue what `repro run` began there with --resume", .0.display())]
    Occupied(PathBuf),
    #[error("{} holds no run (no manifest.json): check the path, or start one with --out", .0.display())]
    Empty(PathBuf),
    #[error("another repro is writing to {}: wait for it or stop it", .0.display())]
    Locked(PathBuf),
    #[error("{} is there already: take it away, or choose another folder with --out", .0.display())]
    GraphInTheWay(PathBuf),
    #[error("{}: schema version {found} is not the {known} that this repro reads: use the repro that wrote it", path.display())]
    Schema { path: PathBuf, found: u32, known: u32 },
    #[error("{} was measured with another {differs}: results must not be mixed; start a new run", path.display())]
    Differs { path: PathBuf, differs: String },
    #[error(
        "{} is the {side} run of pair {id}, measured sample by sample next to the other build, and cannot go on alone: start a new pair",
        path.display()
    )]
    Paired { path: PathBuf, side: Side, id: String },
}

/// An open run folder.
pub struct Journal {
    folder: PathBuf,
    samples_file: File,
    samples: Vec<SampleRow>,
    history: History,
    counts: Vec<CountRow>,
    kernel_times: Vec<KernelTimeRow>,
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
        keep_graph(folder, &manifest.experiment)?;
        // Before the samples, since it is what makes the folder a run that can be resumed, whatever happens next.
        write_manifest(folder, &manifest)?;
        let samples_file = open_for_append(&folder.join("samples.csv"), 0)?;
        Ok(Self::open(folder, samples_file, Vec::new(), manifest, lock))
    }

    /// Opens the run in `folder` to continue it: what a kill tore off is cut away.
    ///
    /// # Errors
    /// When there is none, it cannot be read, or it is one of a pair.
    pub fn resume(folder: &Path) -> Result<Self, JournalError> {
        if !folder.join("manifest.json").exists() {
            return Err(JournalError::Empty(folder.to_path_buf()));
        }
        let lock = lock(folder)?;
        let Records { manifest, samples, whole, counts, kernel_times } = stored::read(folder)?;
        if let Some(Pair { id, side }) = manifest.pair {
            return Err(JournalError::Paired { path: folder.to_path_buf(), side, id });
        }
        let path = folder.join("samples.csv");
        let samples_file = open_for_append(&path, whole)?;
        let journal = Self::open(folder, samples_file, samples, manifest, lock);
        Ok(Self { counts, kernel_times, ..journal })
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
        Self {
            folder: folder.to_path_buf(),
            samples_file,
            samples,
            history,
            counts: Vec::new(),
            kernel_times: Vec::new(),
            manifest,
            _lock: lock,
        }
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

    /// What was counted on the emulated device.
    pub fn counts(&self) -> &[CountRow] {
        &self.counts
    }

    /// Adds what was counted of a cell, in the place of what was counted of it before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add_counts(&mut self, rows: Vec<CountRow>) -> Result<(), JournalError> {
        self.counts.retain(|known| !rows.iter().any(|row| row.is_of(known)));
        self.counts.extend(rows);
        Ok(replace_rows(&self.folder.join("counts.csv"), &self.counts)?)
    }

    /// The times of kernels.
    pub fn kernel_times(&self) -> &[KernelTimeRow] {
        &self.kernel_times
    }

    /// Adds the times of a cell's kernels.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn add_kernel_times(&mut self, cell: &CellId, rows: Vec<KernelTimeRow>) -> Result<(), JournalError> {
        self.kernel_times.retain(|known| !known.is_of(cell));
        self.kernel_times.extend(rows);
        Ok(replace_rows(&self.folder.join("kernels.csv"), &self.kernel_times)?)
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

    /// Notes that the run is continued by `build`. Written with the environment, once that turns out to be the same.
    pub fn note_resumption(&mut self, time: String, build: Build) {
        self.manifest.resumed.push(time);
        self.manifest.build = build;
    }

    /// Takes back a run that was just created and in which nothing was measured: its files go, and so does the folder if
    /// it holds nothing else.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn withdraw(self) -> Result<(), JournalError> {
        let kept = self.manifest.experiment.kept_graph.iter().map(|graph| graph.place_in(&self.folder));
        let records = ["samples.csv", "manifest.json", ".lock"].map(|name| self.folder.join(name));
        let removed = records.into_iter().chain(kept).try_for_each(|path| {
            std::fs::remove_file(&path).map_err(|source| RecordError::Write { path, source })
        });
        removed?;
        // What else is in it was there before.
        let _ = std::fs::remove_dir(&self.folder);
        Ok(())
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
        Ok(write_manifest(&self.folder, &self.manifest)?)
    }

    /// One row a cell of `cells` about which there is something to say.
    pub fn summary(&self, cells: &[CellId]) -> Vec<SummaryRow> {
        stored::summary(&self.manifest, &self.samples, cells)
    }

    /// Everything that is derived from the records so far, for the cells of `cells`.
    pub fn results(&self, cells: &[CellId]) -> Results {
        let (counts, kernel_times) = (self.counts.clone(), self.kernel_times.clone());
        stored::derive(&self.manifest, &self.samples, cells, counts, kernel_times)
    }

    /// Writes `summary.csv`, `table.md` and, where other clocks than the usual were read, `scopes.csv` from the samples so far, and makes sure that those are on the disk.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write_derived(&self, cells: &[CellId]) -> Result<(), JournalError> {
        let path = self.folder.join("samples.csv");
        self.samples_file.sync_data().map_err(|source| RecordError::Write { path, source })?;
        let results = self.results(cells);
        write_atomically(&self.folder.join("summary.csv"), &write_rows(&results.summary, true))?;
        if !results.scopes.is_empty() {
            write_atomically(&self.folder.join("scopes.csv"), &write_rows(&results.scopes, true))?;
        }
        let markdown = tables::tables(&self.manifest, &results).markdown();
        write_atomically(&self.folder.join("table.md"), markdown.as_bytes())?;
        Ok(())
    }
}

/// Puts a graph that cannot be read again into the folder, where the worker and whoever resumes the run find it.
fn keep_graph(folder: &Path, experiment: &Experiment) -> Result<(), JournalError> {
    let Some(graph) = &experiment.kept_graph else { return Ok(()) };
    let path = graph.place_in(folder);
    if path.exists() {
        return Err(JournalError::GraphInTheWay(path));
    }
    Ok(graph.write_into(folder)?)
}

/// The header line of `samples.csv`.
fn header() -> Vec<u8> {
    let row = SampleRow::without_time(&CellId::default(), 0, crate::record::Status::Ok, "");
    let mut text = write_rows(&[row], true);
    let end = text.iter().position(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    text.truncate(end);
    text
}

/// Opens the samples and cuts off what follows `length` bytes; of none, the header is written.
fn open_for_append(path: &Path, length: u64) -> Result<File, RecordError> {
    let open = || {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        file.set_len(length)?;
        Ok(file)
    };
    let mut file = open().map_err(|source| RecordError::Write { path: path.to_path_buf(), source })?;
    if length == 0 {
        append_text(&mut file, path, &header())?;
    }
    Ok(file)
}

fn write_manifest(folder: &Path, manifest: &Manifest<Experiment>) -> Result<(), RecordError> {
    let path = folder.join("manifest.json");
    let mut text = serde_json::to_vec_pretty(manifest)
        .map_err(|error| RecordError::Malformed { path: path.clone(), problem: error.to_string() })?;
    text.push(b'\n');
    write_atomically(&path, &text)
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
