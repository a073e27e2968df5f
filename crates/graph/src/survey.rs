//! A matrix that is filled, checked and looked at in one pass, in parallel.

use rayon::prelude::*;

use crate::weights::Extremes;
use crate::{DistanceMatrix, Element, MatrixError, WeightSummary};

/// Bytes of whole rows that one thread fills and then looks at while they are in its cache.
const PIECE: usize = 512 << 10;

/// What one look at every entry of a graph's matrix finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightSurvey {
    /// Those of the weights.
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

/// How many weights of a row are so, but for that on the diagonal.
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
    /// A matrix that `fill` writes over zeros. It gets the number of a row and whole rows from there on, several of them at once, and is called
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
        // No thread waits for another that looks: it might be one of those that it waits for.
        *self.survey.get_or_init(|| seen.survey(self.n()))
    }
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
        let matrix = fill(&[]).unwrap();
        let survey = matrix.survey();
        assert!(matrix.as_slice().iter().all(|weight| weight.to_bits() == 0));
        assert_eq!((survey.edges, survey.weights.range.complete), (n * (n - 1), true));
        let error = fill(&[(699 * 700, f32::NAN), (300 * 700 + 5, f32::NEG_INFINITY), (699, f32::NAN)]);
        assert!(matches!(error, Err(MatrixError::NotAWeight { row: 0, column: 699, .. })));
        let error = fill(&[(699 * 700, f32::NAN), (300 * 700 + 300, 1.0)]);
        assert_eq!(error, Err(MatrixError::NotZeroOnDiagonal { vertex: 300, value: 1.0 }));
        assert_eq!(DistanceMatrix::from_pieces(0, |_, _: &mut [f32]| Ok(())), Err(MatrixError::Empty));
    }

    #[test]
    fn an_error_of_the_filler_is_the_callers() {
        #[derive(Debug, PartialEq)]
        struct Other(usize);
        impl From<MatrixError> for Other {
            fn from(_: MatrixError) -> Self {
                Self(usize::MAX)
            }
        }
        let refused = DistanceMatrix::from_pieces(900, |first, _: &mut [i32]| Err(Other(first)));
        assert_eq!(refused, Err(Other(0)));
    }
}
