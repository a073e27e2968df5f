//! NumPy's matrix as a graph, where it lies.

use crate::error::Failure;
use rayon::prelude::*;
use shortest_paths::{Arcs, Element, Graph, SearchError, WeightSummary};

/// n x n weights in row-major order that somebody else owns. Entry (i, j) is the arc from i to j. The diagonal holds arcs from a vertex to
/// itself, which no shortest path needs; a negative one is a negative cycle.
pub struct DenseRows<'a, T> {
    n: usize,
    m: usize,
    weights: &'a [T],
    /// Whether a 0 is no arc.
    zeros_absent: bool,
    facts: WeightSummary,
    has_zeros: bool,
}

impl<'a, T: Element> DenseRows<'a, T> {
    /// Looks at every weight once, on all threads of the current pool.
    ///
    /// # Errors
    /// When `n` is 0, or a weight is NaN, -infinity, or an integer larger than distances may be, with its place.
    pub fn new(n: usize, weights: &'a [T], zeros_absent: bool) -> Result<Self, Failure> {
        if n == 0 {
            return Err(shortest_paths::GraphError::Empty.into());
        }
        let counted = weights.par_chunks(n).enumerate().map(|(row, weights)| {
            let is_refused = |weight: &T| !is_weight(*weight);
            match weights.iter().position(is_refused) {
                Some(column) => Err(Failure::weight(row, column, weights[column])),
                None => {
                    let (present, zeros) = (|w: &&T| !w.is_absent(), |w: &&T| **w == T::ZERO);
                    let stay = &weights[row];
                    let zeros = weights.iter().filter(zeros).count() - usize::from(zeros(&stay));
                    let present = weights.iter().filter(present).count() - usize::from(present(&stay));
                    Ok((present - if zeros_absent { zeros } else { 0 }, zeros))
                }
            }
        });
        // The first in the order of rows, whichever was found first.
        let counted: Vec<Result<(usize, usize), Failure>> = counted.collect();
        let (mut m, mut zeros) = (0, 0);
        for row in counted {
            let (arcs, nothing) = row?;
            (m, zeros) = (m + arcs, zeros + nothing);
        }
        Ok(Self {
            n,
            m,
            weights,
            zeros_absent,
            facts: WeightSummary::of_arcs(weights, m == n * (n - 1)),
            has_zeros: zeros > 0 && !zeros_absent,
        })
    }

    /// Whether an entry beside the diagonal is 0, and an arc.
    pub fn has_zeros(&self) -> bool {
        self.has_zeros
    }

    fn row(&self, tail: usize) -> &'a [T] {
        self.weights.get(tail * self.n..(tail + 1) * self.n).unwrap_or_default()
    }
}

/// Whether a number is a weight or stands for no arc.
#[inline]
pub fn is_weight<T: Element>(weight: T) -> bool {
    // A NaN is not at least anything.
    let (number, most) = (weight.to_f64(), T::TYPE.most());
    (number >= -most) & ((number <= most) | weight.bitwise_eq(T::ABSENT))
}

fn is_arc<T: Element>(weight: T, zeros_absent: bool) -> bool {
    !(weight.is_absent() || zeros_absent && weight == T::ZERO)
}

impl<T: Element> Graph<T> for DenseRows<'_, T> {
    fn n(&self) -> usize {
        self.n
    }

    fn m(&self) -> usize {
        self.m
    }

    #[inline]
    fn for_each_arc(&self, tail: usize, mut visit: impl FnMut(usize, T)) {
        for (head, weight) in self.row(tail).iter().enumerate() {
            if is_arc(*weight, self.zeros_absent) && head != tail {
                // -0.0 + 0.0 is +0.0.
                visit(head, weight.plus(T::ZERO));
            }
        }
    }

    fn weight(&self, tail: usize, head: usize) -> Option<T> {
        let weight = self.row(tail).get(head).filter(|weight| is_arc(**weight, self.zeros_absent))?;
        (tail != head).then(|| weight.plus(T::ZERO))
    }

    fn negative_loop(&self) -> Option<(usize, T)> {
        (0..self.n).map(|v| (v, self.row(v)[v])).find(|(_, weight)| *weight < T::ZERO)
    }

    fn sparse(&self) -> Result<Option<Arcs<T>>, SearchError> {
        Arcs::of_sparse(self, self.m)
    }

    fn facts(&self) -> WeightSummary {
        self.facts
    }
}
