//! The dense matrix that every implementation starts from and ends with.

use rayon::prelude::*;
use thiserror::Error;

use crate::{BlockError, Blocks, Element, ElementType, SearchError, WeightSurvey, memory_check};
use std::any::Any;
use std::ops::Range;
use std::sync::OnceLock;

/// Why a set of numbers is not a distance matrix.
#[derive(Debug, Error, PartialEq)]
pub enum MatrixError {
    #[error("a graph of 0 vertices has no distances: n must be at least 1")]
    Empty,
    #[error("n = {n} needs {n} x {n} weights, but {found} were given")]
    WrongLength { n: usize, found: usize },
    #[error("the weight of edge ({row}, {column}) is {value}: weights must be numbers above -infinity")]
    NotAWeight { row: usize, column: usize, value: f64 },
    #[error(
        "the weight of edge ({row}, {column}) is {value}, which {element} does not hold: choose another element type or weights"
    )]
    NotOfType { row: usize, column: usize, value: f64, element: ElementType },
    #[error(
        "the diagonal entry of vertex {vertex} (counted from 0) is {value}: no path is shorter than to stay, so set it to 0"
    )]
    NotZeroOnDiagonal { vertex: usize, value: f64 },
    #[error(transparent)]
    NoRoom(#[from] SearchError),
}

/// An n x n matrix of path lengths in row-major order: entry (i, j) is the length of the best known path from vertex i to
/// vertex j, [`Element::ABSENT`] where none is known, and 0 on the diagonal of a graph's own matrix.
///
/// Holds no NaN, no -infinity and no -0.0, so equal lengths have equal bits.
#[derive(Clone, Debug)]
pub struct DistanceMatrix<T = f32> {
    n: usize,
    data: Vec<T>,
    /// What was found when all entries were looked at last; none since they were written to.
    pub(crate) survey: OnceLock<WeightSurvey>,
}

impl<T: PartialEq> PartialEq for DistanceMatrix<T> {
    fn eq(&self, other: &Self) -> bool {
        self.n == other.n && self.data == other.data
    }
}

impl<T: Element> DistanceMatrix<T> {
    /// A graph of `n` vertices without edges: 0 on the diagonal, [`Element::ABSENT`] elsewhere.
    ///
    /// # Errors
    /// When `n` is 0 or the matrix cannot be allocated.
    pub fn without_edges(n: usize) -> Result<Self, MatrixError> {
        Self::from_rows(n, |i, row| {
            row.fill(T::ABSENT);
            row[i] = T::ZERO;
        })
    }

    /// Zeros alone, which take memory where they are first touched.
    ///
    /// # Errors
    /// When `n` is 0 or there is no room.
    pub(super) fn zeros(n: usize) -> Result<Self, MatrixError> {
        let data = memory_check::zeros("the matrix", entries::<T>(n)?)?;
        Ok(Self { n, data, survey: OnceLock::new() })
    }

    /// A matrix whose row `i` is what `fill(i, row)` writes over zeros. Rows are filled in parallel, so that each
    /// page of a large matrix is first touched by a thread that works on it.
    ///
    /// # Errors
    /// When `n` is 0 or the matrix cannot be allocated.
    pub fn from_rows(n: usize, fill: impl Fn(usize, &mut [T]) + Sync) -> Result<Self, MatrixError> {
        let mut matrix = Self::zeros(n)?;
        matrix.data.par_chunks_mut(n).enumerate().for_each(|(i, row)| fill(i, row));
        Ok(matrix)
    }

    /// Takes row-major weights as they are, except that -0.0 becomes 0.0. A 0 is an edge of weight 0; +infinity is no edge.
    ///
    /// # Errors
    /// When `n` is 0, the length is not n², an entry is NaN or -infinity, or one on the diagonal is not 0.
    pub fn from_row_major(n: usize, mut data: Vec<T>) -> Result<Self, MatrixError> {
        if n == 0 {
            return Err(MatrixError::Empty);
        }
        if n.checked_mul(n) != Some(data.len()) {
            return Err(MatrixError::WrongLength { n, found: data.len() });
        }
        let rows = data.par_chunks_mut(n).enumerate();
        let refused = rows.find_map_first(|(row, weights)| Self::canonicalize_row(row, 0, weights).err());
        if let Some(error) = refused {
            return Err(error);
        }
        Ok(Self { n, data, survey: OnceLock::new() })
    }

    /// Makes the weights of a row from column `first` on canonical.
    ///
    /// # Errors
    /// The first number that is no weight, or one on the diagonal that is not 0.
    pub(super) fn canonicalize_row(row: usize, first: usize, weights: &mut [T]) -> Result<(), MatrixError> {
        let is_weight = |weight: T| weight.to_f64() > f64::NEG_INFINITY;
        // Nearly every row is right, and this pass over it does not branch. A NaN is not above anything.
        let mut all_weights = true;
        for value in &mut *weights {
            all_weights &= is_weight(*value);
            // -0.0 + 0.0 is +0.0. A large integer is no edge: two of them could overflow.
            *value = if value.is_absent() { T::ABSENT } else { value.plus(T::ZERO) };
        }
        if !all_weights && let Some(at) = weights.iter().position(|weight| !is_weight(*weight)) {
            return Err(MatrixError::NotAWeight { row, column: first + at, value: weights[at].to_f64() });
        }
        match row.checked_sub(first).and_then(|at| weights.get(at)) {
            Some(stay) if *stay != T::ZERO => {
                Err(MatrixError::NotZeroOnDiagonal { vertex: row, value: stay.to_f64() })
            }
            _ => Ok(()),
        }
    }

    /// Checks that the numbers of a row from column `first` on are in the range of their type. Those of a file need not be.
    ///
    /// # Errors
    /// The first integer that is neither a weight nor [`Element::ABSENT`].
    pub(super) fn check_range(row: usize, first: usize, weights: &[T]) -> Result<(), MatrixError> {
        let is_out = |weight: &T| {
            T::TYPE.is_integer() & !weight.bitwise_eq(T::ABSENT) & (weight.to_f64().abs() > T::TYPE.most())
        };
        // Nearly every row is right, and this pass over it does not branch.
        if !weights.iter().fold(false, |any, weight| any | is_out(weight)) {
            return Ok(());
        }
        let at = weights.iter().position(is_out).unwrap_or_default();
        // `to_f64` makes a large integer infinite, so it is printed and parsed.
        let value = weights[at].to_string().parse().unwrap_or(f64::INFINITY);
        Err(MatrixError::NotOfType { row, column: first + at, value, element: T::TYPE })
    }

    /// This graph in another element type.
    ///
    /// # Errors
    /// When a weight is no number of that type, a fraction for example, or there is no room.
    pub fn convert<U: Element>(&self) -> Result<DistanceMatrix<U>, MatrixError> {
        let piece = |first: usize, rows: &mut [U]| {
            for (at, (to, from)) in (first * self.n..).zip(rows.iter_mut().zip(&self.data[first * self.n..]))
            {
                let (row, column, value) = (at / self.n, at % self.n, from.to_f64());
                let refused = || MatrixError::NotOfType { row, column, value, element: U::TYPE };
                *to = from.convert().ok_or_else(refused)?;
            }
            Ok(())
        };
        DistanceMatrix::from_pieces(self.n, piece)
    }

    /// The number of vertices.
    pub fn n(&self) -> usize {
        self.n
    }

    /// All entries in row-major order.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// All entries in row-major order, for a solver to update in place.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.survey.take();
        &mut self.data
    }

    /// All entries in row-major order, without the matrix.
    pub fn into_row_major(self) -> Vec<T> {
        self.data
    }

    /// Row `i`: lengths of paths that start at vertex `i`.
    pub fn row(&self, i: usize) -> &[T] {
        &self.data[i * self.n..(i + 1) * self.n]
    }

    /// Entry (i, j).
    pub fn get(&self, i: usize, j: usize) -> T {
        self.row(i)[j]
    }

    /// Keeps the shorter of the known path and an edge of this weight from `i` to `j`.
    pub fn add_edge(&mut self, i: usize, j: usize, weight: T) {
        let at = i * self.n + j;
        let entry = &mut self.as_mut_slice()[at];
        if !weight.is_absent() {
            *entry = weight.plus(T::ZERO).shorter(*entry);
        }
    }
}

impl<T: Element> Blocks for DistanceMatrix<T> {
    fn n(&self) -> usize {
        Self::n(self)
    }

    fn element(&self) -> ElementType {
        T::TYPE
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn read_row(&self, row: usize, columns: Range<usize>, into: &mut [u8]) -> Result<(), BlockError> {
        into.copy_from_slice(bytemuck::cast_slice(&self.row(row)[columns]));
        Ok(())
    }
}

/// n², when as many numbers fit into the available memory.
pub(crate) fn entries<T>(n: usize) -> Result<usize, MatrixError> {
    if n == 0 {
        return Err(MatrixError::Empty);
    }
    let bytes = (n as u128).saturating_mul(n as u128).saturating_mul(size_of::<T>() as u128);
    memory_check::check("the matrix", bytes)?;
    n.checked_mul(n).ok_or_else(|| memory_check::refused("the matrix", bytes).into())
}

/// Visits entries (i, j) and (j, i), i < j, of an n x n matrix in row-major order, tile by tile so that columns stay in the cache.
pub fn for_each_pair<T>(matrix: &mut [T], n: usize, visit: impl Fn(&mut T, &mut T)) {
    const TILE: usize = 64;
    for top in (0..n).step_by(TILE) {
        let (above, below) = matrix.split_at_mut((top + TILE).min(n) * n);
        for row in top..(top + TILE).min(n) {
            // Inside the tile on the diagonal both entries lie in the same rows.
            for column in row + 1..(top + TILE).min(n) {
                let (a, b) = above.split_at_mut(column * n);
                visit(&mut a[row * n + column], &mut b[row]);
            }
        }
        for left in (top + TILE..n).step_by(TILE) {
            for row in top..top + TILE {
                for column in left..(left + TILE).min(n) {
                    let mirrored = &mut below[(column - top - TILE) * n + row];
                    visit(&mut above[row * n + column], mirrored);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_vertices_and_impossible_sizes_are_errors_not_aborts() {
        assert_eq!(DistanceMatrix::<f32>::without_edges(0), Err(MatrixError::Empty));
        for n in [usize::MAX / 2, usize::MAX] {
            let refused = DistanceMatrix::<f32>::without_edges(n);
            assert!(matches!(refused, Err(MatrixError::NoRoom(SearchError::NotEnoughMemory { .. }))));
        }
        assert!(DistanceMatrix::<f32>::without_edges(1 << 31).is_err());
    }

    #[test]
    fn negative_zero_is_zero_and_nan_and_negative_infinity_are_refused_with_their_place() {
        let zero = DistanceMatrix::from_row_major(1, vec![-0.0_f32]).unwrap();
        assert_eq!(zero.get(0, 0).to_bits(), 0.0_f32.to_bits());
        let error = DistanceMatrix::from_row_major(2, vec![0.0, 1.0, f32::NAN, 0.0]).unwrap_err();
        assert!(matches!(error, MatrixError::NotAWeight { row: 1, column: 0, .. }));
        assert!(DistanceMatrix::from_row_major(1, vec![f32::NEG_INFINITY]).is_err());
        let error = DistanceMatrix::from_row_major(2, vec![0.0, f32::NAN, f32::NAN, f32::NAN]).unwrap_err();
        assert!(matches!(error, MatrixError::NotAWeight { row: 0, column: 1, .. }), "the first one is named");
    }

    #[test]
    fn a_diagonal_that_is_not_zero_is_refused_with_its_vertex_and_value() {
        for value in [5.0, -1.0, f64::INFINITY] {
            let error = DistanceMatrix::from_row_major(2, vec![0.0, 1.0, 1.0, value as f32]).unwrap_err();
            assert_eq!(error, MatrixError::NotZeroOnDiagonal { vertex: 1, value });
        }
        let message = DistanceMatrix::from_row_major(1, vec![5.0_f32]).unwrap_err().to_string();
        assert_eq!(
            message,
            "the diagonal entry of vertex 0 (counted from 0) is 5: no path is shorter than to stay, so set it to 0"
        );
    }

    #[test]
    fn every_pair_is_visited_once() {
        for n in [1, 2, 63, 64, 65, 130, 200] {
            let number = |at: usize| ((at / n * 1000 + at % n) % 30_000) as i32;
            let mut matrix = DistanceMatrix::without_edges(n).unwrap();
            matrix.as_mut_slice().iter_mut().enumerate().for_each(|(at, entry)| *entry = number(at));
            for_each_pair(matrix.as_mut_slice(), n, |a, b| (*a, *b) = (*b + 1, *a + 1));
            for (at, entry) in matrix.as_slice().iter().enumerate() {
                let (row, column) = (at / n, at % n);
                let expected = if row == column { number(at) } else { number(column * n + row) + 1 };
                assert_eq!(*entry, expected, "{n}: ({row}, {column})");
            }
        }
    }
}
