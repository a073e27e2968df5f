//! The tables that a run ends with: the paper's seconds beside this machine's, rates, and speed-ups.

use super::subjects::{
    alone, batches, clocks, counts, first_solve, graphs, halves, host, procedures, programs, repeats,
    resources, scaling, seconds, speedups, steps, sweep,
};
use crate::lists::grouped;
use crate::published::published_papers;
use crate::results::{StoredRun, SummaryRow};
use crate::show::words::cited;
use crate::show::{Context, Grid, RATE, digits, rate, rate_with_unit, whole_percent};
use crate::store::Status;
use crate::timing::issue_tasks_per_s;
use repro_types::CellId;

/// Stands before a time that is an estimate.
pub(crate) const ESTIMATE: &str = "≈";

/// Tables with their titles, and what stands above and below them.
pub struct Tables {
    /// What was run, on what, after which paper: a line each.
    pub head: String,
    pub grids: Vec<Grid>,
    /// What the machine can do at best, a sentence each.
    pub ceilings: Vec<String>,
    /// Sentences computed from the records: what was not run and why, findings.
    pub foot: Vec<String>,
}

/// One line about a cell that was done.
pub fn line(summary: Option<&SummaryRow>, cell: &CellId) -> String {
    let Some(row) = summary else { return cell.to_string() };
    match (row.median_s, row.ci_low_s, row.ci_high_s, row.tasks_per_s) {
        (Some(median), Some(low), Some(high), Some(rate)) => format!(
            "{cell}: {} s, {}, {}{}{}",
            digits(median),
            sampled(row.samples, low, high),
            rate_with_unit(rate),
            row.estimated().map(|how| format!(", {how}")).unwrap_or_default(),
            row.under_load().map(under_load).unwrap_or_default()
        ),
        // Programs have no time of scope `kernel`; theirs are in a table of their own.
        _ if row.message.is_empty() => format!("{cell}: {}", row.status),
        _ => format!("{cell}: {}: {}", row.status, row.message),
    }
}

/// How often a cell was sampled, with the interval of its median. One sample has none.
fn sampled(samples: usize, low: f64, high: f64) -> String {
    match samples {
        1 => "one sample".to_string(),
        samples => format!("median of {samples} [{}, {}]", digits(low), digits(high)),
    }
}

fn under_load(others_load: f64) -> String {
    format!(
        ", under load: others used the host's CPU for up to {} of the time of its cores",
        whole_percent(others_load)
    )
}

/// All tables of a run.
pub fn tables(run: &StoredRun) -> Tables {
    // The embedded files are tested; a run does not end because of one.
    let papers = published_papers().unwrap_or_default();
    let context = Context::new(run, &papers);
    let results = &run.results;
    let mut grids = seconds::tables(&context);
    grids.extend(speedups::beside_table(&context));
    grids.extend(graphs::table(&context));
    grids.extend(speedups::table(&context));
    grids.extend(alone::table(&context));
    let scaling = scaling::Scaling::of(context.experiment, results);
    match &scaling {
        // A sweep of the number of devices would be the same without its meaning.
        Some(scaling) => grids.extend(scaling::tables(scaling)),
        None => grids.extend(sweep::tables(&context)),
    }
    grids.extend(procedures::tables(&context));
    grids.extend(repeats::grid(run));
    grids.extend(steps::table(&context));
    grids.extend(halves::table(&context));
    grids.extend(batches::table(&context));
    grids.extend(clocks::tables(&context));
    grids.extend(programs::table(&context));
    grids.extend(first_solve::table(&context));
    grids.extend(resources::grid(&run.manifest));
    grids.extend(counts::grid(&results.counts));
    let mut foot = gaps(context.summary);
    foot.extend(host::findings(&run.host_findings()));
    foot.extend(host::wide_intervals(run.environment(), context.summary));
    foot.extend(scaling.as_ref().map_or_else(|| sweep::sentences(&context), scaling::sentences));
    foot.extend(clocks::sentences(&context));
    Tables { head: head(&context), grids, ceilings: ceilings(&context), foot }
}

/// Where nothing was counted on the emulated device, only the CPU ran.
fn head(context: &Context) -> String {
    let mut head = context.experiment.title.clone();
    if let Some(paper) = context.paper {
        head += &format!("\nPaper: {}.", cited(paper));
    }
    if let Some(environment) = context.run.environment() {
        let counted = !context.run.results.counts.is_empty();
        let device = environment.device.as_ref().filter(|device| counted || !device.info.emulated);
        let device = device.map_or(String::new(), |device| {
            let driver = format!(", driver {}", device.driver.as_deref().unwrap_or("unknown"));
            let driver = if device.info.emulated { "" } else { &driver };
            format!("{}{driver}, {}; ", device.info.name, device.compiler.as_deref().unwrap_or("no compiler"))
        });
        head += &format!("\nHere: {device}{}, {} threads.", environment.host.cpu, environment.host.threads);
        if let Some(together) = &environment.together {
            let facts = together.facts().into_iter().map(|(name, value)| format!("{name}: {value}"));
            head += &format!("\nTogether: {}.", facts.collect::<Vec<_>>().join("; "));
        }
    }
    head
}

fn ceilings(context: &Context) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(device) = context.device() {
        lines.push(format!(
            "Ceilings of the GPU in this run: copy {} GB/s, add + min in registers {}.",
            digits(device.copy_gbs),
            rate_with_unit(device.add_min_tasks_per_s)
        ));
        let told = device.arithmetic.iter().map(|(element, best)| {
            let issued =
                context.run.device().and_then(|device| issue_tasks_per_s(&device.info, element, None));
            let issued = issued.map_or(String::new(), |value| format!(", {} by issue slots", rate(value)));
            format!("{element} {} ({}){issued}", rate(best.tasks_per_s), best.mix)
        });
        let told: Vec<String> = told.collect();
        if !told.is_empty() {
            lines.push(format!("Tasks in registers by the best instructions, {RATE}: {}.", told.join("; ")));
        }
    }
    let cpu = context.ceilings().and_then(|best| best.cpu_core_tasks_per_s.zip(best.cpu_tasks_per_s));
    lines.extend(cpu.map(|(core, all)| {
        format!(
            "Ceilings of the CPU in this run, add + min in registers, {RATE}: {} on one core, {} on all.",
            rate(core),
            rate(all)
        )
    }));
    lines
}

/// Which times are estimates, and which cells have none, and why.
fn gaps(summary: &[SummaryRow]) -> Vec<String> {
    let told = |(how, cells): (String, Vec<String>)| format!("{ESTIMATE} is {how}: {}.", cells.join(", "));
    let mut gaps: Vec<String> = estimates(summary).into_iter().map(told).collect();
    let without = summary.iter().filter(|row| !row.is_timed() && row.status != Status::Counted);
    let reasons = grouped(without.map(|row| match row.status {
        Status::Skipped => (format!("not run: {}", row.message), ()),
        status => (format!("{} n = {} {status}: {}", row.implementation, row.n, row.message), ()),
    }));
    gaps.extend(reasons.into_iter().map(|(reason, cells)| match cells.len() {
        1 => reason,
        count => format!("{count} cells {reason}"),
    }));
    gaps
}

/// How times that are estimates were made, each with the cells whose times they are.
pub(crate) fn estimates(summary: &[SummaryRow]) -> Vec<(String, Vec<String>)> {
    grouped(summary.iter().filter_map(|row| Some((row.estimated()?, row.cell().to_string()))))
}

impl Tables {
    /// For a terminal of `width` columns, or as wide as need be.
    pub fn terminal(&self, width: Option<u16>) -> String {
        let grids: Vec<String> = self.grids.iter().map(|grid| grid.terminal(width)).collect();
        format!("{}\n\n{}\n{}", self.head, grids.join("\n"), self.below(""))
    }

    pub fn markdown(&self) -> String {
        let grids: Vec<String> = self.grids.iter().map(Grid::markdown).collect();
        // Two spaces at its end break a line.
        let head = self.head.replace('\n', "  \n");
        format!("{head}\n\n{}\n{}", grids.join("\n"), self.below("- "))
    }

    fn below(&self, prefix: &str) -> String {
        self.ceilings.iter().chain(&self.foot).map(|line| format!("{prefix}{line}\n")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures::{cell, experiment, measured, run};
    use std::path::Path;

    #[test]
    fn an_estimated_time_is_marked_wherever_it_is_shown() {
        let column = ("cpu-naive", "iterations=16");
        let row = SummaryRow { iterations: Some(16), ..measured(cell(column.0, column.1, 64), &[2.0]) };
        let tables = tables(&run(experiment(&[column], &[""]), vec![row.clone()]));
        assert_eq!(tables.grids[0].rows, [["64", "≈ 2.000"]]);
        let how = "estimated from 16 of 64 iterations of k, each of equal work";
        let told = format!("≈ is {how}: cpu-naive n = 64 (iterations=16).");
        assert!(tables.foot.contains(&told), "{:?}", tables.foot);
        assert!(line(Some(&row), &row.cell()).ends_with(&format!(", {how}")));
    }

    #[test]
    fn a_time_that_was_measured_under_load_is_marked_wherever_it_is_shown() {
        let row = SummaryRow { others_load: Some(0.43), ..measured(cell("cpu-naive", "", 64), &[2.0]) };
        let tables = tables(&run(experiment(&[("cpu-naive", "")], &[""]), vec![row.clone()]));
        assert_eq!(tables.grids[0].rows, [["64", "2.000 †"]]);
        assert!(tables.foot.iter().any(|line| line.starts_with("† was measured under load")));
        assert!(
            line(Some(&row), &row.cell())
                .ends_with(", under load: others used the host's CPU for up to 43% of the time of its cores")
        );
    }

    #[test]
    fn one_sample_has_no_interval_and_several_have_one() {
        let of = |samples: &[f64]| {
            let row = measured(cell("cpu-naive", "", 1000), samples);
            line(Some(&row), &row.cell())
        };
        assert_eq!(of(&[2.0]), "cpu-naive n = 1000: 2.000 s, one sample, 0.5000 × 10⁹ tasks/s");
        let several = of(&[2.0; 6]);
        assert_eq!(several, "cpu-naive n = 1000: 2.000 s, median of 6 [2.000, 2.000], 0.5000 × 10⁹ tasks/s");
    }

    #[test]
    fn an_emulated_device_on_which_nothing_ran_is_not_named() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference/emulated/structure");
        let mut run = StoredRun::open(&folder).unwrap();
        assert!(tables(&run).head.contains("Here: emulated CUDA device"));
        run.results.counts.clear();
        assert!(!tables(&run).head.contains("emulated"), "only the CPU ran");
    }
}
