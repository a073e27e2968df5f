//! One worker with the journal that its answers go to: opening it, asking it, and what a cell has so far.

use super::limits::{MOST_REPEATS, OVERHEAD};
use super::{Outcome, RunError, Stop, now};
use crate::device::emulated::Instruments;
use crate::measure::event::{CellEvent, Doing, Event, RunObserver};
use crate::measure::look::missing_device;
use crate::measure::protocol::{Failure, FailureCause, GraphRequest, Opened, Reply, Request, Unknown};
use crate::measure::supervisor::{Answer, Executor};
use crate::plan::{Experiment, Group, PlannedCell, Variant, solved_on};
use crate::store::{Environment, ImplementationRecord, Journal, JournalError, SampleRow, Status, cells};
use crate::timing::{Ceilings, Decision};
use repro_types::CellId;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A worker at work on one run. Nothing here decides in which order it is asked.
pub struct Lane<'a> {
    pub(super) executor: &'a mut dyn Executor,
    pub(super) journal: &'a mut Journal,
    pub(super) observer: &'a mut dyn RunObserver,
    pub(super) interrupted: &'a AtomicBool,
    pub(super) experiment: Experiment,
    /// Of the whole run.
    pub(super) cells: Vec<CellId>,
    /// What the worker cannot run anywhere.
    pub unknown: Vec<Unknown>,
}

impl<'a> Lane<'a> {
    pub fn new(
        executor: &'a mut dyn Executor,
        journal: &'a mut Journal,
        observer: &'a mut dyn RunObserver,
        interrupted: &'a AtomicBool,
    ) -> Self {
        let experiment = journal.manifest().experiment.clone();
        let cells = cells(journal.manifest());
        Self { executor, journal, observer, interrupted, experiment, cells, unknown: Vec::new() }
    }

    /// Has the device opened, the kernels compiled and the ceilings measured, and notes where samples will come from.
    pub fn open(&mut self) -> Result<(), Stop> {
        let mut variants = self.experiment.variants();
        variants.retain(|variant| !self.unknown.iter().any(|unknown| unknown.variant == *variant));
        let Opened { environment, unusable } = self.look_at(variants)?;
        // Before anything is there: of a run that goes on, such cells have their rows.
        if let Some(problem) = unusable.filter(|_| self.journal.samples().is_empty()) {
            return Err(RunError::Input(problem).into());
        }
        self.begin_on(environment)?;
        self.measure_ceilings()
    }

    /// The same of one variant that was added to the run. What is known of the others stays.
    pub fn open_added(&mut self, variant: &Variant, with_ceilings: bool) -> Result<(), Stop> {
        // A point of a search that does not load is one that is not chosen.
        let Opened { mut environment, .. } = self.look_at(vec![variant.clone()])?;
        let added = std::mem::take(&mut environment.implementations);
        self.journal.change_manifest(|manifest| {
            let Some(earlier) = &mut manifest.environment else { return };
            // Without a place among the others it would look like a run of other kernels.
            for record in &added {
                if !earlier.implementations.iter().any(|known| is_same(known, record)) {
                    earlier.implementations.push(record.clone());
                }
            }
        })?;
        let earlier = self.journal.manifest().environment.as_ref();
        let mut all = earlier.map_or_else(|| added.clone(), |earlier| earlier.implementations.clone());
        for record in added {
            all.iter_mut().filter(|known| is_same(known, &record)).for_each(|known| *known = record.clone());
        }
        environment.implementations = all;
        self.begin_on(environment)?;
        if with_ceilings { self.measure_ceilings() } else { Ok(()) }
    }

    /// Has the device opened and the kernels of `variants` compiled.
    fn look_at(&mut self, variants: Vec<Variant>) -> Result<Opened, Stop> {
        self.observer.doing(Doing::Opening, 0, 0, None);
        let request = Request::Open {
            device: self.experiment.device.clone(),
            variants,
            elements: self.experiment.elements(),
            instruments: Instruments::ALL,
            order: 0,
        };
        let opened = match self.ask(&request, OVERHEAD)? {
            Ok(Reply::Opened(opened)) => *opened,
            Ok(_) => return Err(unexpected()),
            Err(failure) => return Err(RunError::Input(failure.message).into()),
        };
        if let Some(problem) = missing_device(&self.experiment, &opened.environment) {
            return Err(RunError::Input(problem).into());
        }
        if let Some(problem) =
            opened.environment.device.as_ref().and_then(|device| device.telemetry_problem.clone())
        {
            self.observer.event(Event::NoTelemetry(&problem));
        }
        Ok(opened)
    }

    /// Notes where samples will come from.
    fn begin_on(&mut self, environment: Environment) -> Result<(), Stop> {
        let here = environment.model().to_string();
        self.journal.set_environment(environment)?;
        if let Some(model) = self.experiment.tuned_for.as_ref().filter(|model| **model != here) {
            return Err(RunError::Input(format!(
                "--tuned: that run is of {model}, and here is {here}: give one of this model, or run without it"
            ))
            .into());
        }
        // What is run depends on the device that was found.
        self.cells = cells(self.journal.manifest());
        Ok(())
    }

    fn measure_ceilings(&mut self) -> Result<(), Stop> {
        self.observer.doing(Doing::Ceilings, 0, 0, None);
        let request = Request::MeasureCeilings { elements: self.experiment.elements() };
        if let Ok(Reply::Ceilings(measured)) = self.ask(&request, OVERHEAD)? {
            self.raise_ceilings(measured)?;
        }
        Ok(())
    }

    pub fn journal(&self) -> &Journal {
        self.journal
    }

    pub fn ceilings(&self) -> Ceilings {
        let environment = self.journal.manifest().environment.as_ref();
        environment.map(|environment| environment.ceilings).unwrap_or_default()
    }

    /// Notes what was measured where it is higher than what is known.
    pub fn raise_ceilings(&mut self, measured: Ceilings) -> Result<(), JournalError> {
        self.journal.change_manifest(|manifest| {
            if let Some(environment) = &mut manifest.environment {
                environment.ceilings = environment.ceilings.best_of(measured);
            }
        })
    }

    /// What a worker is asked to load for a group.
    pub(super) fn graph_of(&self, group: &Group) -> GraphRequest {
        GraphRequest {
            source: group.graph.source.of_run(self.journal.folder()),
            element: group.graph.element,
            n: group.n,
            limits: self.experiment.limits,
            in_parts: self.experiment.in_parts,
            checkpoints: self.experiment.checkpoints.clone(),
        }
    }

    pub fn write_derived(&mut self) -> Result<(), JournalError> {
        let derived = self.observer.derived(self.journal, &self.cells);
        self.journal.write_derived(&derived)
    }

    /// Says where that is which was cut off the samples when the run was continued.
    pub fn report_salvaged(&mut self) {
        if let Some(kept) = self.journal.kept() {
            self.observer.event(Event::Salvaged(kept));
        }
    }

    /// Notes that every cell was run.
    pub fn finish(&mut self) -> Result<Outcome, JournalError> {
        let finished = now();
        let derived = self.observer.derived(self.journal, &self.cells);
        self.journal.finish(finished, &self.cells, derived)?;
        Ok(Outcome::Finished { failed: self.journal.failed(&self.cells) })
    }

    /// Whether a cell has what it needs, from this or an earlier part of the run. Failures are tried again.
    pub fn is_done(&self, cell: &CellId) -> bool {
        let history = self.journal.history().of(cell);
        if history.counted {
            return true;
        }
        // A failure after enough samples, as when its kernels were timed, takes the cell's time away until it is sampled again.
        let enough = history.ended.is_none()
            && !history.ok.is_empty()
            && self.experiment.sampling.decide(&history.ok, solved_on(cell)) == Decision::Enough;
        enough || history.discarded >= MOST_REPEATS
    }

    /// Whether so many samples of a cell were thrown away that more are of no use.
    pub(super) fn is_given_up(&self, cell: &CellId) -> bool {
        self.journal.history().of(cell).discarded >= MOST_REPEATS
    }

    /// Asks for something that concerns one cell. None when that failed, which ends the cell and nothing else.
    pub(super) fn ask_for(
        &mut self,
        cell: &PlannedCell,
        request: &Request,
        limit: Duration,
    ) -> Result<Option<Reply>, Stop> {
        let (status, message) = match self.executor.ask(request, limit) {
            _ if self.interrupted.load(Ordering::Relaxed) => return Err(Stop::Interrupted),
            Answer::Interrupted => return Err(Stop::Interrupted),
            Answer::Reply(Reply::Failed(failure)) => match failure.cause {
                FailureCause::MemberLost => return Err(RunError::Group(failure.message).into()),
                FailureCause::TooFewDevices => (Status::Skipped, failure.message),
                _ => (Status::Failed, failure.message),
            },
            Answer::Reply(reply) => return Ok(Some(reply)),
            Answer::TimedOut => (
                Status::Timeout,
                format!("no result after {:.0} s: the worker was stopped", limit.as_secs_f64()),
            ),
            Answer::Died(words) => (Status::Failed, words),
        };
        self.fail(cell, status, &message)?;
        Ok(None)
    }

    /// Asks for something without which nothing else works.
    pub(super) fn ask(&mut self, request: &Request, limit: Duration) -> Result<Result<Reply, Failure>, Stop> {
        match self.executor.ask(request, limit) {
            _ if self.interrupted.load(Ordering::Relaxed) => Err(Stop::Interrupted),
            Answer::Interrupted => Err(Stop::Interrupted),
            Answer::Reply(Reply::Failed(failure)) if failure.cause == FailureCause::MemberLost => {
                Err(RunError::Group(failure.message).into())
            }
            Answer::Reply(Reply::Failed(failure)) => Ok(Err(failure)),
            Answer::Reply(reply) => Ok(Ok(reply)),
            Answer::TimedOut => {
                Err(RunError::Worker(format!("no answer after {} s", limit.as_secs())).into())
            }
            Answer::Died(words) => Err(RunError::Worker(words).into()),
        }
    }

    pub(super) fn fail(&mut self, cell: &PlannedCell, status: Status, message: &str) -> Result<(), Stop> {
        let sample = self.journal.history().of(&cell.id).next_sample;
        let row = SampleRow::without_time(&cell.id, sample, status, message);
        self.report(cell, CellEvent::Ended(status, &row.message));
        Ok(self.journal.append(vec![row])?)
    }

    pub(super) fn report(&mut self, cell: &PlannedCell, event: CellEvent) {
        self.observer.event(Event::Cell(&cell.id, event));
    }

    pub(super) fn show(&mut self, doing: Doing) {
        let history = self.journal.history();
        let (mut done, mut remaining) = (0, 0.0);
        let mut known = true;
        for cell in &self.cells {
            if history.of(cell).ended.is_some() || self.is_done(cell) {
                done += 1;
            } else if let Some(seconds) = history.forecast(cell) {
                remaining += self.experiment.sampling.expected_cost(seconds, solved_on(cell));
            } else {
                known = false;
            }
        }
        // A guess from half the cells would be no guess.
        let remaining = Some(remaining).filter(|_| known || done > 0);
        self.observer.doing(doing, done, self.cells.len(), remaining);
    }
}

/// Whether two records are of one implementation with the same parameters.
fn is_same(one: &ImplementationRecord, other: &ImplementationRecord) -> bool {
    (&one.implementation, &one.params) == (&other.implementation, &other.params)
}

pub(super) fn unexpected() -> Stop {
    RunError::Worker("it answered something else than what was asked".into()).into()
}
