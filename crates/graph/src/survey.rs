//! A matrix that is filled, checked and looked at in one pass, in parallel; whether a graph is undirected.

use crate::weights::Extremes;
use crate::{DistanceMatrix, Element, MatrixError, WeightSummary};
use rayon::prelude::*;

/// Bytes of whole rows that one thread fills and then looks at while they are in its cache.
const PIECE: usize = 512 << 10;

/// What one look at every entry of a graph's matrix finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightSurvey {
    /// The summary of the weights.
    pub weights: WeightSummary,
    /// The number of edges: entries off the diagonal that are not [`Element::ABSENT`].
    pub edges: usize,
    /// Edges of weight 0 among them.
    pub zeros: usize,
}

/// What was seen of some rows.
#[derive(Clone, Copy)]
struct RowStatistics {
    extremes: Extremes,
    edges: usize,
    zeros: usize,
}

impl RowStatistics {
    fn none() -> Self {
        Self { extremes: Extremes::none(), edges: 0, zeros: 0 }
    }

    fn of_row<T: Element>(row: usize, weights: &[T]) -> Self {
        let edges = count_beside(row, weights, |weight| !weight.is_absent());
        let zeros = count_beside(row, weights, |weight| weight == T::ZERO);
        Self { extremes: Extremes::of_row(weights), edges, zeros }
    }

    fn or(self, other: Self) -> Self {
        Self {
            extremes: self.extremes.or(other.extremes),
            edges: self.edges + other.edges,
            zeros: self.zeros + other.zeros,
        }
    }

    fn survey(self, n: usize) -> WeightSurvey {
        let mut weights = self.extremes.or(Extremes::of_weight(0.0)).summary();
        weights.range.complete = self.edges == n.saturating_mul(n.saturating_sub(1));
        WeightSurvey { weights, edges: self.edges, zeros: self.zeros }
    }
}

/// How many weights of a row satisfy `is_so`, without the one on the diagonal.
fn count_beside<T: Element>(row: usize, weights: &[T], is_so: impl Fn(T) -> bool) -> usize {
    // Few enough at a time to be counted in 32 bits, which takes fewer instructions.
    let count = |weights: &[T]| weights.iter().map(|weight| u32::from(is_so(*weight))).sum::<u32>();
    let all: usize = weights.chunks(1 << 20).map(|weights| count(weights) as usize).sum();
    all - usize::from(weights.get(row).is_some_and(|stay| is_so(*stay)))
}

/// How many rows of `n` numbers make a piece; at least 1.
fn rows_of_a_piece<T>(n: usize) -> usize {
    (PIECE / size_of::<T>() / n.max(1)).max(1)
}

impl<T: Element> DistanceMatrix<T> {
    /// A matrix that `fill` writes over zeros. `fill` gets the number of a row and several whole rows from there on, and is called
    /// from many threads; each piece is then checked as [`DistanceMatrix::from_row_major`] does, and surveyed, while it is in the thread's cache.
    ///
    /// # Errors
    /// When `n` is 0 or there is no room, before `fill` is called. Otherwise the first error in the order of the rows.
    pub fn from_pieces<E: From<MatrixError> + Send>(
        n: usize,
        fill: impl Fn(usize, &mut [T]) -> Result<(), E> + Sync,
    ) -> Result<Self, E> {
        let mut matrix = Self::zeros(n)?;
        let rows = rows_of_a_piece::<T>(n);
        let piece = |(at, piece): (usize, &mut [T])| {
            let first = at * rows;
            fill(first, piece)?;
            let mut seen = RowStatistics::none();
            for (at, weights) in piece.chunks_mut(n).enumerate() {
                Self::canonicalize_row(first + at, 0, weights)?;
                seen = seen.or(RowStatistics::of_row(first + at, weights));
            }
            Ok(seen)
        };
        // The first error, whichever thread is faster.
        let both = |a: Result<RowStatistics, E>, b| Ok(a?.or(b?));
        let pieces = matrix.as_mut_slice().par_chunks_mut(n.saturating_mul(rows)).enumerate().map(piece);
        let seen = pieces.reduce(|| Ok(RowStatistics::none()), both)?;
        matrix.survey = seen.survey(n).into();
        Ok(matrix)
    }

    /// What one look at every entry finds, in parallel. O(n²), and O(1) until the matrix is written to again.
    pub fn survey(&self) -> WeightSurvey {
        if let Some(survey) = self.survey.get() {
            return *survey;
        }
        let rows = self.as_slice().par_chunks(self.n()).enumerate();
        let seen = rows
            .map(|(row, weights)| RowStatistics::of_row(row, weights))
            .reduce(RowStatistics::none, RowStatistics::or);
        // Computed before the cell is locked: a thread that waits for it may be needed by the survey's own rayon work.
        *self.survey.get_or_init(|| seen.survey(self.n()))
    }
}

/// A side of the squares that are compared with those across the diagonal.
const SIDE: usize = 64;

/// Whether every edge is as long as the one back, in every bit. On all threads of the current rayon pool; a graph that differs in its first
/// edges is recognised by these alone.
pub fn is_symmetric<T: Element>(graph: &DistanceMatrix<T>) -> bool {
    let n = graph.n();
    let bands = n.div_ceil(SIDE);
    let band = |i: usize| (i..bands).all(|j| is_same_across(graph, i * SIDE, j * SIDE));
    // Most directed graphs end here, and no thread is woken.
    is_same_across(graph, 0, 0) && (0..bands).into_par_iter().all(band)
}

/// Whether the square from (row, column) on is the transpose of that from (column, row) on.
fn is_same_across<T: Element>(graph: &DistanceMatrix<T>, row: usize, column: usize) -> bool {
    let n = graph.n();
    let (height, width) = (SIDE.min(n - row), SIDE.min(n - column));
    // A copy first: rows a power of two apart push each other out of the first-level cache.
    let mut across = [T::ZERO; SIDE * SIDE];
    for c in 0..width {
        across[c * SIDE..][..height].copy_from_slice(&graph.row(column + c)[row..][..height]);
    }
    (0..height).all(|r| {
        let own = &graph.row(row + r)[column..][..width];
        let column = across.iter().skip(r).step_by(SIDE);
        own.iter().zip(column).fold(true, |same, (there, back)| same & there.bitwise_eq(*back))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RandomGraph, generate};

    #[test]
    fn a_survey_finds_what_the_list_of_edges_has() {
        for density in [0.0, 0.3, 1.0] {
            let random = RandomGraph { density, max_weight: 100, negative: true, ..RandomGraph::complete(5) };
            let graph = generate::<f32>(&random, 50).unwrap();
            let is_edge = |at: &usize| at / 50 != at % 50 && !graph.as_slice()[*at].is_absent();
            let edges: Vec<f32> = (0..2500).filter(is_edge).map(|at| graph.as_slice()[at]).collect();
            let weights = WeightSummary::of_arcs(&edges, edges.len() == 50 * 49);
            let survey = graph.survey();
            let zeros = edges.iter().filter(|weight| **weight == 0.0).count();
            assert_eq!(survey, WeightSurvey { weights, edges: edges.len(), zeros });
            let filled = DistanceMatrix::from_pieces(50, |first, rows: &mut [f32]| {
                rows.copy_from_slice(&graph.as_slice()[first * 50..][..rows.len()]);
                Ok::<_, MatrixError>(())
            });
            let mut filled = filled.unwrap();
            assert_eq!((&filled, filled.survey()), (&graph, survey));
            // What was written to is looked at again.
            filled.as_mut_slice()[1] = -7000.0;
            assert_eq!(filled.survey().weights.least, -7000.0);
        }
    }

    #[test]
    fn pieces_are_made_canonical_and_the_first_wrong_entry_is_named() {
        // More rows than one piece has.
        let n = 700;
        let fill = |wrong: &'static [(usize, f32)]| {
            DistanceMatrix::from_pieces(n, move |first, rows: &mut [f32]| {
                rows.fill(-0.0);
                for (at, value) in wrong {
                    if let Some(entry) = at.checked_sub(first * n).and_then(|at| rows.get_mut(at)) {
                        *entry = *value;
                    }
                }
                Ok::<_, MatrixError>(())
            })
        };
        assert!(fill(&[]).unwrap().as_slice().iter().all(|weight| weight.to_bits() == 0));
        let error = fill(&[(699 * 700, f32::NAN), (300 * 700 + 5, f32::NEG_INFINITY), (699, f32::NAN)]);
        assert!(matches!(error, Err(MatrixError::NotAWeight { row: 0, column: 699, .. })));
        let error = fill(&[(699 * 700, f32::NAN), (300 * 700 + 300, 1.0)]);
        assert_eq!(error, Err(MatrixError::NotZeroOnDiagonal { vertex: 300, value: 1.0 }));
        assert_eq!(DistanceMatrix::from_pieces(0, |_, _: &mut [f32]| Ok(())), Err(MatrixError::Empty));
    }

    #[test]
    fn a_graph_is_symmetric_only_if_every_edge_has_an_equal_back() {
        let undirected = RandomGraph { undirected: true, density: 0.7, ..RandomGraph::complete(3) };
        for n in [1, 2, 64, 65, 200] {
            assert!(is_symmetric(&generate::<u16>(&undirected, n).unwrap()));
        }
        let n = 40;
        let right = generate::<f32>(&undirected, n).unwrap();
        for at in (0..n * n).filter(|at| at / n != at % n) {
            let mut weights = right.as_slice().to_vec();
            weights[at] = 0.5;
            assert!(!is_symmetric(&DistanceMatrix::from_row_major(n, weights).unwrap()));
        }
    }
}
