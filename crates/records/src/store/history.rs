//! What a run knows of its cells so far, and how long their samples will take.

use crate::plan::{runs_on_device, tasks_of};
use crate::store::{SampleRow, Status};
use repro_base::CellId;
use repro_timing::{Scope, median};
use std::collections::BTreeMap;

/// What was recorded of one cell. Seconds are of scope `kernel`, or `program` for a foreign program, as the clock showed them: for a solve
/// that was cut short not scaled up to a whole one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellProgress {
    /// Seconds of the valid samples, as they came.
    pub ok: Vec<f64>,
    /// Samples that have a time which does not count: throttled or impossible.
    pub discarded: usize,
    /// How often the emulated device counted it: once in each order of blocks and threads.
    pub counted: usize,
    /// Whether the first solve in a fresh process was measured, or was tried in vain.
    pub first_run: bool,
    /// Seconds of a foreign program's last sample that grow with n³, unlike those of its start and files. None for others.
    program_solve: Option<f64>,
    /// How many iterations of k the last sample ran, where fewer than n.
    pub iterations: Option<usize>,
    /// The number of the next sample.
    pub next_sample: usize,
    /// Why the last sample has no time, if it has none.
    pub ended: Option<String>,
    /// What became of the last sample. None where no sample was taken, other than in a fresh process.
    pub last: Option<Status>,
}

impl CellProgress {
    /// Whether it has a time: not where its last sample invalidates the others.
    pub fn is_timed(&self) -> bool {
        !self.ok.is_empty() && !self.last.is_some_and(Status::invalidates_cell)
    }
}

/// Tasks a second, by implementation, and the medians of implementations on a device and of those on the CPU.
pub struct Rates {
    of: BTreeMap<String, f64>,
    on_device: Option<f64>,
    on_cpu: Option<f64>,
}

impl Rates {
    /// Seconds that one sample of `cell` takes at the rate of its implementation or, without one, at the median rate on its kind of
    /// processor. None where none of these was timed.
    pub fn seconds(&self, cell: &CellId) -> Option<f64> {
        let of_kind = || if runs_on_device(&cell.implementation) { self.on_device } else { self.on_cpu };
        Some(tasks_of(cell) / self.of.get(&cell.implementation).copied().or_else(of_kind)?)
    }
}

/// The histories of all cells.
#[derive(Clone, Debug, Default)]
pub struct History {
    cells: BTreeMap<CellId, CellProgress>,
    /// The empty history of a cell of which nothing was recorded.
    none: CellProgress,
}

impl History {
    /// Takes note of rows, in the order in which they were written.
    pub fn add(&mut self, rows: &[SampleRow]) {
        for row in rows {
            let cell = self.cells.entry(row.cell()).or_default();
            cell.next_sample = cell.next_sample.max(row.sample + 1);
            cell.first_run |= Scope::FIRST.contains(&row.scope);
            if row.scope == Scope::ProgramSolve {
                cell.program_solve = row.seconds;
            }
            if !row.scope.counts_samples() {
                continue;
            }
            (cell.ended, cell.last) = (None, Some(row.status));
            cell.iterations = row.iterations;
            match (row.status, row.clocked()) {
                (Status::Ok, Some(seconds)) => cell.ok.push(seconds),
                (Status::Counted, None) => cell.counted += 1,
                (_, Some(_)) => cell.discarded += 1,
                (_, None) => cell.ended = Some(row.message.clone()),
            }
        }
    }

    /// The history of `cell`, if anything was recorded of it.
    pub fn known(&self, cell: &CellId) -> Option<&CellProgress> {
        self.cells.get(cell)
    }

    /// The history of `cell`; an empty one when nothing was recorded.
    pub fn cell(&self, cell: &CellId) -> &CellProgress {
        self.cells.get(cell).unwrap_or(&self.none)
    }

    /// Seconds that one sample of `cell` will take: those of the largest size up to it that was measured, times the cube
    /// of the sizes' ratio, or its square where a fixed number of iterations is run. None when no such size was measured.
    pub fn forecast(&self, cell: &CellId) -> Option<f64> {
        let up_to = |n| CellId::new(&cell.implementation, n, "", "");
        let smaller = self.cells.range(up_to(0)..up_to(cell.n.saturating_add(1))).rev();
        let is_like = |(known, history): &(&CellId, &CellProgress)| {
            !history.ok.is_empty() && (known.variant(), &known.graph) == (cell.variant(), &cell.graph)
        };
        let (known, history) = smaller.into_iter().find(is_like)?;
        let power = if history.iterations.is_some() { 2 } else { 3 };
        let whole = *history.ok.last()?;
        let solve = history.program_solve.map_or(whole, |solve| solve.min(whole));
        Some(whole - solve + solve * (cell.n as f64 / known.n as f64).powi(power))
    }

    /// Tasks a second of each implementation that was timed, at its largest n.
    pub fn rates(&self) -> Rates {
        let mut of: BTreeMap<String, f64> = BTreeMap::new();
        // Cells of an implementation come in the order of n: the last one stays.
        for (cell, history) in &self.cells {
            let Some(seconds) = history.ok.last().filter(|seconds| **seconds > 0.0) else { continue };
            let run = history.iterations.map(|some| (cell.n as f64).powi(2) * some as f64);
            of.insert(cell.implementation.clone(), run.unwrap_or_else(|| tasks_of(cell)) / seconds);
        }
        let median_of = |on_device: bool| {
            let alike = of.iter().filter(|(name, _)| runs_on_device(name) == on_device);
            median(&alike.map(|(_, rate)| *rate).collect::<Vec<_>>())
        };
        Rates { on_device: median_of(true), on_cpu: median_of(false), of }
    }

    /// Seconds of all valid samples.
    pub fn sampled_s(&self) -> f64 {
        self.cells.values().flat_map(|cell| &cell.ok).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_timing::Seconds;

    fn cell(n: usize) -> CellId {
        CellId::new("a", n, "", "")
    }

    fn rows(n: usize, sample: usize, status: Status, seconds: f64) -> Vec<SampleRow> {
        let mut all = Seconds::same(9.0);
        all.extend([(Scope::Kernel, seconds)]);
        SampleRow::without_time(&cell(n), sample, status, "").every_scope(&all)
    }

    #[test]
    fn rates_are_those_of_the_largest_n_and_what_was_not_timed_has_the_rate_of_its_kind() {
        let mut history = History::default();
        let of = |name: &str, n: usize| CellId::new(name, n, "", "");
        let row = |name: &str, n: usize, seconds: f64| SampleRow {
            seconds: Some(seconds),
            ..SampleRow::without_time(&of(name, n), 0, Status::Ok, "")
        };
        history.add(&[row("staged-load", 100, 1.0), row("staged-load", 1000, 1.0)]);
        let seconds = |name: &str| history.rates().seconds(&of(name, 2000));
        assert_eq!(["staged-load", "katz-kider", "cpu-naive"].map(seconds), [Some(8.0), Some(8.0), None]);
        history.add(&[row("cpu-naive", 1000, 100.0)]);
        let some = CellId::new("cpu-parallel", 1000, "iterations=10", "");
        assert_eq!(history.rates().seconds(&some), Some(1.0));
    }

    /// Of programs the solve grows with the cube and the rest is taken as it was; what is cut short grows with the square.
    #[test]
    fn the_nearest_smaller_size_is_forecast_to_grow_with_the_work() {
        let solves = [(100, 1.0), (200, 7.0), (800, 1.0)];
        let solves = solves.map(|(n, seconds)| rows(n, 0, Status::Ok, seconds)).concat();
        let seconds = [(Scope::ProgramSolve, 1.0), (Scope::Program, 3.0)].into_iter().collect::<Seconds>();
        let program = SampleRow::without_time(&cell(10), 0, Status::Ok, "").every_scope(&seconds);
        let mut cut_short = rows(100, 0, Status::Ok, 50.0);
        cut_short.iter_mut().for_each(|row| row.iterations = Some(4));
        // At one n, what it took there, and what it is to take at others.
        for (samples, n, took, forecasts) in [
            (solves, 200, 7.0, &[(400, Some(56.0)), (200, Some(7.0)), (50, None)][..]),
            (program, 10, 3.0, &[(20, Some(10.0))]),
            (cut_short, 100, 2.0, &[(300, Some(18.0))]),
        ] {
            let mut history = History::default();
            history.add(&samples);
            assert_eq!(history.cell(&cell(n)).ok, [took]);
            for (n, forecast) in forecasts {
                assert_eq!(history.forecast(&cell(*n)), *forecast, "{n}");
            }
        }
    }

    #[test]
    fn only_ok_samples_count_and_an_end_without_a_time_is_remembered_until_the_next_sample() {
        let mut history = History::default();
        history.add(&rows(64, 0, Status::Ok, 1.0));
        history.add(&rows(64, 1, Status::Throttled, 2.0));
        history.add(&[SampleRow::without_time(&cell(64), 2, Status::Failed, "why")]);
        let expected = CellProgress {
            ok: vec![1.0],
            discarded: 1,
            next_sample: 3,
            ended: Some("why".into()),
            last: Some(Status::Failed),
            ..CellProgress::default()
        };
        assert_eq!(*history.cell(&cell(64)), expected);
        history.add(&rows(64, 3, Status::Ok, 1.5));
        assert_eq!(history.cell(&cell(64)).ended, None);
    }
}
