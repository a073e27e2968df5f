//! A sparse graph, its arcs in the order of their tails: sorted in place, without a second list, or taken from sparse rows that the caller
//! already holds.

use crate::build::filter_arcs;
use crate::{
    ArcsBuilder, BlockError, Blocks, DroppedArcs, Element, ElementType, Graph, GraphError, MatrixError,
    SearchError, WeightSummary, memory_check,
};
use rayon::prelude::*;
use std::any::Any;
use std::ops::Range;

/// A matrix with at least so many entries for each arc is copied to arcs: to read these entries takes a search about as long as to handle
/// the one arc, and arcs then take less than a tenth of the matrix's memory.
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
        // Placing arcs moves the offset of each head from the start of its arcs to their end, where those of the next head start.
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

    /// The arcs of any graph, for example a matrix, where it takes O(n²). On all threads of the rayon pool.
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
        filter_arcs(graph, &counts, |_, _, _| true)
    }

    /// [`Arcs::of_graph`] of a graph that has `m` arcs, if these are at most n² / 32; `None` if they are more, or if a negative arc leads
    /// from a vertex to itself, which sparse rows cannot hold.
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

/// Sorts arcs between `n` vertices by tails, and those of one tail by heads, and returns where the arcs of each tail begin: n + 1 numbers.
/// O(n + m) for the tails, by exchanging each arc into its place, and O(d log d) for each tail of d arcs.
///
/// # Errors
/// When there is no room for 16 bytes a vertex.
pub(crate) fn by_tails<T: Element>(
    n: usize,
    tails: &mut [u32],
    heads: &mut [u32],
    weights: &mut [T],
) -> Result<Vec<usize>, SearchError> {
    let mut offsets = memory_check::filled("the graph", n + 1, 0_usize)?;
    tails.iter().for_each(|tail| offsets[*tail as usize + 1] += 1);
    for tail in 0..n {
        offsets[tail + 1] += offsets[tail];
    }
    // Where the next arc of each tail goes; those before are in place.
    let mut next = memory_check::reserved("the graph", n)?;
    next.extend_from_slice(&offsets[..n]);
    for tail in 0..n {
        while next[tail] < offsets[tail + 1] {
            let at = next[tail];
            let place = &mut next[tails[at] as usize];
            let to = *place;
            *place += 1;
            if to != at {
                tails.swap(at, to);
                heads.swap(at, to);
                weights.swap(at, to);
            }
        }
    }
    drop(next);
    let mut row: Vec<(u32, T)> = Vec::new();
    for place in offsets.windows(2).map(|ends| ends[0]..ends[1]) {
        let (heads, weights) = (&mut heads[place.clone()], &mut weights[place]);
        if heads.is_sorted() {
            continue;
        }
        row.clear();
        row.extend(heads.iter().copied().zip(weights.iter().copied()));
        row.sort_unstable_by_key(|(head, _)| *head);
        for ((head, weight), from) in heads.iter_mut().zip(weights.iter_mut()).zip(&row) {
            (*head, *weight) = *from;
        }
    }
    Ok(offsets)
}

impl<T: Element> Arcs<T> {
    /// A graph from compressed sparse rows: the arcs of tail v are those from `offsets[v]` up to `offsets[v + 1]`. If the heads of each
    /// tail ascend and no arc has to be dropped, the lists are taken as they are, in O(n + m) time and without more memory. Otherwise, and
    /// where an `undirected` arc stands for two, it is as if every arc was given to an [`ArcsBuilder`], in this order.
    ///
    /// # Errors
    /// [`GraphError::NotRows`], and those of [`ArcsBuilder::add`].
    pub fn from_csr(
        offsets: Vec<usize>,
        heads: Vec<u32>,
        weights: Vec<T>,
        undirected: bool,
    ) -> Result<(Self, DroppedArcs), GraphError> {
        let end = offsets.last().copied().unwrap_or(0);
        let refuse = |problem: String| Err(GraphError::NotRows { problem });
        if offsets.first().is_some_and(|first| *first != 0) || !offsets.is_sorted() {
            return refuse("rows do not follow each other from 0".to_string());
        }
        if [heads.len(), weights.len()] != [end; 2] {
            let (heads, weights) = (heads.len(), weights.len());
            return refuse(format!("rows end at {end}, and there are {heads} heads and {weights} weights"));
        }
        let n = offsets.len().saturating_sub(1);
        let mut builder = ArcsBuilder::with_vertices(n)?.undirected(undirected);
        let rows = || offsets.windows(2).map(|row| row[0]..row[1]).enumerate();
        let is_ready = |(tail, row): (usize, std::ops::Range<usize>)| {
            let (heads, weights) = (&heads[row.clone()], &weights[row]);
            heads.is_sorted_by(|a, b| a < b)
                && heads.iter().all(|head| (*head as usize) < n && *head as usize != tail)
                && weights.iter().all(|weight| {
                    // An absent arc is infinite or too large, so it is not ready; nor is -0.0, which has to become +0.0.
                    weight.to_f64().abs() <= T::TYPE.most() && weight.plus(T::ZERO).bitwise_eq(*weight)
                })
        };
        if !undirected && rows().all(is_ready) {
            let facts = WeightSummary::of_arcs(&weights, heads.len() == n * (n - 1));
            return Ok((Self { offsets, heads, weights, facts }, DroppedArcs::default()));
        }
        builder.reserve(heads.len())?;
        for (tail, row) in rows() {
            let arcs = heads[row.clone()].iter().zip(&weights[row]);
            arcs.into_iter().try_for_each(|(head, weight)| builder.add(tail, *head as usize, *weight))?;
        }
        // Their memory is freed before the graph is built.
        drop((offsets, heads, weights));
        builder.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_rows_are_taken_as_they_are_or_mended() {
        let heads = vec![1, 2, 0];
        let place = heads.as_ptr();
        let (graph, dropped) = Arcs::from_csr(vec![0, 2, 3, 3], heads, vec![5, 0, -1], false).unwrap();
        assert_eq!((graph.heads().as_ptr(), dropped), (place, DroppedArcs::default()));
        let mut builder = ArcsBuilder::with_vertices(3).unwrap();
        [(1, 0, -1), (0, 2, 0), (0, 1, 5)].into_iter().for_each(|(u, v, w)| builder.add(u, v, w).unwrap());
        assert_eq!(builder.build().unwrap().0, graph);
        let rows = Arcs::from_csr(
            vec![0, 4, 6, 7],
            vec![2, 1, 0, 1, 0, 2, 1],
            vec![0, 6, 3, 5, -1, i32::ABSENT, i32::ABSENT],
            false,
        );
        assert_eq!(rows.unwrap(), (graph, DroppedArcs { duplicates: 1, self_loops: 1, absent: 2 }));
        let (graph, _) = Arcs::from_csr(vec![0, 1, 1], vec![1], vec![-0.0_f32], false).unwrap();
        assert_eq!(graph.weights()[0].to_bits(), 0);
    }

    #[test]
    fn sparse_rows_that_are_none_are_refused() {
        let of = |offsets: &[usize], heads: &[u32]| {
            Arcs::from_csr(offsets.to_vec(), heads.to_vec(), vec![1.0_f64; heads.len()], false)
        };
        assert!(matches!(of(&[], &[]), Err(GraphError::Empty)));
        assert!(matches!(of(&[0], &[]), Err(GraphError::Empty)));
        for (offsets, heads) in
            [([1, 1, 1], [0].as_slice()), ([0, 2, 1], &[0]), ([0, 1, 2], &[0]), ([0, 0, 0], &[0])]
        {
            assert!(matches!(of(&offsets, heads), Err(GraphError::NotRows { .. })), "{offsets:?}");
        }
        assert!(matches!(of(&[0, 1, 1], &[2]), Err(GraphError::NotAVertex { vertex: 2, .. })));
        assert!(Arcs::from_csr(vec![0, 1, 1], vec![1], vec![f32::NAN], false).is_err());
        assert!(Arcs::from_csr(vec![0, 1, 1], vec![1], vec![1 << 29], false).is_err());
        assert!(Arcs::from_csr(vec![0, 1, 1], vec![1], Vec::<f32>::new(), false).is_err());
    }
}
