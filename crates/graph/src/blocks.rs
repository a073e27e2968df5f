//! Matrices that are read block by block, because no memory holds all of them.

use super::{ElementType, WeightRange};
use rayon::prelude::*;
use std::any::Any;
use std::ops::Range;
use thiserror::Error;

/// Rows and columns of a matrix whose numbers are stored row after row, without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub rows: Range<usize>,
    pub columns: Range<usize>,
}

impl Block {
    /// Numbers in the block; `None` where they are more than `usize` holds.
    pub fn entries(&self) -> Option<usize> {
        self.rows.len().checked_mul(self.columns.len())
    }
}

/// Why a block cannot be read: what of the graph or its file is wrong.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct BlockError(pub String);

/// What is known of a graph before its weights are read.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredWeights {
    /// Bounds of the weights.
    pub weights: WeightRange,
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
    fn declared_weights(&self) -> Option<DeclaredWeights> {
        None
    }

    /// The graph itself, where it is in memory as a whole: [`Arcs`](crate::Arcs) or a [`DistanceMatrix`](crate::DistanceMatrix).
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// Writes the entries of `row` in `columns` to `into`, which has exactly their length and is aligned for [`Blocks::element`]. In this
    /// machine's byte order.
    ///
    /// # Errors
    /// When the graph or its file has something else than numbers there.
    fn read_row(&self, row: usize, columns: Range<usize>, into: &mut [u8]) -> Result<(), BlockError>;

    /// Writes the weights of `rows` x `columns` to `into`, row after row, each `pitch` numbers after the one before; what lies between
    /// rows is left as it is. In parallel.
    ///
    /// # Errors
    /// One of those of [`Blocks::read_row`].
    ///
    /// # Panics
    /// When the block is not in the matrix or `into` has no room for it.
    fn read(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
        pitch: usize,
        into: &mut [u8],
    ) -> Result<(), BlockError> {
        let (n, size, width) = (self.n(), self.element().bytes(), columns.len());
        assert!(
            rows.end <= n && columns.end <= n,
            "rows {rows:?} and columns {columns:?} are not in {n} x {n} numbers"
        );
        if rows.is_empty() || width == 0 {
            return Ok(());
        }
        assert!(width <= pitch, "a row of {width} numbers every {pitch} numbers overlaps the next");
        let needed = ((rows.len() - 1) * pitch + width) * size;
        assert!(into.len() >= needed, "{} bytes are no room for {needed}", into.len());
        into[..needed].par_chunks_mut(pitch * size).zip(rows).try_for_each(|(bytes, row)| {
            let bytes = &mut bytes[..width * size];
            if bytes.as_ptr().addr().is_multiple_of(size) {
                return self.read_row(row, columns.clone(), bytes);
            }
            // The caller's buffer may begin anywhere.
            let mut numbers = vec![0_u64; bytes.len().div_ceil(size_of::<u64>())];
            let aligned = &mut bytemuck::cast_slice_mut(&mut numbers)[..bytes.len()];
            self.read_row(row, columns.clone(), aligned)?;
            bytes.copy_from_slice(aligned);
            Ok(())
        })
    }
}

/// Runs an expression with `$T` as the number type of an [`ElementType`](crate::ElementType).
#[macro_export]
macro_rules! by_element {
    ($element:expr, $T:ident => $run:expr) => {
        match $element {
            $crate::ElementType::F32 => {
                type $T = f32;
                $run
            }
            $crate::ElementType::F64 => {
                type $T = f64;
                $run
            }
            $crate::ElementType::I32 => {
                type $T = i32;
                $run
            }
            $crate::ElementType::U16 => {
                type $T = u16;
                $run
            }
        }
    };
}
pub use by_element;

#[cfg(test)]
#[path = "blocks_tests.rs"]
mod tests;
