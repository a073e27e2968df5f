//! What is derived of each cell: a row of `summary.csv` from its samples of scope `kernel`, rows of `scopes.csv` for other clocks, and what both say of
//! the host.

use crate::results::{ClockTimes, Times};
use crate::store::{CellRow, HostWarning, SampleRow, Status, is_loaded};
use repro_base::CellId;
use repro_timing::{Estimate, Scope, median_confidence};
use serde::Serialize;

/// A row of `summary.csv`. Seconds are of scope `kernel` unless the name has another scope.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SummaryRow {
    pub implementation: String,
    pub n: usize,
    pub params: String,
    /// Samples in use: status `ok`.
    pub samples: usize,
    pub median_s: Option<f64>,
    pub ci_low_s: Option<f64>,
    pub ci_high_s: Option<f64>,
    /// Tasks over the median: n³, or fewer of an undirected graph where only those are done.
    pub tasks_per_s: Option<f64>,
    /// Tasks/s times the implementation's bytes a task.
    pub effective_gbs: Option<f64>,
    /// The paper's seconds in this cell.
    pub published_s: Option<f64>,
    /// The confidence that the interval has: below 0.95 with fewer than six samples.
    pub ci_confidence: Option<f64>,
    /// Tasks/s times the bytes that the paper counted, where it counted otherwise.
    pub effective_gbs_paper: Option<f64>,
    /// Medians of the other scopes.
    pub device_s: Option<f64>,
    pub total_s: Option<f64>,
    pub host_s: Option<f64>,
    /// `ok`, or what became of the cell's last sample.
    pub status: Status,
    pub message: String,
    /// The graph's name in the experiment; empty where there is only one graph.
    pub graph: String,
    /// The mean of the same samples, as papers give it.
    pub mean_s: Option<f64>,
    /// Iterations of k that were run, where they were fewer than n: every time is then an estimate of a whole solve, as in `samples.csv`.
    pub iterations: Option<usize>,
    /// On the CPU, the most that others used of the host over a sample in use, as a share of the time of its cores.
    pub others_load: Option<f64>,
    /// The median of scope `program`, which foreign programs have in the place of all others. `scopes.csv` has it, with its interval.
    #[serde(skip)]
    pub program_s: Option<f64>,
}

impl SummaryRow {
    /// The row of cell `id`, from the `samples` of a run and their `times`. None where no sample is of the cell.
    pub fn new(id: &CellId, times: &Times, samples: &[SampleRow], facts: CellFacts) -> Option<Self> {
        let cell = times.known(id)?;
        let last = cell.last(samples);
        let median = |scope: Scope| cell.time(scope).map(|time| time.value);
        let kernel = cell.timed(Scope::Kernel);
        let program = cell.timed(Scope::Program);
        let median_s = median(Scope::Kernel);
        let tasks = facts.tasks.unwrap_or_else(|| (id.n as f64).powi(3));
        let tasks_per_s = median_s.map(|middle| tasks / middle);
        let gbs = |bytes_per_task: f64| tasks_per_s.map(|rate| rate * bytes_per_task * 1e-9);
        let status = match (kernel.or(program), last) {
            (Some(_), _) | (None, None) => Status::Ok,
            (None, Some(row)) => row.status,
        };
        Some(Self {
            implementation: id.implementation.clone(),
            n: id.n,
            params: id.params.clone(),
            samples: kernel.or(program).map_or(0, |clock| clock.samples.len()),
            median_s,
            ci_low_s: kernel.map(|clock| clock.seconds.low),
            ci_high_s: kernel.map(|clock| clock.seconds.high),
            tasks_per_s,
            effective_gbs: facts.bytes_a_task.and_then(gbs),
            published_s: facts.published_s,
            ci_confidence: kernel.map(|clock| median_confidence(clock.samples.len())),
            effective_gbs_paper: facts.bytes_a_task_paper.and_then(gbs),
            device_s: median(Scope::Device),
            total_s: median(Scope::Total),
            host_s: median(Scope::Host),
            status,
            message: last
                .filter(|row| row.status != Status::Ok)
                .map(|row| row.message.clone())
                .unwrap_or_default(),
            graph: id.graph.clone(),
            mean_s: kernel.map(ClockTimes::mean),
            // The same in every sample, since it follows from the cell's parameters.
            iterations: last.and_then(|row| row.iterations),
            others_load: cell.others_load,
            program_s: median(Scope::Program),
        })
    }

    /// Whether it has a time, by whatever clock.
    pub fn is_timed(&self) -> bool {
        self.median_s.or(self.program_s).is_some()
    }

    pub fn cell(&self) -> CellId {
        CellId::new(&self.implementation, self.n, &self.params, &self.graph)
    }

    /// What others used of the host at most, where that was so much that the cell was measured under load.
    pub fn under_load(&self) -> Option<f64> {
        self.others_load.filter(|load| self.median_s.is_some() && is_loaded(*load))
    }
}

/// What a row says of a cell that no sample says.
#[derive(Clone, Copy, Debug, Default)]
pub struct CellFacts {
    /// The paper's seconds.
    pub published_s: Option<f64>,
    /// Tasks of a solve, where they are not n³.
    pub tasks: Option<f64>,
    /// Bytes that a task moves by the implementation's model, and as its paper counted where that counted otherwise.
    pub bytes_a_task: Option<f64>,
    pub bytes_a_task_paper: Option<f64>,
}

/// A row of `scopes.csv`: what one clock read for a cell.
pub type ScopeRow = CellRow<ScopeSummary>;

/// What one clock read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScopeSummary {
    pub scope: Scope,
    /// Samples in use: status `ok`.
    pub samples: usize,
    pub median_s: f64,
    pub ci_low_s: f64,
    pub ci_high_s: f64,
}

/// The rows of `scopes.csv`. Cells that were read by the usual clocks alone have none: their summary has it all.
pub fn scope_rows(cells: &[CellId], times: &Times) -> Vec<ScopeRow> {
    let is_unusual = |clock: &ClockTimes| !Scope::USUAL.contains(&clock.scope);
    let shown = cells.iter().filter(|cell| times.cell(cell).clocks().any(is_unusual));
    let row = |cell: &CellId, clock: &ClockTimes| {
        let Estimate { value: median_s, low: ci_low_s, high: ci_high_s } = clock.seconds;
        let (scope, samples) = (clock.scope, clock.samples.len());
        CellRow { cell: cell.clone(), of: ScopeSummary { scope, samples, median_s, ci_low_s, ci_high_s } }
    };
    shown.flat_map(|cell| times.cell(cell).clocks().map(|clock| row(cell, clock))).collect()
}

/// The implementations on the CPU: on one core, and on all cores.
const ON_ONE: &str = "cpu-naive";
const ON_ALL: &str = "cpu-parallel";

/// Where one core takes less than this, waking the others may take longer than they save, on any host.
const WORTH_SHARING_S: f64 = 0.01;

/// All findings on the host: first those `noted` during the run, which follow from no record, then those from its summary.
pub fn host_findings(noted: &[HostWarning], summary: &[SummaryRow]) -> Vec<HostWarning> {
    let under_load =
        |row: &SummaryRow| Some(HostWarning::UnderLoad { cell: row.cell(), others_load: row.under_load()? });
    let noted = noted.iter().filter(|finding| matches!(finding, HostWarning::BusyBefore { .. })).cloned();
    noted
        .chain(summary.iter().filter_map(under_load))
        .chain(summary.iter().filter_map(|row| all_cores_slower(row, summary)))
        .collect()
}

/// Warns where all cores were slower than the slowest row on one core: such rows may differ in whether their times are estimates.
fn all_cores_slower(row: &SummaryRow, summary: &[SummaryRow]) -> Option<HostWarning> {
    let all_cores_s = row.median_s.filter(|_| row.implementation == ON_ALL)?;
    let of_same = summary.iter().filter(|one| (one.implementation.as_str(), one.n) == (ON_ONE, row.n));
    let of_same = of_same.filter(|one| one.graph == row.graph).filter_map(|one| one.median_s);
    let one_core_s = of_same.reduce(f64::max).filter(|seconds| *seconds >= WORTH_SHARING_S)?;
    let cell = row.cell();
    (all_cores_s > one_core_s).then_some(HostWarning::AllCoresSlower { cell, all_cores_s, one_core_s })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures::measured;
    use crate::store::sample::tests::row;

    fn cell(implementation: &str, n: usize) -> CellId {
        CellId::new(implementation, n, "", "")
    }

    fn summarized(cells: &[CellId], samples: &[SampleRow]) -> Vec<SummaryRow> {
        let (times, half) = (Times::of(samples), Some(0.5));
        let facts = || CellFacts {
            tasks: None,
            published_s: half,
            bytes_a_task: half,
            bytes_a_task_paper: Some(0.625),
        };
        cells.iter().filter_map(|cell| SummaryRow::new(cell, &times, samples, facts())).collect()
    }

    #[test]
    fn rates_follow_from_the_median_of_the_kernel_scope_and_the_real_n() {
        let samples =
            [3.0, 1.0, 2.0].iter().enumerate().flat_map(|(at, &seconds)| row("a", 1000, at, seconds));
        let rows = summarized(&["a", "b"].map(|name| cell(name, 1000)), &samples.collect::<Vec<_>>());
        assert_eq!(rows.len(), 1);
        let SummaryRow { median_s, ci_low_s, ci_high_s, published_s, .. } = rows[0];
        assert_eq!([median_s, ci_low_s, ci_high_s, published_s], [2.0, 1.0, 3.0, 0.5].map(Some));
        let SummaryRow { tasks_per_s, effective_gbs, effective_gbs_paper, .. } = rows[0];
        assert_eq!([tasks_per_s, effective_gbs, effective_gbs_paper], [0.5e9, 0.25, 0.3125].map(Some));
    }

    #[test]
    fn a_cell_of_which_few_iterations_were_run_says_so_and_has_the_rate_of_the_tasks_that_were_done() {
        let cells = [cell("cpu-naive", 1000)];
        let mut samples = row("cpu-naive", 1000, 0, 2.0);
        assert_eq!(summarized(&cells, &samples)[0].iterations, None);
        samples.iter_mut().for_each(|row| row.iterations = Some(10));
        let rows = summarized(&cells, &samples);
        assert_eq!((rows[0].median_s, rows[0].iterations), (Some(2.0), Some(10)));
        assert_eq!((samples[0].clocked(), rows[0].tasks_per_s), (Some(0.02), Some(10.0 * 1e6 / 0.02)));
    }

    #[test]
    fn only_right_samples_count_and_a_cell_that_ended_in_a_failure_says_why_until_a_later_one_is_right() {
        let with = |sample, verified, status, message: &str| -> Vec<SampleRow> {
            let rows = row("a", 64, sample, 1.0).into_iter();
            rows.map(|row| SampleRow { verified, status, message: message.into(), ..row }).collect()
        };
        let right = |sample| row("a", 64, sample, 1.0);
        let failed = vec![SampleRow::without_time(&cell("a", 64), 1, Status::Failed, "wrong")];
        let two = [with(0, true, Status::Impossible, "too good"), with(1, false, Status::Failed, "wrong")];
        for (samples, median_s, status, message) in [
            (two.concat(), None, Status::Failed, "wrong"),
            ([right(0), failed.clone()].concat(), None, Status::Failed, "wrong"),
            ([right(0), failed, right(2)].concat(), Some(1.0), Status::Ok, ""),
        ] {
            let row = summarized(&[cell("a", 64)], &samples).remove(0);
            let count = if median_s.is_some() { 2 } else { row.samples };
            assert_eq!((row.samples, row.median_s, row.status), (count, median_s, status));
            assert_eq!(row.message, message);
        }
    }

    #[test]
    fn every_clock_of_a_cell_has_its_median_and_cells_with_the_usual_clocks_alone_are_left_out() {
        let mut samples: Vec<SampleRow> =
            [1.0, 2.0, 9.0].iter().enumerate().flat_map(|(at, &seconds)| row("a", 8, at, seconds)).collect();
        samples.extend(row("b", 8, 0, 1.0));
        samples.push(SampleRow { scope: Scope::HostUnsynced, seconds: Some(0.5), ..samples[0].clone() });
        let rows = scope_rows(&["b", "a"].map(|name| cell(name, 8)), &Times::of(&samples));
        let shown: Vec<_> = rows.iter().map(|row| (row.scope, row.samples, row.median_s)).collect();
        assert!(rows.iter().all(|row| row.cell == cell("a", 8)) && shown.len() == 1 + Scope::USUAL.len());
        assert!(shown.contains(&(Scope::HostUnsynced, 1, 0.5)) && shown.contains(&(Scope::Host, 3, 2.0)));
    }

    #[test]
    fn all_cores_are_slower_where_they_take_longer_on_the_same_graph_and_it_is_worth_sharing() {
        let row = |name, n, graph, seconds| measured(CellId::new(name, n, "", graph), &[seconds]);
        let (one, all) = (row(ON_ONE, 4096, "g", 3.0), row(ON_ALL, 4096, "g", 5.0));
        let expected = HostWarning::AllCoresSlower { cell: all.cell(), all_cores_s: 5.0, one_core_s: 3.0 };
        assert_eq!(host_findings(&[], &[one.clone(), all]), [expected]);
        // Faster, on another graph, at another n; so few vertices are shared in vain on any host.
        let others = [(4096, "g", 2.0), (4096, "h", 5.0), (2048, "g", 5.0)];
        let others = others.map(|(n, graph, seconds)| row(ON_ALL, n, graph, seconds));
        assert_eq!(host_findings(&[], &[&[one], &others[..]].concat()), []);
        assert_eq!(host_findings(&[], &[row(ON_ONE, 8, "", 1e-6), row(ON_ALL, 8, "", 1e-5)]), []);
    }

    #[test]
    fn one_loaded_sample_marks_its_cell_and_records_of_before_say_nothing() {
        let of = |n, loads: &[Option<f64>]| {
            let samples = loads.iter().enumerate().flat_map(|(sample, &others_load)| {
                row(ON_ONE, n, sample, 1.0).into_iter().map(move |row| SampleRow { others_load, ..row })
            });
            summarized(&[cell(ON_ONE, n)], &samples.collect::<Vec<_>>()).remove(0)
        };
        let loaded = of(64, &[Some(0.05), Some(0.3), None, Some(0.2)]);
        let (quiet, old) = (of(65, &[Some(0.05), Some(0.1)]), of(66, &[None, None]));
        assert_eq!([&loaded, &quiet, &old].map(|row| row.others_load), [Some(0.3), Some(0.1), None]);
        let expected = HostWarning::UnderLoad { cell: loaded.cell(), others_load: 0.3 };
        assert_eq!(host_findings(&[], &[loaded, quiet, old]), [expected]);
    }
}
