//! Runs a plan: graph by graph, the samples of its cells interleaved, every one journalled as it comes.

mod added;
mod beside;
mod folders;
mod group;
mod lane;
mod limits;

use crate::measure::event::RunObserver;
use crate::measure::supervisor::Executor;
use crate::store::{Journal, JournalError, cells};
pub use added::IncrementalRunner;
pub(super) use lane::Lane;
use std::sync::atomic::AtomicBool;
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
    /// Another process of the group is lost.
    #[error("{0}")]
    Group(String),
}

/// Why the work on a group stopped early.
pub(super) enum Stop {
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
    pub observer: &'a mut dyn RunObserver,
    pub interrupted: &'a AtomicBool,
}

impl Runner<'_> {
    /// Runs every cell that is not done yet. Of a finished run nothing is asked of the worker and nothing is written.
    ///
    /// # Errors
    /// When records cannot be written, or what the user asked for cannot be had at all.
    pub fn run(self) -> Result<Outcome, RunError> {
        let Self { executor, journal, observer, interrupted } = self;
        if journal.is_over() {
            return Ok(Outcome::Finished { failed: journal.failed(&cells(journal.manifest())) });
        }
        let mut lane = Lane::new(executor, journal, observer, interrupted);
        let opened =
            lane.check_checkpoints().and_then(|()| lane.open()).and_then(|()| lane.check_distances());
        let ran = opened.and_then(|()| {
            // Not before: what is run depends on the device that was found.
            lane.groups().iter().try_for_each(|group| {
                lane.keep_derived_fresh()?;
                lane.run_group(group)
            })
        });
        let ended = match ran {
            // Also after these: what was measured is worth reading.
            Err(Stop::Error(error)) => {
                // The first error is the one to tell.
                let _ = lane.write_derived();
                Err(error)
            }
            Err(Stop::Interrupted) => lane.write_derived().map(|()| Outcome::Interrupted).map_err(Into::into),
            Ok(()) => lane.finish().map_err(Into::into),
        };
        lane.report_salvaged();
        ended
    }
}

/// RFC 3339, UTC, to the second.
pub(super) fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
