//! Graphs as the library looks at them, in memory that somebody else owns.

use crate::error::Failure;
use rayon::prelude::*;
use repro_graph::memory_check;
use shortest_paths::{
    Arcs, ArcsBuilder, Control, Element, Graph, GraphError, SearchError, WeightRange, WeightSummary,
};
use std::borrow::Cow;

/// A graph, wherever it lies: a matrix, whose entry (i, j) is the arc from i to j, or sparse rows. One type for both, so that searches are
/// compiled once for each type of weights; which of the two it is, is checked once a vertex.
///
/// Arcs from a vertex to itself, which no shortest path needs, are passed over. A negative one on a matrix's diagonal is a negative cycle.
pub struct GraphView<'a, T: Element> {
    n: usize,
    m: usize,
    /// The weights of the arcs; for a matrix, all n x n entries in row-major order.
    weights: Cow<'a, [T]>,
    /// None for a matrix.
    rows: Option<SparseRows<'a>>,
    /// Whether a 0 of a matrix is no arc.
    zeros_absent: bool,
    facts: WeightSummary,
    /// Whether it is a matrix with a 0 off the diagonal that counts as an arc.
    pub has_zeros: bool,
}

/// Where the arcs of each vertex begin, and their heads, which ascend unless the graph is only searched.
type SparseRows<'a> = (Cow<'a, [usize]>, Cow<'a, [u32]>);

/// Which entries are no arcs, in addition to [`Element::ABSENT`].
#[derive(Clone, Copy, PartialEq)]
pub enum AbsentEntries {
    /// No others.
    Sentinel,
    /// In a matrix a 0.
    Zeros,
    /// As `scipy.sparse.csgraph` reads them: NaN, and in a matrix 0 and both infinities.
    Csgraph,
}

/// Lists of arcs with weights of one type.
#[derive(Clone, Copy)]
pub struct ArcLists<'a, T> {
    /// If None, there are as many vertices as the arcs name.
    pub n: Option<usize>,
    /// Where the arcs of each vertex begin, as in SciPy's sparse rows, or the tail of each arc. A negative number has become a large one.
    pub starts: &'a [usize],
    pub heads: &'a [u32],
    pub weights: &'a [T],
    pub absent: AbsentEntries,
    /// Whether every arc stands for two, there and back.
    pub undirected: bool,
}

impl<T: Element> ArcLists<'_, T> {
    /// Builds a graph of `arcs` with [`ArcsBuilder`]; NaN is no arc for csgraph.
    fn build(
        &self,
        arcs: impl Iterator<Item = (usize, u32, T)>,
        control: &Control,
    ) -> Result<Arcs<T>, Failure> {
        let builder = self.n.map_or_else(|| Ok(ArcsBuilder::growing()), ArcsBuilder::with_vertices)?;
        let mut builder = builder.undirected(self.undirected);
        builder.reserve(self.weights.len())?;
        for (at, (tail, head, weight)) in arcs.enumerate() {
            if at % (1 << 16) == 0 {
                control.check()?;
            }
            if self.absent != AbsentEntries::Csgraph || !weight.to_f64().is_nan() {
                builder.add(tail, head as usize, weight)?;
            }
        }
        Ok(builder.build()?.0)
    }
}

impl<'a, T: Element> From<&'a Arcs<T>> for GraphView<'a, T> {
    fn from(arcs: &'a Arcs<T>) -> Self {
        let rows = (arcs.offsets().into(), arcs.heads().into());
        Self::of_rows(arcs.n(), rows, arcs.weights().into(), arcs.facts())
    }
}

impl<T: Element> From<Arcs<T>> for GraphView<'_, T> {
    fn from(arcs: Arcs<T>) -> Self {
        let (n, facts) = (arcs.n(), arcs.facts());
        let (offsets, heads, weights) = arcs.into_rows();
        Self::of_rows(n, (offsets.into(), heads.into()), weights.into(), facts)
    }
}

impl<'a, T: Element> GraphView<'a, T> {
    fn of_rows(n: usize, rows: SparseRows<'a>, weights: Cow<'a, [T]>, facts: WeightSummary) -> Self {
        Self { n, m: weights.len(), weights, rows: Some(rows), zeros_absent: false, facts, has_zeros: false }
    }

    /// The graph of a matrix. Checks every weight, on all threads of the current pool.
    ///
    /// # Errors
    /// When `n` is 0, or a weight is NaN, -infinity, or an integer larger than distances may be, with its place.
    pub fn of_matrix(n: usize, weights: Cow<'a, [T]>, absent: AbsentEntries) -> Result<Self, Failure> {
        if n == 0 {
            return Err(GraphError::Empty.into());
        }
        let counted = weights.par_chunks(n).enumerate().map(|(row, weights)| {
            if let Some(column) = weights.iter().position(|weight| !is_weight(*weight)) {
                return Err(column);
            }
            let stay = weights.get(row).copied().unwrap_or(T::ABSENT);
            let count = |is_counted: fn(T) -> bool| {
                let all = weights.iter().filter(|weight| is_counted(**weight)).count();
                all - usize::from(is_counted(stay))
            };
            Ok([count(|weight| !weight.is_absent()), count(|weight| weight == T::ZERO)])
        });
        let counted: Vec<Result<[usize; 2], usize>> = counted.collect();
        let (mut m, mut zeros) = (0, 0);
        // Reports the first wrong weight in the order of rows, whichever was found first.
        for (row, counted) in counted.into_iter().enumerate() {
            match counted {
                Ok([arcs, nothing]) => (m, zeros) = (m + arcs, zeros + nothing),
                Err(_) if absent == AbsentEntries::Csgraph => {
                    let mut known = memory_check::reserved("a copy of the matrix", weights.len())?;
                    let is_arc = |weight: T| weight != T::ZERO && weight.to_f64().is_finite();
                    known.extend(
                        weights.iter().map(|weight| if is_arc(*weight) { *weight } else { T::ABSENT }),
                    );
                    return Self::of_matrix(n, Cow::Owned(known), AbsentEntries::Sentinel);
                }
                Err(column) => return Err(Failure::weight(row, column, weights[row * n + column])),
            }
        }
        let zeros_absent = absent != AbsentEntries::Sentinel;
        let m = if zeros_absent { m - zeros } else { m };
        let facts = WeightSummary::of_arcs(&weights, m == n * (n - 1));
        Ok(Self { n, m, weights, rows: None, zeros_absent, facts, has_zeros: zeros > 0 && !zeros_absent })
    }

    /// The graph of lists with a tail, a head and a weight for each arc.
    ///
    /// # Errors
    /// Those of [`ArcsBuilder`].
    pub fn of_arcs(arcs: &ArcLists<T>, control: &Control) -> Result<Self, Failure> {
        let listed = arcs.starts.iter().zip(arcs.heads).zip(arcs.weights);
        Ok(arcs.build(listed.map(|((tail, head), weight)| (*tail, *head, *weight)), control)?.into())
    }

    /// The graph of SciPy's rows, borrowed where every tail's heads ascend and no arc has to go; otherwise [`ArcsBuilder`] copies them. A
    /// weight of 0 is an arc. Where `searches`, a number of searches, is all that is asked for, and no weight is negative, the order of
    /// heads does not matter, and only what a search needs is found out of the weights.
    ///
    /// # Errors
    /// When the lists do not fit together, and those of [`ArcsBuilder::add`].
    pub fn of_csr(
        lists: &ArcLists<'a, T>,
        searches: Option<usize>,
        control: &Control,
    ) -> Result<Self, Failure> {
        let &ArcLists { starts, heads, weights, undirected, .. } = lists;
        let n = lists.n.unwrap_or(0);
        let refuse = |problem: String| Err(GraphError::NotRows { problem }.into());
        if n == 0 {
            return Err(GraphError::Empty.into());
        }
        if starts.len() != n + 1 {
            return refuse(format!("indptr has {} numbers, and there are {n} rows", starts.len()));
        }
        if !starts.is_sorted() || starts[0] != 0 {
            return refuse("indptr does not ascend from 0".to_string());
        }
        // SciPy's lists may be longer than what is used of them.
        let m = starts[n];
        let (Some(used), Some(lengths)) = (heads.get(..m), weights.get(..m)) else {
            let (m, heads, weights) = (m.cast_signed(), heads.len(), weights.len());
            return refuse(format!(
                "indptr ends at {m}, and there are {heads} indices and {weights} weights"
            ));
        };
        // No sum of n such floats is out of range, however it is rounded.
        let parts = if T::TYPE.is_integer() { 1.0 } else { 2.0 * n as f64 };
        let largest = T::TYPE.most() / parts;
        let range = WeightRange { largest, negative: false, complete: false, grain: 0.0, symmetric: false };
        let facts = WeightSummary::declared(range);
        let mut view = Self::of_rows(n, (starts.into(), used.into()), lengths.into(), facts);
        // Folds go through a list to its end, which is quicker than to test at every number whether to stop.
        let all = |least: f64, most: f64| {
            let is_in = |weight: &T| (weight.to_f64() >= least) & (weight.to_f64() <= most);
            lengths.iter().fold(true, |all, weight| all & is_in(weight))
        };
        let top = u32::try_from(n).unwrap_or(u32::MAX);
        if searches.is_some() && used.iter().fold(true, |all, head| all & (*head < top)) && all(0.0, largest)
        {
            return if undirected { view.undirected(searches != Some(1)) } else { Ok(view) };
        }
        let does_ascend = |tail| {
            let (heads, _) = view.row(tail);
            heads.is_sorted_by(|one, other| one < other) && heads.last().is_none_or(|last| *last < top)
        };
        if all(-T::TYPE.most(), T::TYPE.most()) && (0..n).all(does_ascend) {
            view.facts = WeightSummary::of_arcs(lengths, view.is_complete());
            // A negative arc from a vertex to itself is a negative cycle.
            let is_negative = |tail| view.entry(tail, tail).is_some_and(|weight| weight < T::ZERO);
            if view.facts.least >= 0.0 || !(0..n).any(is_negative) {
                return if undirected { view.undirected(true) } else { Ok(view) };
            }
        }
        let of_row = |tail| {
            let (heads, weights) = view.row(tail);
            heads.iter().zip(weights).map(move |(head, weight)| (tail, *head, *weight))
        };
        Ok(lists.build((0..n).flat_map(of_row), control)?.into())
    }

    /// The graph with every arc in both directions; if `are_merged`, only the least arc of several with the same ends. O(n + m).
    fn undirected<'b>(&self, are_merged: bool) -> Result<GraphView<'b, T>, Failure> {
        let (n, back) = (self.n, Arcs::transposed(self)?);
        let mut offsets = memory_check::reserved("the graph", n + 1)?;
        let mut heads: Vec<u32> = memory_check::reserved("the graph", 2 * back.m())?;
        let mut weights: Vec<T> = memory_check::reserved("the graph", 2 * back.m())?;
        let mut row: Vec<(u32, T)> = Vec::new();
        offsets.push(0);
        for vertex in 0..n {
            row.clear();
            self.for_each_arc(vertex, |head, weight| row.push((head as u32, weight)));
            back.for_each_arc(vertex, |head, weight| row.push((head as u32, weight)));
            if are_merged {
                row.sort_by_key(|(head, _)| *head);
                row.dedup_by(|next, kept| {
                    let is_same = next.0 == kept.0;
                    kept.1 = if is_same { next.1.shorter(kept.1) } else { kept.1 };
                    is_same
                });
            }
            heads.extend(row.iter().map(|(head, _)| head));
            weights.extend(row.iter().map(|(_, weight)| weight));
            offsets.push(heads.len());
        }
        let mut view = GraphView::of_rows(n, (offsets.into(), heads.into()), weights.into(), self.facts);
        view.facts.range.complete = are_merged && view.is_complete();
        Ok(view)
    }

    fn is_complete(&self) -> bool {
        let (n, m) = (self.n, self.m);
        // Called only for very many arcs, which are rare.
        let own = || (0..n).filter(|tail| self.entry(*tail, *tail).is_some()).count();
        m >= n.saturating_mul(n - 1) && m - own() == n * (n - 1)
    }

    /// The heads and weights of a tail's arcs, without heads for a matrix; both empty if `tail` is no vertex.
    #[inline]
    fn row(&self, tail: usize) -> (&[u32], &[T]) {
        let Some((offsets, heads)) = &self.rows else {
            return (&[], self.weights.get(tail * self.n..(tail + 1) * self.n).unwrap_or_default());
        };
        let Some(&[first, end]) = offsets.get(tail..tail + 2) else { return Default::default() };
        heads.get(first..end).zip(self.weights.get(first..end)).unwrap_or_default()
    }

    fn entry(&self, tail: usize, head: usize) -> Option<T> {
        let (heads, weights) = self.row(tail);
        let at =
            if self.rows.is_none() { head } else { heads.binary_search(&u32::try_from(head).ok()?).ok()? };
        weights.get(at).copied().filter(|weight| self.is_arc(*weight))
    }

    #[inline]
    fn is_arc(&self, weight: T) -> bool {
        !(weight.is_absent() || self.zeros_absent && weight == T::ZERO)
    }
}

/// Whether a number is a weight or stands for no arc.
#[inline]
fn is_weight<T: Element>(weight: T) -> bool {
    // A NaN fails the first comparison.
    let (number, most) = (weight.to_f64(), T::TYPE.most());
    (number >= -most) & ((number <= most) | weight.bitwise_eq(T::ABSENT))
}

impl<T: Element> Graph for GraphView<'_, T> {
    type Weight = T;

    fn n(&self) -> usize {
        self.n
    }

    fn m(&self) -> usize {
        self.m
    }

    #[inline]
    fn for_each_arc(&self, tail: usize, mut visit: impl FnMut(usize, T)) {
        let (heads, weights) = self.row(tail);
        // -0.0 + 0.0 is +0.0.
        if self.rows.is_some() {
            let arcs = heads.iter().zip(weights).filter(|(head, _)| **head as usize != tail);
            arcs.for_each(|(head, weight)| visit(*head as usize, weight.plus(T::ZERO)));
        } else {
            let arcs =
                weights.iter().enumerate().filter(|(head, weight)| self.is_arc(**weight) && *head != tail);
            arcs.for_each(|(head, weight)| visit(head, weight.plus(T::ZERO)));
        }
    }

    fn weight(&self, tail: usize, head: usize) -> Option<T> {
        self.entry(tail, head).filter(|_| tail != head).map(|weight| weight.plus(T::ZERO))
    }

    fn negative_loop(&self) -> Option<(usize, T)> {
        // Sparse rows cannot have one.
        let vertices = if self.rows.is_some() { 0 } else { self.n };
        let loops = (0..vertices).filter_map(|vertex| Some((vertex, self.entry(vertex, vertex)?)));
        loops.into_iter().find(|(_, weight)| *weight < T::ZERO)
    }

    fn sparse(&self) -> Result<Option<Arcs<T>>, SearchError> {
        if self.rows.is_some() { Ok(None) } else { Arcs::of_sparse(self, self.m) }
    }

    fn facts(&self) -> WeightSummary {
        self.facts
    }
}
