//! Runs a plan: graph by graph, the samples of its cells interleaved, every one journalled as it comes.

mod asking;
mod beside;
mod folders;
mod group;
mod limits;
mod remaining;

use crate::measure::event::RunObserver;
use crate::measure::supervisor::Executor;
use crate::plan::Experiment;
use crate::protocol::Unknown;
use crate::store::{Journal, JournalError, cells};
use repro_base::CellId;
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
    /// The user asked to stop. What runs all cells gives [`Outcome::Interrupted`] then.
    #[error("interrupted")]
    Interrupted,
}

/// A worker at work on one run, and who sees it.
pub struct Runner<'a> {
    executor: &'a mut dyn Executor,
    journal: &'a mut Journal,
    observer: &'a mut dyn RunObserver,
    interrupted: &'a AtomicBool,
    experiment: Experiment,
    /// Of the whole run.
    cells: Vec<CellId>,
    /// What the worker cannot run anywhere.
    pub(super) unknown: Vec<Unknown>,
    /// When what follows from the samples was last written, and how long that took.
    derived: (Instant, Duration),
    /// None before the first cell is begun.
    start: Option<remaining::Start>,
}

impl<'a> Runner<'a> {
    /// The worker that is asked, the run that its answers go to, and what ends it early.
    pub fn new(
        executor: &'a mut dyn Executor,
        journal: &'a mut Journal,
        observer: &'a mut dyn RunObserver,
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
            derived: (Instant::now(), Duration::ZERO),
            start: None,
        }
    }

    /// Runs every cell that is not done yet. Of a finished run nothing is asked of the worker and nothing is written.
    ///
    /// # Errors
    /// When records cannot be written, or what the user asked for cannot be had at all.
    pub fn run(mut self) -> Result<Outcome, RunError> {
        if self.journal.is_over() {
            return Ok(Outcome::Finished { failed: self.journal.failed(&self.cells) });
        }
        let ended = match self.run_all() {
            Ok(()) => self.finish(),
            // Also after these: what was measured is worth reading.
            Err(RunError::Interrupted) => self.write_derived().map(|()| Outcome::Interrupted),
            Err(error) => {
                // The first error is the one to report.
                let _ = self.write_derived();
                Err(error)
            }
        };
        self.report_salvaged();
        ended
    }

    fn run_all(&mut self) -> Result<(), RunError> {
        self.open()?;
        self.check_distances()?;
        // Not before: what is run depends on the device that was found.
        for group in self.groups() {
            self.keep_derived_fresh()?;
            self.run_group(&group)?;
        }
        Ok(())
    }
}

/// RFC 3339, UTC, to the second.
pub(super) fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
