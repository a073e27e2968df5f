//! Shortest paths of anybody's graph: distances between all vertices or from chosen ones, the paths themselves, and the reason
//! when there are none. It uses graphs alone: no device, no record, no terminal.
//!
//! Give arcs to an [`ArcsBuilder`], and the graph to [`solve`]:
//!
//! ```
//! use shortest_paths::{ArcsBuilder, PathSentinels, Options, Paths, solve};
//!
//! let mut builder = ArcsBuilder::growing();
//! for (tail, head, weight) in [(0, 1, 4.0_f32), (0, 2, 1.5), (2, 1, 2.0), (1, 3, 0.0)] {
//!     builder.add(tail, head, weight)?;
//! }
//! let (graph, dropped) = builder.build()?;
//! assert_eq!(dropped.duplicates, 0);
//!
//! let paths = Paths::Predecessors(PathSentinels::PLAIN);
//! let solution = solve(&graph, &Options { paths, ..Options::default() })?;
//! assert_eq!(solution.distance(0, 3), Some(3.5));
//! assert_eq!(solution.distance(3, 0), Some(f32::INFINITY));
//! assert_eq!(solution.path(0, 3)?, Some(vec![0, 2, 1, 3]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is promised
//! - Weights are `f32`, `f64`, `i32` or `u16` ([`Element`]). An arc of weight 0 is an arc, and +infinity is none. Where no path leads, the
//!   distance is [`Element::ABSENT`]: +infinity, and for integers a large number.
//! - Distances of integers are exact. Those in floating point are sums in `f64`, rounded once.
//! - Arcs are directed, unless [`ArcsBuilder::undirected`] has each lead there and back.
//! - Distances in `i32` are used up to 268,435,455 (2^28 - 1), in `u16` up to 32,766; longer ones are refused.
//! - Negative weights are allowed. A negative cycle is an error that lists its vertices ([`SearchError::NegativeCycle`]).
//! - Of several shortest paths the one stored has the fewest arcs, and then at each step back the predecessor of least number
//!   ([`SearchContext::predecessors`]).
//! - Nothing here panics, whatever it is given, and nothing is kept from one call to the next. Searches run on the current rayon pool, so
//!   a caller chooses its threads by `ThreadPool::install`.
//! - [`Control`] cancels a computation and reports how far it is.
//!
//! Without room for all distances, take rows one by one from [`SearchContext::rows`]. Floyd-Warshall, on all cores or a GPU, is in the crate
//! `repro-dense` and joins in as [`Dense`] by [`Options::dense`]; [`choose()`] decides by a stated rule of size and density which graphs it gets.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod check;
mod choose;
mod control;

mod paths;
pub mod read;
mod reduction;
mod rows;
mod solution;
mod solve;
mod tree;
mod walk;
pub mod write;

pub use check::PathCheckStats;
pub use choose::{Algorithm, Choice, CostEstimate, Workload, choose, dense_bytes};
pub use choose::{Dense, RetainedDistances};
pub use control::{Control, Progress, Stage};
pub use control::{SinkError, SolveError};
pub use reduction::check_sums;
pub use rows::{Row, RowRequest, SearchContext};
pub use solution::{Options, Paths, Solution};
pub use solve::{solve, solve_in_place};
pub use tree::PathSentinels;
pub use walk::Nearest;
pub use walk::{PathError, walk, walk_next, weights_along};

pub use repro_graph::{
    Arcs, ArcsBuilder, DistanceMatrix, DroppedArcs, Element, ElementType, Graph, GraphError, MatrixError,
    NegativeCycle, SearchError, WeightRange, WeightSummary, available_memory,
};

#[cfg(test)]
mod graphs_of_tests {
    use crate::{Arcs, ArcsBuilder, Element};

    /// A graph of n vertices with these arcs: tail, head and weight.
    pub(crate) fn arcs_of<T: Element>(n: usize, arcs: &[(usize, usize, T)]) -> Arcs<T> {
        let mut builder = ArcsBuilder::with_vertices(n).unwrap();
        arcs.iter().for_each(|&(tail, head, weight)| builder.add(tail, head, weight).unwrap());
        builder.build().unwrap().0
    }
}

/// What the README shows is true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
