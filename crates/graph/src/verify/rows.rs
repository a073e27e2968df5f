//! Whether a sharded result is the distances of a graph that is read block by block.

use super::oracle::Oracle;
use super::{Mismatch, Reference, RowGroup, Unverifiable, bounds};
use crate::blocks::by_element;
use crate::weights::Extremes;
use crate::{Arcs, BlockError, Blocks, DistanceMatrix, Element, Graph, WeightRange, WeightSummary};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::OnceLock;

/// Neighbouring entries of one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    pub row: usize,
    pub columns: Range<usize>,
}

/// What some rows of a right result hold: as [`Reference`], with its guarantee, but of a graph that need not be in memory. Rows are found
/// by Dijkstra's algorithm on the graph's own edges: with a heap where they are a list, and on rows read one by one where they are not.
///
/// It is the same in every process that makes it of the same arguments. Each process compares the pieces of rows that it has, and one of
/// them collects which these were, so that a row that no process compared is found.
pub struct RowsReference {
    check: Box<CheckPiece>,
    n: usize,
    /// Whether results are compared bit for bit, and not within bounds, in the rows that were searched.
    pub exact: bool,
    /// The largest difference between the two bounds of an entry, in the unit of the weights; 0 where results are exact.
    pub max_bound_gap: f64,
    /// The vertices, ascending, whose rows are compared, here or in other processes.
    pub sources: Vec<usize>,
    /// What was compared and right, here and in the processes whose pieces were added; the caller empties it before the next result.
    pub compared: Vec<Piece>,
}

impl RowsReference {
    /// Finds what a right result holds in rows 0 and n - 1 and in `rows` rows, chosen by `seed`, of each group of rows.
    ///
    /// # Errors
    /// When the graph cannot be read or has a negative cycle, or right results cannot be distinguished from wrong ones by rows alone.
    ///
    /// # Panics
    /// When a group has a row that the matrix has not.
    pub fn new(
        graph: &dyn Blocks,
        rows: usize,
        groups: &[RowGroup],
        seed: u64,
    ) -> Result<Self, Unverifiable> {
        let n = graph.n();
        let sources = bounds::spread(n, groups, rows, seed);
        by_element!(graph.element(), T => {
            let reference = reference::<T>(graph, sources.clone())?;
            let (exact, max_bound_gap) = (reference.exact(), reference.max_bound_gap());
            let check = Box::new(move |row, first, numbers: &[u8]| check_bytes(&reference, row, first, numbers));
            Ok(Self { check, exact, max_bound_gap, sources, n, compared: Vec::new() })
        })
    }

    /// Compares what a result has of one row from `first_column` on: numbers of the graph's element type in this machine's byte order, as
    /// solvers leave them. Remembers that this piece was compared.
    ///
    /// # Errors
    /// The first mismatch and how many there are in this piece.
    ///
    /// # Panics
    /// When `row` is none of [`RowsReference::sources`], the numbers go beyond its end, or the last one is incomplete.
    pub fn check(&mut self, row: usize, first_column: usize, numbers: &[u8]) -> Result<(), Mismatch> {
        let count = (self.check)(row, first_column, numbers)?;
        self.compared.push(Piece { row, columns: first_column..first_column + count });
        Ok(())
    }

    /// Pieces of these rows that were not compared, or were wrong.
    pub fn missing(&self) -> Vec<Piece> {
        let mut missing = Vec::new();
        for &row in &self.sources {
            let known = self.compared.iter().filter(|piece| piece.row == row);
            let mut known: Vec<&Range<usize>> = known.map(|piece| &piece.columns).collect();
            known.sort_by_key(|columns| columns.start);
            let mut next = 0;
            for columns in known.into_iter().chain([&(self.n..self.n)]) {
                if columns.start > next {
                    missing.push(Piece { row, columns: next..columns.start });
                }
                next = next.max(columns.end);
            }
        }
        missing
    }
}

/// The range of weights that a graph's solvers are told: what its source promises, or else what a look at all weights shows.
///
/// # Errors
/// When the graph cannot be read.
pub fn weight_range_of_blocks(graph: &dyn Blocks) -> Result<WeightRange, BlockError> {
    by_element!(graph.element(), T => Ok(weights::<T>(graph)?.range))
}

fn in_memory<G: 'static>(graph: &dyn Blocks) -> Option<&G> {
    graph.as_any()?.downcast_ref()
}

fn weights<T: Element>(graph: &dyn Blocks) -> Result<WeightSummary, BlockError> {
    if let Some(promised) = graph.declared_weights() {
        return Ok(WeightSummary::declared(promised.weights));
    }
    if let Some(arcs) = in_memory::<Arcs<T>>(graph) {
        return Ok(arcs.facts());
    }
    let rows = BlockRows::<T>::of(graph);
    let row = |tail| Ok(Extremes::of_row(&rows.read(tail)?));
    let all = (0..graph.n()).into_par_iter().map(row);
    Ok(all.try_reduce(Extremes::none, |a, b| Ok(a.or(b)))?.summary())
}

fn reference<T: Element>(graph: &dyn Blocks, sources: Vec<usize>) -> Result<Reference<T>, Unverifiable> {
    let unknown = Unverifiable::RoundedNegatives;
    if let Some(arcs) = in_memory::<Arcs<T>>(graph) {
        return Oracle::of_arcs(arcs)?.rows(sources, unknown);
    }
    if let Some(matrix) = in_memory::<DistanceMatrix<T>>(graph) {
        return Oracle::of_matrix(matrix)?.rows(sources, unknown);
    }
    let weights = weights::<T>(graph)?;
    let rows = BlockRows::of(graph);
    let declared = graph.declared_weights().and_then(|promised| promised.potentials);
    let found = Oracle::of_dense(&rows, weights, declared).and_then(|oracle| oracle.rows(sources, unknown));
    rows.failed.into_inner().map_or(found, |error| Err(error.into()))
}

/// A graph whose rows are read when they are looked at.
struct BlockRows<'b, T> {
    blocks: &'b dyn Blocks,
    /// Why a row could not be read, the first time. Nothing that is found counts then.
    failed: OnceLock<BlockError>,
    numbers: PhantomData<fn(T)>,
}

impl<'b, T: Element> BlockRows<'b, T> {
    fn of(blocks: &'b dyn Blocks) -> Self {
        Self { blocks, failed: OnceLock::new(), numbers: PhantomData }
    }

    fn read(&self, tail: usize) -> Result<Vec<T>, BlockError> {
        let n = self.blocks.n();
        let mut row = vec![T::ZERO; n];
        self.blocks.read(tail..tail + 1, 0..n, n, bytemuck::cast_slice_mut(&mut row))?;
        Ok(row)
    }

    /// What was read; `None` where that failed, and the error is kept.
    fn noted<R>(&self, read: Result<R, BlockError>) -> Option<R> {
        read.map_err(|error| self.failed.set(error)).ok()
    }
}

impl<T: Element> Graph for BlockRows<'_, T> {
    type Weight = T;

    fn n(&self) -> usize {
        self.blocks.n()
    }

    /// At most.
    fn m(&self) -> usize {
        self.n().saturating_mul(self.n())
    }

    fn for_each_arc(&self, tail: usize, mut visit: impl FnMut(usize, T)) {
        for (head, weight) in self.noted(self.read(tail)).into_iter().flatten().enumerate() {
            if !weight.is_absent() && head != tail {
                visit(head, weight);
            }
        }
    }

    fn weight(&self, tail: usize, head: usize) -> Option<T> {
        let mut number = [T::ZERO];
        let bytes = bytemuck::cast_slice_mut(&mut number);
        self.noted(self.blocks.read(tail..tail + 1, head..head + 1, 1, bytes))?;
        Some(number[0]).filter(|weight| !weight.is_absent())
    }

    fn facts(&self) -> WeightSummary {
        self.noted(weights::<T>(self.blocks)).unwrap_or_else(|| Extremes::none().summary())
    }
}

/// Compares a piece of a row from some column on, and returns how many numbers it has.
type CheckPiece = dyn Fn(usize, usize, &[u8]) -> Result<usize, Mismatch> + Send + Sync;

fn check_bytes<T: Element>(
    reference: &Reference<T>,
    row: usize,
    first: usize,
    numbers: &[u8],
) -> Result<usize, Mismatch> {
    let (count, rest) = (numbers.len() / size_of::<T>(), numbers.len() % size_of::<T>());
    assert_eq!(rest, 0, "{} bytes are no whole number of {}", numbers.len(), T::TYPE);
    // The bytes may be unaligned.
    let mut aligned = vec![T::ZERO; count];
    bytemuck::cast_slice_mut(&mut aligned).copy_from_slice(numbers);
    aligned.iter_mut().for_each(|number| *number = number.canonical());
    reference.check_piece(row, first, &aligned)?;
    Ok(count)
}

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;
