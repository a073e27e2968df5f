//! Weights that potentials have made non-negative, for Floyd-Warshall in floating point.
//!
//! On a cycle of weight 0 a sum that is rounded may come out below 0. Floyd-Warshall goes round such a cycle again with every vertex, and
//! the error may double each time: 1e-16 becomes 1e14 with a hundred vertices. Without negative weights no sum is below its parts, so no
//! distance sinks like this: one is wrong by no more than the rounding of its own path.
//!
//! Also here: the arcs that shortest paths can have at all, found from all distances.
//!
//! An arc (u, j) is on a shortest path from anywhere only if it is a shortest path itself: d(i, u) + w = d(i, j) <= d(i, u) + d(u, j), so w
//! is at most d(u, j). In a complete graph with random weights these are about n ln n of n² arcs, and trees grow along these in O(n log n)
//! instead of O(n²) each.
//!
//! The proof that distances are right still holds. Suppose that no arc is shorter than the distance between its ends, that no needed arc
//! undercuts a distance, and that each distance is the length of a path. If some distance were too long, take one whose shortest path has
//! the fewest arcs, and let (u, j) be its last. The distance to u is then right, and (u, j) is a shortest path of one arc, so w = d(u, j)
//! and it is needed. It undercuts the distance that is too long, which was excluded.
//!
//! Where sums are rounded, an arc stays unless w is above d(u, j) by more than rounding explains.

use crate::paths::{exact_below, exact_integers, is_exact};
use crate::{Arcs, Element, Graph, SearchContext, SolveError, WeightSummary};
use rayon::prelude::*;
use repro_graph::{DistanceMatrix, filter_arcs};

/// Makes the weights of the graph non-negative: w + p(u) - p(v), and 0 where rounding leaves less. O(n²).
pub(crate) fn reduce<T: Element>(matrix: &mut DistanceMatrix<T>, potentials: &[f64]) {
    shift(matrix, potentials, |weight, tail, head| (weight + tail - head).max(0.0));
}

/// Turns distances by reduced weights into distances of the graph. O(n²).
pub(crate) fn restore<T: Element>(matrix: &mut DistanceMatrix<T>, potentials: &[f64]) {
    // -0.0 + 0.0 is +0.0.
    shift(matrix, potentials, |length, from, to| length + to - from + 0.0);
}

fn shift<T: Element>(
    matrix: &mut DistanceMatrix<T>,
    potentials: &[f64],
    by: impl Fn(f64, f64, f64) -> f64 + Sync,
) {
    let rows = matrix.as_mut_slice().par_chunks_mut(potentials.len()).zip(potentials);
    rows.for_each(|(row, tail)| {
        for (number, head) in row.iter_mut().zip(potentials) {
            *number = T::from_f64(by(number.to_f64(), *tail, *head));
        }
    });
}

/// Whether a dense solver may add up these weights of `n` vertices in any order.
///
/// # Errors
/// Why it may not, with the remedy.
pub fn check_sums<T: Element>(n: usize, facts: &WeightSummary) -> Result<(), String> {
    facts.range.fits(n, T::TYPE)?;
    let (element, longest) = (T::TYPE, longest_path::<T>(n, facts));
    if longest > element.most() {
        return Err(format!(
            "paths may be as long as {longest}, which is no {element}: choose another algorithm"
        ));
    }
    Ok(())
}

/// The longest sum that a solver of the matrix may come to.
fn longest_path<T: Element>(n: usize, facts: &WeightSummary) -> f64 {
    // Reduced lengths may exceed lengths by as much as paths are below 0.
    let times = if is_needed::<T>(n, facts) { 2.0 } else { 1.0 };
    times * facts.range.longest(n)
}

/// Whether weights have to be reduced: one is negative, and sums may be rounded.
pub(crate) fn is_needed<T: Element>(n: usize, facts: &WeightSummary) -> bool {
    facts.range.negative && facts.range.longest(n) >= exact_below::<T>(facts)
}

/// A graph of needed arcs is made only if at most one in this many entries of the matrix is such an arc: a larger one would take, with its
/// reversed copy, more memory than a tenth of distances and paths.
const SHARE: usize = 20;

/// Up to this number, needed arcs are always few enough.
const MOST: usize = 1 << 16;

/// By how much distances of up to `longest` between `n` vertices may be wrong without negative weights, whether they were given or found by
/// a search in `f64`. Each of fewer than n additions rounds by half the spacing of numbers as large as the sum; this is four times that.
pub(crate) fn rounding<T: Element>(n: usize, longest: f64) -> f64 {
    4.0 * n as f64 * longest / exact_integers(T::TYPE)
}

/// The longest of these distances that is finite.
pub(crate) fn longest<T: Element>(distances: &[T]) -> f64 {
    let lengths = distances.iter().map(|distance| distance.to_f64());
    lengths.filter(|length| *length < f64::INFINITY).fold(0.0, f64::max)
}

/// The arcs that shortest paths can have.
pub(crate) struct EssentialArcs<T> {
    pub arcs: Arcs<T>,
    /// Whether the sums along shortest paths are exact in all rows, so that d(i, u) + w = d(i, j) there.
    pub exact: bool,
}

impl<T: Element, G: Graph<Weight = T>> SearchContext<'_, G> {
    /// The graph of the needed arcs by all n x n distances; `None` where sums are rounded and a weight is negative, because rounding may then
    /// be larger than any distance, and where the arcs are too many, as in a complete graph of equal weights. O(n² + m) time.
    ///
    /// # Errors
    /// When an arc is shorter than the distance between its ends, or there is no room.
    pub(crate) fn essential_arcs(&self, distances: &[T]) -> Result<Option<EssentialArcs<T>>, SolveError> {
        let (graph, facts) = (self.graph, self.facts);
        let n = graph.n();
        let exact = distances.par_chunks(n).all(|row| is_exact(&facts, row));
        if !exact && facts.least < 0.0 {
            return Ok(None);
        }
        let longest = if exact { 0.0 } else { distances.par_chunks(n).map(longest).reduce(|| 0.0, f64::max) };
        let slack = rounding::<T>(n, longest);
        let is_needed = |weight: T, distance: T| weight.to_f64() <= distance.to_f64() + slack;
        let count = |tail: usize| {
            let row = &distances[tail * n..(tail + 1) * n];
            let (mut count, mut wrong) = (0, None);
            graph.for_each_arc(tail, |head, weight| {
                if is_needed(weight, row[head]) {
                    count += 1;
                    if weight.to_f64() + slack < row[head].to_f64() {
                        wrong = wrong.or(Some(head));
                    }
                }
            });
            match wrong {
                None => Ok(count),
                Some(to) => Err(SolveError::NotDistances { from: tail, to, found: row[to].to_f64() }),
            }
        };
        let counts: Vec<usize> = (0..n).into_par_iter().map(count).collect::<Result<_, _>>()?;
        let m: usize = counts.iter().sum();
        if m > MOST.max(n.saturating_mul(n) / SHARE) {
            return Ok(None);
        }
        let arcs =
            filter_arcs(graph, &counts, |tail, head, weight| is_needed(weight, distances[tail * n + head]))?;
        Ok(Some(EssentialArcs { arcs, exact }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Control;
    use repro_graph::{DistanceMatrix, RandomGraph, generate};

    #[test]
    fn few_arcs_of_a_complete_graph_are_needed() {
        let graph: DistanceMatrix<i32> = generate(&RandomGraph::complete(7), 200).unwrap();
        let searches = SearchContext::new(&graph, &Control::default()).unwrap();
        let rows: Result<Vec<Vec<i32>>, _> = (0..200).map(|i| searches.row(i, &Control::default())).collect();
        let distances = rows.unwrap().concat();
        let needed = searches.essential_arcs(&distances).unwrap().unwrap().arcs;
        assert!((199..5000).contains(&needed.m()), "{}", needed.m());
        for tail in 0..200 {
            needed.for_each_arc(tail, |head, weight| assert_eq!(distances[tail * 200 + head], weight));
        }
        // What is not solved is noticed: here or where the paths are made.
        assert!(
            searches.essential_arcs(&graph.as_slice().iter().map(|w| w + 1).collect::<Vec<_>>()).is_err()
        );
    }
}
