//! A graph in any of the forms that Python hands over.

use crate::csr::CsrRows;
use crate::dense::DenseRows;
use repro_graph::DistanceMatrix;
use shortest_paths::{Arcs, ArcsBuilder, Facts, Graph, GraphError, SolveError, Weight};
use std::borrow::Cow;

/// A graph in any of the forms that Python hands over. One type for all of them, so that searches are compiled once for each type of
/// weights; which form it is, is looked at once a vertex.
pub enum Input<'a, T: Weight> {
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

impl<T: Weight> Input<'_, T> {
    /// Whether it is a matrix of NumPy with an arc of weight 0.
    pub fn has_zeros(&self) -> bool {
        matches!(self, Self::Dense(rows) if rows.has_zeros())
    }
}

impl<T: Weight> Graph<T> for Input<'_, T> {
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

    fn turned(&self) -> Result<Self, SolveError> {
        match self {
            Self::Matrix(matrix) => Ok(Self::Matrix(Cow::Owned(matrix.turned()?))),
            Self::Arcs(arcs) => Ok(Self::Arcs(Cow::Owned(arcs.turned()?))),
            Self::Dense(rows) => {
                let mut turned = DistanceMatrix::without_edges(rows.n())?;
                let n = rows.n();
                for tail in 0..n {
                    rows.for_each_arc(tail, |head, weight| turned.as_mut_slice()[head * n + tail] = weight);
                }
                Ok(Self::Matrix(Cow::Owned(turned)))
            }
            Self::Csr32(rows) => turned(rows),
            Self::Csr64(rows) => turned(rows),
        }
    }

    fn sparse(&self) -> Result<Option<Arcs<T>>, SolveError> {
        each!(self, graph => graph.sparse())
    }

    fn facts(&self) -> Facts {
        each!(self, graph => graph.facts())
    }
}

fn turned<'a, T: Weight, G: Graph<T>>(graph: &G) -> Result<Input<'a, T>, SolveError> {
    let refused = |error| match error {
        GraphError::NoRoom(error) => error,
        // The arcs were a graph before.
        other => SolveError::Sink(other.into()),
    };
    let mut builder = ArcsBuilder::with_vertices(graph.n()).map_err(refused)?;
    builder.reserve(graph.m()).map_err(refused)?;
    let mut failed = None;
    for tail in 0..graph.n() {
        graph.for_each_arc(tail, |head, weight| {
            failed = failed.take().or(builder.add(head, tail, weight).err())
        });
    }
    match failed {
        Some(error) => Err(refused(error)),
        None => Ok(Input::Arcs(Cow::Owned(builder.build().map_err(refused)?.0))),
    }
}
