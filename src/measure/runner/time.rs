//! How long a worker may take to answer, when repeating is of no use, and how long the rest of a run takes.

use super::Runner;
use crate::plan::{Mode, PlannedCell};
use crate::store::groups;
use std::time::{Duration, Instant};

/// What may be asked of a worker other than a solve: opening a device, compiling, copying, comparing.
pub const OVERHEAD: Duration = Duration::from_secs(120);
/// A cell whose sample takes longer than this many warm-ups is long enough to warm up by itself.
pub const WARM_UP_WORTH: f64 = 10.0;
/// A sample that takes this many times what the last size lets expect hangs.
pub const HANGS_AFTER: f64 = 30.0;
/// Repeats of throttled samples before a cell is given up.
pub const MOST_REPEATS: usize = 5;
/// Solves of which a cell's times by kernel are the medians.
pub const KERNEL_SOLVES: usize = 3;
/// One solve is enough where launches take this long together, seconds.
pub const LONG_SOLVE_S: f64 = 0.5;

/// What follows from the samples is written again after so many times as long as that takes.
pub const SELDOM: u32 = 20;

/// The reference is n³ tasks at no less than 10⁹ a second, and a search besides.
pub fn graph_time(n: usize) -> Duration {
    seconds((n as f64).powi(3) * 1e-9)
}

/// A time limit. What is longer than a year is as good as none, and no size may overflow one.
pub fn seconds(limit: f64) -> Duration {
    Duration::from_secs_f64(limit.clamp(0.0, 365.0 * 24.0 * 3600.0))
}

/// Writing n² entries of eight bytes to a slow disk, twenty megabytes a second.
pub fn storing_time(n: usize) -> Duration {
    seconds((n as f64).powi(2) * 8.0 / 20e6)
}

/// Copying, hashing and comparing n² entries, generously.
pub fn comparison_time(n: usize) -> Duration {
    seconds(5.0 + (n as f64 / 1024.0).powi(2) * 0.2)
}

/// What there was when this start of the program began to measure.
pub(super) struct Start {
    at: Instant,
    sampled_s: f64,
    done: usize,
    /// The cells that are timed here, in their order.
    timed: Vec<PlannedCell>,
}

impl Start {
    pub fn of(run: &Runner) -> Self {
        let mut timed = Vec::new();
        for group in groups(run.journal.manifest()) {
            let is_run =
                |cell: &PlannedCell| cell.mode == Mode::Timed && run.reason_to_skip(cell, &group).is_none();
            timed.extend(group.cells.iter().filter(|cell| is_run(cell)).cloned());
        }
        let done = timed.iter().filter(|cell| run.is_over(&cell.id)).count();
        Self { at: Instant::now(), sampled_s: run.journal.history().sampled_s(), done, timed }
    }
}

impl Runner<'_> {
    /// Seconds until the last timed cell is done, by the rates and the overhead of those that were measured. None where one has no rate of
    /// its kind yet, and where none is left: how long counting takes is not known.
    pub(super) fn remaining_s(&self) -> Option<f64> {
        let (history, start) = (self.journal.history(), self.start.as_ref()?);
        let (rates, solves) = (history.rates(), f64::from(self.experiment.clocks.solves()));
        let (mut left, mut solves_s) = (0, 0.0);
        for cell in start.timed.iter().filter(|cell| !self.is_over(&cell.id)) {
            let seconds = history.forecast(&cell.id).or_else(|| rates.seconds(&cell.id))?;
            if cell.optional && seconds > self.experiment.limits.full_cell_s {
                continue;
            }
            let spent = history.of(&cell.id).ok.iter().sum::<f64>() * solves;
            solves_s += (self.experiment.cost(&cell.id, seconds) - spent).max(0.0);
            left += 1;
        }
        let done = start.timed.len().saturating_sub(left + start.done);
        let beside = start.at.elapsed().as_secs_f64() - (history.sampled_s() - start.sampled_s) * solves;
        let overhead = if done > 0 { beside.max(0.0) / done as f64 } else { 0.0 };
        (left > 0).then_some(solves_s + overhead * left as f64)
    }
}
