//! How long a worker may take to answer, when repeating is of no use, and how long the rest of a run takes.

use super::Runner;
use crate::plan::{Mode, PlannedCell};
use crate::protocol::Request;
use crate::store::groups;
use repro_base::CellId;
use std::time::{Duration, Instant};

/// The time for what is asked of a worker other than a solve: opening a device, compiling, copying, comparing.
pub const OVERHEAD: Duration = Duration::from_secs(120);
/// A cell whose sample takes longer than this many warm-ups is long enough to warm up by itself.
pub const WARM_UP_WORTH: f64 = 10.0;
/// A sample hangs when it takes this many times what a smaller size lets expect.
const HANGS_AFTER: f64 = 30.0;
/// Repeats of throttled samples before a cell is given up.
pub const MOST_REPEATS: usize = 5;
/// Solves of which a cell's times by kernel are the medians.
pub const KERNEL_SOLVES: usize = 3;
/// One solve is enough where launches take this long together, seconds.
pub const LONG_SOLVE_S: f64 = 0.5;

/// Derived files are written again after this many times as long as writing them takes.
pub const SELDOM: u32 = 20;

/// What there was when this start of the program began to measure.
pub(super) struct StartSnapshot {
    at: Instant,
    sampled_s: f64,
    /// The cells that can be run here, in their order.
    pub due: Vec<PlannedCell>,
    /// How many of them were to be timed.
    timed: usize,
}

impl StartSnapshot {
    pub fn of(run: &Runner) -> Self {
        let groups = groups(run.journal.manifest());
        let all = groups.iter().flat_map(|group| group.cells.iter().map(move |cell| (cell, group)));
        let can_run = all.filter(|(cell, group)| run.reason_to_skip(cell, group).is_none());
        let due: Vec<PlannedCell> = can_run.map(|(cell, _)| cell.clone()).collect();
        let is_left = |cell: &&PlannedCell| cell.mode == Mode::Timed && !run.is_done(&cell.id);
        let timed = due.iter().filter(is_left).count();
        Self { at: Instant::now(), sampled_s: run.journal.history().sampled_s(), due, timed }
    }
}

impl Runner<'_> {
    /// How long a worker may take for this request, about `cell` if about one. Kernels were compiled on opening the device.
    pub(super) fn limit(&self, request: &Request, cell: &CellId) -> Duration {
        let (n, longest_s) = (cell.n, self.experiment.limits.sample_s);
        let expected_s = self.journal.history().forecast(cell);
        // The reference is n³ tasks at no less than 10⁹ a second, and a search besides.
        let graph_s = |n: usize| (n as f64).powi(3) * 1e-9;
        // Copying, hashing and comparing n² entries, generously.
        let compare_s = 5.0 + (n as f64 / 1024.0).powi(2) * 0.2;
        let hangs_after_s = expected_s.map_or(longest_s, |s| (s * HANGS_AFTER).max(10.0).min(longest_s));
        let solve_s = hangs_after_s + compare_s;
        let overhead_s = OVERHEAD.as_secs_f64();
        let limit_s = match request {
            Request::LoadGraph(graph) => overhead_s + graph_s(graph.n),
            Request::Prepare { warm_up_s, .. } => solve_s + warm_up_s,
            Request::Sample { variant, clocks, .. } => {
                // A user kernel has another graph made first, and solves on the earlier one once more.
                let substitute_s = if variant.is_external() { graph_s(n) + solve_s } else { 0.0 };
                solve_s * f64::from(clocks.solves()) + substitute_s
            }
            Request::TimeKernels { .. } => solve_s * KERNEL_SOLVES as f64,
            Request::Repeat { rule, .. } => {
                let solves_s = expected_s.unwrap_or_default() * rule.solves as f64;
                solve_s + HANGS_AFTER * (solves_s + rule.seconds)
            }
            Request::FirstRun { .. } => overhead_s + solve_s,
            Request::Count { .. } => longest_s + compare_s,
            // Writing n² entries of eight bytes to a slow disk, twenty megabytes a second.
            Request::StoreDistances { .. } => overhead_s + (n as f64).powi(2) * 8.0 / 20e6,
            _ => overhead_s,
        };
        // A limit of more than a year is as good as none, and no size may overflow a duration.
        Duration::from_secs_f64(limit_s.clamp(0.0, 365.0 * 24.0 * 3600.0))
    }

    /// Seconds until the last timed cell is done, by the rates and the overhead of those that were measured. None where one has no rate of
    /// its kind yet, and where none is left: how long counting takes is not known.
    pub(super) fn remaining_s(&self, start: &StartSnapshot) -> Option<f64> {
        let history = self.journal.history();
        let (rates, solves) = (history.rates(), f64::from(self.experiment.clocks.solves()));
        let (mut left, mut prepared, mut solves_s) = (0, 0, 0.0);
        let timed = start.due.iter().filter(|cell| cell.mode == Mode::Timed && !self.is_over(&cell.id));
        for PlannedCell { id, optional, .. } in timed {
            let seconds = history.forecast(id).or_else(|| rates.seconds(id))?;
            if !optional || seconds <= self.experiment.limits.full_cell_s {
                let spent = history.cell(id).ok.iter().sum::<f64>() * solves;
                solves_s += (self.experiment.cost(id, seconds) - spent).max(0.0);
                left += 1;
                prepared += usize::from(self.ready.contains(id));
            }
        }
        // All cells of a group are warmed up before the first is sampled.
        let begun = (start.timed + prepared).saturating_sub(left).max(1);
        let beside_s = start.at.elapsed().as_secs_f64() - (history.sampled_s() - start.sampled_s) * solves;
        let rest_s = solves_s + beside_s.max(0.0) * (left - prepared) as f64 / begun as f64;
        // The other build of a pair takes as long.
        (left > 0).then_some(if self.side().is_some() { 2.0 * rest_s } else { rest_s })
    }
}
