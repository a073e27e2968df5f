//! Why there is no answer.

use crate::PathError;
use repro_graph::{ElementType, MatrixError, SearchError};
use thiserror::Error;

/// Why whoever takes the rows of a result ends the computation.
pub type SinkError = Box<dyn std::error::Error + Send + Sync>;

/// Why there is no answer. Every message names the thing, its value and a remedy; vertices are counted from 0.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields of a variant are")]
pub enum SolveError {
    /// A search, or what it works on, came to no end.
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
    /// A number that is to stand where there is no vertex is the name of one.
    #[error("{sentinel} may be the number of a vertex: choose negative numbers, such as -1")]
    NotASentinel { sentinel: i32 },
    /// Distances given do not belong to the graph.
    #[error(
        "{found} is not the distance from vertex {from} to vertex {to} (counted from 0) in this graph: \
         give the distances of the same graph"
    )]
    NotDistances { from: usize, to: usize, found: f64 },
    /// The dense solver was asked for and is not there, or its element type cannot hold what may come up.
    #[error("dense Floyd-Warshall cannot be used: {reason}")]
    NoDense { reason: String },
    /// Next vertices lead from row to row, so all rows and columns are needed.
    #[error("next vertices need all sources and targets: choose none of them, or ask for predecessors")]
    NextOfChosen,
    /// A next vertex is on the way to every vertex, also beyond a limit.
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
    /// No distance is at most this.
    #[error("the limit is {limit}: give 0, a larger number, or infinity for none")]
    NotALimit { limit: f64 },
    /// A stored path is wrong.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Whoever takes the rows refused one.
    #[error("a row of the result could not be stored: {0}")]
    Sink(#[source] SinkError),
}
