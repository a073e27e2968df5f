//! Graphs as dense distance matrices, where they come from, and how a result is checked.

mod generate;
mod matrix;
mod memory;
#[cfg(test)]
mod oracle;
mod potentials;
mod search;
mod weights;

pub use generate::{GenerateError, RandomGraph, generate};
pub use matrix::{DistanceMatrix, MatrixError};
pub use potentials::{NegativeCycle, potentials};
pub use search::shortest_from;
