//! Runs a plan: graph by graph, the samples of its cells interleaved, every one journalled as it comes.

mod extra;
mod group;
mod requests;
mod time;

use crate::external::{self, FileError};
use crate::measure::event::{Activity, CellEvent, Event, RunObserver, RunProgress};
use crate::measure::supervisor::Executor;
use crate::plan::{CellGroup, Experiment, PlannedCell};
use crate::protocol::Unknown;
use crate::store::{Journal, JournalError, Side, cells, groups};
use repro_base::CellId;
pub use requests::probe_machine;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use thiserror::Error;

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
    /// Another of several processes is lost.
    #[error("{0}")]
    MemberLost(String),
    /// Of one build of a pair.
    #[error("{side} build: {source}")]
    Build { side: Side, source: Box<Self> },
    /// The user asked to stop. What runs all cells gives [`Outcome::Interrupted`] then.
    #[error("interrupted")]
    Interrupted,
}

/// Why a run cannot be continued.
#[derive(Debug, Error)]
pub enum ResumeError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("{}: an implementation of its own cannot be used: {error}", path.display())]
    Given { path: PathBuf, error: FileError },
    #[error("{} was measured with another {file} than --with names: do without --with to continue it, or start a new run", path.display())]
    OtherFile { path: PathBuf, file: String },
}

/// Opens the run in `folder` to continue it, and registers the implementations whose files it keeps.
///
/// # Errors
/// As [`Journal::resume`], or when another implementation has the name of one of these.
pub fn resume(folder: &Path) -> Result<Journal, ResumeError> {
    let journal = Journal::resume(folder)?;
    for given in &journal.manifest().experiment.given {
        let path = folder.to_path_buf();
        external::register(given).map_err(|error| match error {
            FileError::Taken { file, by: Some(_), .. } => ResumeError::OtherFile { path, file },
            error => ResumeError::Given { path, error },
        })?;
    }
    Ok(journal)
}

/// Who sees the runs of one start of the program, and how far each of them is.
pub(super) struct SharedProgress<'a> {
    pub observer: &'a mut dyn RunObserver,
    /// When they last reported.
    pub runs: Vec<RunProgress>,
}

/// A worker at work on one run, and who sees it.
pub struct Runner<'a> {
    executor: &'a mut dyn Executor,
    journal: &'a mut Journal,
    progress: Rc<RefCell<SharedProgress<'a>>>,
    /// Of a pair, which of the two.
    side: Option<Side>,
    interrupted: &'a AtomicBool,
    experiment: Experiment,
    /// Of the whole run.
    cells: Vec<CellId>,
    /// What the worker cannot run anywhere.
    pub(super) unknown: Vec<Unknown>,
    /// When what follows from the samples was last written, and how long that took.
    derived: (Instant, Duration),
    /// None before the first cell is begun.
    start: Option<time::Start>,
}

impl<'a> Runner<'a> {
    /// The worker that is asked, the run that its answers go to, and what ends it early.
    pub fn new(
        executor: &'a mut dyn Executor,
        journal: &'a mut Journal,
        observer: &'a mut dyn RunObserver,
        interrupted: &'a AtomicBool,
    ) -> Self {
        let progress = SharedProgress { observer, runs: vec![RunProgress::default()] };
        Self::of(executor, journal, Rc::new(RefCell::new(progress)), None, interrupted)
    }

    pub(super) fn of(
        executor: &'a mut dyn Executor,
        journal: &'a mut Journal,
        progress: Rc<RefCell<SharedProgress<'a>>>,
        side: Option<Side>,
        interrupted: &'a AtomicBool,
    ) -> Self {
        Self {
            executor,
            progress,
            side,
            interrupted,
            experiment: journal.manifest().experiment.clone(),
            cells: cells(journal.manifest()),
            journal,
            unknown: Vec::new(),
            derived: (Instant::now(), Duration::ZERO),
            start: None,
        }
    }

    /// Runs every cell that is not done yet. Of a finished run nothing is asked of the worker and nothing is written.
    ///
    /// # Errors
    /// When records cannot be written, or what the user asked for cannot be had at all.
    pub fn run(mut self) -> Result<Outcome, RunError> {
        if !self.journal.is_over() {
            let opened = self.open().and_then(|()| self.check_distances());
            let ended = run_all(std::slice::from_mut(&mut self), opened);
            if let Some(salvaged) = self.journal.salvaged() {
                self.event(Event::Salvaged(salvaged));
            }
            if ended?.contains(&Outcome::Interrupted) {
                return Ok(Outcome::Interrupted);
            }
        }
        Ok(Outcome::Finished { failed: self.journal.failed(&self.cells) })
    }

    pub(super) fn event(&self, event: Event) {
        self.progress.borrow_mut().observer.event(self.side, event);
    }

    fn report(&self, cell: &CellId, event: CellEvent) {
        self.event(Event::Cell(cell, event));
    }

    fn show(&self, activity: Activity) {
        let done = self.cells.iter().filter(|cell| self.is_over(cell)).count();
        self.show_as(RunProgress { done, of: self.cells.len(), remaining_s: self.remaining_s() }, activity);
    }

    /// Shows how far all runs are with this one at `own`.
    fn show_as(&self, own: RunProgress, activity: Activity) {
        let mut progress = self.progress.borrow_mut();
        progress.runs[usize::from(self.side == Some(Side::New))] = own;
        let all = RunProgress {
            done: progress.runs.iter().map(|run| run.done).sum(),
            of: progress.runs.iter().map(|run| run.of).sum(),
            remaining_s: progress.runs.iter().map(|run| run.remaining_s).sum(),
        };
        progress.observer.activity(self.side, activity, all);
    }

    /// An error of one run of a pair names its build.
    fn named(&self, error: RunError) -> RunError {
        match self.side {
            Some(side) if !matches!(error, RunError::Interrupted) => {
                RunError::Build { side, source: Box::new(error) }
            }
            _ => error,
        }
    }
}

/// Does something with each run in turn.
pub(super) fn each<'s, T>(
    runs: &mut [Runner<'s>],
    mut work: impl FnMut(&mut Runner<'s>) -> Result<T, RunError>,
) -> Result<Vec<T>, RunError> {
    runs.iter_mut().map(|run| work(run).map_err(|error| run.named(error))).collect()
}

/// Runs every cell of these runs, whose workers have `opened` their devices, and ends the runs as far as they came. Those of a pair have the
/// same cells, and never do both workers work at once.
pub(super) fn run_all(runs: &mut [Runner], opened: Result<(), RunError>) -> Result<Vec<Outcome>, RunError> {
    let ran = opened.and_then(|()| {
        // Not before: what is run depends on the device that was found.
        groups(runs[0].journal.manifest()).iter().try_for_each(|group| {
            each(runs, Runner::keep_derived_fresh)?;
            run_group(runs, group)
        })
    });
    match ran {
        Ok(()) => each(runs, Runner::finish),
        // Also after these: what was measured is worth reading.
        Err(RunError::Interrupted) => each(runs, |run| run.write_derived().map(|()| Outcome::Interrupted)),
        Err(error) => {
            // The first error is the one to report.
            let _ = each(runs, Runner::write_derived);
            Err(error)
        }
    }
}

/// Runs a group of cells in rounds of one sample of each cell and run. Who comes first in one round comes last in the next, so that a drift
/// favours neither, until the sampling rule has enough of all: a run that has enough goes on next to one that has not, so that every sample
/// of the one has one next to it. One whose cell fails, or whose samples were thrown away too often, leaves the cell to the other.
fn run_group(runs: &mut [Runner], group: &CellGroup) -> Result<(), RunError> {
    let mut ready = each(runs, |run| run.start_group(group))?;
    let mut order: Vec<usize> = (0..runs.len()).collect();
    let mut cells: Vec<&PlannedCell> = group.cells.iter().collect();
    // A cell may have its samples from an earlier part of the run, and lack something else.
    cells.retain(|cell| ready_for(cell, runs, &ready).iter().any(|run| !run.is_done(&cell.id)));
    while !cells.is_empty() {
        for cell in &cells {
            for &at in &order {
                let (run, ready) = (&mut runs[at], &mut ready[at]);
                if ready.contains(cell)
                    && !run.is_given_up(&cell.id)
                    && !run.sample(cell, group).map_err(|error| run.named(error))?
                {
                    ready.retain(|ready| ready != cell);
                }
            }
        }
        cells.retain(|cell| {
            let ready = ready_for(cell, runs, &ready);
            let is_over = ready.iter().all(|run| run.is_done(&cell.id));
            if is_over {
                ready.iter().for_each(|run| run.report(&cell.id, CellEvent::Measured(run.journal)));
            }
            !is_over
        });
        order.reverse();
    }
    group.cells.iter().try_for_each(|cell| each(runs, |run| run.end(cell, group)).map(drop))
}

/// The runs that can be sampled for a cell.
fn ready_for<'r, 'a>(
    cell: &PlannedCell,
    runs: &'r [Runner<'a>],
    ready: &[Vec<&PlannedCell>],
) -> Vec<&'r Runner<'a>> {
    runs.iter().zip(ready).filter(|(_, ready)| ready.contains(&cell)).map(|(run, _)| run).collect()
}

/// RFC 3339, UTC, to the second.
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
