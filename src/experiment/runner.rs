//! Runs a plan: graph by graph, the samples of its cells interleaved, every one journalled as it comes.

use super::Observer;
use super::journal::{Journal, JournalError};
use super::judge::row_of;
use super::plan::{Group, PlannedCell, cells, groups};
use super::protocol::{Counted, Failure, FailureCause, Reply, Request, Variant};
use super::resolve::Experiment;
use super::supervisor::{Answer, Executor};
use crate::device::Selection;
use crate::device::emulated::Instruments;
use crate::implementation;
use crate::record::{CellId, CountRow, KernelTimeRow, SampleRow, Status};
use crate::timing::{Ceilings, Decision, Scope};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use thiserror::Error;

/// What may be asked of a worker beside a solve: opening a device, compiling, copying, comparing.
const OVERHEAD: Duration = Duration::from_secs(120);
/// A cell whose sample takes longer than this many warm-ups is long enough to warm up by itself.
const WARM_UP_WORTH: f64 = 10.0;
/// A sample that takes this many times what the last size lets expect hangs.
const HANGS_AFTER: f64 = 30.0;
/// Repeats of throttled or impossible samples before a cell is given up.
const MOST_REPEATS: usize = 5;
/// Solves of which a cell's times by kernel are the medians.
const KERNEL_SOLVES: usize = 3;
/// One solve is enough where launches take this long together, seconds.
const LONG_SOLVE_S: f64 = 0.5;

/// How a run ended, if it did not end with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was run; so many cells have no valid time although they should.
    Finished {
        failed: usize,
    },
    Interrupted,
}

/// Why a run cannot go on.
#[derive(Debug, Error)]
pub enum RunError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The graph or the device that the user asked for is not to be had.
    #[error("{0}")]
    Input(String),
    #[error("the worker process is lost: {0}")]
    Worker(String),
}

/// Why the work on a group stopped early.
enum Stop {
    Interrupted,
    Error(RunError),
}

impl<E: Into<RunError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

pub struct Runner<'a> {
    pub executor: &'a mut dyn Executor,
    pub journal: &'a mut Journal,
    pub observer: &'a mut dyn Observer,
    pub interrupted: &'a AtomicBool,
}

impl Runner<'_> {
    /// Runs every cell that is not done yet.
    ///
    /// # Errors
    /// When records cannot be written, or what the user asked for cannot be had at all.
    pub fn run(mut self) -> Result<Outcome, RunError> {
        let experiment = self.journal.manifest().experiment.clone();
        let ran = self.open(&experiment).and_then(|()| {
            // Not before: what is run depends on the device that was found.
            let all = cells(self.journal.manifest());
            groups(self.journal.manifest()).iter().try_for_each(|group| {
                let ran = self.run_group(&experiment, group, &all);
                // Also after an interrupt: what was measured is worth reading.
                self.journal.write_derived(&all)?;
                ran
            })
        });
        let all = cells(self.journal.manifest());
        match ran {
            Err(Stop::Error(error)) => return Err(error),
            Err(Stop::Interrupted) => {
                self.journal.write_derived(&all)?;
                return Ok(Outcome::Interrupted);
            }
            Ok(()) => {}
        }
        let finished = now();
        self.journal.change_manifest(|manifest| manifest.finished = Some(finished))?;
        let failed = |row: &&crate::record::SummaryRow| {
            row.median_s.is_none() && !matches!(row.status, Status::Skipped | Status::Counted)
        };
        Ok(Outcome::Finished { failed: self.journal.summary(&all).iter().filter(failed).count() })
    }

    fn open(&mut self, experiment: &Experiment) -> Result<(), Stop> {
        let mut variants: Vec<Variant> = Vec::new();
        for column in &experiment.columns {
            let variant = Variant {
                implementation: column.implementation.clone(),
                parameters: column.parameters.clone(),
            };
            if !variants.contains(&variant) {
                variants.push(variant);
            }
        }
        self.observer.progress("opening the device and compiling kernels", 0, 0, None);
        let request =
            Request::Open { device: experiment.device.clone(), variants, instruments: Instruments::ALL };
        let environment = match self.ask(&request, OVERHEAD)? {
            Ok(Reply::Opened(opened)) => opened.environment,
            Ok(_) => return Err(unexpected()),
            Err(failure) => return Err(RunError::Input(failure.message).into()),
        };
        let demanded = experiment.device.parse().is_ok_and(Selection::is_demanded);
        if let Some(problem) = environment.device_problem.as_ref().filter(|_| demanded) {
            return Err(RunError::Input(format!("--device {}: {problem}", experiment.device)).into());
        }
        if let Some(problem) = environment.device.as_ref().and_then(|device| device.telemetry_problem.clone())
        {
            self.observer.note(&problem);
        }
        self.journal.set_environment(environment)?;
        self.observer.progress("measuring ceilings", 0, 0, None);
        if let Ok(Reply::Ceilings(measured)) = self.ask(&Request::MeasureCeilings, OVERHEAD)? {
            self.journal.change_manifest(|manifest| {
                if let Some(environment) = &mut manifest.environment {
                    environment.ceilings = environment.ceilings.best_of(measured);
                }
            })?;
        }
        Ok(())
    }

    fn run_group(&mut self, experiment: &Experiment, group: &Group, all: &[CellId]) -> Result<(), Stop> {
        let mut active = Vec::new();
        for cell in &group.cells {
            if !self.is_complete(experiment, cell) && !self.skip(experiment, cell)? {
                active.push(cell);
            }
        }
        if active.is_empty() {
            return Ok(());
        }
        if !self.emulates() && active.iter().all(|cell| cell.counted) {
            return active.into_iter().try_for_each(|cell| {
                self.show(&format!("{}: counting on the emulated device", cell.id), experiment, all);
                self.count_beside(experiment, cell, group)
            });
        }
        let name = &group.graph.name;
        let named = if name.is_empty() { String::new() } else { format!(", {name}") };
        self.show(&format!("n = {}{named}: making the graph and its reference", group.n), experiment, all);
        let source = group.graph.source.clone();
        let request = Request::LoadGraph { source, n: group.n, limits: experiment.limits };
        let limit = OVERHEAD + graph_time(group.n);
        if let Err(failure) = self.load(&request, limit)? {
            if failure.cause == FailureCause::Graph {
                return Err(RunError::Input(failure.message).into());
            }
            return active.into_iter().try_for_each(|cell| self.fail(cell, Status::Failed, &failure.message));
        }
        let mut ready = Vec::new();
        for cell in &active {
            self.show(&format!("{}: warming up", cell.id), experiment, all);
            if self.prepare(experiment, cell)? {
                ready.push(cell);
            }
        }
        while !ready.is_empty() {
            let mut unfinished = Vec::new();
            for cell in ready {
                self.show(&cell.id.to_string(), experiment, all);
                if self.sample(experiment, cell)? {
                    unfinished.push(cell);
                }
            }
            ready = unfinished;
        }
        for cell in active {
            self.show(&cell.id.to_string(), experiment, all);
            self.time_kernels(experiment, cell)?;
            self.run_first(experiment, cell, group)?;
        }
        Ok(())
    }

    /// Whether a cell has everything that the experiment asks of it.
    fn is_complete(&self, experiment: &Experiment, cell: &PlannedCell) -> bool {
        self.is_done(experiment, &cell.id)
            && !self.lacks_kernel_times(experiment, cell)
            && !self.lacks_first_run(experiment, cell)
    }

    fn lacks_kernel_times(&self, experiment: &Experiment, cell: &PlannedCell) -> bool {
        let known = || self.journal.kernel_times().iter().any(|row| row.is_of(&cell.id));
        // A kernel that is alone has the time of scope `kernel`.
        let has_several = || {
            implementation::find(&cell.id.implementation)
                .and_then(implementation::Implementation::schedule)
                .is_some_and(|schedule| schedule.kernels(&cell.parameters).len() > 1)
        };
        experiment.clocks.by_kernel && is_timed_on_a_device(cell) && has_several() && !known()
    }

    fn lacks_first_run(&self, experiment: &Experiment, cell: &PlannedCell) -> bool {
        experiment.clocks.first_run
            && is_timed_on_a_device(cell)
            && !self.journal.history().of(&cell.id).first_run
    }

    /// Has the kernels of a cell timed one by one, if that is asked for and its samples were valid.
    fn time_kernels(&mut self, experiment: &Experiment, cell: &PlannedCell) -> Result<(), Stop> {
        if !self.lacks_kernel_times(experiment, cell) || !self.is_done(experiment, &cell.id) {
            return Ok(());
        }
        let long = self.journal.history().forecast(&cell.id).is_some_and(|seconds| seconds > LONG_SOLVE_S);
        let solves = if long { 1 } else { KERNEL_SOLVES };
        let limit = self.solve_limit(experiment, cell) * KERNEL_SOLVES as u32;
        let request = Request::TimeKernels { variant: variant(cell), solves };
        let times = match self.ask_for(cell, &request, limit)? {
            Some(Reply::KernelTimes { kernels }) => kernels,
            Some(_) => return Err(unexpected()),
            None => return Ok(()),
        };
        let model = implementation::find(&cell.id.implementation)
            .and_then(implementation::Implementation::schedule)
            .and_then(|schedule| schedule.model(cell.id.n, &cell.parameters));
        let rows = times.iter().map(|time| KernelTimeRow::new(&cell.id, time, model.as_deref()));
        Ok(self.journal.add_kernel_times(&cell.id, rows.collect())?)
    }

    /// Has a cell solved for the first time in a fresh process, if that is asked for and its samples were valid.
    fn run_first(&mut self, experiment: &Experiment, cell: &PlannedCell, group: &Group) -> Result<(), Stop> {
        if !self.lacks_first_run(experiment, cell) || !self.is_done(experiment, &cell.id) {
            return Ok(());
        }
        let request = Request::FirstRun {
            device: experiment.device.clone(),
            variant: variant(cell),
            source: group.graph.source.clone(),
            n: group.n,
            limits: experiment.limits,
        };
        let limit = OVERHEAD + graph_time(group.n) + self.solve_limit(experiment, cell);
        let answer = self.executor.ask_fresh(&request, limit);
        let sample = self.journal.history().of(&cell.id).next_sample;
        let failed = |status, message: &str| SampleRow {
            scope: Scope::FirstHost,
            ..SampleRow::without_time(&cell.id, sample, status, message)
        };
        let row = match answer {
            _ if self.interrupted.load(Ordering::Relaxed) => return Err(Stop::Interrupted),
            Answer::Interrupted => return Err(Stop::Interrupted),
            Answer::Reply(Reply::Sampled(sampled)) => {
                let row = row_of(&cell.id, sample, &sampled, &Ceilings::default());
                return Ok(self.journal.append(row.every_scope(&sampled.seconds))?);
            }
            Answer::Reply(Reply::Failed(failure)) => failed(Status::Failed, &failure.message),
            Answer::Reply(_) => return Err(unexpected()),
            Answer::TimedOut => failed(Status::Timeout, "no result from a fresh process in time"),
            Answer::Died(words) => failed(Status::Failed, &words),
        };
        self.observer.note(&format!("{}, first run: {}: {}", cell.id, row.status, row.message));
        Ok(self.journal.append(vec![row])?)
    }

    /// Has the graph loaded. A worker that dies of it is replaced once: a smaller or no other graph may still do.
    fn load(&mut self, request: &Request, limit: Duration) -> Result<Result<Reply, Failure>, Stop> {
        match self.ask(request, limit) {
            Err(Stop::Error(RunError::Worker(_))) => {}
            answered => return answered,
        }
        match self.ask(request, limit) {
            Err(Stop::Error(RunError::Worker(how))) => {
                Ok(Err(Failure::new(FailureCause::Other, format!("the graph cannot be made: {how}"))))
            }
            answered => answered,
        }
    }

    /// Whether a cell has what it needs, from this or an earlier part of the run. Failures are tried again.
    fn is_done(&self, experiment: &Experiment, cell: &CellId) -> bool {
        let history = self.journal.history().of(cell);
        if history.counted {
            return true;
        }
        // A failure after enough samples, as when its kernels were timed, takes the cell's time away until it is sampled again.
        let enough = history.ended.is_none()
            && !history.ok.is_empty()
            && experiment.sampling.decide(&history.ok) == Decision::Enough;
        enough || history.discarded >= MOST_REPEATS
    }

    /// Leaves a cell out where it cannot or should not be run, with a row that says why.
    fn skip(&mut self, experiment: &Experiment, cell: &PlannedCell) -> Result<bool, Stop> {
        let environment = self.journal.manifest().environment.as_ref();
        let needs_device = implementation::find(&cell.id.implementation)
            .is_some_and(implementation::Implementation::needs_device);
        let no_device = environment.filter(|_| needs_device && !cell.counted).and_then(|environment| {
            let problem = || environment.device_problem.clone().unwrap_or_default();
            match &environment.device {
                None => Some(problem()),
                Some(device) if device.info.emulated => {
                    Some(format!("{}; smaller sizes are counted on the emulated device instead", problem()))
                }
                Some(_) => None,
            }
        });
        let unfit = implementation::find(&cell.id.implementation)
            .and_then(|found| found.fits(cell.id.n, &cell.parameters).err());
        let expected = self.journal.history().forecast(&cell.id);
        let longest = experiment.limits.full_cell_s;
        let too_long = expected.filter(|&seconds| cell.filled && seconds > longest).map(|_| {
            format!("left out: by smaller sizes, one sample takes longer than full_cell_s = {longest} s")
        });
        let Some(reason) = unfit.or(no_device).or(too_long) else { return Ok(false) };
        let history = self.journal.history().of(&cell.id);
        let row = SampleRow::without_time(&cell.id, history.next_sample, Status::Skipped, &reason);
        if history.ended.as_ref() != Some(&row.message) {
            self.journal.append(vec![row])?;
        }
        Ok(true)
    }

    /// Whether the cell is ready to be sampled; a row says why not.
    fn prepare(&mut self, experiment: &Experiment, cell: &PlannedCell) -> Result<bool, Stop> {
        let wanted = experiment.limits.warm_up_s;
        let expected = self.journal.history().forecast(&cell.id);
        let warm_up_s =
            if expected.is_some_and(|seconds| seconds > wanted * WARM_UP_WORTH) { 0.0 } else { wanted };
        let limit = self.solve_limit(experiment, cell) + seconds(warm_up_s);
        let request = Request::Prepare { variant: variant(cell), warm_up_s };
        match self.ask_for(cell, &request, limit)? {
            Some(Reply::Prepared) => Ok(true),
            Some(_) => Err(unexpected()),
            None => Ok(false),
        }
    }

    /// How long one solve and its verification may take. Kernels were compiled when the device was opened.
    fn solve_limit(&self, experiment: &Experiment, cell: &PlannedCell) -> Duration {
        let expected = self.journal.history().forecast(&cell.id);
        let longest = experiment.limits.sample_s;
        let hangs_after =
            expected.map_or(longest, |expected| (expected * HANGS_AFTER).max(10.0).min(longest));
        seconds(hangs_after) + comparison_time(cell.id.n)
    }

    /// Whether the run's device is the emulated one.
    fn emulates(&self) -> bool {
        let environment = self.journal.manifest().environment.as_ref();
        environment
            .and_then(|environment| environment.device.as_ref())
            .is_some_and(|device| device.info.emulated)
    }

    /// Has a cell counted by a worker of its own, which has the emulated device where the run's has a GPU.
    fn count_beside(
        &mut self,
        experiment: &Experiment,
        cell: &PlannedCell,
        group: &Group,
    ) -> Result<(), Stop> {
        let request = Request::CountBeside {
            variant: variant(cell),
            source: group.graph.source.clone(),
            n: group.n,
            limits: experiment.limits,
        };
        let limit = OVERHEAD + seconds(experiment.limits.sample_s);
        match self.executor.ask_fresh(&request, limit) {
            _ if self.interrupted.load(Ordering::Relaxed) => Err(Stop::Interrupted),
            Answer::Interrupted => Err(Stop::Interrupted),
            Answer::Reply(Reply::Counted(counted)) => self.note_counts(cell, *counted),
            Answer::Reply(Reply::Failed(failure)) if failure.cause == FailureCause::Unavailable => {
                // What the emulated device would have said is not what the run is about.
                let sample = self.journal.history().of(&cell.id).next_sample;
                let reason = format!("not counted: {}", failure.message);
                let row = SampleRow::without_time(&cell.id, sample, Status::Skipped, &reason);
                Ok(self.journal.append(vec![row])?)
            }
            Answer::Reply(Reply::Failed(failure)) => self.fail(cell, Status::Failed, &failure.message),
            Answer::Reply(_) => Err(unexpected()),
            Answer::TimedOut => self.fail(cell, Status::Timeout, "not counted in time"),
            Answer::Died(words) => self.fail(cell, Status::Failed, &words),
        }
    }

    /// Has a cell counted.
    fn count(&mut self, experiment: &Experiment, cell: &PlannedCell) -> Result<(), Stop> {
        let limit = seconds(experiment.limits.sample_s) + comparison_time(cell.id.n);
        match self.ask_for(cell, &Request::Count { variant: variant(cell) }, limit)? {
            Some(Reply::Counted(counted)) => self.note_counts(cell, *counted),
            Some(_) => Err(unexpected()),
            None => Ok(()),
        }
    }

    fn note_counts(&mut self, cell: &PlannedCell, counted: Counted) -> Result<(), Stop> {
        let rows = counted.kernels.iter().map(|(kernel, counts)| CountRow::new(&cell.id, kernel, counts));
        self.journal.add_counts(rows.collect())?;
        let sample = self.journal.history().of(&cell.id).next_sample;
        let row = SampleRow {
            verified: true,
            verification: counted.verification,
            digest: counted.digest,
            ..SampleRow::without_time(&cell.id, sample, Status::Counted, "")
        };
        self.observer.note(&format!("{}: right, and counted", cell.id));
        Ok(self.journal.append(vec![row])?)
    }

    /// Takes one sample; whether the cell needs more.
    fn sample(&mut self, experiment: &Experiment, cell: &PlannedCell) -> Result<bool, Stop> {
        if cell.counted {
            return self.count(experiment, cell).map(|()| false);
        }
        if self.is_done(experiment, &cell.id) {
            return Ok(false);
        }
        let clocks = experiment.clocks;
        let limit = self.solve_limit(experiment, cell) * clocks.solves();
        let request = Request::Sample { variant: variant(cell), clocks };
        let sampled = match self.ask_for(cell, &request, limit)? {
            Some(Reply::Sampled(sampled)) => sampled,
            Some(_) => return Err(unexpected()),
            None => return Ok(false),
        };
        let environment = self.journal.manifest().environment.as_ref();
        let ceilings = environment.map(|environment| environment.ceilings).unwrap_or_default();
        let row = row_of(&cell.id, self.journal.history().of(&cell.id).next_sample, &sampled, &ceilings);
        self.journal.append(row.every_scope(&sampled.seconds))?;
        if row.status == Status::Impossible {
            self.observer.note(&format!("{}: IMPOSSIBLE: {}", cell.id, row.message));
        }
        if self.is_done(experiment, &cell.id) {
            let summary = self.journal.summary(std::slice::from_ref(&cell.id));
            self.observer.note(&super::tables::line(summary.first(), &cell.id));
            return Ok(false);
        }
        Ok(true)
    }

    /// Asks for something that concerns one cell. None when that failed, which ends the cell and nothing else.
    fn ask_for(
        &mut self,
        cell: &PlannedCell,
        request: &Request,
        limit: Duration,
    ) -> Result<Option<Reply>, Stop> {
        let (status, message) = match self.executor.ask(request, limit) {
            _ if self.interrupted.load(Ordering::Relaxed) => return Err(Stop::Interrupted),
            Answer::Interrupted => return Err(Stop::Interrupted),
            Answer::Reply(Reply::Failed(failure)) => (Status::Failed, failure.message),
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
    fn ask(&mut self, request: &Request, limit: Duration) -> Result<Result<Reply, Failure>, Stop> {
        match self.executor.ask(request, limit) {
            _ if self.interrupted.load(Ordering::Relaxed) => Err(Stop::Interrupted),
            Answer::Interrupted => Err(Stop::Interrupted),
            Answer::Reply(Reply::Failed(failure)) => Ok(Err(failure)),
            Answer::Reply(reply) => Ok(Ok(reply)),
            Answer::TimedOut => {
                Err(RunError::Worker(format!("no answer after {} s", limit.as_secs())).into())
            }
            Answer::Died(words) => Err(RunError::Worker(words).into()),
        }
    }

    fn fail(&mut self, cell: &PlannedCell, status: Status, message: &str) -> Result<(), Stop> {
        let sample = self.journal.history().of(&cell.id).next_sample;
        let row = SampleRow::without_time(&cell.id, sample, status, message);
        self.observer.note(&format!("{}: {status}: {}", cell.id, row.message));
        Ok(self.journal.append(vec![row])?)
    }

    fn show(&mut self, doing: &str, experiment: &Experiment, all: &[CellId]) {
        let history = self.journal.history();
        let (mut done, mut remaining) = (0, 0.0);
        let mut known = true;
        for cell in all {
            if history.of(cell).ended.is_some() || self.is_done(experiment, cell) {
                done += 1;
            } else if let Some(seconds) = history.forecast(cell) {
                remaining += experiment.sampling.expected_cost(seconds);
            } else {
                known = false;
            }
        }
        // A guess from half the cells would be no guess.
        self.observer.progress(doing, done, all.len(), Some(remaining).filter(|_| known || done > 0));
    }
}

/// The reference is n³ tasks at no less than 10⁹ a second, and a search besides.
fn graph_time(n: usize) -> Duration {
    seconds((n as f64).powi(3) * 1e-9)
}

fn is_timed_on_a_device(cell: &PlannedCell) -> bool {
    let found = implementation::find(&cell.id.implementation);
    !cell.counted && found.is_some_and(implementation::Implementation::needs_device)
}

/// A time limit. What is longer than a year is as good as none, and no size may overflow one.
fn seconds(limit: f64) -> Duration {
    Duration::from_secs_f64(limit.clamp(0.0, 365.0 * 24.0 * 3600.0))
}

/// Copying, hashing and comparing n² entries, generously.
fn comparison_time(n: usize) -> Duration {
    seconds(5.0 + (n as f64 / 1024.0).powi(2) * 0.2)
}

fn variant(cell: &PlannedCell) -> Variant {
    Variant { implementation: cell.id.implementation.clone(), parameters: cell.parameters.clone() }
}

fn unexpected() -> Stop {
    RunError::Worker("it answered something else than what was asked".into()).into()
}

/// RFC 3339, UTC, to the second.
pub(super) fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
