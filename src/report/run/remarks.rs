//! The tables of a run, and the text above and below them: what was run on what, what its machine can do at best, what has no time and why,
//! and what the marks in the tables mean.

use super::remarks;
use crate::lists::{count_of, extent, grouped};
use crate::published::{PublishedPaper, published_papers};
use crate::report::figure;
use crate::report::machines::together;
use crate::report::text::{ESTIMATE, Grid, RATE, UNDER_LOAD, cited, digits, percent, rate, rate_with_unit};
use crate::results::{StoredRun, SummaryRow};
use crate::store::{HostWarning, Status};
use crate::timing::issue_tasks_per_s;

/// An interval of a time on the CPU that is wider than this share of the median counts as wide.
const WIDE: f64 = 0.1;
/// A shorter time on the CPU varies on any host, and is not worth a remark.
const WORTH_NAMING_S: f64 = 0.01;

/// What was run, for which paper, on what: a line each. An emulated device that counted nothing is not named: only the CPU ran.
pub fn head(run: &StoredRun, papers: &[PublishedPaper]) -> Vec<String> {
    let experiment = &run.manifest.experiment;
    let mut head = vec![experiment.title.clone()];
    let paper = experiment.paper.as_ref().and_then(|id| papers.iter().find(|paper| paper.id == *id));
    head.extend(paper.map(|paper| format!("Paper: {}.", cited(paper))));
    let Some(environment) = run.environment() else { return head };
    let counted = !run.results.extra.counts.is_empty();
    let device = environment.device.as_ref().filter(|device| counted || !device.info.emulated);
    let device = device.map_or(String::new(), |device| {
        let driver = format!(", driver {}", device.driver.as_deref().unwrap_or("unknown"));
        let driver = if device.info.emulated { "" } else { &driver };
        format!("{}{driver}, {}; ", device.info.name, device.compiler.as_deref().unwrap_or("no compiler"))
    });
    let threads = count_of(environment.host.threads, "thread");
    head.push(format!("Here: {device}{}, {threads}.", environment.host.cpu));
    head.extend(together(environment).map(|facts| format!("Together: {facts}.")));
    head
}

/// What the GPU and the CPU of a run can do at best, a sentence each.
pub fn ceilings(run: &StoredRun) -> Vec<String> {
    let Some(best) = run.environment().map(|environment| &environment.ceilings) else { return Vec::new() };
    let mut lines = Vec::new();
    if let Some(gpu) = &best.device {
        let (copy, tasks) = (digits(gpu.copy_gbs), rate_with_unit(gpu.add_min_tasks_per_s));
        lines.push(format!(
            "Ceilings of the GPU in this run: copy {copy} GB/s, add + min in registers {tasks}."
        ));
        let of_element = gpu.arithmetic.iter().map(|(element, best)| {
            let issued = run.device().and_then(|device| issue_tasks_per_s(&device.info, *element, None));
            let issued = issued.map_or(String::new(), |value| format!(", {} by issue slots", rate(value)));
            format!("{element} {} ({}){issued}", rate(best.tasks_per_s), best.mix)
        });
        let all: Vec<String> = of_element.collect();
        if !all.is_empty() {
            lines.push(format!("Tasks in registers by the best instructions, {RATE}: {}.", all.join("; ")));
        }
    }
    lines.extend(best.cpu_core_tasks_per_s.zip(best.cpu_tasks_per_s).map(|(core, all)| {
        let (core, all) = (rate(core), rate(all));
        format!("Ceilings of the CPU in this run, add + min in registers, {RATE}: {core} on one core, {all} on all.")
    }));
    lines
}

/// Which cells have no time, and why.
pub fn gaps(summary: &[SummaryRow]) -> Vec<String> {
    let without = summary.iter().filter(|row| !row.is_timed() && row.status != Status::Counted);
    let reasons = grouped(without.map(|row| match row.status {
        Status::Skipped => (format!("not run: {}", row.message), ()),
        status => (format!("{} n = {} {status}: {}", row.implementation, row.n, row.message), ()),
    }));
    let reason = |(reason, cells): (String, Vec<()>)| match cells.len() {
        1 => reason,
        count => format!("{count} cells {reason}"),
    };
    reasons.into_iter().map(reason).collect()
}

/// Says that the times of a row are estimates, and from what; None if whole solves were timed.
pub(super) fn estimated(row: &SummaryRow) -> Option<String> {
    let iterations = row.iterations.filter(|_| row.median_s.is_some())?;
    Some(format!("estimated from {iterations} of {} iterations of k, each of equal work", row.n))
}

/// What the marks in the tables mean, and how far times on the CPU can be relied on: at most a line for estimates, one for load, and one if
/// all cores were slower than one.
pub fn marks(run: &StoredRun) -> Vec<String> {
    let summary = &run.results.summary;
    let estimates = grouped(summary.iter().filter_map(|row| Some((estimated(row)?, ()))));
    let estimate = match &estimates[..] {
        [] => None,
        [(how, _)] => Some(format!("{ESTIMATE} is {how}.")),
        _ => Some(format!("{ESTIMATE} is estimated from some of the n iterations of k, each of equal work.")),
    };
    let all = run.host_findings();
    let slower = all.iter().filter_map(|finding| match finding {
        HostWarning::AllCoresSlower { cell, all_cores_s, one_core_s } => {
            Some((cell, *all_cores_s, *one_core_s))
        }
        _ => None,
    });
    let slower = slower.max_by(|a, b| (a.1 / a.2).total_cmp(&(b.1 / b.2))).map(|(cell, all, one)| {
        let (all, one) = (digits(all), digits(one));
        format!("All cores slower than one: {cell} took {all} s, one {one} s.")
    });
    estimate.into_iter().chain(load(&all, summary)).chain(slower).collect()
}

/// One line: how much others used the host's CPU, and how many times on it have wide intervals.
fn load(findings: &[HostWarning], summary: &[SummaryRow]) -> Option<String> {
    let loads = |is_before: bool| {
        let load = |finding: &HostWarning| match finding {
            HostWarning::UnderLoad { others_load, .. } if !is_before => Some(*others_load),
            HostWarning::BusyBefore { others_load, .. } if is_before => Some(*others_load),
            _ => None,
        };
        findings.iter().filter_map(load).collect::<Vec<f64>>()
    };
    let said = |all: Vec<f64>, so: &str| {
        let (_, most) = extent(all.iter().copied())?;
        Some(format!("{so}: others used up to {} of a cell's cores", percent(most)))
    };
    let under = said(loads(false), &format!("{UNDER_LOAD} under load"));
    let load = under.or_else(|| said(loads(true), "The host was busy before the first sample"));
    let wide = summary.iter().filter(|row| has_wide_interval(row)).count();
    let (intervals, limit) = (count_of(wide, "interval"), percent(WIDE));
    let wide = (wide > 0).then(|| match load.is_some() {
        true => format!("{intervals} over {limit}"),
        false => format!("Times on the CPU: {intervals} wider than {limit}, though others hardly used it"),
    });
    let all: Vec<String> = load.into_iter().chain(wide).collect();
    (!all.is_empty()).then(|| format!("{}.", all.join("; ")))
}

/// Whether the interval of a time on the CPU is wider than [`WIDE`]. Only rows of the CPU have a load.
fn has_wide_interval(row: &SummaryRow) -> bool {
    let median = row.median_s.filter(|seconds| *seconds >= WORTH_NAMING_S && row.others_load.is_some());
    let width =
        median.zip(row.ci_low_s.zip(row.ci_high_s)).map(|(median, (low, high))| (high - low) / median);
    width.is_some_and(|width| width > WIDE)
}

/// Tables with their titles, and what stands above and below them.
pub struct Tables {
    /// What was run, on what, after which paper: a line each.
    pub head: Vec<String>,
    pub grids: Vec<Grid>,
    /// What the machine can do at best, what has no time and why, and what marks mean: a sentence each.
    pub foot: Vec<String>,
}

/// All tables of a run.
pub fn tables(run: &StoredRun) -> Tables {
    // The embedded files are tested; a run does not end because of one.
    let papers = published_papers().unwrap_or_default();
    let mut grids = figure::tables(run, papers);
    // A run that only counted has no times to show.
    if grids.is_empty() {
        grids.extend(figure::counts(run, papers));
    }
    let foot = [remarks::ceilings(run), remarks::gaps(&run.results.summary), remarks::marks(run)].concat();
    Tables { head: remarks::head(run, papers), grids, foot }
}

impl Tables {
    /// For a terminal of `width` columns, or as wide as need be.
    pub fn terminal(&self, width: Option<u16>) -> String {
        let grids: Vec<String> = self.grids.iter().map(|grid| grid.terminal(width)).collect();
        format!("{}\n\n{}\n{}", self.head.join("\n"), grids.join("\n"), self.below(""))
    }

    pub fn markdown(&self) -> String {
        let grids: Vec<String> = self.grids.iter().map(Grid::markdown).collect();
        // Two spaces at its end break a line.
        format!("{}\n\n{}\n{}", self.head.join("  \n"), grids.join("\n"), self.below("- "))
    }

    fn below(&self, prefix: &str) -> String {
        self.foot.iter().map(|line| format!("{prefix}{line}\n")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures::{cell, experiment, measured, run};
    use std::path::Path;

    fn marks_of(rows: Vec<SummaryRow>) -> Vec<String> {
        marks(&run(experiment(&[("cpu-naive", "")], &[""]), rows))
    }

    #[test]
    fn load_and_wide_intervals_are_one_line_whatever_there_is_of_them() {
        let row = |n: usize, low: f64, high: f64, others_load: Option<f64>| SummaryRow {
            ci_low_s: Some(low),
            ci_high_s: Some(high),
            others_load,
            ..measured(cell("cpu-naive", "", n), &[1.0])
        };
        let loaded = row(1, 0.9, 1.2, Some(0.5));
        let quiet = row(2, 0.9, 1.1, Some(0.02));
        // Exact enough; on a GPU; too short to be worth a word.
        let others = [row(3, 0.99, 1.01, Some(0.02)), row(4, 0.5, 2.0, None)];
        let short = SummaryRow { median_s: Some(1e-6), ..row(5, 1e-6, 2e-6, Some(0.02)) };
        let most = "† under load: others used up to 50% of a cell's cores";
        assert_eq!(
            marks_of([&[loaded, quiet.clone(), short][..], &others].concat()),
            [format!("{most}; 2 intervals over 10%.")]
        );
        let calm = "Times on the CPU: 1 interval wider than 10%, though others hardly used it.";
        assert_eq!(marks_of(vec![quiet]), [calm]);
        assert!(marks_of(others.to_vec()).is_empty());
    }

    #[test]
    fn estimates_are_said_once_however_many_sizes_they_are_of() {
        let row =
            |n: usize| SummaryRow { iterations: Some(16), ..measured(cell("cpu-naive", "", n), &[2.0]) };
        assert_eq!(
            marks_of(vec![row(64)]),
            ["≈ is estimated from 16 of 64 iterations of k, each of equal work."]
        );
        let several = "≈ is estimated from some of the n iterations of k, each of equal work.";
        assert_eq!(marks_of(vec![row(64), row(128)]), [several]);
    }

    #[test]
    fn an_emulated_device_on_which_nothing_ran_is_not_named() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference/emulated/structure");
        let mut run = StoredRun::open(&folder).unwrap();
        assert!(head(&run, &[]).iter().any(|line| line.starts_with("Here: emulated CUDA device")));
        run.results.extra.counts.clear();
        assert!(!head(&run, &[]).concat().contains("emulated"), "only the CPU ran");
    }
}
