//! A sparse graph, its arcs in the order of their tails.

use crate::build::kept;
use crate::{
    BlockError, Blocks, Element, ElementType, Graph, MatrixError, SearchError, WeightSummary, memory_check,
};
use rayon::prelude::*;
use std::any::Any;
use std::ops::Range;

/// Where a matrix has so many entries for an arc, reading them takes a search about as long as the arcs themselves, and the arcs take less
/// than a tenth of the memory of the matrix.
const ENTRIES_AN_ARC: usize = 32;

/// A directed graph as compressed sparse rows: for each vertex the arcs that leave it, heads ascending, at most one arc to each other
/// vertex and none to itself. Made by [`ArcsBuilder`](crate::ArcsBuilder).
///
/// Takes 8 (n + 1) + (4 + size of a weight) m bytes, for n vertices and m arcs.
#[derive(Clone, Debug, PartialEq)]
pub struct Arcs<T> {
    /// Entry v is where the arcs of v begin, and entry n is m.
    pub(crate) offsets: Vec<usize>,
    pub(crate) heads: Vec<u32>,
    pub(crate) weights: Vec<T>,
    pub(crate) facts: WeightSummary,
}

impl<T: Element> Arcs<T> {
    /// The number of vertices.
    pub fn n(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of arcs.
    pub fn m(&self) -> usize {
        self.heads.len()
    }

    /// Where the arcs of each vertex begin in [`Arcs::heads`] and [`Arcs::weights`]: n + 1 numbers, the last of which is m.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The heads of all arcs, counted from 0, those of one tail together and ascending.
    pub fn heads(&self) -> &[u32] {
        &self.heads
    }

    /// The weights of all arcs, in the order of [`Arcs::heads`].
    pub fn weights(&self) -> &[T] {
        &self.weights
    }

    /// [`Arcs::offsets`], [`Arcs::heads`] and [`Arcs::weights`], without a copy.
    pub fn into_rows(self) -> (Vec<usize>, Vec<u32>, Vec<T>) {
        (self.offsets, self.heads, self.weights)
    }

    /// A graph with every arc reversed: the arcs that enter a vertex are there those that leave it. O(n + m) time, O(n²) of a matrix,
    /// and the memory of the result.
    ///
    /// # Errors
    /// [`SearchError::NotEnoughMemory`].
    pub fn transposed(graph: &impl Graph<Weight = T>) -> Result<Self, SearchError> {
        let n = graph.n();
        let mut offsets = memory_check::filled("the graph", n + 1, 0_usize)?;
        for tail in 0..n {
            graph.for_each_arc(tail, |head, _| offsets[head + 1] += 1);
        }
        for head in 0..n {
            offsets[head + 1] += offsets[head];
        }
        let mut tails = memory_check::zeros::<u32>("the graph", offsets[n])?;
        let mut weights = memory_check::zeros::<T>("the graph", offsets[n])?;
        // Each head's beginning moves to its end while arcs are placed, which is where the next one begins.
        for tail in 0..n {
            graph.for_each_arc(tail, |head, weight| {
                let at = &mut offsets[head];
                (tails[*at], weights[*at]) = (tail as u32, weight);
                *at += 1;
            });
        }
        offsets.copy_within(..n, 1);
        offsets[0] = 0;
        Ok(Self { offsets, heads: tails, weights, facts: graph.facts() })
    }

    /// This graph in another element type.
    ///
    /// # Errors
    /// When a weight is no number of that type, a fraction for example.
    pub fn convert<U: Element>(self) -> Result<Arcs<U>, MatrixError> {
        let lost = self.weights.par_iter().position_first(|weight| weight.convert::<U>().is_none());
        if let Some(at) = lost {
            let row = self.offsets.partition_point(|first| *first <= at) - 1;
            let (column, value) = (self.heads[at] as usize, self.weights[at].to_f64());
            return Err(MatrixError::NotOfType { row, column, value, element: U::TYPE });
        }
        let weights = self.weights.into_iter().map(|weight| U::from_f64(weight.to_f64())).collect();
        Ok(Arcs { offsets: self.offsets, heads: self.heads, weights, facts: self.facts })
    }

    /// The arcs of any graph, as that of a matrix. O(n²) then, on all threads of the rayon pool.
    ///
    /// # Errors
    /// [`SearchError::NotEnoughMemory`].
    pub fn of_graph(graph: &impl Graph<Weight = T>) -> Result<Self, SearchError> {
        let count = |tail| {
            let mut count = 0;
            graph.for_each_arc(tail, |_, _| count += 1);
            count
        };
        let counts: Vec<usize> = (0..graph.n()).into_par_iter().map(count).collect();
        kept(graph, &counts, |_, _, _| true)
    }

    /// [`Arcs::of_graph`] of a graph that has `m` arcs, if these are at most n² / 32; none if they are more, and none of a graph with a
    /// negative arc from a vertex to itself, which sparse rows could not have.
    ///
    /// # Errors
    /// Those of [`Arcs::of_graph`].
    pub fn of_sparse(graph: &impl Graph<Weight = T>, m: usize) -> Result<Option<Self>, SearchError> {
        let few = graph.n().saturating_mul(graph.n()) / ENTRIES_AN_ARC;
        (m <= few && graph.negative_loop().is_none()).then(|| Self::of_graph(graph)).transpose()
    }

    /// Where the arcs of a vertex are; nowhere if there is no such vertex.
    #[inline]
    fn range(&self, tail: usize) -> Range<usize> {
        match (self.offsets.get(tail), self.offsets.get(tail + 1)) {
            (Some(&first), Some(&end)) => first..end,
            _ => 0..0,
        }
    }
}

impl<T: Element> Graph for Arcs<T> {
    type Weight = T;

    fn n(&self) -> usize {
        self.n()
    }

    fn m(&self) -> usize {
        self.m()
    }

    #[inline]
    fn for_each_arc(&self, tail: usize, mut visit: impl FnMut(usize, T)) {
        let range = self.range(tail);
        for (head, weight) in self.heads[range.clone()].iter().zip(&self.weights[range]) {
            visit(*head as usize, *weight);
        }
    }

    fn weight(&self, tail: usize, head: usize) -> Option<T> {
        let range = self.range(tail);
        let head = u32::try_from(head).ok()?;
        let at = self.heads[range.clone()].binary_search(&head).ok()?;
        Some(self.weights[range][at])
    }

    fn facts(&self) -> WeightSummary {
        self.facts
    }
}

impl<T: Element> Blocks for Arcs<T> {
    fn n(&self) -> usize {
        self.n()
    }

    fn element(&self) -> ElementType {
        T::TYPE
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn read_row(&self, tail: usize, columns: Range<usize>, into: &mut [u8]) -> Result<(), BlockError> {
        let row: &mut [T] = bytemuck::cast_slice_mut(into);
        row.fill(T::ABSENT);
        let range = self.range(tail);
        let before = self.heads[range.clone()].partition_point(|&head| (head as usize) < columns.start);
        let rest = range.start + before..range.end;
        for (head, weight) in self.heads[rest.clone()].iter().zip(&self.weights[rest]) {
            let Some(entry) = row.get_mut(*head as usize - columns.start) else { break };
            *entry = *weight;
        }
        if columns.contains(&tail) {
            row[tail - columns.start] = T::ZERO;
        }
        Ok(())
    }
}
