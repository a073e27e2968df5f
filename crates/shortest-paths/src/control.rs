//! How a caller ends a long computation and learns how far it is.
//!
//! The errors that say why there is no answer are here too.

use crate::PathError;
use repro_graph::{ElementType, MatrixError, SearchError};
use std::sync::atomic::{AtomicBool, Ordering};
use strum::IntoStaticStr;
use thiserror::Error;

/// What is being computed. As a word it is `potentials` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Stage {
    /// Potentials for negative weights. `total` is unknown and 0; `done` counts rounds of n vertices.
    Potentials,
    /// Distances, in rows.
    Distances,
    /// Predecessors or next vertices by distances that are known, in rows; first reported when none is done. A search finds predecessors
    /// with its distances, and reports [`Stage::Distances`] alone.
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
    /// Ends computations with [`SearchError::Cancelled`] soon after `flag` is set, for example by a signal handler or another thread.
    #[must_use]
    pub fn cancelled_by(self, flag: &'a AtomicBool) -> Self {
        Self { cancel: Some(flag), ..self }
    }

    /// Calls `progress` after each unit of work, from any thread and from several at once.
    #[must_use]
    pub fn with_progress(self, progress: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Removes reports of progress, for a part of a computation that reports as a whole.
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

    /// The checkpoint that a search of the crate `repro-graph` calls from time to time.
    pub(crate) fn checkpoint(&self) -> impl Fn(u64) -> Result<(), SearchError> + '_ {
        |_| self.check()
    }

    /// The checkpoint of the search for potentials, which also reports each round.
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

/// The error of the caller's own code: of what takes the rows of a result, or of a dense solver.
pub type SinkError = Box<dyn std::error::Error + Send + Sync>;

/// Why there is no answer. Every message names the thing, its value and a remedy; vertices are counted from 0.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields of a variant are")]
pub enum SolveError {
    /// A search, or what it needs, gave no result.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A chosen source, target or end of a path is not in the graph.
    #[error("vertex {vertex} is not in a graph of {n} vertices, which are counted from 0 to {}: choose one of these", n.saturating_sub(1))]
    NotAVertex { vertex: usize, n: usize },
    /// A sum of weights might not be a finite number, so that a path might look like none.
    #[error(
        "weights along a path may add up to more than {:e}, the most that {element} holds: divide all weights by the same number{}",
        element.most(),
        if *element == ElementType::F64 { "" } else { ", or choose a larger element type" }
    )]
    MayOverflow { element: ElementType, longest: f64 },
    /// The matrix that the dense solver works on cannot be made.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// Vertices do not fit into the `i32` that paths are written in.
    #[error(
        "a graph of {n} vertices has more than the 2147483647 that a predecessor in i32 can name: ask for distances alone"
    )]
    TooManyVertices { n: usize },
    /// A sentinel is not negative, so it may be the number of a vertex.
    #[error("{sentinel} may be the number of a vertex: choose negative numbers, such as -1")]
    NotASentinel { sentinel: i32 },
    /// The distances given are not those of the graph.
    #[error(
        "{found} is not the distance from vertex {from} to vertex {to} (counted from 0) in this graph: \
         give the distances of the same graph"
    )]
    NotDistances { from: usize, to: usize, found: f64 },
    /// A dense solver was asked for and none was given, or sums may not fit into the element type.
    #[error("dense Floyd-Warshall cannot be used: {reason}")]
    NoDense { reason: String },
    /// Next vertices lead from row to row, so all rows and columns are needed.
    #[error("next vertices need all sources and targets: choose none of them, or ask for predecessors")]
    NextOfChosen,
    /// Next vertices are needed on the way to every vertex, also beyond a limit.
    #[error("next vertices need distances of any length: leave the limit out, or ask for predecessors")]
    NextWithinLimit,
    /// The dense solver failed.
    #[error("dense Floyd-Warshall failed: {0}")]
    Dense(#[source] SinkError),
    /// The algorithm asked for cannot solve this graph.
    #[error(
        "the least weight is {least}, and Dijkstra's algorithm needs weights that are not negative: choose Johnson's"
    )]
    NegativeWeights { least: f64 },
    /// What was asked for needs weights that are not negative.
    #[error("the least weight is {least}, and {what} needs weights that are not negative: leave it out")]
    Negative { what: &'static str, least: f64 },
    /// The limit is NaN or negative.
    #[error("the limit is {limit}: give 0, a larger number, or infinity for none")]
    NotALimit { limit: f64 },
    /// A stored path is wrong.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The receiver of the rows refused one.
    #[error("a row of the result could not be stored: {0}")]
    Sink(#[source] SinkError),
}
