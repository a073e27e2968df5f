//! SciPy's compressed sparse rows as a graph, where they lie.

use crate::dense::is_weight;
use crate::error::Failure;
use crate::input::Input;
use shortest_paths::{ArcsBuilder, Element, Graph, GraphError, WeightSummary};
use std::borrow::Cow;

/// An index of SciPy's.
pub trait Index: Copy + Ord + Send + Sync + numpy::Element {
    /// The place that it names; none where it is negative.
    fn place(self) -> Option<usize>;

    /// Whether it names one of the first `n` places.
    fn is_below(self, n: usize) -> bool;

    /// These rows as a graph.
    fn input<T: Element>(rows: CsrRows<'_, T, Self>) -> Input<'_, T>;
}

impl Index for i32 {
    #[inline]
    fn place(self) -> Option<usize> {
        usize::try_from(self).ok()
    }

    #[inline]
    fn is_below(self, n: usize) -> bool {
        // What is negative is larger than any n that has arrays.
        (self.cast_unsigned() as usize) < n
    }

    fn input<T: Element>(rows: CsrRows<'_, T, Self>) -> Input<'_, T> {
        Input::Csr32(rows)
    }
}

impl Index for i64 {
    #[inline]
    fn place(self) -> Option<usize> {
        usize::try_from(self).ok()
    }

    #[inline]
    fn is_below(self, n: usize) -> bool {
        self.cast_unsigned() < n as u64
    }

    fn input<T: Element>(rows: CsrRows<'_, T, Self>) -> Input<'_, T> {
        Input::Csr64(rows)
    }
}

/// Sparse rows that somebody else owns: the heads of each tail ascend. Arcs from a vertex to itself, which no shortest path needs, are passed over.
pub struct CsrRows<'a, T, I> {
    offsets: &'a [I],
    heads: &'a [I],
    weights: &'a [T],
    facts: WeightSummary,
}

/// Rows of a graph of `n` vertices, borrowed where every tail's heads ascend and nothing has to go. Otherwise a graph of its own is made
/// of them, as [`ArcsBuilder`] does. A weight of 0 is one.
///
/// # Errors
/// When the lists do not fit together, and those of [`ArcsBuilder::add`].
pub fn rows<'a, T: Element, I: Index>(
    n: usize,
    offsets: &'a [I],
    heads: &'a [I],
    weights: &'a [T],
) -> Result<Input<'a, T>, Failure> {
    let mut builder = ArcsBuilder::with_vertices(n)?;
    let refuse = |problem: String| Err(GraphError::NotRows { problem }.into());
    if offsets.len() != n + 1 {
        return refuse(format!("indptr has {} numbers, and there are {n} rows", offsets.len()));
    }
    if !offsets.is_sorted() || offsets[0].place() != Some(0) {
        return refuse("indptr does not ascend from 0".to_string());
    }
    // SciPy's lists may be longer than what is used of them.
    let m = offsets[n].place().unwrap_or(usize::MAX);
    let (Some(heads), Some(weights)) = (heads.get(..m), weights.get(..m)) else {
        let (heads, weights) = (heads.len(), weights.len());
        return refuse(format!("indptr ends at {m}, and there are {heads} indices and {weights} weights"));
    };
    let range_of = |tail: usize| offsets[tail].place().unwrap_or(0)..offsets[tail + 1].place().unwrap_or(0);
    if is_ready(n, offsets, heads, weights) {
        let mut facts = WeightSummary::of_arcs(weights, false);
        let own = |tail: usize| {
            let at = heads[range_of(tail)].binary_search_by_key(&Some(tail), |head| head.place()).ok()?;
            Some(weights[range_of(tail)][at])
        };
        // As many arcs as this are rare, and so are negative weights.
        facts.range.complete = m >= n.saturating_mul(n - 1)
            && m - (0..n).filter(|tail| own(*tail).is_some()).count() == n * (n - 1);
        if facts.least >= 0.0 || (0..n).all(|tail| own(tail).is_none_or(|weight| weight >= T::ZERO)) {
            return Ok(I::input(CsrRows { offsets, heads, weights, facts }));
        }
    }
    builder.reserve(m)?;
    for tail in 0..n {
        for (head, weight) in heads[range_of(tail)].iter().zip(&weights[range_of(tail)]) {
            builder.add(tail, head.place().unwrap_or(usize::MAX), *weight)?;
        }
    }
    Ok(Input::Arcs(Cow::Owned(builder.build()?.0)))
}

/// Whether the heads of each tail ascend and are vertices, and every weight is one. Each list is gone through once and to its end, which is
/// quicker than to ask of every arc whether it is the last to look at.
fn is_ready<T: Element, I: Index>(n: usize, offsets: &[I], heads: &[I], weights: &[T]) -> bool {
    let are_weights = weights.iter().fold(true, |all, weight| all & is_weight(*weight) & !weight.is_absent());
    let are_heads = heads.iter().fold(true, |all, head| all & head.is_below(n));
    let is_descent = |at: usize| heads[at - 1] >= heads[at];
    let descents = heads.windows(2).fold(0, |sum, pair| sum + usize::from(pair[0] >= pair[1]));
    let mut between_rows = 0;
    let mut last = 0;
    for first in offsets.iter().filter_map(|first| first.place()) {
        if first > last && last > 0 && last < heads.len() {
            between_rows += usize::from(is_descent(last));
        }
        last = first;
    }
    are_weights && are_heads && descents == between_rows
}

impl<T, I: Index> CsrRows<'_, T, I> {
    /// The heads and weights of a tail's arcs; none of what is no vertex.
    #[inline]
    fn row(&self, tail: usize) -> (&[I], &[T]) {
        let first = self.offsets.get(tail).and_then(|first| first.place());
        let end = self.offsets.get(tail + 1).and_then(|end| end.place());
        let range = first.unwrap_or(0)..end.unwrap_or(0);
        let row = self.heads.get(range.clone()).zip(self.weights.get(range));
        row.unwrap_or_default()
    }
}

impl<T: Element, I: Index> Graph<T> for CsrRows<'_, T, I> {
    fn n(&self) -> usize {
        self.offsets.len() - 1
    }

    fn m(&self) -> usize {
        self.heads.len()
    }

    #[inline]
    fn for_each_arc(&self, tail: usize, mut visit: impl FnMut(usize, T)) {
        let (heads, weights) = self.row(tail);
        for (head, weight) in heads.iter().zip(weights) {
            // No vertex has the number that stands for a negative index, which was not there when the rows were looked at.
            let head = head.place().unwrap_or(usize::MAX);
            if head != tail {
                // -0.0 + 0.0 is +0.0.
                visit(head, weight.plus(T::ZERO));
            }
        }
    }

    fn weight(&self, tail: usize, head: usize) -> Option<T> {
        if tail == head {
            return None;
        }
        let (heads, weights) = self.row(tail);
        let at = heads.binary_search_by_key(&Some(head), |head| head.place()).ok()?;
        weights.get(at).map(|weight| weight.plus(T::ZERO))
    }

    fn facts(&self) -> WeightSummary {
        self.facts
    }
}
