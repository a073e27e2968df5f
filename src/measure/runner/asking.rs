//! Opening a worker, asking it, and what a cell has so far.

use super::limits::{MOST_REPEATS, OVERHEAD, SELDOM};
use super::{Outcome, RunError, Runner, now};
use crate::device::emulated::Instruments;
use crate::measure::event::{CellEvent, Doing, Event};
use crate::measure::probe::missing_device;
use crate::measure::supervisor::{Answer, Executor, NoReply};
use crate::plan::{CellGroup, Mode, PlannedCell, Variant, solved_on};
use crate::protocol::{Failure, FailureCause, GraphRequest, Opened, Opening, Reply, Request};
use crate::store::{Environment, Journal, SampleRow, Status, cells, groups};
use crate::timing::{Ceilings, Decision};
use repro_base::CellId;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

impl Runner<'_> {
    /// Has the device opened, the kernels compiled and the ceilings measured, and notes where samples will come from.
    pub(in crate::measure) fn open(&mut self) -> Result<(), RunError> {
        let mut variants = self.experiment.variants();
        variants.retain(|variant| !self.unknown.iter().any(|unknown| unknown.variant == *variant));
        let Opened { environment, unusable } = self.look_at(variants)?;
        // Before anything is there: of a run that goes on, such cells have their rows.
        if let Some(problem) = unusable.filter(|_| self.journal.samples().is_empty()) {
            return Err(RunError::Input(problem));
        }
        self.journal.set_environment(environment)?;
        // What is run depends on the device that was found.
        self.cells = cells(self.journal.manifest());
        self.measure_ceilings()
    }

    /// Has the device opened and the kernels of `variants` compiled.
    fn look_at(&mut self, variants: Vec<Variant>) -> Result<Opened, RunError> {
        self.observer.doing(Doing::Opening, 0, 0, None);
        let opening = Opening::of(&self.experiment, variants, Instruments::ALL);
        let reply = self
            .ask(&Request::Open(opening), OVERHEAD)?
            .map_err(|failure| RunError::Input(failure.message))?;
        let Reply::Opened(opened) = reply else { return Err(unexpected()) };
        if let Some(problem) = missing_device(&self.experiment, &opened.environment) {
            return Err(RunError::Input(problem));
        }
        let device = opened.environment.device.as_ref();
        if let Some(problem) = device.and_then(|device| device.telemetry_problem.as_ref()) {
            self.observer.event(Event::NoTelemetry(problem));
        }
        Ok(*opened)
    }

    /// Changes what is known of where samples come from, if that is known.
    pub(super) fn change_environment(
        &mut self,
        change: impl FnOnce(&mut Environment),
    ) -> Result<(), RunError> {
        Ok(self.journal.change_manifest(|manifest| manifest.environment.as_mut().map_or((), change))?)
    }

    fn measure_ceilings(&mut self) -> Result<(), RunError> {
        self.observer.doing(Doing::Ceilings, 0, 0, None);
        let load_latency = self.experiment.clocks.load_latency;
        let request = Request::MeasureCeilings { elements: self.experiment.elements(), load_latency };
        if let Ok(Reply::Ceilings(measured)) = self.ask(&request, OVERHEAD)? {
            self.raise_ceilings(measured)?;
        }
        Ok(())
    }

    /// The groups of the run, which depend on the device that was found.
    pub(in crate::measure) fn groups(&self) -> Vec<CellGroup> {
        groups(self.journal.manifest())
    }

    pub(in crate::measure) fn environment(&self) -> Option<&Environment> {
        self.journal.manifest().environment.as_ref()
    }

    pub(in crate::measure) fn ceilings(&self) -> Ceilings {
        self.environment().map(|environment| environment.ceilings.clone()).unwrap_or_default()
    }

    /// Notes what was measured where it is higher than what is known.
    pub(in crate::measure) fn raise_ceilings(&mut self, measured: Ceilings) -> Result<(), RunError> {
        self.change_environment(|known| {
            known.ceilings = std::mem::take(&mut known.ceilings).best_of(measured)
        })
    }

    /// What a worker is asked to load for a group.
    pub(super) fn graph_of(&self, group: &CellGroup) -> GraphRequest {
        GraphRequest {
            source: group.graph.source.of_run(self.journal.folder()),
            element: group.graph.element,
            n: group.n,
            limits: self.experiment.limits,
            sharded: self.experiment.sharded,
        }
    }

    /// Writes what follows from the samples so far.
    pub(in crate::measure) fn write_derived(&mut self) -> Result<(), RunError> {
        let start = Instant::now();
        self.journal.write_derived(|journal| self.observer.derived(journal, &self.cells))?;
        self.derived = (Instant::now(), start.elapsed());
        Ok(())
    }

    /// Writes what follows from the samples if it is time to. All samples are read for it: before every group of a long run that would be
    /// most of what it does.
    pub(in crate::measure) fn keep_derived_fresh(&mut self) -> Result<(), RunError> {
        let (last, took) = self.derived;
        if last.elapsed() < took * SELDOM { Ok(()) } else { self.write_derived() }
    }

    /// Says where that is which was cut off the samples when the run was continued.
    pub(super) fn report_salvaged(&mut self) {
        if let Some(salvaged) = self.journal.salvaged() {
            self.observer.event(Event::Salvaged(salvaged));
        }
    }

    /// Notes that every cell was run.
    pub(in crate::measure) fn finish(&mut self) -> Result<Outcome, RunError> {
        let derive = |journal: &Journal| self.observer.derived(journal, &self.cells);
        self.journal.finish(now(), &self.cells, derive)?;
        Ok(Outcome::Finished { failed: self.journal.failed(&self.cells) })
    }

    /// Whether a cell has what it needs, from this or an earlier part of the run. Failures are tried again.
    pub(in crate::measure) fn is_done(&self, cell: &CellId) -> bool {
        let history = self.journal.history().of(cell);
        if history.counted > 0 {
            return true;
        }
        // A failure after enough samples, as when its kernels were timed, takes the cell's time away until it is sampled again.
        let enough = history.ended.is_none()
            && !history.ok.is_empty()
            && self.experiment.sampling.decide(&history.ok, solved_on(cell)) == Decision::Enough;
        enough || self.is_given_up(cell)
    }

    /// Whether a cell has all samples that it needs, or failed.
    pub(super) fn is_over(&self, cell: &CellId) -> bool {
        self.journal.history().of(cell).ended.is_some() || self.is_done(cell)
    }

    /// Whether more samples of a cell are of no use: one was impossible, or many were thrown away.
    pub(super) fn is_given_up(&self, cell: &CellId) -> bool {
        let history = self.journal.history().of(cell);
        history.last == Some(Status::Impossible) || history.discarded >= MOST_REPEATS
    }

    /// What a worker answers when it is asked. An interrupt ends the run, and so does the loss of another process.
    pub(super) fn heard(
        &mut self,
        ask: impl FnOnce(&mut dyn Executor) -> Answer,
    ) -> Result<Answer, RunError> {
        match ask(self.executor) {
            _ if self.interrupted.load(Ordering::Relaxed) => Err(RunError::Interrupted),
            Err(NoReply::Interrupted) => Err(RunError::Interrupted),
            Err(NoReply::Refused(failure)) if failure.cause == FailureCause::MemberLost => {
                Err(RunError::MemberLost(failure.message))
            }
            answer => Ok(answer),
        }
    }

    /// Asks for something that concerns one cell. None when that failed, which ends the cell and nothing else.
    pub(super) fn ask_for(
        &mut self,
        cell: &PlannedCell,
        request: &Request,
        limit: Duration,
    ) -> Result<Option<Reply>, RunError> {
        let why = match self.heard(|executor| executor.ask(request, limit))? {
            Ok(reply) => return Ok(Some(reply)),
            Err(why) => why,
        };
        let status = match &why {
            NoReply::Refused(failure) if failure.cause == FailureCause::TooFewDevices => Status::Skipped,
            why => why.status(),
        };
        let late = format!("no result after {:.0} s: the worker was stopped", limit.as_secs_f64());
        self.fail(cell, status, &why.message(&late))?;
        Ok(None)
    }

    /// Asks for something without which nothing else works.
    pub(super) fn ask(
        &mut self,
        request: &Request,
        limit: Duration,
    ) -> Result<Result<Reply, Failure>, RunError> {
        match self.heard(|executor| executor.ask(request, limit))? {
            Ok(reply) => Ok(Ok(reply)),
            Err(NoReply::Refused(failure)) => Ok(Err(failure)),
            Err(lost) => {
                Err(RunError::Worker(lost.message(&format!("no answer after {} s", limit.as_secs()))))
            }
        }
    }

    pub(super) fn next_sample(&self, cell: &PlannedCell) -> usize {
        self.journal.history().of(&cell.id).next_sample
    }

    pub(super) fn row_without_time(&self, cell: &PlannedCell, status: Status, message: &str) -> SampleRow {
        SampleRow::without_time(&cell.id, self.next_sample(cell), status, message)
    }

    pub(super) fn fail(&mut self, cell: &PlannedCell, status: Status, message: &str) -> Result<(), RunError> {
        let row = self.row_without_time(cell, status, message);
        self.report(&cell.id, CellEvent::Ended(status, &row.message));
        Ok(self.journal.append(vec![row])?)
    }

    pub(super) fn report(&mut self, cell: &CellId, event: CellEvent) {
        self.observer.event(Event::Cell(cell, event));
    }

    /// Shows that a cell is sampled, or counted where it is not timed.
    pub(super) fn show_sampling(&mut self, cell: &PlannedCell) {
        let id = &cell.id;
        self.show(match cell.mode {
            Mode::Counted => Doing::Counting(id),
            Mode::Timed => Doing::Sampling(id, self.next_sample(cell) + 1),
        });
    }

    pub(super) fn show(&mut self, doing: Doing) {
        let done = self.cells.iter().filter(|cell| self.is_over(cell)).count();
        let remaining = self.remaining_s();
        self.observer.doing(doing, done, self.cells.len(), remaining);
    }
}

pub(super) fn unexpected() -> RunError {
    RunError::Worker("it answered something else than what was asked".into())
}
