//! Steps of which each is one change to the one before: what each gains, takes and moves.

use super::columns::Columns;
use crate::experiment::grid::{Grid, digits};
use crate::experiment::inspection_tables::ways;
use crate::experiment::resolve::Experiment;
use crate::implementation::{self, Parameters};
use crate::record::{CountRow, KernelRecord, Manifest};

/// One row a step. Gains are over the step before. Kernel figures are those of the kernel that an implementation launches last
/// in a round, which does nearly all tasks.
pub fn grid(columns: &Columns, manifest: &Manifest<Experiment>, counts: &[CountRow]) -> Option<Grid> {
    let steps = &columns.experiment.steps;
    if steps.is_empty() {
        return None;
    }
    let median =
        |step: &str, n: usize| columns.of(step).and_then(|column| columns.median_over_graphs(column, n));
    let sizes: Vec<usize> =
        columns.sizes().into_iter().filter(|&n| steps.iter().any(|step| median(step, n).is_some())).collect();
    let rows: Vec<Vec<String>> = steps
        .iter()
        .enumerate()
        .map(|(at, step)| {
            let times = sizes.iter().map(|&n| {
                let before = at.checked_sub(1).and_then(|before| median(&steps[before], n));
                match (median(step, n), before) {
                    (Some(here), Some(before)) => format!("{} ({:.2}x)", digits(here), before / here),
                    (Some(here), None) => digits(here),
                    _ => String::new(),
                }
            });
            let taken = resources(manifest, step);
            let counted = counted(counts, step);
            let shown = |figure: Option<String>| figure.unwrap_or("-".to_string());
            let figures = [
                taken.map(|kernel| kernel.resources.registers.to_string()),
                taken.map(|kernel| kernel.resources.shared_bytes.to_string()),
                taken.map(|kernel| kernel.resources.resident_blocks.to_string()),
                counted.as_ref().map(|counted| ways(counted.row.counts().shared_load.banks_16)),
                counted.as_ref().map(|counted| ways(counted.row.counts().shared_load.banks_32)),
                counted.as_ref().map(|counted| digits(counted.bytes_a_task)),
                counted.as_ref().map(|counted| digits(counted.sector_bytes_a_task)),
            ];
            std::iter::once(step.clone()).chain(times).chain(figures.map(shown)).collect()
        })
        .collect();
    let figures = [
        "registers\na thread",
        "shared bytes\na block",
        "resident\nblocks",
        "loads, ways\nof 16 banks",
        "loads, ways\nof 32 banks",
        "global bytes\na task",
        "in sectors\nof 32 B",
    ];
    let times = sizes.iter().map(|n| format!("n = {n}: seconds\n(gain)"));
    Some(Grid {
        title: "Steps: each changes the one above. Registers and what follows are of its last kernel; ways and bytes from the emulated device"
            .to_string(),
        header: std::iter::once("step".to_string()).chain(times).chain(figures.map(str::to_string)).collect(),
        rows,
    })
}

/// The last kernel of an implementation as it was compiled here.
fn resources<'a>(manifest: &'a Manifest<Experiment>, step: &str) -> Option<&'a KernelRecord> {
    let environment = manifest.environment.as_ref()?;
    environment.implementations.iter().find(|record| record.implementation == step)?.kernels.last()
}

struct Counted<'a> {
    row: &'a CountRow,
    bytes_a_task: f64,
    sector_bytes_a_task: f64,
}

/// The same kernel as it was counted at the largest n.
fn counted<'a>(counts: &'a [CountRow], step: &str) -> Option<Counted<'a>> {
    let found = implementation::find(step)?;
    let kernels = found.schedule()?.kernels(&Parameters::default());
    let last = kernels.last()?.name;
    let row = counts
        .iter()
        .filter(|row| row.implementation == step && row.kernel == last)
        .max_by_key(|row| row.n)?;
    let tasks = implementation::tasks_of(found, &Parameters::default(), last, row.n, row.blocks)? as f64;
    let of = row.counts();
    Some(Counted {
        row,
        bytes_a_task: of.global_bytes() as f64 / tasks,
        sector_bytes_a_task: of.transferred_bytes() as f64 / tasks,
    })
}
