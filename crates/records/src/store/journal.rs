//! The folder of a run: reads what is there, adds to it, and locks out other writers.

use super::files::{RecordError, append_text, replace, write_atomically, write_rows};
use super::folder::{NewFolders, RunLock};
use super::history::{CellProgress, History};
use super::read::{self, FILES, MANIFEST, Records, SAMPLES, manifest_text};
use super::rows::{COUNTS, DEVICES, KERNELS, REPEATS};
use super::{
    BuildRole, CountRow, DeviceLinks, DeviceTimeRow, Environment, ExtraRows, HostWarning, KernelTimeRow,
    Manifest, PairMember, RepeatsRow, SampleFile, SampleRow, Status,
};
use crate::plan::Experiment;
use repro_base::CellId;
use repro_base::files::{refuse_links, remove_if_there};
use repro_graph::read::SavedGraph;
use serde::Serialize;
use std::fs::File;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a folder cannot hold or continue a run.
#[derive(Debug, Error)]
pub enum JournalError {
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("{} holds another run: choose another folder with --out; --resume continues a run of `repro run`", .0.display())]
    Occupied(PathBuf),
    #[error("{} contains {name:?}, which is not part of a run and would be overwritten: choose another folder with --out", .folder.display())]
    Foreign { folder: PathBuf, name: &'static str },
    #[error("{} holds no run (no manifest.json): check the path, or start one with --out", .0.display())]
    Empty(PathBuf),
    #[error("{} has finished, and a finished run is never altered: start a new run", .0.display())]
    Finished(PathBuf),
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
    Paired { path: PathBuf, side: BuildRole, id: String },
    #[error("{} is a smoke run: its sizes are too small to judge anything by; measure without --smoke", .0.display())]
    Smoke(PathBuf),
    #[error("{} was {change} after its run had finished: bring the run back from version control, or measure again", path.display())]
    Changed { path: PathBuf, change: &'static str },
}

/// Names of the files that are derived from the records.
const SUMMARY: &str = "summary.csv";
const SCOPES: &str = "scopes.csv";
const TABLE: &str = "table.md";
/// All of these: a new run is refused where one is there already.
const DERIVED: [&str; 3] = [SUMMARY, SCOPES, TABLE];

/// What the caller derives from the records of a run: the bytes of the derived files, and findings on the host.
#[derive(Clone, Debug, Default)]
pub struct DerivedFiles {
    /// `summary.csv`.
    pub summary: Vec<u8>,
    /// `scopes.csv`, where other clocks than the usual were read.
    pub scopes: Option<Vec<u8>>,
    /// `table.md`.
    pub table: Vec<u8>,
    pub host_findings: Vec<HostWarning>,
}

/// An open run folder. One that was opened to be continued stays unchanged until something is added to it, so that a caller that refuses
/// the run leaves every byte as it was.
pub struct Journal {
    folder: PathBuf,
    /// `samples.csv` as it was found, with the rows that were added since; what it lacks or has too much is repaired before anything is added.
    found: SampleFile,
    /// `samples.csv`, opened for appending once something is added.
    file: Option<File>,
    history: History,
    rows: ExtraRows,
    manifest: Manifest,
    /// The file that keeps the torn end that was cut off `samples.csv`.
    kept: Option<PathBuf>,
    // Held until the journal is dropped or the process ends, however it ends.
    _lock: RunLock,
    // Dropped after the lock, whose file is in these folders.
    _folders: NewFolders,
}

impl Journal {
    /// Starts a run in `folder`, which is created.
    ///
    /// # Errors
    /// When it holds a run, a file with the name of a derived one, or a link, or cannot be written. What was made for it is then removed.
    pub fn create(folder: &Path, manifest: Manifest) -> Result<Self, JournalError> {
        refuse_links(folder).map_err(RecordError::write(folder))?;
        let folders = NewFolders::make(folder).map_err(RecordError::write(folder))?;
        let lock = RunLock::acquire(folder)?;
        if FILES.into_iter().chain([MANIFEST]).any(|name| folder.join(name).exists()) {
            return Err(JournalError::Occupied(folder.to_path_buf()));
        }
        if let Some(name) = DERIVED.into_iter().find(|name| folder.join(name).exists()) {
            return Err(JournalError::Foreign { folder: folder.to_path_buf(), name });
        }
        keep_graph(folder, &manifest.experiment)?;
        let mut journal = Self::open(folder, SampleFile::default(), manifest, lock, folders);
        // First the manifest, which makes the folder a run that can be resumed, whatever happens next.
        let made = journal.write_manifest().and_then(|()| journal.open_samples());
        if made.is_err() {
            // The first error is the one to report.
            let _ = journal.remove();
        }
        made.map(|()| journal)
    }

    /// Opens the run in `folder` to continue it. Nothing in it changes before something is added.
    ///
    /// # Errors
    /// When there is none, it cannot be read, it is one of a pair, or something in it is a link: the folder may come from anybody, and
    /// nothing may be written outside it.
    pub fn resume(folder: &Path) -> Result<Self, JournalError> {
        if !folder.join(MANIFEST).exists() {
            return Err(JournalError::Empty(folder.to_path_buf()));
        }
        refuse_links(folder).map_err(RecordError::write(folder))?;
        let lock = RunLock::acquire(folder)?;
        let Records { manifest, samples, rows: extra } = read::read(folder)?;
        if let Some(PairMember { id, side }) = manifest.pair {
            return Err(JournalError::Paired { path: folder.to_path_buf(), side, id });
        }
        let mut journal = Self::open(folder, samples, manifest, lock, NewFolders::default());
        journal.rows = extra;
        journal.history.add(&journal.found.rows);
        Ok(journal)
    }

    /// The journal of this run, with its history and extra rows still empty.
    fn open(
        folder: &Path,
        found: SampleFile,
        manifest: Manifest,
        lock: RunLock,
        folders: NewFolders,
    ) -> Self {
        Self {
            folder: folder.to_path_buf(),
            found,
            file: None,
            history: History::default(),
            rows: ExtraRows::default(),
            manifest,
            kept: None,
            _lock: lock,
            _folders: folders,
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// All rows, in the order in which they were measured.
    pub fn samples(&self) -> &[SampleRow] {
        &self.found.rows
    }

    /// What the rows say of each cell.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The file that keeps the end of `samples.csv` that a kill had torn, and that was cut off when the run was continued.
    pub fn salvaged(&self) -> Option<&Path> {
        self.kept.as_deref()
    }

    /// Whether the run has finished, and nothing is added to it any more: each of its cells was measured, counted, left out for a
    /// reason, or given up.
    pub fn is_over(&self) -> bool {
        self.manifest.finished.is_some()
    }

    /// How many of `cells` have no valid time although they should.
    pub fn failed(&self, cells: &[CellId]) -> usize {
        let known = cells.iter().filter_map(|cell| self.history.known(cell));
        known
            .filter(|cell| !cell.is_timed() && !matches!(cell.last, Some(Status::Skipped | Status::Counted)))
            .count()
    }

    /// Opens a run that is continued for writing, before its first addition.
    fn begin(&mut self) -> Result<(), JournalError> {
        if self.file.is_some() {
            return Ok(());
        }
        if self.is_over() {
            return Err(JournalError::Finished(self.folder.clone()));
        }
        self.open_samples()?;
        self.write_manifest()
    }

    fn open_samples(&mut self) -> Result<(), JournalError> {
        let (file, kept) = self.found.open(&self.folder.join(SAMPLES))?;
        (self.file, self.kept) = (Some(file), kept);
        Ok(())
    }

    /// Appends the rows of one sample and hands them to the operating system before returning.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn append(&mut self, rows: Vec<SampleRow>) -> Result<(), JournalError> {
        self.begin()?;
        if let Some(file) = &mut self.file {
            append_text(file, &self.folder.join(SAMPLES), &write_rows(&rows, false))?;
        }
        self.history.add(&rows);
        self.found.rows.extend(rows);
        Ok(())
    }

    /// The rows of the run other than its samples.
    pub fn rows(&self) -> &ExtraRows {
        &self.rows
    }

    /// Adds what was counted of a cell's kernels, in place of earlier counts of the same kernels.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add_counts(&mut self, rows: Vec<CountRow>) -> Result<(), JournalError> {
        let of = |row: &CountRow| (row.cell.clone(), row.kernel.clone());
        self.add(COUNTS, |all| &mut all.counts, rows, of)
    }

    /// Adds the times of a cell's kernels.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn add_kernel_times(&mut self, rows: Vec<KernelTimeRow>) -> Result<(), JournalError> {
        self.add(KERNELS, |all| &mut all.kernel_times, rows, |row| row.cell.clone())
    }

    /// Adds the outcome of a cell's solves made one after another.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add_repeats(&mut self, row: RepeatsRow) -> Result<(), JournalError> {
        self.add(REPEATS, |all| &mut all.repeats, vec![row], |row| row.cell.clone())
    }

    /// Adds where the time of a sample went, device by device.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add_device_times(&mut self, rows: Vec<DeviceTimeRow>) -> Result<(), JournalError> {
        if rows.is_empty() {
            return Ok(());
        }
        self.add(DEVICES, |all| &mut all.devices, rows, |row| (row.cell.clone(), row.sample))
    }

    /// Adds `rows` to those of `file`, in place of rows with the same key, and replaces the file.
    fn add<Row: Serialize, Key: PartialEq>(
        &mut self,
        file: &str,
        of: fn(&mut ExtraRows) -> &mut Vec<Row>,
        rows: Vec<Row>,
        key: impl Fn(&Row) -> Key,
    ) -> Result<(), JournalError> {
        self.begin()?;
        let all = of(&mut self.rows);
        all.retain(|known| !rows.iter().any(|row| key(row) == key(known)));
        all.extend(rows);
        Ok(write_atomically(&self.folder.join(file), &write_rows(all, true))?)
    }

    /// Notes where samples come from. In a run that is continued it is written with the first addition.
    ///
    /// # Errors
    /// When earlier samples of this run come from elsewhere.
    pub fn set_environment(&mut self, mut environment: Environment) -> Result<(), JournalError> {
        if let Some(earlier) = &self.manifest.environment {
            let differs = earlier.differences(&environment);
            if !differs.is_empty() && !self.found.rows.is_empty() {
                let differs = differs.join(" and another ");
                return Err(JournalError::Differs { path: self.folder.clone(), differs });
            }
            environment.ceilings = earlier.ceilings.clone().best_of(environment.ceilings);
            // Cells that are done are not prepared again: their transports are known from before alone.
            if let Some(known) = &earlier.together {
                let together = environment.together.get_or_insert_with(DeviceLinks::alone);
                known.transports.iter().for_each(|transport| {
                    together.add_transport(transport);
                });
            }
        }
        self.change_manifest(|manifest| manifest.environment = Some(environment))
    }

    /// Takes back a run that was just created and in which nothing was measured: its files go, and so do the folders that
    /// were made for it, if they hold nothing else.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn discard_empty(self) -> Result<(), JournalError> {
        self.remove()
    }

    fn remove(&self) -> Result<(), JournalError> {
        // The manifest after the records and before the graph: as long as it is there, the folder is a run. Derived files are there where
        // cells were left out.
        let graph = self.manifest.experiment.saved_graph.as_ref().map(SavedGraph::name);
        let names = FILES.into_iter().chain(DERIVED).chain([MANIFEST]).chain(graph);
        for path in names.map(|name| self.folder.join(name)) {
            remove_if_there(&path).map_err(RecordError::write(&path))?;
        }
        Ok(())
    }

    /// Changes the manifest and writes it; in a run that is continued it is written with the first addition.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn change_manifest(&mut self, change: impl FnOnce(&mut Manifest)) -> Result<(), JournalError> {
        change(&mut self.manifest);
        if self.file.is_some() { self.write_manifest() } else { Ok(()) }
    }

    fn write_manifest(&mut self) -> Result<(), JournalError> {
        let text = manifest_text(&self.folder, &mut self.manifest)?;
        Ok(write_atomically(&self.folder.join(MANIFEST), &text)?)
    }

    /// Notes that every cell of `cells` was run, and writes what `derive` makes of it. The run has then finished, unless a cell failed,
    /// which is tried again when the run is continued. A finished run stays as it is.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(
        &mut self,
        time: String,
        cells: &[CellId],
        derive: impl FnOnce(&Self) -> DerivedFiles,
    ) -> Result<(), JournalError> {
        if self.is_over() {
            return Ok(());
        }
        // In a run that was stopped after its last sample, perhaps before derived files were written, nothing is open yet.
        self.begin()?;
        let derived = derive(self);
        self.write(&derived)?;
        // A cell that was given up as throttled or impossible is settled, too: more samples are of no use.
        let is_settled = |cell: &CellProgress| {
            cell.is_timed() || !matches!(cell.last, Some(Status::Failed | Status::Timeout))
        };
        let finished = cells.iter().all(|cell| self.history.known(cell).is_some_and(is_settled));
        self.change_manifest(|manifest| {
            manifest.host_findings = derived.host_findings;
            manifest.finished = finished.then_some(time);
        })
    }

    /// Writes the files that `derive` makes of the samples so far, after making sure that the samples are on the disk. Does nothing where
    /// nothing was added.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write_derived(&mut self, derive: impl FnOnce(&Self) -> DerivedFiles) -> Result<(), JournalError> {
        if self.file.is_some() { self.write(&derive(self)) } else { Ok(()) }
    }

    fn write(&self, derived: &DerivedFiles) -> Result<(), JournalError> {
        if self.found.rows.is_empty() {
            return Ok(());
        }
        let synced = self.file.as_ref().map_or(Ok(()), File::sync_data);
        synced.map_err(RecordError::write(&self.folder.join(SAMPLES)))?;
        write_atomically(&self.folder.join(SUMMARY), &derived.summary)?;
        let scopes = self.folder.join(SCOPES);
        match &derived.scopes {
            Some(rows) => write_atomically(&scopes, rows)?,
            // A file from before the last cell with other clocks failed.
            None => remove_if_there(&scopes).map_err(RecordError::write(&scopes))?,
        }
        Ok(write_atomically(&self.folder.join(TABLE), &derived.table)?)
    }
}

/// Puts a graph that cannot be read again into the folder, where the worker and whoever resumes the run find it.
fn keep_graph(folder: &Path, experiment: &Experiment) -> Result<(), JournalError> {
    let Some(graph) = &experiment.saved_graph else { return Ok(()) };
    let path = folder.join(graph.name());
    if path.exists() {
        return Err(JournalError::GraphInTheWay(path));
    }
    let written = replace(&path, |file| {
        graph.write_to(file)?;
        file.sync_all()
    });
    Ok(written?)
}
