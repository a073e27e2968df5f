//! Whether a result is the distances of a graph.

use std::collections::BTreeSet;

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use rayon::prelude::*;
use thiserror::Error;

use super::{
    DistanceMatrix,
    compare::{Comparison, Tolerance},
    potentials::{NegativeCycle, potentials_given},
    search::shortest_from,
    weights::Weights,
};

/// Integers up to this magnitude are exact in `f32`.
const EXACT_BELOW: f64 = (1 << f32::MANTISSA_DIGITS) as f64;

/// The first wrong entry of a result, in row-major order.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error(
    "the distance from vertex {row} to vertex {column} (counted from 0) is {found} but should be {expected}; \
     {count} of the entries compared are wrong: do not use this result"
)]
pub struct Mismatch {
    pub row: usize,
    pub column: usize,
    pub found: f32,
    pub expected: f32,
    /// How many of the entries that were compared are wrong.
    pub count: usize,
}

/// Known distances of a graph, found by a search that is not Floyd-Warshall, to hold results against.
///
/// # When results are compared bit for bit
/// When all finite weights are integers and no distance reaches 2^24 in magnitude. Then every distance is exact in
/// `f32`, and no order of relaxations can miss it by rounding: a candidate a + b is the length of a walk, hence at
/// least the distance; rounding is monotonic and leaves the distance itself unchanged, so a candidate never falls
/// below it; and the parts of a shortest path are shortest paths, so the candidate that reaches it is exact.
/// That no distance reaches 2^24 is known when max|w| (n - 1) < 2^24, or else, for a graph with all edges, when
/// neither a weight nor the difference of two potentials does.
///
/// A correct result holds no -0.0 where +0.0 is expected: the graph has none, a + b is -0.0 only when both are, and a
/// minimum returns one of its arguments. An implementation that shows one has done something else than add and
/// compare, and bit for bit it is wrong.
///
/// # The tolerance otherwise
/// A path of h <= n - 1 edges takes at most h - 1 additions, each wrong by at most u = 2^-24 of its result, and
/// the search rounds once to `f32`. Without negative weights no partial sum exceeds the whole, so an entry d may
/// be off by n u |d| / (1 - n u). With negative weights partial sums can be larger than the whole: the largest
/// magnitude among the weights, the differences of potentials and the distances found here takes the place of
/// |d|. One smallest normal number an edge is allowed for devices that flush subnormal ones to zero. Two matrices
/// may each be off, so [`Reference::check_against`] allows twice as much. In this case -0.0 equals 0.0.
///
/// NaN is always a mismatch, and so is +infinity in the place of a number or a number in its place.
#[derive(Clone, Debug)]
pub struct Reference {
    n: usize,
    sources: Vec<usize>,
    /// One row of n distances for each source.
    rows: Vec<Vec<f32>>,
    comparison: Comparison,
}

impl Reference {
    /// Finds the distances from `rows` vertices, or from all when there are no more: vertices 0 and n - 1 always,
    /// the others drawn from `seed`.
    ///
    /// # Errors
    /// When the graph has a negative cycle.
    pub fn new(graph: &DistanceMatrix, rows: usize, seed: u64) -> Result<Self, NegativeCycle> {
        let n = graph.n();
        let weights = Weights::of(graph);
        let potentials = potentials_given(graph, &weights)?;
        let sources = sample(n, rows, seed);
        let rows: Vec<Vec<f32>> =
            sources.par_iter().map(|&source| shortest_from(graph, potentials.as_deref(), source)).collect();
        let comparison = comparison(n, &weights, potentials.as_deref(), &rows);
        Ok(Self { n, sources, rows, comparison })
    }

    /// The number of vertices.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The vertices, ascending, from which distances are known.
    pub fn sources(&self) -> &[usize] {
        &self.sources
    }

    /// Whether results are compared bit for bit, and not within a tolerance.
    pub fn exact(&self) -> bool {
        matches!(self.comparison, Comparison::Exact)
    }

    /// Compares the rows of a result, n x n in row-major order, whose distances are known.
    ///
    /// # Errors
    /// The first mismatch and how many there are in these rows.
    ///
    /// # Panics
    /// When `result` has not n² entries.
    pub fn check_rows(&self, result: &[f32]) -> Result<(), Mismatch> {
        self.assert_size(result);
        let known = self.sources.par_iter().zip(&self.rows);
        let pairs = known.map(|(&row, expected)| (row, &result[row * self.n..][..self.n], &expected[..]));
        self.check(pairs, self.comparison)
    }

    /// Compares all entries of a result with those of a result that is trusted, both n x n in row-major order.
    ///
    /// # Errors
    /// The first mismatch and how many there are.
    ///
    /// # Panics
    /// When either has not n² entries.
    pub fn check_against(&self, result: &[f32], expected: &[f32]) -> Result<(), Mismatch> {
        self.assert_size(result);
        self.assert_size(expected);
        let rows = result.par_chunks(self.n).zip(expected.par_chunks(self.n)).enumerate();
        self.check(rows.map(|(row, (found, expected))| (row, found, expected)), self.comparison.doubled())
    }

    fn assert_size(&self, result: &[f32]) {
        assert_eq!(result.len(), self.n * self.n, "a result for n = {} has n² entries", self.n);
    }

    fn check<'a>(
        &self,
        rows: impl ParallelIterator<Item = (usize, &'a [f32], &'a [f32])>,
        comparison: Comparison,
    ) -> Result<(), Mismatch> {
        let wrong = rows.filter_map(|(row, found, expected)| {
            let (column, count) = comparison.differences(found, expected)?;
            Some(Mismatch { row, column, found: found[column], expected: expected[column], count })
        });
        let merged = wrong.reduce_with(|a, b| {
            let first = if a.row < b.row { a } else { b };
            Mismatch { count: a.count + b.count, ..first }
        });
        merged.map_or(Ok(()), Err)
    }
}

/// `rows` different vertices in ascending order, 0 and n - 1 among them, or all n.
fn sample(n: usize, rows: usize, seed: u64) -> Vec<usize> {
    if n <= rows {
        return (0..n).collect();
    }
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let mut random = ChaCha8Rng::from_seed(key);
    let mut sources = BTreeSet::from([0, n - 1]);
    while sources.len() < rows {
        sources.insert(((u128::from(random.next_u64()) * n as u128) >> 64) as usize);
    }
    sources.into_iter().collect()
}

fn comparison(n: usize, weights: &Weights, potentials: Option<&[f64]>, rows: &[Vec<f32>]) -> Comparison {
    let largest = f64::from(weights.largest);
    let edges = (n - 1) as f64;
    // No distance is below the difference of its vertices' potentials, since reduced weights are not negative.
    let spread = potentials.map_or(0.0, |p| {
        let (least, most) = p.iter().fold((0.0_f64, f64::MIN), |(a, b), p| (a.min(*p), b.max(*p)));
        most - least
    });
    let within_edges = if weights.complete { largest.max(spread) } else { f64::INFINITY };
    if weights.integral && (largest * edges).min(within_edges) < EXACT_BELOW {
        return Comparison::Exact;
    }
    let found =
        rows.iter().flatten().filter(|d| d.is_finite()).fold(0.0_f64, |a, d| a.max(f64::from(d.abs())));
    let scale = if weights.negative { largest.max(spread).max(found) } else { 0.0 };
    Comparison::Within(Tolerance::after_additions(edges + 1.0, scale))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{RandomGraph, generate, oracle};
    use proptest::prelude::*;

    fn solved(graph: &DistanceMatrix) -> Vec<f32> {
        oracle::in_f32(graph)
    }

    #[test]
    fn sources_are_different_repeatable_and_include_both_ends() {
        let sources = sample(1000, 32, 1);
        assert_eq!(sources.len(), 32);
        assert_eq!((sources[0], sources[31]), (0, 999));
        assert_eq!(sources, sample(1000, 32, 1));
        assert_ne!(sources, sample(1000, 32, 2));
        assert_eq!(sample(3, 32, 1), [0, 1, 2]);
        assert_eq!(sample(3, 0, 1), [0, 2]);
        assert_eq!(sample(1, 0, 1), [0]);
    }

    #[test]
    fn one_wrong_bit_in_an_exact_result_is_found_wherever_it_is() {
        let graph = generate(&RandomGraph::complete(1), 50).unwrap();
        let reference = Reference::new(&graph, 50, 0).unwrap();
        assert!(reference.exact());
        let right = solved(&graph);
        assert_eq!(reference.check_rows(&right), Ok(()));
        for at in 0..right.len() {
            let mut wrong = right.clone();
            wrong[at] = f32::from_bits(wrong[at].to_bits() ^ 1);
            let mismatch =
                Mismatch { row: at / 50, column: at % 50, found: wrong[at], expected: right[at], count: 1 };
            assert_eq!(reference.check_rows(&wrong), Err(mismatch));
            assert_eq!(reference.check_against(&wrong, &right), Err(mismatch));
        }
    }

    #[test]
    fn all_mismatches_are_counted_and_the_first_is_shown() {
        let graph = generate(&RandomGraph::complete(1), 20).unwrap();
        let reference = Reference::new(&graph, 5, 0).unwrap();
        let right = solved(&graph);
        let mut wrong = right.clone();
        wrong[7] = 0.5;
        wrong[19 * 20 + 3] = f32::NAN;
        wrong[0] = -0.0;
        let mismatch = reference.check_rows(&wrong).unwrap_err();
        assert_eq!((mismatch.row, mismatch.column, mismatch.count), (0, 0, 3));
        assert_eq!(
            mismatch.to_string(),
            "the distance from vertex 0 to vertex 0 (counted from 0) is -0 but should be 0; \
             3 of the entries compared are wrong: do not use this result"
        );
        assert_eq!(reference.check_against(&wrong, &right).unwrap_err().count, 3);
    }

    #[test]
    fn exactness_is_claimed_only_where_no_distance_can_reach_2_to_the_24() {
        let path = |weight: f32, n: usize| {
            let mut graph = DistanceMatrix::without_edges(n).unwrap();
            (1..n).for_each(|v| graph.add_edge(v - 1, v, weight));
            Reference::new(&graph, 2, 0).unwrap().exact()
        };
        assert!(path(16_777_215.0, 2));
        assert!(!path(16_777_216.0, 2));
        assert!(path(8_388_607.0, 3));
        assert!(!path(8_388_608.0, 3));
        assert!(!path(0.5, 3));
        // With all edges present, n plays no part.
        let heavy = RandomGraph { max_weight: 65535, negative: true, ..RandomGraph::complete(1) };
        assert!(Reference::new(&generate(&heavy, 400).unwrap(), 2, 0).unwrap().exact());
        let sparse = RandomGraph { density: 0.5, ..heavy };
        assert!(!Reference::new(&generate(&sparse, 400).unwrap(), 2, 0).unwrap().exact());
    }

    #[test]
    fn a_negative_cycle_leaves_nothing_to_compare_with() {
        let graph = DistanceMatrix::from_row_major(2, vec![0.0, 1.0, -2.0, 0.0]).unwrap();
        assert_eq!(Reference::new(&graph, 2, 0).unwrap_err().cycle, [0, 1]);
    }

    proptest! {
        #[test]
        fn right_results_pass_with_integers_and_with_fractions(
            graph in oracle::graphs(-2), scale in prop::sample::select(vec![1.0f32, 0.1, 1e-3, 1e6 / 3.0]),
        ) {
            let n = graph.n();
            let weights = graph.as_slice().iter().map(|w| w * scale).collect();
            let graph = DistanceMatrix::from_row_major(n, weights).unwrap();
            if let Ok(reference) = Reference::new(&graph, n, 0) {
                let result = solved(&graph);
                prop_assert_eq!(reference.check_rows(&result), Ok(()));
                prop_assert_eq!(reference.check_against(&result, &result), Ok(()));
                prop_assert!(reference.exact() || scale != 1.0);
            }
        }
    }
}
