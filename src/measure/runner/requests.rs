//! Opening a worker, asking it, and what a cell has so far.

use super::time::{MOST_REPEATS, OVERHEAD, SELDOM, StartSnapshot};
use super::{Outcome, Result, RunError, Runner, now};
use crate::device::Selection;
use crate::device::emulated::Instruments;
use crate::graph::ElementType;
use crate::measure::sharded;
use crate::measure::supervisor::{Answer, Executor};
use crate::measure::{CellEvent, RunEvent};
use crate::plan::{Experiment, PlannedCell, Variant, host_memory, solved_on};
use crate::protocol::{FailureCause, OpenReply, OpenRequest, Reply, Request};
use crate::store::{Environment, SampleRow, Status, cells};
use crate::timing::Ceilings;
use repro_base::CellId;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::Ordering;
use std::time::Instant;

impl Runner<'_> {
    /// Has the device opened, the kernels compiled and the ceilings measured, and notes the machine that samples will come from.
    pub(in crate::measure) fn open(&mut self) -> Result {
        let all = CellId::default();
        let mut variants = self.experiment.variants();
        variants.retain(|variant| !self.unknown.iter().any(|unknown| unknown.variant == *variant));
        let has_user_kernels = variants.iter().any(Variant::is_external);
        let opening = OpenRequest::new(&self.experiment, variants, Instruments::ALL);
        let Reply::Opened(opened) = self.ask(&Request::Open(opening), &all)?? else {
            return Err(unexpected());
        };
        // An unusable file ends only a run without samples: in a run that goes on, cells of such a file get rows that say so.
        let environment = accept(&self.experiment, *opened, self.journal.samples().is_empty())?;
        let device = environment.device.as_ref();
        if let Some(problem) = device.and_then(|device| device.telemetry_problem.as_ref()) {
            self.event(RunEvent::Machine(problem));
        }
        self.journal.set_environment(environment)?;
        // What is run depends on the device that was found.
        self.cells = cells(self.journal.manifest());
        if has_user_kernels && self.journal.manifest().substitute_seed.is_none() {
            // A user kernel gets another graph for each sample; this is the number of the first. No program can predict it and have results
            // ready. One that reads the record of the run knows the next ones, which does not help, since nothing of it outlives a sample.
            let seed = RandomState::new().hash_one(&self.journal.manifest().started) >> 12;
            self.journal.change_manifest(|manifest| manifest.substitute_seed = Some(seed))?;
        }
        let load_latency = self.experiment.clocks.load_latency;
        let request = Request::MeasureCeilings { elements: self.experiment.elements(), load_latency };
        match self.ask(&request, &all)? {
            Ok(Reply::Ceilings(measured)) => self.raise_ceilings(measured)?,
            Err(failure) if failure.ends_worker() => return Err(failure.into()),
            _ => {}
        }
        self.start = Some(StartSnapshot::of(self));
        Ok(())
    }

    pub(in crate::measure) fn environment(&self) -> Option<&Environment> {
        self.journal.manifest().environment.as_ref()
    }

    /// Whether the run's own device is an emulated one.
    pub(super) fn emulates(&self) -> bool {
        self.environment().is_some_and(|here| here.device.is_some() && here.gpu().is_none())
    }

    /// Notes what was measured where it is higher than what is known.
    pub(in crate::measure) fn raise_ceilings(&mut self, measured: Ceilings) -> Result {
        Ok(self.journal.change_manifest(|manifest| {
            if let Some(here) = &mut manifest.environment {
                here.ceilings = here.ceilings.clone().best_of(measured);
            }
        })?)
    }

    /// Writes what follows from the samples so far.
    pub(super) fn write_derived(&mut self) -> Result {
        let (start, observer) = (Instant::now(), self.observer.borrow());
        self.journal.write_derived(|journal| observer.derived(journal, &self.cells))?;
        self.derived = (Instant::now(), start.elapsed());
        Ok(())
    }

    /// Writes what follows from the samples if the last time was long ago. All samples are read for it: before every group of a long run
    /// that would be most of the work.
    pub(super) fn keep_derived_fresh(&mut self) -> Result {
        let (last, took) = self.derived;
        if last.elapsed() < took * SELDOM { Ok(()) } else { self.write_derived() }
    }

    /// Notes that every cell was run.
    pub(super) fn finish(&mut self) -> Result<Outcome> {
        let observer = self.observer.borrow();
        self.journal.finish(now(), &self.cells, |journal| observer.derived(journal, &self.cells))?;
        Ok(Outcome::Finished { failed: self.journal.failed(&self.cells) })
    }

    /// Whether a cell has what it needs, from this or an earlier part of the run. Failures are tried again.
    pub(super) fn is_done(&self, cell: &CellId) -> bool {
        let history = self.journal.history().cell(cell);
        // A failure after enough samples, as when its kernels were timed, takes the cell's time away until it is sampled again.
        let is_timed = history.ended.is_none() && !history.ok.is_empty();
        let is_met = || self.experiment.sampling.is_met(&history.ok, solved_on(cell));
        history.counted > 0 || (is_timed && is_met()) || self.is_given_up(cell)
    }

    /// Whether a cell has all samples that it needs, or failed.
    pub(super) fn is_over(&self, cell: &CellId) -> bool {
        self.journal.history().cell(cell).ended.is_some() || self.is_done(cell)
    }

    /// Whether more samples of a cell are of no use: one was impossible, or many were thrown away.
    pub(super) fn is_given_up(&self, cell: &CellId) -> bool {
        let history = self.journal.history().cell(cell);
        history.last == Some(Status::Impossible) || history.discarded >= MOST_REPEATS
    }

    /// Asks the run's worker for something of one cell, or of all.
    pub(super) fn ask(&mut self, request: &Request, cell: &CellId) -> Result<Answer> {
        self.show(request, cell);
        let limit = self.limit(request, cell);
        let answer = self.executor.ask(request, limit);
        self.go_on_with(answer)
    }

    /// Has a separate worker open a device, load a graph and answer the last request; the limits of the three are added up.
    pub(super) fn ask_fresh(&mut self, requests: &[Request; 3], cell: &CellId) -> Result<Answer> {
        self.show(&requests[2], cell);
        let limit = requests.iter().map(|request| self.limit(request, cell)).sum();
        let answer = self.executor.ask_fresh(requests, limit);
        self.go_on_with(answer)
    }

    /// An interrupt ends the run, and so does the loss of another process.
    fn go_on_with(&self, answer: Answer) -> Result<Answer> {
        let is_end = |cause| matches!(cause, FailureCause::Interrupted | FailureCause::MemberLost);
        match answer {
            _ if self.interrupted.load(Ordering::Relaxed) => Err(RunError::Interrupted),
            Err(failure) if is_end(failure.cause) => Err(failure.into()),
            answer => Ok(answer),
        }
    }

    pub(super) fn next_sample(&self, cell: &PlannedCell) -> usize {
        self.journal.history().cell(&cell.id).next_sample
    }

    pub(super) fn row_without_time(&self, cell: &PlannedCell, status: Status, message: &str) -> SampleRow {
        SampleRow::without_time(&cell.id, self.next_sample(cell), status, message)
    }

    pub(super) fn fail(&mut self, cell: &PlannedCell, status: Status, message: &str) -> Result {
        let row = self.row_without_time(cell, status, message);
        self.end_with(cell, row)
    }

    /// Ends a cell with this row.
    pub(super) fn end_with(&mut self, cell: &PlannedCell, row: SampleRow) -> Result {
        self.report(&cell.id, CellEvent::Ended(&row));
        self.ready.retain(|ready| *ready != cell.id);
        Ok(self.journal.append(vec![row])?)
    }
}

pub(super) fn unexpected() -> RunError {
    RunError::Worker("the worker's reply does not match the request (internal error, please report)".into())
}

/// Asks a worker what machine this is. None where it could not answer: the run asks again when it begins, and then reports and records
/// what is wrong. Sharded matrices are for as many devices as there are: where nobody chose one and a GPU was found, the
/// experiment is then on all GPUs.
///
/// # Errors
/// When the device that the user asked for is not there, or no graph can be held: the option and what to do. When all that would run on a
/// device is one user kernel, and that does not load. When another of several processes is lost or does not come.
pub fn probe_machine(worker: &mut dyn Executor, experiment: &mut Experiment) -> Result<Option<Environment>> {
    let mut variants = experiment.variants();
    // One that needs the device is enough for a worker to open it.
    variants.retain(|variant| variant.needs_device() || variant.takes_gpu());
    variants.sort_by_key(|variant| !variant.needs_device());
    let is_all = variants.len() == 1;
    variants.truncate(1);
    let opening = OpenRequest::new(experiment, variants, Instruments::NONE);
    let opened = match worker.ask(&Request::Open(opening), OVERHEAD) {
        Ok(Reply::Opened(opened)) => opened,
        Err(failure) if failure.cause == FailureCause::MemberLost => return Err(failure.into()),
        _ => return Ok(None),
    };
    let here = accept(experiment, *opened, is_all)?;
    if let Some(problem) = too_large(experiment, here.host.memory_bytes) {
        return Err(RunError::Input(problem));
    }
    let chosen = experiment.device.parse().is_ok_and(|device: Selection| device != Selection::Auto);
    if experiment.sharded && !chosen && here.gpu().is_some() {
        experiment.device = Selection::CudaAll.to_string();
    }
    Ok(Some(here))
}

/// Why this machine, of `memory_bytes` if that is not 0, can hold no graph of the experiment even with all memory free.
fn too_large(experiment: &Experiment, memory_bytes: u64) -> Option<String> {
    let sizes = experiment.columns.iter().flat_map(|column| column.sizes.iter().chain(&column.count_sizes));
    let (least, limits) = (*sizes.min()?, &experiment.limits);
    let needed = |element: &ElementType| match experiment.sharded {
        true => sharded::host_memory(least, *element, limits),
        false => host_memory(least, 1, *element, limits, false),
    };
    let needed = experiment.elements().iter().map(needed).min()?;
    (memory_bytes > 0 && needed > u128::from(memory_bytes)).then(|| {
        let [needed, there] = [needed, memory_bytes.into()].map(|bytes| bytes >> 20);
        format!(
            "n = {least} needs {needed} MiB of host memory, and this machine has {there} MiB in all: choose a smaller n with --sizes"
        )
    })
}

/// The environment that was opened. An error where the device that the user asked for is not there, or where no kernel of a file loads and
/// `is_refused` says that such a file ends the run.
fn accept(experiment: &Experiment, opened: OpenReply, is_refused: bool) -> Result<Environment> {
    let OpenReply { environment, unusable } = opened;
    let demanded = experiment.device.parse().ok().filter(|device: &Selection| device.is_demanded());
    let missing = demanded
        .zip(environment.device_problem.as_ref())
        .map(|(device, problem)| format!("--device {}: {problem}{}", experiment.device, device.instead()));
    let refusal = missing.or(unusable.filter(|_| is_refused));
    refusal.map_or(Ok(environment), |problem| Err(RunError::Input(problem)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{ExperimentFile, Overrides, resolve};

    #[test]
    fn a_sharded_matrix_needs_no_room_for_all_of_it() {
        let text = include_str!("../../../experiments/table1.toml");
        let file = ExperimentFile::parse("x", "x.toml", text).unwrap();
        let sizes = Some(vec![131_072]);
        let whole = resolve(&file, &Overrides { sizes, ..Overrides::default() }, Selection::CudaAll).unwrap();
        let memory = 16 << 30;
        assert!(too_large(&whole, memory).is_some_and(|problem| problem.contains("n = 131072 needs")));
        assert_eq!(too_large(&Experiment { sharded: true, ..whole }, memory), None);
    }
}
