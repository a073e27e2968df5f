//! The project's fast kernels as a solver of dense graphs for the library `repro-shortest-paths`. It uses no clock and no record.
//!
//! [`DenseSolver`] implements [`shortest_paths::Dense`] for all four types of weights. On a CUDA device it runs the implementation
//! `register-blocked`, on the CPU `cpu-parallel` with all threads of the current rayon pool:
//!
//! ```
//! use repro_dense::DenseSolver;
//! use shortest_paths::{Algorithm, ArcsBuilder, Options, solve};
//!
//! let mut builder = ArcsBuilder::growing();
//! for (tail, head, weight) in [(0, 1, 4), (0, 2, 3), (1, 2, -2)] {
//!     builder.add(tail, head, weight)?;
//! }
//! let (graph, _) = builder.build()?;
//!
//! let dense = DenseSolver::cpu();
//! let options = Options { dense: Some(&dense), algorithm: Some(Algorithm::FloydWarshall), ..Options::default() };
//! assert_eq!(solve(&graph, &options)?.distance(0, 2), Some(2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Negative weights
//! Integers are exact, and kernels take them as they are. In `f32`, kernels add a number to all distances, where that rounds none of them,
//! so that all are positive. Where sums may be rounded, in `f32` or `f64`, the library first reduces weights by potentials: otherwise a
//! cycle that is negative by rounding alone would be gone round again and again. The library has made sure before that there is no negative
//! cycle.
//!
//! # Threads
//! A device belongs to a thread of its own, which this crate starts, because CUDA's handles need one. Solves wait for each other there.
//!
//! # Graphs in a device's memory
//! [`DenseSolver::solve_there`] takes weights that another library has put into the device's memory, and leaves the distances there.
//!
//! # Memory
//! The matrix is solved in place. A GPU's copies go through two page-locked buffers of [`PIECE_BYTES`] each.
#![deny(missing_docs)]

mod device_matrix;
mod device_thread;
mod pieces;
#[cfg(test)]
mod rounding_tests;
mod solver;
mod trees;
mod weights;

pub use device_matrix::DeviceMatrix;
pub use pieces::Placement;
pub use pieces::{PIECE_BYTES, SolveTimes};
pub use solver::DenseError;
pub use solver::{DenseSolver, SolverDevice};

/// What the README shows is true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct DenseReadme;
