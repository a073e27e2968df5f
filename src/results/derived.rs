//! What follows from the records of a run.

use crate::graph::ElementType;
use crate::plan::Experiment;
use crate::published::{PublishedPaper, PublishedTable, published_papers};
use crate::results::{CellFacts, Facts, SummaryRow, Times, before, summarize};
use crate::store::{
    CountRow, DeviceTimeRow, FurtherRows, Journal, KernelTimeRow, Manifest, RepeatsRow, SampleRow,
};
use repro_types::CellId;

/// What is derived from a run's records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    pub summary: Vec<SummaryRow>,
    /// What each clock read.
    pub times: Times,
    /// What the run recorded of its implementations.
    pub facts: Facts,
    pub kernel_times: Vec<KernelTimeRow>,
    pub counts: Vec<CountRow>,
    pub repeats: Vec<RepeatsRow>,
    pub devices: Vec<DeviceTimeRow>,
}

impl Results {
    /// Of a run that is still written to, for the cells of `cells`.
    pub fn of(journal: &Journal, cells: &[CellId]) -> Self {
        derive(journal.manifest(), journal.samples(), cells, journal.rows().clone())
    }
}

/// The paper's table that an experiment reproduces.
pub fn published_table(experiment: &Experiment) -> Option<PublishedTable> {
    published_paper(experiment)?.table(experiment.table.as_deref()?).cloned()
}

pub fn published_paper(experiment: &Experiment) -> Option<PublishedPaper> {
    let id = experiment.paper.as_deref()?;
    // The embedded files are tested; a run does not end because of one.
    published_papers().ok()?.into_iter().find(|paper| paper.id == id)
}

/// What follows from the records of a run, for the cells of `cells`.
pub fn derive(
    manifest: &Manifest<Experiment>,
    samples: &[SampleRow],
    cells: &[CellId],
    rows: FurtherRows,
) -> Results {
    let FurtherRows { mut counts, kernel_times, repeats, devices } = rows;
    for row in counts.iter_mut().filter(|row| row.tasks.is_none()) {
        row.tasks = before::tasks(row);
    }
    let (times, facts) = (Times::of(samples), Facts::of(manifest));
    Results {
        summary: summarized(manifest, samples, (&times, &facts), cells),
        times,
        facts,
        kernel_times,
        counts,
        repeats,
        devices,
    }
}

/// One row a cell of `cells` about which there is something to say.
pub fn summary(manifest: &Manifest<Experiment>, samples: &[SampleRow], cells: &[CellId]) -> Vec<SummaryRow> {
    summarized(manifest, samples, (&Times::of(samples), &Facts::of(manifest)), cells)
}

fn summarized(
    manifest: &Manifest<Experiment>,
    samples: &[SampleRow],
    (times, facts): (&Times, &Facts),
    cells: &[CellId],
) -> Vec<SummaryRow> {
    let table = published_table(&manifest.experiment);
    let of_cell = |cell: &CellId| CellFacts {
        published_s: table.as_ref().and_then(|table| table.seconds(&cell.implementation, cell.n)),
        bytes_a_task: facts.variant(cell.variant()).and_then(|facts| facts.bytes_a_task),
        bytes_a_task_paper: facts.variant(cell.variant()).and_then(|facts| facts.bytes_a_task_paper),
    };
    let mut rows = summarize(cells, samples, times, &of_cell);
    for row in &mut rows {
        let element = manifest.experiment.element_of(&row.graph);
        if element != ElementType::F32 {
            // Papers and models of traffic speak of words of four bytes.
            let share = element.bytes() as f64 / size_of::<f32>() as f64;
            row.effective_gbs = row.effective_gbs.map(|gbs| gbs * share);
            (row.effective_gbs_paper, row.published_s) = (None, None);
        }
    }
    rows
}
