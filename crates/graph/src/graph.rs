//! What a search needs of a graph, sparse or dense.

use crate::{Arcs, DistanceMatrix, Element, SearchError, WeightSummary};

/// A directed graph with weights: [`Arcs`](crate::Arcs), or the matrix of a graph as [`DistanceMatrix`].
///
/// There is at most one arc from a vertex to another and none to itself. Vertices are counted from 0.
pub trait Graph: Sync {
    /// The type of weights, and of distances.
    type Weight: Element;

    /// The number of vertices, at least 1.
    fn n(&self) -> usize;

    /// The number of arcs. O(1) of [`Arcs`](crate::Arcs), O(n²) of a [`DistanceMatrix`] that was written to since.
    fn m(&self) -> usize;

    /// Calls `visit` with the head and the weight of each arc that leaves `tail`, heads ascending. None leaves a vertex that is not
    /// in the graph. O(arcs of `tail`); O(n) in a matrix.
    fn for_each_arc(&self, tail: usize, visit: impl FnMut(usize, Self::Weight));

    /// The weight of the arc from `tail` to `head`, if there is one. O(log arcs of `tail`); O(1) in a matrix.
    fn weight(&self, tail: usize, head: usize) -> Option<Self::Weight>;

    /// Writes the row of `tail` in the matrix of the graph into `row`, which has n entries: the weight of each arc,
    /// [`Element::ABSENT`](crate::Element::ABSENT) where there is none, and 0 for `tail` itself. O(n).
    fn fill_row(&self, tail: usize, row: &mut [Self::Weight]) {
        row.fill(Self::Weight::ABSENT);
        if let Some(stay) = row.get_mut(tail) {
            *stay = Self::Weight::ZERO;
        }
        self.for_each_arc(tail, |head, weight| row[head] = weight);
    }

    /// A vertex with a negative arc to itself, and that arc's weight. Only a matrix whose diagonal was written to has one. O(n).
    fn negative_loop(&self) -> Option<(usize, Self::Weight)> {
        None
    }

    /// The arcs as sparse rows, where a look at all arcs of this graph takes longer by far than there are arcs, as in a matrix with
    /// few. Searches are of these then, with the same results. O(n²) of a matrix.
    ///
    /// # Errors
    /// [`SearchError::NotEnoughMemory`].
    fn sparse(&self) -> Result<Option<Arcs<Self::Weight>>, SearchError> {
        Ok(None)
    }

    /// What is known of the weights. O(1) of [`Arcs`](crate::Arcs), O(n²) of a [`DistanceMatrix`] that was written to since.
    fn facts(&self) -> WeightSummary;
}

impl<T: Element> Graph for DistanceMatrix<T> {
    type Weight = T;

    fn n(&self) -> usize {
        self.n()
    }

    fn m(&self) -> usize {
        self.survey().edges
    }

    #[inline]
    fn for_each_arc(&self, tail: usize, mut visit: impl FnMut(usize, T)) {
        if tail >= self.n() {
            return;
        }
        for (head, weight) in self.row(tail).iter().enumerate() {
            if !weight.is_absent() && head != tail {
                visit(head, *weight);
            }
        }
    }

    fn weight(&self, tail: usize, head: usize) -> Option<T> {
        let inside = tail < self.n() && head < self.n() && tail != head;
        inside.then(|| self.get(tail, head)).filter(|weight| !weight.is_absent())
    }

    fn fill_row(&self, tail: usize, row: &mut [T]) {
        row.copy_from_slice(self.row(tail));
        row[tail] = T::ZERO;
    }

    fn negative_loop(&self) -> Option<(usize, T)> {
        (0..self.n()).map(|v| (v, self.get(v, v))).find(|(_, weight)| *weight < T::ZERO)
    }

    fn sparse(&self) -> Result<Option<Arcs<T>>, SearchError> {
        Arcs::of_sparse(self, Graph::m(self))
    }

    fn facts(&self) -> WeightSummary {
        self.survey().weights
    }
}
