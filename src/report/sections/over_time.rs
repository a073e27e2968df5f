//! How the times of an experiment changed from run to run.

use super::ids::Ids;
use super::{Draft, short};
use crate::report::figures::trend;
use crate::report::model::{Home, Section};
use crate::results::{StoredRun, SummaryRow};
use crate::show::{Grid, change, digits};
use repro_types::CellId;
use std::collections::BTreeSet;

/// What became of an experiment's times from its first run on.
pub(super) fn over_time(
    experiment: &str,
    runs: &[&StoredRun],
    machine: &str,
    home: Home,
    ids: &mut Ids,
) -> Option<Draft> {
    if runs.len() < 2 {
        return None;
    }
    let id = ids.unique(experiment, "over-time");
    let grids: Vec<Grid> = [
        changes(runs, "scope kernel", |row| row.median_s),
        changes(runs, "programs, scope program", |row| row.program_s),
    ]
    .into_iter()
    .flatten()
    .collect();
    if grids.is_empty() {
        return None;
    }
    let section = Section {
        id,
        title: format!("{} run by run", short(&runs[0].manifest.experiment.title)),
        machine: machine.to_string(),
        home,
        intro: vec![format!(
            "{} runs of {experiment} on this machine, the first of {}; a change is of the specimen, of the host or of the program between two commits.",
            runs.len(),
            runs[0].manifest.started.get(..10).unwrap_or_default()
        )],
        ..Section::default()
    };
    Some(ids.draft(section, trend(runs).into_iter().collect(), grids, Some("medians")))
}

/// Medians, as `of` has them, of the cells that several runs have in common, a column a run.
fn changes(runs: &[&StoredRun], what: &str, of: fn(&SummaryRow) -> Option<f64>) -> Option<Grid> {
    let median = |run: &StoredRun, cell: &CellId| run.row(cell).and_then(of);
    let cells: BTreeSet<_> = runs
        .iter()
        .flat_map(|run| &run.results.summary)
        .filter(|row| of(row).is_some())
        .map(|row| row.cell())
        .collect();
    let shared =
        cells.into_iter().filter(|cell| runs.iter().filter(|run| median(run, cell).is_some()).count() > 1);
    let rows: Vec<Vec<String>> = shared
        .map(|cell| {
            let medians: Vec<Option<f64>> = runs.iter().map(|run| median(run, &cell)).collect();
            let first = medians.iter().flatten().next().copied();
            let shown = medians.iter().map(|seconds| match (seconds, first) {
                (Some(seconds), Some(first)) if first > 0.0 && *seconds != first => {
                    format!("{} ({})", digits(*seconds), change(seconds / first))
                }
                (Some(seconds), _) => digits(*seconds),
                _ => String::new(),
            });
            std::iter::once(cell.to_string()).chain(shown).collect()
        })
        .collect();
    let titles = runs.iter().map(|run| {
        format!("{}\n{}", run.name(), run.manifest.started.get(..16).unwrap_or_default().replace('T', " "))
    });
    Grid::new(
        format!("Seconds ({what}), medians of the cells that several runs have; change since the first"),
        std::iter::once("cell".to_string()).chain(titles),
        rows,
    )
    .unless_empty()
}
