//! A graph as searches look at it.

use crate::{Arcs, Element, Graph, SolveError, WeightSummary};

/// A graph, or the sparse rows of one in which few of many entries are arcs. Which it is, is looked at once a vertex.
pub(crate) enum Adjacency<'g, T, G> {
    Given(&'g G),
    Sparse(Arcs<T>),
}

impl<'g, T: Element, G: Graph<T>> Adjacency<'g, T, G> {
    /// Of a graph that is searched.
    pub fn of(graph: &'g G) -> Result<Self, SolveError> {
        Ok(graph.sparse()?.map_or(Self::Given(graph), Self::Sparse))
    }
}

/// Evaluates `$value` with `$graph` as whichever graph it is.
macro_rules! each {
    ($seen:expr, $graph:ident => $value:expr) => {
        match $seen {
            Adjacency::Given($graph) => $value,
            Adjacency::Sparse($graph) => $value,
        }
    };
}

impl<T: Element, G: Graph<T>> Graph<T> for Adjacency<'_, T, G> {
    fn n(&self) -> usize {
        each!(self, graph => graph.n())
    }

    fn m(&self) -> usize {
        each!(self, graph => graph.m())
    }

    #[inline]
    fn for_each_arc(&self, tail: usize, visit: impl FnMut(usize, T)) {
        each!(self, graph => graph.for_each_arc(tail, visit));
    }

    fn weight(&self, tail: usize, head: usize) -> Option<T> {
        each!(self, graph => graph.weight(tail, head))
    }

    fn fill_row(&self, tail: usize, row: &mut [T]) {
        each!(self, graph => graph.fill_row(tail, row));
    }

    fn negative_loop(&self) -> Option<(usize, T)> {
        each!(self, graph => graph.negative_loop())
    }

    fn facts(&self) -> WeightSummary {
        each!(self, graph => graph.facts())
    }
}
