//! A run as it lies on the disk, read whole and left unchanged, and what follows from its records.

use super::{CellFacts, CellTimes, SummaryRow, Times, VariantTable, host_findings};
use crate::plan::GraphSource;
use crate::published::published_papers;
use crate::store::{
    DeviceRecord, Environment, ExtraRows, HostWarning, Journal, JournalError, Manifest, Purpose, Records,
    SampleRow, cells, read,
};
use repro_base::CellId;
use repro_graph::ElementType;
use repro_solvers::ImplementationFile;
use repro_timing::Scope;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The records of one run and what follows from them.
#[derive(Clone, Debug)]
pub struct StoredRun {
    pub folder: PathBuf,
    pub manifest: Manifest,
    /// All rows, in the order in which they were measured.
    pub samples: Vec<SampleRow>,
    pub results: Results,
    /// How many of the last parts of its path make its name.
    pub parts: usize,
    /// Bytes at the end of `samples.csv` that are no whole sample: a kill tore them off.
    pub torn_bytes: u64,
}

impl StoredRun {
    /// Reads the run in `folder`.
    ///
    /// # Errors
    /// When there is none, another version wrote it, or a record in it is damaged or was changed after the run had finished: the file,
    /// what is wrong with it and the remedy.
    pub fn open(folder: &Path) -> Result<Self, JournalError> {
        let Records { manifest, samples, rows } = read(folder)?;
        let torn_bytes = samples.torn().len() as u64;
        Ok(Self { torn_bytes, ..Self::with(folder, manifest, samples.rows, rows) })
    }

    /// The run that a journal holds, as it is so far.
    pub fn of(journal: &Journal) -> Self {
        let (manifest, samples) = (journal.manifest().clone(), journal.samples().to_vec());
        Self::with(journal.folder(), manifest, samples, journal.rows().clone())
    }

    /// A run with these records.
    fn with(folder: &Path, manifest: Manifest, samples: Vec<SampleRow>, rows: ExtraRows) -> Self {
        let results = Results::new(&manifest, &samples, &cells(&manifest), rows);
        let folder = folder.to_path_buf();
        Self { folder, manifest, samples, results, parts: 1, torn_bytes: 0 }
    }

    /// Opens a run whose times are to be judged: not a smoke run.
    ///
    /// # Errors
    /// As [`Self::open`], or when it is a smoke run.
    pub fn open_measurement(folder: &Path) -> Result<Self, JournalError> {
        let run = Self::open(folder)?;
        match run.manifest.purpose {
            Purpose::Measurement => Ok(run),
            Purpose::Smoke => Err(JournalError::Smoke(folder.to_path_buf())),
        }
    }

    /// What reports call the run: its folder's name, with as many of the folders above as [`disambiguate_names`] needed.
    pub fn name(&self) -> String {
        last_parts(&self.folder, self.parts)
    }

    /// Where its samples come from. None where no worker had looked at the machine before it ended.
    pub fn environment(&self) -> Option<&Environment> {
        self.manifest.environment.as_ref()
    }

    /// This run with other samples, and what follows from them.
    #[must_use]
    pub fn with_samples(self, samples: Vec<SampleRow>) -> Self {
        let results = Results::new(&self.manifest, &samples, &cells(&self.manifest), self.results.extra);
        Self { samples, results, ..self }
    }

    /// What is known of one of its cells.
    pub fn cell(&self, id: &CellId) -> &CellTimes {
        self.results.times.cell(id)
    }

    /// The row of a cell in its summary.
    pub fn row(&self, id: &CellId) -> Option<&SummaryRow> {
        self.results.summary.get(*self.results.rows.get(id)?)
    }

    /// The rows of the samples that this clock read, cell by cell.
    pub fn valid_rows(&self, scope: Scope) -> impl Iterator<Item = &SampleRow> {
        self.results.times.by(scope).flat_map(|(_, timed)| timed.rows(&self.samples))
    }

    /// The samples whose results were compared with the reference, and whether each was right. Of a cell that ended in a failure only the
    /// wrong results: the others may have been right by luck.
    pub fn judged(&self) -> impl Iterator<Item = (&SampleRow, bool)> {
        let samples = self.samples.iter().filter(|row| row.scope == Scope::Kernel);
        samples.filter_map(|row| {
            let is_right = row.is_right()?;
            (!is_right || !self.cell(&row.cell()).failed).then_some((row, is_right))
        })
    }

    /// Whether `implementation` is a program that uses a GPU itself, according to the adapter that the run keeps.
    pub fn is_program_on_gpu(&self, implementation: &str) -> bool {
        let adapter = self.manifest.experiment.given.iter().find(|given| given.name == implementation);
        adapter.is_some_and(ImplementationFile::is_program_on_gpu)
    }

    /// Whether an implementation ran on a device, or would have.
    pub fn is_on_device(&self, implementation: &str) -> bool {
        self.results.facts.is_on_device(implementation)
    }

    /// Whether what `row` sums up ran on a GPU, or would have.
    pub fn is_on_gpu(&self, row: &SummaryRow) -> bool {
        match row.program_s {
            Some(_) => self.is_program_on_gpu(&row.implementation),
            None => self.is_on_device(&row.implementation),
        }
    }

    /// What the run found out about its host, as far as its records tell.
    pub fn host_findings(&self) -> Vec<HostWarning> {
        host_findings(&self.manifest.host_findings, &self.results.summary)
    }

    /// The graph that its cells call `name`.
    pub fn graph_source(&self, name: &str) -> Option<&GraphSource> {
        self.manifest.experiment.graph(name).map(|graph| &graph.source)
    }

    /// Tasks of a solve of a cell.
    pub fn tasks(&self, id: &CellId) -> f64 {
        self.results.facts.tasks(id, self.manifest.experiment.graph(&id.graph))
    }

    /// Hash of the kernels that a cell ran with; none on the CPU.
    pub fn source_hash(&self, id: &CellId) -> Option<&str> {
        self.results.facts.variant(id)?.source_hash.as_deref()
    }

    /// Whether its GPU cells ran on the emulated device, which has no clock.
    pub fn is_emulated(&self) -> bool {
        self.device().is_some_and(|device| device.info.emulated)
    }

    /// The device, emulated or not, that it had. None for a run on the CPU.
    pub fn device(&self) -> Option<&DeviceRecord> {
        self.environment()?.device.as_ref()
    }
}

/// What is derived from a run's records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    pub summary: Vec<SummaryRow>,
    /// Where the row of each cell is in the summary.
    pub rows: BTreeMap<CellId, usize>,
    /// What each clock read.
    pub times: Times,
    /// What the run recorded of its implementations.
    pub facts: VariantTable,
    /// What it recorded in addition to samples; of the GPU's own counters only the rows of the GPU that the run was on.
    pub extra: ExtraRows,
}

impl Results {
    /// What follows from the records of a run, for the cells of `cells`.
    pub fn new(manifest: &Manifest, samples: &[SampleRow], cells: &[CellId], mut extra: ExtraRows) -> Self {
        let (environment, experiment) = (manifest.environment.as_ref(), &manifest.experiment);
        let gpu = environment.and_then(|one| Some(&one.gpu()?.info.uuid));
        extra.counters.retain(|row| Some(&row.gpu) == gpu);
        let recorded = environment.map_or(&[][..], |environment| &environment.implementations);
        let (times, facts) = (Times::of(samples), VariantTable::of(recorded));
        // The embedded files are tested; a run does not end because of one.
        let of_id = |id: &String| published_papers().ok()?.iter().find(|paper| paper.id == *id);
        let paper = experiment.paper.as_ref().and_then(of_id);
        let table = paper.and_then(|paper| paper.table(experiment.table.as_deref()?));
        let summarized = |cell: &CellId| {
            let graph = experiment.graph(&cell.graph);
            let element = experiment.element_of(&cell.graph);
            // Papers and models of traffic speak of words of four bytes.
            let (is_of_papers, share) = (element == ElementType::F32, element.bytes() as f64 / 4.0);
            let recorded = facts.variant(cell);
            let of_cell = CellFacts {
                published_s: table
                    .filter(|_| is_of_papers)
                    .and_then(|table| table.seconds(&cell.implementation, cell.n)),
                tasks: Some(facts.tasks(cell, graph)),
                bytes_a_task: recorded.map(|facts| facts.bytes_per_task * share),
                bytes_a_task_paper: recorded
                    .filter(|_| is_of_papers)
                    .and_then(|facts| facts.bytes_per_task_paper),
            };
            SummaryRow::new(cell, &times, samples, of_cell)
        };
        let summary: Vec<SummaryRow> = cells.iter().filter_map(summarized).collect();
        let rows = summary.iter().enumerate().map(|(at, row)| (row.cell(), at)).collect();
        Self { summary, rows, times, facts, extra }
    }
}

/// Gives runs whose folders have the same name longer names, until all names differ or their paths end.
pub fn disambiguate_names(runs: &mut [StoredRun]) {
    /// Deeper than anyone nests results.
    const MOST_PARTS: usize = 8;
    for _ in 1..MOST_PARTS {
        let names: Vec<String> = runs.iter().map(StoredRun::name).collect();
        for (at, run) in runs.iter_mut().enumerate() {
            if names.iter().filter(|name| **name == names[at]).count() > 1 {
                run.parts += 1;
            }
        }
    }
}

/// The last parts of a path; the whole of it where it has no more.
fn last_parts(folder: &Path, parts: usize) -> String {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let above = folder.components().count().saturating_sub(parts);
    // Where only the root would be left out, it is part of the name.
    let all: PathBuf = folder.components().skip(if above == 1 && parts > 1 { 0 } else { above }).collect();
    all.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    fn run(folder: &str) -> StoredRun {
        let reference =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/reference/emulated/structure");
        StoredRun { folder: folder.into(), ..StoredRun::open(&reference).unwrap() }
    }

    #[test]
    fn runs_of_the_same_name_are_told_apart_by_the_folders_above() {
        let mut runs = ["/a/x/table1", "/a/y/table1", "/b/y/table1", "/a/timers"].map(run);
        disambiguate_names(&mut runs);
        assert_eq!(runs.map(|run| run.name()), ["x/table1", "/a/y/table1", "/b/y/table1", "timers"]);
    }
}
