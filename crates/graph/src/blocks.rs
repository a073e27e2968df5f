//! Matrices that are read block by block, because no memory holds all of them.

use super::{ElementType, SparseRows, WeightRange};
use std::ops::Range;
use thiserror::Error;

/// Why a block cannot be read: what of the graph or its file is wrong.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct BlockError(pub String);

/// What is known of a graph before its weights are read.
#[derive(Clone, Debug, PartialEq)]
pub struct Promised {
    /// Bounds of the weights.
    pub weights: WeightRange,
    /// No edge between two different vertices weighs less.
    pub lightest: f64,
    /// Numbers p, one a vertex and none positive, with w(u, v) + p(u) - p(v) >= 0 for every edge (u, v): they show that no cycle is negative.
    /// None where no weight is negative.
    pub potentials: Option<Vec<f64>>,
}

/// The n x n weights of a graph, of which any block can be had without the rest.
pub trait Blocks: Send + Sync {
    /// Vertices.
    fn n(&self) -> usize;

    fn element(&self) -> ElementType;

    /// What its source promises of its weights, known without reading them.
    fn promised(&self) -> Option<Promised> {
        None
    }

    /// Its edges, where they are kept as a list.
    fn sparse(&self) -> Option<&SparseRows> {
        None
    }

    /// Writes the weights of `rows` x `columns` to `into`, row after row, each `pitch` numbers behind the one before; what lies between
    /// rows is left as it is. Numbers are of [`Blocks::element`], in the order of bytes of this machine.
    ///
    /// # Errors
    /// When the graph or its file has something else than numbers there.
    ///
    /// # Panics
    /// When the block is not in the matrix or `into` has no room for it.
    fn read(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
        pitch: usize,
        into: &mut [u8],
    ) -> Result<(), BlockError>;
}
