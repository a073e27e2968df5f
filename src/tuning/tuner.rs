//! Carries a search out: asks for a point, has it measured, answers what it costs.

use super::axes::Axes;
use super::cost::{Tried, cost, cost_kind};
use super::search::Search;
use crate::implementation::Implementation;
use crate::measure::{Outcome, RunError, Runner};
use crate::plan::{BestPoint, Column, Experiment, Searched};
use crate::results::StoredRun;
use repro_types::CellId;
use std::time::Instant;

/// A search at work on a run. Of one that is continued, what is recorded is not measured again.
pub struct Tuner<'a> {
    pub runner: Runner<'a>,
    pub implementation: &'a Implementation,
    pub axes: &'a Axes,
}

impl Tuner<'_> {
    /// Searches until the budget is used up or no further point is found.
    ///
    /// # Errors
    /// When records cannot be written, or the device is not to be had.
    pub fn run(&mut self) -> Result<Outcome, RunError> {
        let experiment = self.runner.journal.manifest().experiment.clone();
        let (Some(defaults), Some(mut searched)) = (experiment.columns.first(), experiment.search.clone())
        else {
            return Err(RunError::Input("this run holds no search: start one without --resume".into()));
        };
        let Some(cell) = cell_of(&experiment, defaults) else {
            return Err(RunError::Input("the search of this run has no n: start a new one".into()));
        };
        let (implementation, axes) = (self.implementation, self.axes);
        let space = axes.space(implementation, cell.n, experiment.element_of(&cell.graph));
        let mut search = Search::new(space, searched.random, searched.seed);
        let mut tried = 0;
        while searched.points.is_none_or(|points| tried < points) {
            let Some(point) = search.propose() else { break };
            let column = Column { parameters: axes.parameters(&point), ..defaults.clone() };
            let cell = CellId { params: column.parameters.to_string(), ..cell.clone() };
            if !self.runner.is_over(&cell) {
                if searched.seconds.is_some_and(|seconds| searched.spent_s >= seconds) {
                    break;
                }
                let start = Instant::now();
                let finished = self.runner.run_added(&column)?;
                searched.spent_s += start.elapsed().as_secs_f64();
                if !finished {
                    self.note(&searched)?;
                    return Ok(Outcome::Interrupted);
                }
            }
            tried += 1;
            let run = StoredRun::of(self.runner.journal);
            let kind = cost_kind(&run);
            let found = cost(&run, kind, &cell).ok();
            if search.answer(&point, found)
                && let Some(cost) = found
            {
                searched.best = Some(BestPoint { parameters: column.parameters, cost: cost.value, by: kind });
            }
            self.note(&searched)?;
        }
        searched.ended = true;
        self.note(&searched)?;
        self.runner.finish_added()
    }

    /// Writes down how far the search is.
    fn note(&mut self, searched: &Searched) -> Result<(), RunError> {
        let searched = Some(searched.clone());
        Ok(self.runner.journal.change_manifest(|manifest| manifest.experiment.search = searched)?)
    }
}

/// The points of a run in the order in which they were tried; the last one of a search that was stopped may lack samples.
pub fn tried(run: &StoredRun) -> Vec<Tried> {
    let experiment = &run.manifest.experiment;
    let kind = cost_kind(run);
    let of_column = |column: &Column| {
        let cell = cell_of(experiment, column)?;
        run.samples
            .iter()
            .any(|row| row.is_of(&cell))
            .then(|| Tried { parameters: column.parameters.clone(), cost: cost(run, kind, &cell) })
    };
    experiment.columns.iter().filter_map(of_column).collect()
}

/// The cell of a column of a search, which has one.
fn cell_of(experiment: &Experiment, column: &Column) -> Option<CellId> {
    Some(CellId {
        implementation: column.implementation.clone(),
        n: *column.count_sizes.first().or(column.sizes.first())?,
        params: column.parameters.to_string(),
        graph: experiment.graphs.first()?.name.clone(),
    })
}
