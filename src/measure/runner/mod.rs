//! Runs a plan: graph by graph, the samples of its cells interleaved, every one journalled as it comes.

mod group;
mod requests;
mod time;

use crate::external::{self, FileError};
use crate::measure::supervisor::Executor;
use crate::measure::{Activity, CellEvent, RunEvent, RunObserver, RunProgress};
use crate::plan::{CellGroup, Experiment, PlannedCell};
use crate::protocol::{Failure, FailureCause, Request, UnsupportedVariant};
use crate::store::{BuildRole, Journal, JournalError, cells, groups};
use repro_base::CellId;
pub use requests::probe_machine;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use thiserror::Error;

/// How a run ended, if it did not end with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was run; `failed` cells have no valid time although they should.
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
    /// The graph or the device that the user asked for cannot be had.
    #[error("{0}")]
    Input(String),
    #[error("the worker process is lost: {0}")]
    Worker(String),
    /// Another of several processes is lost.
    #[error("{0}")]
    MemberLost(String),
    /// The user asked to stop. [`Runner::run`] returns [`Outcome::Interrupted`] instead.
    #[error("interrupted before anything was measured")]
    Interrupted,
}

/// For a failed request without which nothing works.
impl From<Failure> for RunError {
    fn from(Failure { cause, message }: Failure) -> Self {
        match cause {
            FailureCause::Interrupted => Self::Interrupted,
            FailureCause::MemberLost => Self::MemberLost(message),
            FailureCause::TimedOut | FailureCause::Died => Self::Worker(message),
            _ => Self::Input(message),
        }
    }
}

/// Opens the run in `folder` to continue it, and registers the implementations whose files it keeps.
///
/// # Errors
/// As [`Journal::resume`], or when another implementation has the name of one of these.
pub fn resume(folder: &Path) -> Result<Journal> {
    let journal = Journal::resume(folder)?;
    for given in &journal.manifest().experiment.given {
        external::register(given).map_err(|error| {
            let problem = match error {
                FileError::Taken { file, by: Some(_), .. } => format!(
                    "was measured with another {file} than --with names: do without --with to continue it, or start a new run"
                ),
                error => format!("has an implementation of its own that cannot be used: {error}"),
            };
            RunError::Input(format!("{} {problem}", folder.display()))
        })?;
    }
    Ok(journal)
}

/// What comes of the work of a run.
pub(super) type Result<T = (), E = RunError> = std::result::Result<T, E>;

/// The observer of the runs of one start of the program.
pub(super) type SharedObserver<'a> = Rc<RefCell<&'a mut dyn RunObserver>>;

/// A worker at work on one run, and who sees it.
pub struct Runner<'a> {
    executor: &'a mut dyn Executor,
    journal: &'a mut Journal,
    pub(super) observer: SharedObserver<'a>,
    interrupted: &'a AtomicBool,
    experiment: Experiment,
    /// All cells of the run.
    cells: Vec<CellId>,
    /// Variants that the worker's build does not know.
    pub(super) unknown: Vec<UnsupportedVariant>,
    /// The cells of the group at hand that can be sampled.
    ready: Vec<CellId>,
    /// When derived files were last written, and how long that took.
    derived: (Instant, Duration),
    /// None before the device was found.
    start: Option<time::StartSnapshot>,
}

impl<'a> Runner<'a> {
    /// Asks the worker `executor`, records its answers in `journal`, and ends early once `interrupted` is set.
    pub fn new(
        executor: &'a mut dyn Executor,
        journal: &'a mut Journal,
        observer: &'a mut dyn RunObserver,
        interrupted: &'a AtomicBool,
    ) -> Self {
        Self::with_observer(executor, journal, Rc::new(RefCell::new(observer)), interrupted)
    }

    pub(super) fn with_observer(
        executor: &'a mut dyn Executor,
        journal: &'a mut Journal,
        observer: SharedObserver<'a>,
        interrupted: &'a AtomicBool,
    ) -> Self {
        Self {
            executor,
            observer,
            interrupted,
            experiment: journal.manifest().experiment.clone(),
            cells: cells(journal.manifest()),
            journal,
            unknown: Vec::new(),
            ready: Vec::new(),
            derived: (Instant::now(), Duration::ZERO),
            start: None,
        }
    }

    /// Which build of a pair it measures, if it is one of a pair.
    fn side(&self) -> Option<BuildRole> {
        self.journal.manifest().pair.as_ref().map(|pair| pair.side)
    }

    /// Runs every cell that is not done yet. For a finished run nothing is asked of the worker and nothing is written.
    ///
    /// # Errors
    /// When records cannot be written, or what the user asked for cannot be had at all.
    pub fn run(mut self) -> Result<Outcome> {
        if self.journal.is_over() {
            return Ok(Outcome::Finished { failed: self.journal.failed(&self.cells) });
        }
        let opened = self.open().and_then(|()| self.check_distances());
        let ended = run_all(std::slice::from_mut(&mut self), opened);
        if let Some(salvaged) = self.journal.salvaged() {
            self.event(RunEvent::Salvaged(salvaged));
        }
        Ok(ended?[0])
    }

    fn event(&self, event: RunEvent) {
        self.observer.borrow_mut().event(self.side(), event);
    }

    fn report(&self, cell: &CellId, event: CellEvent) {
        self.event(RunEvent::Cell(cell, event));
    }

    /// Whether a cell can be sampled and has not enough yet.
    fn lacks_samples(&self, cell: &CellId) -> bool {
        self.ready.contains(cell) && !self.is_done(cell)
    }

    /// Shows what is asked for, and how far the run is. Before a device was found there is no telling which cells there are.
    fn show(&self, request: &Request, cell: &CellId) {
        let sample = self.journal.history().cell(cell).next_sample + 1;
        let progress = self.start.as_ref().map(|start| RunProgress {
            done: start.due.iter().filter(|cell| self.is_over(&cell.id)).count(),
            of: start.due.len(),
            remaining_s: self.remaining_s(start),
        });
        let activity = Activity { request, cell, sample };
        self.observer.borrow_mut().activity(self.side(), activity, progress.unwrap_or_default());
    }
}

/// Does something with each run in turn. An error of one run of a pair names its build.
pub(super) fn each<'s, T>(
    runs: &mut [Runner<'s>],
    mut work: impl FnMut(&mut Runner<'s>) -> Result<T>,
) -> Result<Vec<T>> {
    let named = |side: Option<BuildRole>, error| match (side, error) {
        (None, error) | (_, error @ RunError::Interrupted) => error,
        (Some(side), error) => RunError::Input(format!("{side} build: {error}")),
    };
    runs.iter_mut().map(|run| work(run).map_err(|error| named(run.side(), error))).collect()
}

/// Runs every cell of these runs, if `opened` says that their workers opened the devices, and ends the runs as far as they came. The two
/// runs of a pair have the same cells, and their workers never work at once.
pub(super) fn run_all(runs: &mut [Runner], opened: Result) -> Result<Vec<Outcome>> {
    let ran = opened.and_then(|()| {
        // Listed only now: what is run depends on the device that was found.
        groups(runs[0].journal.manifest()).iter().try_for_each(|group| {
            each(runs, Runner::keep_derived_fresh)?;
            run_group(runs, group)
        })
    });
    match ran {
        Ok(()) => each(runs, Runner::finish),
        // Derived files are written here, too: what was measured is worth reading.
        Err(RunError::Interrupted) => each(runs, |run| run.write_derived().map(|()| Outcome::Interrupted)),
        Err(error) => {
            // The first error is the one to report.
            let _ = each(runs, Runner::write_derived);
            Err(error)
        }
    }
}

/// Runs a group of cells in rounds of one sample of each cell and run. The run that is first in one round is last in the next, so that a
/// drift favours neither, until the sampling rule has enough of all: a run that has enough goes on with one that has not, so that samples
/// of both stay side by side. A run whose cell fails, or whose samples were thrown away too often, leaves it to the other.
fn run_group(runs: &mut [Runner], group: &CellGroup) -> Result {
    each(runs, |run| run.start_group(group))?;
    let mut cells: Vec<&PlannedCell> = group.cells.iter().collect();
    // A cell may have its samples from an earlier part of the run, and lack something else.
    cells.retain(|cell| runs.iter().any(|run| run.lacks_samples(&cell.id)));
    while !cells.is_empty() {
        for cell in &cells {
            each(runs, |run| match run.ready.contains(&cell.id) && !run.is_given_up(&cell.id) {
                true => run.sample(cell, group),
                false => Ok(()),
            })?;
        }
        cells.retain(|cell| {
            let is_over = !runs.iter().any(|run| run.lacks_samples(&cell.id));
            for run in runs.iter().filter(|run| is_over && run.ready.contains(&cell.id)) {
                run.report(&cell.id, CellEvent::Measured(run.journal));
            }
            !is_over
        });
        runs.reverse();
    }
    runs.sort_by_key(|run| run.side() == Some(BuildRole::New));
    group.cells.iter().try_for_each(|cell| each(runs, |run| run.end(cell, group)).map(drop))
}

/// RFC 3339, UTC, to the second.
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
