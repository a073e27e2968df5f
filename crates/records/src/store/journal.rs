//! The folder of a run: what is there, what is added, and that nobody else adds to it.

use crate::plan::Experiment;
use crate::store::digests::{FILES, manifest_text};
use crate::store::folder::{MadeFolders, RunLock};
use crate::store::further::{COUNTS, DEVICES, KERNELS, REPEATS};
use crate::store::history::{CellHistory, History};
use crate::store::read::{self, Records};
use crate::store::run_files::{MANIFEST, RunFiles};
use crate::store::{
    Build, CountRow, DeviceTimeRow, Environment, FurtherRows, HostFinding, KernelTimeRow, Manifest, Pair,
    RecordError, RepeatsRow, SampleRow, Side, Status, Together, replace, run_files, write_atomically,
    write_rows,
};
use repro_base::CellId;
use repro_base::files::refuse_links;
use serde::Serialize;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a folder cannot hold or continue a run.
#[derive(Debug, Error)]
pub enum JournalError {
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("{} holds another run: choose another folder with --out, or continue what `repro run` began there with --resume", .0.display())]
    Occupied(PathBuf),
    #[error("{} has {name:?}, which is of no run and which this one would replace: choose another folder with --out", .folder.display())]
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
    Paired { path: PathBuf, side: Side, id: String },
    #[error("{} is a smoke run: its sizes are too small to judge anything by; measure without --smoke", .0.display())]
    Smoke(PathBuf),
    #[error("{} was {change} after its run had finished: bring the run back from version control, or measure again", path.display())]
    Changed { path: PathBuf, change: &'static str },
}

/// What is derived from the records.
const SUMMARY: &str = "summary.csv";
const SCOPES: &str = "scopes.csv";
const TABLE: &str = "table.md";
/// What is made from the records of a run, in its folder.
const DERIVED: [&str; 3] = [SUMMARY, SCOPES, TABLE];

/// What follows from the records of a run, made by whoever shows it: the bytes of the files that hold it, and what it says of the host.
#[derive(Clone, Debug, Default)]
pub struct Derived {
    /// `summary.csv`.
    pub summary: Vec<u8>,
    /// `scopes.csv`, where other clocks than the usual were read.
    pub scopes: Option<Vec<u8>>,
    /// `table.md`.
    pub table: Vec<u8>,
    pub host_findings: Vec<HostFinding>,
}

/// An open run folder. One that was opened to be continued is changed in nothing until something is added to it: whoever refuses
/// before leaves every byte as it was.
pub struct Journal {
    folder: PathBuf,
    files: RunFiles,
    samples: Vec<SampleRow>,
    history: History,
    rows: FurtherRows,
    manifest: Manifest,
    /// Where that is kept which was cut off the samples.
    kept: Option<PathBuf>,
    // Held until the journal is dropped or the process ends, however it ends.
    _lock: RunLock,
    // After the lock, whose file is in them.
    _folders: MadeFolders,
}

impl Journal {
    /// Starts a run in `folder`, which is created.
    ///
    /// # Errors
    /// When it holds a run already, something with the name of what is made from one, or a link, or cannot be written. Nothing is then left of what was made for it.
    pub fn create(folder: &Path, mut manifest: Manifest) -> Result<Self, JournalError> {
        refuse_links(folder).map_err(RecordError::write(folder))?;
        let folders = MadeFolders::make(folder).map_err(RecordError::write(folder))?;
        let lock = RunLock::take(folder)?;
        if FILES.into_iter().chain([MANIFEST]).any(|name| folder.join(name).exists()) {
            return Err(JournalError::Occupied(folder.to_path_buf()));
        }
        if let Some(name) = DERIVED.into_iter().find(|name| folder.join(name).exists()) {
            return Err(JournalError::Foreign { folder: folder.to_path_buf(), name });
        }
        keep_graph(folder, &manifest.experiment)?;
        let files = manifest_text(folder, &mut manifest).and_then(|text| RunFiles::create(folder, &text));
        let files = files.inspect_err(|_| {
            // The first error is the one to report.
            let _ = run_files::remove(folder);
            let _ = remove_graph(folder, &manifest.experiment);
        })?;
        Ok(Self::open(folder, files, manifest, lock, folders))
    }

    /// Opens the run in `folder` to continue it. Nothing in it changes before something is added.
    ///
    /// # Errors
    /// When there is none, it cannot be read, it is one of a pair, or something in it is a link: the folder may come from anybody, and what is
    /// written to it stays there.
    pub fn resume(folder: &Path) -> Result<Self, JournalError> {
        if !folder.join(MANIFEST).exists() {
            return Err(JournalError::Empty(folder.to_path_buf()));
        }
        refuse_links(folder).map_err(RecordError::write(folder))?;
        let lock = RunLock::take(folder)?;
        let Records { manifest, samples, rows: further } = read::read(folder)?;
        if let Some(Pair { id, side }) = manifest.pair {
            return Err(JournalError::Paired { path: folder.to_path_buf(), side, id });
        }
        let rows = samples.rows.clone();
        let files = RunFiles::found(folder, samples);
        let mut journal = Self::open(folder, files, manifest, lock, MadeFolders::default());
        journal.history.add(&rows);
        (journal.samples, journal.rows) = (rows, further);
        Ok(journal)
    }

    /// Of a run without a row.
    fn open(folder: &Path, files: RunFiles, manifest: Manifest, lock: RunLock, folders: MadeFolders) -> Self {
        Self {
            folder: folder.to_path_buf(),
            files,
            samples: Vec::new(),
            history: History::default(),
            rows: FurtherRows::default(),
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
        &self.samples
    }

    /// What the rows say of each cell.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Where that is kept which was cut off `samples.csv` when the run was continued, since a kill had torn it.
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

    /// Makes a run that was opened to be continued one that is written to.
    fn begin(&mut self) -> Result<(), JournalError> {
        if self.files.is_open() {
            return Ok(());
        }
        if self.is_over() {
            return Err(JournalError::Finished(self.folder.clone()));
        }
        self.kept = self.files.open()?;
        self.change_manifest(|_| {})
    }

    /// Appends the rows of one sample and hands them to the operating system before returning.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn append(&mut self, rows: Vec<SampleRow>) -> Result<(), JournalError> {
        self.begin()?;
        self.files.append(&rows)?;
        self.history.add(&rows);
        self.samples.extend(rows);
        Ok(())
    }

    /// The rows of the run other than its samples.
    pub fn rows(&self) -> &FurtherRows {
        &self.rows
    }

    /// Adds what was counted of a cell, in the place of what was counted of it before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add_counts(&mut self, rows: Vec<CountRow>) -> Result<(), JournalError> {
        self.add(COUNTS, |all| &mut all.counts, rows, CountRow::is_of)
    }

    /// Adds the times of a cell's kernels.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn add_kernel_times(&mut self, rows: Vec<KernelTimeRow>) -> Result<(), JournalError> {
        self.add(KERNELS, |all| &mut all.kernel_times, rows, |row, known| row.cell() == known.cell())
    }

    /// Adds what came of repeating a cell's solve.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add_repeats(&mut self, row: RepeatsRow) -> Result<(), JournalError> {
        self.add(REPEATS, |all| &mut all.repeats, vec![row], |row, known| row.cell() == known.cell())
    }

    /// Adds where the time of a sample went, device by device.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add_device_times(&mut self, rows: Vec<DeviceTimeRow>) -> Result<(), JournalError> {
        if rows.is_empty() {
            return Ok(());
        }
        let of = |row: &DeviceTimeRow| (row.cell(), row.sample);
        self.add(DEVICES, |all| &mut all.devices, rows, |row, known| of(row) == of(known))
    }

    /// Adds `rows` to those of a file, in the place of those about the same, and replaces the file.
    fn add<Row: Serialize>(
        &mut self,
        file: &str,
        of: fn(&mut FurtherRows) -> &mut Vec<Row>,
        rows: Vec<Row>,
        is_same: impl Fn(&Row, &Row) -> bool,
    ) -> Result<(), JournalError> {
        self.begin()?;
        let all = of(&mut self.rows);
        all.retain(|known| !rows.iter().any(|row| is_same(row, known)));
        all.extend(rows);
        Ok(self.files.replace(file, &write_rows(all, true))?)
    }

    /// Notes where samples come from. In a run that is continued it is written with what is first added.
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
            environment.ceilings = earlier.ceilings.clone().best_of(environment.ceilings);
            // Cells that are done are not prepared again.
            if let Some(known) = &earlier.together {
                let together = environment.together.get_or_insert_with(Together::alone);
                known.transports.iter().for_each(|transport| {
                    together.add_transport(transport);
                });
            }
        }
        self.change_manifest(|manifest| manifest.environment = Some(environment))
    }

    /// Notes that the run is continued by `build`. Written with what is first added.
    pub fn note_resumption(&mut self, time: String, build: Build) {
        self.manifest.resumed.push(time);
        self.manifest.build = build;
    }

    /// Takes back a run that was just created and in which nothing was measured: its files go, and so do the folders that
    /// were made for it, if they hold nothing else.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn withdraw(self) -> Result<(), JournalError> {
        // The manifest before the graph: as long as it is there, the folder is a run.
        run_files::remove(&self.folder)?;
        for name in [SUMMARY, SCOPES, TABLE] {
            // What was derived of cells that were left out.
            let _ = std::fs::remove_file(self.folder.join(name));
        }
        Ok(remove_graph(&self.folder, &self.manifest.experiment)?)
    }

    /// Changes the manifest and writes it; that of a run that is continued is written with what is first added.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn change_manifest(&mut self, change: impl FnOnce(&mut Manifest)) -> Result<(), JournalError> {
        change(&mut self.manifest);
        if self.files.is_open() {
            let text = manifest_text(&self.folder, &mut self.manifest)?;
            self.files.replace(MANIFEST, &text)?;
        }
        Ok(())
    }

    /// Notes that every cell of `cells` was run, and writes what `derive` makes of it. The run has then finished, unless one failed: that
    /// is tried again when the run is continued. A finished run stays as it is.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(
        &mut self,
        time: String,
        cells: &[CellId],
        derive: impl FnOnce(&Self) -> Derived,
    ) -> Result<(), JournalError> {
        if self.is_over() {
            return Ok(());
        }
        // Of one that was stopped after its last sample, perhaps before what is derived was written, nothing is open yet.
        self.begin()?;
        let derived = derive(self);
        if !self.samples.is_empty() {
            self.write(&derived)?;
        }
        // More samples are of no use to what was given up as throttled or impossible.
        let is_settled = |cell: &CellHistory| {
            cell.is_timed() || !matches!(cell.last, Some(Status::Failed | Status::Timeout))
        };
        let finished = cells.iter().all(|cell| self.history.known(cell).is_some_and(is_settled));
        self.change_manifest(|manifest| {
            manifest.host_findings = derived.host_findings;
            manifest.finished = finished.then_some(time);
        })
    }

    /// Writes what `derive` makes of the samples so far next to them, and makes sure that those are on the disk. Nothing where nothing was
    /// added.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write_derived(&mut self, derive: impl FnOnce(&Self) -> Derived) -> Result<(), JournalError> {
        if !self.files.is_open() || self.samples.is_empty() {
            return Ok(());
        }
        self.write(&derive(self))
    }

    fn write(&mut self, derived: &Derived) -> Result<(), JournalError> {
        self.files.sync()?;
        write_atomically(&self.folder.join(SUMMARY), &derived.summary)?;
        let scopes = self.folder.join(SCOPES);
        match &derived.scopes {
            Some(rows) => write_atomically(&scopes, rows)?,
            // Of before the last cell with other clocks failed.
            None => repro_base::files::remove_if_there(&scopes).map_err(RecordError::write(&scopes))?,
        }
        Ok(write_atomically(&self.folder.join(TABLE), &derived.table)?)
    }
}

/// Puts a graph that cannot be read again into the folder, where the worker and whoever resumes the run find it.
fn keep_graph(folder: &Path, experiment: &Experiment) -> Result<(), JournalError> {
    let Some(graph) = &experiment.saved_graph else { return Ok(()) };
    let path = graph.place_in(folder);
    if path.exists() {
        return Err(JournalError::GraphInTheWay(path));
    }
    let written = replace(&path, |file| {
        graph.write_to(file)?;
        file.sync_all()
    });
    Ok(written?)
}

/// Takes it out again.
fn remove_graph(folder: &Path, experiment: &Experiment) -> Result<(), RecordError> {
    let Some(graph) = &experiment.saved_graph else { return Ok(()) };
    let path = graph.place_in(folder);
    std::fs::remove_file(&path).map_err(RecordError::write(&path))
}
