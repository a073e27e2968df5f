//! Steps of which each is one change to the one before: what each gains, takes and moves.

use super::columns::{Column, Columns};
use crate::implementation::{self, Parameters, Target};
use crate::show::{Grid, digits, ways};
use crate::store::{CountRow, KernelRecord, Manifest};

/// One row a step. Gains are over the step before. Kernel figures are those of the kernel that an implementation launches last
/// in a round, which does nearly all tasks.
pub fn grid(columns: &Columns, manifest: &Manifest, counts: &[CountRow]) -> Option<Grid> {
    let steps = &columns.experiment.steps;
    if steps.is_empty() {
        return None;
    }
    let median =
        |step: &str, n: usize| columns.of(step).and_then(|column| columns.median_over_graphs(column, n));
    let sizes: Vec<usize> =
        columns.sizes().into_iter().filter(|&n| steps.iter().any(|step| median(step, n).is_some())).collect();
    let rows = steps.iter().enumerate().map(|(at, step)| {
        let times = sizes.iter().map(|&n| {
            let before = at.checked_sub(1).and_then(|before| median(&steps[before], n));
            match (median(step, n), before) {
                (Some(here), Some(before)) => format!("{} ({:.2}x)", digits(here), before / here),
                (Some(here), None) => digits(here),
                _ => String::new(),
            }
        });
        let taken = columns.of(step).and_then(|column| resources(manifest, column));
        let counted = counted_last_kernel(counts, step);
        let shown = |figure: Option<String>| figure.unwrap_or("-".to_string());
        let figures = [
            taken.map(|kernel| kernel.resources.registers.to_string()),
            taken.map(|kernel| kernel.resources.shared_bytes.to_string()),
            taken.map(|kernel| kernel.resources.resident_blocks.to_string()),
            counted.as_ref().map(|counted| ways(counted.row.counts.shared_load.banks_16)),
            counted.as_ref().map(|counted| ways(counted.row.counts.shared_load.banks_32)),
            counted.as_ref().map(|counted| digits(counted.bytes_a_task)),
            counted.as_ref().map(|counted| digits(counted.sector_bytes_a_task)),
        ];
        std::iter::once(step.clone()).chain(times).chain(figures.map(shown)).collect()
    });
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
    Some(Grid::new(
        "Steps: each changes the one above. Registers and what follows are of its last kernel; ways and bytes from the emulated device",
        std::iter::once("step".to_string()).chain(times).chain(figures.map(str::to_string)),
        rows,
    ))
}

/// The last kernel of an implementation as it was compiled here.
fn resources<'a>(manifest: &'a Manifest, column: &Column) -> Option<&'a KernelRecord> {
    manifest.environment.as_ref()?.implementation(column.variant())?.kernels.last()
}

/// A kernel as the emulated device counted it.
pub struct CountedKernel<'a> {
    pub row: &'a CountRow,
    /// Bytes of global memory that threads asked for, a task of the kernel.
    pub bytes_a_task: f64,
    /// Bytes of the sectors of 32 bytes that they lie in.
    pub sector_bytes_a_task: f64,
}

/// The kernel that an implementation launches last in a round, which does nearly all tasks, at the largest n that was counted.
pub fn counted_last_kernel<'a>(counts: &'a [CountRow], step: &str) -> Option<CountedKernel<'a>> {
    let found = implementation::find(step)?;
    let kernels = found.schedule()?.kernels(Target::default(), &Parameters::default());
    let last = kernels.last()?.name;
    let row = counts
        .iter()
        .filter(|row| row.cell.implementation == step && row.kernel == last)
        .max_by_key(|row| row.cell.n)?;
    let tasks = row.tasks? as f64;
    let of = row.counts;
    Some(CountedKernel {
        row,
        bytes_a_task: of.global_bytes() as f64 / tasks,
        sector_bytes_a_task: of.transferred_bytes() as f64 / tasks,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::emulated::{Counts, GlobalCounts};
    use crate::plan::Experiment;
    use crate::show::tables::fixtures::{cell, experiment, manifest, measured};

    #[test]
    fn a_gain_is_over_the_step_before_and_bytes_are_those_of_the_last_kernel_at_the_largest_n() {
        let names = ["katz-kider", "staged-row-major", "staged-load"];
        let steps = names.map(str::to_string).to_vec();
        let experiment = Experiment { steps, ..experiment(&names.map(|name| (name, "")), &[""]) };
        let summary: Vec<_> = names
            .iter()
            .zip([3.0, 2.0, 0.5])
            .map(|(name, one)| measured(cell(name, "", 128), &[one]))
            .collect();
        let found = implementation::find("staged-load").unwrap();
        let kernels = found.schedule().unwrap().kernels(Target::default(), &Parameters::default());
        let last = kernels.last().unwrap().name;
        let tasks = 4096;
        let loading = |bytes, n, kernel: &str| {
            let global_load = GlobalCounts { bytes, ..GlobalCounts::default() };
            let counts = Counts { global_load, ..Counts::default() };
            CountRow::new(&cell("staged-load", "", n), kernel, &counts, Some(tasks))
        };
        let counts =
            [loading(1, 64, last), loading(tasks / 2, 128, last), loading(tasks * 9, 128, kernels[0].name)];
        let columns = Columns::new(&experiment, &summary);
        let grid = grid(&columns, &manifest(experiment.clone()), &counts).unwrap();
        let gains: Vec<&str> = grid.rows.iter().map(|row| row[1].as_str()).collect();
        assert_eq!(gains, ["3.000", "2.000 (1.50x)", "0.5000 (4.00x)"]);
        assert_eq!(grid.rows[2][7], "0.5000");
        assert!(grid.rows[0][2..].iter().all(|cell| cell == "-"), "{:?}", grid.rows[0]);
    }

    #[test]
    fn an_experiment_without_steps_has_no_table_of_them() {
        let experiment = experiment(&[("katz-kider", "")], &[""]);
        let summary = [measured(cell("katz-kider", "", 128), &[1.0])];
        assert!(grid(&Columns::new(&experiment, &summary), &manifest(experiment.clone()), &[]).is_none());
    }
}
