//! What follows from the records of a run.

use crate::plan::Experiment;
use crate::published::{PublishedPaper, PublishedTable, published_papers};
use crate::results::{CellFacts, Facts, SummaryRow, Times};
use crate::store::{
    CountRow, CounterRow, DeviceTimeRow, FurtherRows, Journal, KernelTimeRow, Manifest, RepeatsRow, SampleRow,
};
use repro_base::CellId;
use repro_graph::ElementType;
use std::collections::BTreeMap;

/// What is derived from a run's records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    pub summary: Vec<SummaryRow>,
    /// Where the row of each cell is in the summary.
    pub rows: BTreeMap<CellId, usize>,
    /// What each clock read.
    pub times: Times,
    /// What the run recorded of its implementations.
    pub facts: Facts,
    pub kernel_times: Vec<KernelTimeRow>,
    pub counts: Vec<CountRow>,
    pub repeats: Vec<RepeatsRow>,
    pub devices: Vec<DeviceTimeRow>,
    /// Those of the GPU that the run was on.
    pub counters: Vec<CounterRow>,
}

impl Results {
    /// Of a run that is still written to, for the cells of `cells`.
    pub fn of(journal: &Journal, cells: &[CellId]) -> Self {
        derive(journal.manifest(), journal.samples(), cells, journal.rows().clone())
    }
}

/// The paper that an experiment reproduces a part of.
pub fn published_paper(experiment: &Experiment) -> Option<PublishedPaper> {
    let id = experiment.paper.as_deref()?;
    // The embedded files are tested; a run does not end because of one.
    published_papers().ok()?.into_iter().find(|paper| paper.id == id)
}

/// What follows from the records of a run, for the cells of `cells`.
pub fn derive(manifest: &Manifest, samples: &[SampleRow], cells: &[CellId], rows: FurtherRows) -> Results {
    let FurtherRows { counts, kernel_times, repeats, devices, mut counters } = rows;
    let gpu = manifest.environment.as_ref().and_then(|one| Some(&one.gpu()?.info.uuid));
    counters.retain(|row| Some(&row.gpu) == gpu);
    let recorded = manifest.environment.as_ref().map_or(&[][..], |environment| &environment.implementations);
    let (times, facts) = (Times::of(samples), Facts::of(recorded));
    let experiment = &manifest.experiment;
    let paper = published_paper(experiment);
    let table = paper.as_ref().and_then(|paper| paper.table(experiment.table.as_deref()?));
    let summarized = |cell: &CellId| {
        let of_cell = cell_facts(cell, experiment.element_of(&cell.graph), table, &facts);
        let tasks = facts.tasks(cell.variant(), cell.n, experiment.graph(&cell.graph));
        SummaryRow::of(cell, &times, samples, CellFacts { tasks: Some(tasks), ..of_cell })
    };
    let summary: Vec<SummaryRow> = cells.iter().filter_map(summarized).collect();
    let rows = summary.iter().enumerate().map(|(at, row)| (row.cell(), at)).collect();
    Results { summary, rows, times, facts, kernel_times, counts, repeats, devices, counters }
}

/// What a cell whose distances are of this type has in addition to its samples.
fn cell_facts(
    cell: &CellId,
    element: ElementType,
    table: Option<&PublishedTable>,
    facts: &Facts,
) -> CellFacts {
    // Papers and models of traffic speak of words of four bytes.
    let (is_of_papers, share) = (element == ElementType::F32, element.bytes() as f64 / 4.0);
    let (table, facts) = (table.filter(|_| is_of_papers), facts.variant(cell.variant()));
    CellFacts {
        published_s: table.and_then(|table| table.seconds(&cell.implementation, cell.n)),
        bytes_a_task: facts.map(|facts| facts.bytes_per_task * share),
        bytes_a_task_paper: facts.filter(|_| is_of_papers).and_then(|facts| facts.bytes_per_task_paper),
        ..CellFacts::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Column;
    use crate::results::fixtures::{experiment, manifest};
    use crate::store::{Status, cells};
    use repro_timing::{Scope, Seconds};
    use std::time::Instant;

    /// Seconds to derive everything of so many cells, each of three samples, and to look up the time and the row of each; the least of three.
    fn seconds(count: usize) -> f64 {
        let plain = experiment(&[("staged-load", "")], &[""]);
        let column = Column { sizes: (1..=count).collect(), ..plain.columns[0].clone() };
        let manifest = manifest(Experiment { columns: vec![column], ..plain });
        let cells = cells(&manifest);
        let rows = cells.iter().flat_map(|cell| {
            (0..3).flat_map(|sample| {
                let row =
                    SampleRow { verified: true, ..SampleRow::without_time(cell, sample, Status::Ok, "") };
                row.every_scope(&Seconds::same(1.0 + sample as f64))
            })
        });
        let rows: Vec<SampleRow> = rows.collect();
        let once = || {
            let start = Instant::now();
            let results = derive(&manifest, &rows, &cells, FurtherRows::default());
            let found = |cell: &&CellId| {
                let time = results.times.cell(cell).time(Scope::Kernel).map(|time| time.value);
                time == Some(2.0) && results.rows.contains_key(cell)
            };
            assert_eq!(cells.iter().filter(found).count(), count);
            start.elapsed().as_secs_f64()
        };
        (0..3).map(|_| once()).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn sixteen_times_as_many_cells_take_nowhere_near_the_square_of_that() {
        let (few, many) = (seconds(250), seconds(4000));
        assert!(many < 80.0 * few, "{few} s and {many} s");
    }
}
