//! How a caller ends a long computation and learns how far it is.

use repro_graph::SearchError;
use std::sync::atomic::{AtomicBool, Ordering};
use strum::IntoStaticStr;

/// What is being computed. As a word it is `potentials` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Stage {
    /// Potentials for negative weights. `total` is unknown and 0; `done` counts rounds of n vertices.
    Potentials,
    /// Distances, in rows.
    Distances,
    /// Predecessors or next vertices by distances that are known, in rows; first reported when none is done. A search finds predecessors with
    /// its distances, and reports these alone.
    Paths,
    /// Paths that are walked, in rows.
    Check,
}

/// How far a computation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being computed.
    pub stage: Stage,
    /// Units of work that are finished.
    pub done: u64,
    /// Units of work in all; 0 where nobody knows.
    pub total: u64,
}

/// How a caller ends a long computation and learns how far it is. Neither is needed: [`Control::default`] does nothing.
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    cancel: Option<&'a AtomicBool>,
    progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

impl<'a> Control<'a> {
    /// Ends computations with [`SearchError::Cancelled`] soon after `flag` is set, by a signal's handler or another thread.
    #[must_use]
    pub fn cancelled_by(self, flag: &'a AtomicBool) -> Self {
        Self { cancel: Some(flag), ..self }
    }

    /// Calls `progress` after each unit of work, from any thread and from several at once.
    #[must_use]
    pub fn with_progress(self, progress: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Without reports of progress, for a part of what is reported.
    #[must_use]
    pub fn without_progress(self) -> Self {
        Self { progress: None, ..self }
    }

    /// Whether to go on. A solver of dense graphs calls this between its steps.
    ///
    /// # Errors
    /// [`SearchError::Cancelled`] once the flag is set.
    pub fn check(&self) -> Result<(), SearchError> {
        match self.cancel {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(SearchError::Cancelled),
            _ => Ok(()),
        }
    }

    /// What a search of the crate `repro-graph` calls on its way.
    pub(crate) fn checkpoint(&self) -> impl Fn(u64) -> Result<(), SearchError> + '_ {
        |_| self.check()
    }

    /// Likewise, of potentials: after each round.
    pub(crate) fn round(&self) -> impl Fn(u64) -> Result<(), SearchError> + '_ {
        |rounds| {
            self.check()?;
            self.report(Stage::Potentials, rounds, 0);
            Ok(())
        }
    }

    /// Passes progress on to the caller.
    pub fn report(&self, stage: Stage, done: u64, total: u64) {
        if let Some(progress) = self.progress {
            progress(Progress { stage, done, total });
        }
    }
}
