//! How long the rest of a run takes, by what its cells took so far.

use super::Runner;
use crate::plan::{Mode, PlannedCell};
use std::time::Instant;

/// What there was when this start of the program began to measure.
pub(super) struct Start {
    at: Instant,
    sampled_s: f64,
    done: usize,
    /// The cells that are timed here, in their order.
    timed: Vec<PlannedCell>,
}

impl Runner<'_> {
    /// Notes that from now on cells are measured, once.
    pub(super) fn note_start(&mut self) {
        if self.start.is_some() {
            return;
        }
        let groups = self.groups();
        let cells = groups.iter().flat_map(|group| group.cells.iter().map(move |cell| (group, cell)));
        let runs = cells
            .filter(|(group, cell)| cell.mode == Mode::Timed && self.reason_to_skip(cell, group).is_none());
        let timed: Vec<PlannedCell> = runs.map(|(_, cell)| cell.clone()).collect();
        let done = timed.iter().filter(|cell| self.is_over(&cell.id)).count();
        let sampled_s = self.journal.history().sampled_s();
        self.start = Some(Start { at: Instant::now(), sampled_s, done, timed });
    }

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
