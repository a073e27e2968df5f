//! A graph in any of the forms that Python hands over.

use crate::csr::CsrRows;
use crate::dense::DenseRows;
use repro_graph::DistanceMatrix;
use shortest_paths::{Arcs, Element, Graph, SearchError, WeightSummary};
use std::borrow::Cow;

/// A graph in any of the forms that Python hands over. One type for all of them, so that searches are compiled once for each type of
/// weights; which form it is, is looked at once a vertex.
pub enum Input<'a, T: Element> {
    /// NumPy's matrix.
    Dense(DenseRows<'a, T>),
    /// SciPy's sparse rows with indices of 32 bits.
    Csr32(CsrRows<'a, T, i32>),
    /// SciPy's sparse rows with indices of 64 bits.
    Csr64(CsrRows<'a, T, i64>),
    /// Arcs of the library's own.
    Arcs(Cow<'a, Arcs<T>>),
    /// The library's own matrix.
    Matrix(Cow<'a, DistanceMatrix<T>>),
}

/// Evaluates `$value` for a graph of whatever form.
macro_rules! each {
    ($input:expr, $graph:ident => $value:expr) => {
        match $input {
            Input::Dense($graph) => $value,
            Input::Csr32($graph) => $value,
            Input::Csr64($graph) => $value,
            Input::Arcs($graph) => {
                let $graph: &Arcs<T> = $graph;
                $value
            }
            Input::Matrix($graph) => {
                let $graph: &DistanceMatrix<T> = $graph;
                $value
            }
        }
    };
}

impl<T: Element> Input<'_, T> {
    /// Whether it is a matrix of NumPy with an arc of weight 0.
    pub fn has_zeros(&self) -> bool {
        matches!(self, Self::Dense(rows) if rows.has_zeros())
    }
}

impl<T: Element> Graph<T> for Input<'_, T> {
    fn n(&self) -> usize {
        each!(self, graph => graph.n())
    }

    fn m(&self) -> usize {
        each!(self, graph => Graph::<T>::m(graph))
    }

    #[inline]
    fn for_each_arc(&self, tail: usize, visit: impl FnMut(usize, T)) {
        each!(self, graph => graph.for_each_arc(tail, visit));
    }

    fn weight(&self, tail: usize, head: usize) -> Option<T> {
        each!(self, graph => graph.weight(tail, head))
    }

    fn negative_loop(&self) -> Option<(usize, T)> {
        each!(self, graph => graph.negative_loop())
    }

    fn sparse(&self) -> Result<Option<Arcs<T>>, SearchError> {
        each!(self, graph => graph.sparse())
    }

    fn facts(&self) -> WeightSummary {
        each!(self, graph => graph.facts())
    }
}
