//! SciPy's compressed sparse rows as a graph, where they lie.

use crate::dense::is_weight;
use crate::error::Failure;
use crate::input::Input;
use repro_graph::weight_range_of_edges;
use shortest_paths::{ArcsBuilder, Facts, Graph, GraphError, SolveError, Weight};
use std::borrow::Cow;

/// An index of SciPy's.
pub trait Index: Copy + Ord + Send + Sync + numpy::Element {
    /// The place that it names; none where it is negative.
    fn place(self) -> Option<usize>;

    /// These rows as a graph.
    fn input<T: Weight>(rows: CsrRows<'_, T, Self>) -> Input<'_, T>;
}

impl Index for i32 {
    #[inline]
    fn place(self) -> Option<usize> {
        usize::try_from(self).ok()
    }

    fn input<T: Weight>(rows: CsrRows<'_, T, Self>) -> Input<'_, T> {
        Input::Csr32(rows)
    }
}

impl Index for i64 {
    #[inline]
    fn place(self) -> Option<usize> {
        usize::try_from(self).ok()
    }

    fn input<T: Weight>(rows: CsrRows<'_, T, Self>) -> Input<'_, T> {
        Input::Csr64(rows)
    }
}

/// Sparse rows that somebody else owns: the heads of each tail ascend, and none is the tail.
pub struct CsrRows<'a, T, I> {
    firsts: &'a [I],
    heads: &'a [I],
    weights: &'a [T],
    facts: Facts,
}

/// Rows of a graph of `n` vertices, borrowed where every tail's heads ascend and nothing has to go. Otherwise a graph of its own is made
/// of them, as [`ArcsBuilder`] does. A weight of 0 is one.
///
/// # Errors
/// When the lists do not fit together, and those of [`ArcsBuilder::add`].
pub fn rows<'a, T: Weight, I: Index>(
    n: usize,
    firsts: &'a [I],
    heads: &'a [I],
    weights: &'a [T],
) -> Result<Input<'a, T>, Failure> {
    let mut builder = ArcsBuilder::with_vertices(n)?;
    let refuse = |problem: String| Err(GraphError::NotRows { problem }.into());
    if firsts.len() != n + 1 {
        return refuse(format!("indptr has {} numbers, and there are {n} rows", firsts.len()));
    }
    if !firsts.is_sorted() || firsts[0].place() != Some(0) {
        return refuse("indptr does not ascend from 0".to_string());
    }
    // SciPy's lists may be longer than what is used of them.
    let m = firsts[n].place().unwrap_or(usize::MAX);
    let (Some(heads), Some(weights)) = (heads.get(..m), weights.get(..m)) else {
        let (heads, weights) = (heads.len(), weights.len());
        return refuse(format!("indptr ends at {m}, and there are {heads} indices and {weights} weights"));
    };
    let range = |tail: usize| firsts[tail].place().unwrap_or(0)..firsts[tail + 1].place().unwrap_or(0);
    let is_ready = |tail: usize| {
        let row = &heads[range(tail)];
        row.is_sorted_by(|a, b| a < b)
            && row.iter().all(|head| head.place().is_some_and(|head| head < n && head != tail))
            && weights[range(tail)].iter().all(|weight| is_weight(*weight) && !weight.is_absent())
    };
    if (0..n).all(is_ready) {
        let (range, least) = weight_range_of_edges(weights, m == n.saturating_mul(n - 1));
        return Ok(I::input(CsrRows { firsts, heads, weights, facts: Facts { range, least } }));
    }
    builder.reserve(m)?;
    for tail in 0..n {
        for (head, weight) in heads[range(tail)].iter().zip(&weights[range(tail)]) {
            builder.add(tail, head.place().unwrap_or(usize::MAX), *weight)?;
        }
    }
    Ok(Input::Arcs(Cow::Owned(builder.build()?.0)))
}

impl<T, I: Index> CsrRows<'_, T, I> {
    /// The heads and weights of a tail's arcs; none of what is no vertex.
    #[inline]
    fn row(&self, tail: usize) -> (&[I], &[T]) {
        let first = self.firsts.get(tail).and_then(|first| first.place());
        let end = self.firsts.get(tail + 1).and_then(|end| end.place());
        let range = first.unwrap_or(0)..end.unwrap_or(0);
        let row = self.heads.get(range.clone()).zip(self.weights.get(range));
        row.unwrap_or_default()
    }
}

impl<T: Weight, I: Index> Graph<T> for CsrRows<'_, T, I> {
    fn n(&self) -> usize {
        self.firsts.len() - 1
    }

    fn m(&self) -> usize {
        self.heads.len()
    }

    #[inline]
    fn for_each_arc(&self, tail: usize, mut visit: impl FnMut(usize, T)) {
        let (heads, weights) = self.row(tail);
        for (head, weight) in heads.iter().zip(weights) {
            // No vertex has the number that stands for a negative index, which was not there when the rows were looked at. -0.0 + 0.0
            // is +0.0.
            visit(head.place().unwrap_or(usize::MAX), weight.plus(T::ZERO));
        }
    }

    fn weight(&self, tail: usize, head: usize) -> Option<T> {
        let (heads, weights) = self.row(tail);
        let at = heads.binary_search_by_key(&Some(head), |head| head.place()).ok()?;
        weights.get(at).map(|weight| weight.plus(T::ZERO))
    }

    fn turned(&self) -> Result<Self, SolveError> {
        // `Input` makes arcs of its own.
        Err(SolveError::Sink("borrowed rows cannot be turned round in place".into()))
    }

    fn facts(&self) -> Facts {
        self.facts
    }
}
