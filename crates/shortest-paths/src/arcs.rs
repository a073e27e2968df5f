//! A sparse graph, its arcs in the order of their tails.

use crate::build::{group, kept};
use crate::{Facts, Graph, SolveError, Weight};
use rayon::prelude::*;
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
    pub(crate) firsts: Vec<usize>,
    pub(crate) heads: Vec<u32>,
    pub(crate) weights: Vec<T>,
    pub(crate) facts: Facts,
}

impl<T: Weight> Arcs<T> {
    /// The number of vertices.
    pub fn n(&self) -> usize {
        self.firsts.len() - 1
    }

    /// The number of arcs.
    pub fn m(&self) -> usize {
        self.heads.len()
    }

    /// Where the arcs of each vertex begin in [`Arcs::heads`] and [`Arcs::weights`]: n + 1 numbers, the last of which is m.
    pub fn firsts(&self) -> &[usize] {
        &self.firsts
    }

    /// The heads of all arcs, counted from 0, those of one tail together and ascending.
    pub fn heads(&self) -> &[u32] {
        &self.heads
    }

    /// The weights of all arcs, in the order of [`Arcs::heads`].
    pub fn weights(&self) -> &[T] {
        &self.weights
    }

    /// This graph with every arc reversed: the arcs that enter a vertex are there those that leave it. O(n + m) time, and the
    /// memory of a second graph.
    ///
    /// # Errors
    /// [`SolveError::NotEnoughMemory`].
    pub fn reversed(&self) -> Result<Self, SolveError> {
        let arcs = || (0..self.n()).flat_map(|tail| self.range(tail).map(move |at| (tail, at)));
        let turned = || arcs().map(|(tail, at)| (self.heads[at], tail as u32, self.weights[at]));
        let (firsts, heads, weights) = group(self.n(), self.m(), turned)?;
        Ok(Self { firsts, heads, weights, facts: self.facts })
    }

    /// The arcs of any graph, as that of a matrix. O(n²) then, on all threads of the rayon pool.
    ///
    /// # Errors
    /// [`SolveError::NotEnoughMemory`].
    pub fn of_graph<G: Graph<T>>(graph: &G) -> Result<Self, SolveError> {
        let count = |tail| {
            let mut count = 0;
            graph.for_each_arc(tail, |_, _| count += 1);
            count
        };
        let counts: Vec<usize> = (0..graph.n()).into_par_iter().map(count).collect();
        kept(graph, graph.facts(), &counts, |_, _, _| true)
    }

    /// [`Arcs::of_graph`] of a graph that has `m` arcs, if these are at most n² / 32; none if they are more, and none of a graph with a
    /// negative arc from a vertex to itself, which sparse rows could not have.
    ///
    /// # Errors
    /// Those of [`Arcs::of_graph`].
    pub fn of_sparse<G: Graph<T>>(graph: &G, m: usize) -> Result<Option<Self>, SolveError> {
        let few = graph.n().saturating_mul(graph.n()) / ENTRIES_AN_ARC;
        (m <= few && graph.negative_loop().is_none()).then(|| Self::of_graph(graph)).transpose()
    }

    /// Where the arcs of a vertex are; nowhere if there is no such vertex.
    #[inline]
    fn range(&self, tail: usize) -> Range<usize> {
        match (self.firsts.get(tail), self.firsts.get(tail + 1)) {
            (Some(&first), Some(&end)) => first..end,
            _ => 0..0,
        }
    }
}

impl<T: Weight> Graph<T> for Arcs<T> {
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

    fn turned(&self) -> Result<Self, SolveError> {
        self.reversed()
    }

    fn facts(&self) -> Facts {
        self.facts
    }
}
