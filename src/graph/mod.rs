//! Graphs as dense distance matrices, where they come from, and how a result is checked.

mod matrix;
mod memory;

pub use matrix::{DistanceMatrix, MatrixError};
