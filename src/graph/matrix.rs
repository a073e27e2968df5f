//! The dense matrix that every implementation starts from and ends with.

use thiserror::Error;

/// Why a set of numbers is not a distance matrix.
#[derive(Debug, Error, PartialEq)]
pub enum MatrixError {
    #[error("a graph of 0 vertices has no distances: n must be at least 1")]
    Empty,
    #[error("n = {n} needs {n} x {n} weights, but {found} were given")]
    WrongLength { n: usize, found: usize },
    #[error("the weight of edge ({row}, {column}) is {value}: weights must be numbers above -infinity")]
    NotAWeight { row: usize, column: usize, value: f32 },
    #[error(
        "n = {n} needs {bytes} bytes for one matrix, more than this machine can allocate: choose a smaller n"
    )]
    TooLarge { n: usize, bytes: u128 },
}

/// An n x n matrix of `f32` path lengths in row-major order: entry (i, j) is the length of the best known path
/// from vertex i to vertex j, +infinity where none is known, and 0 on the diagonal of a graph's own matrix.
///
/// Holds no NaN, no -infinity and no -0.0, so equal lengths have equal bits.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceMatrix {
    n: usize,
    data: Vec<f32>,
}

impl DistanceMatrix {
    /// A graph of `n` vertices without edges: 0 on the diagonal, +infinity elsewhere.
    ///
    /// # Errors
    /// When `n` is 0 or the matrix cannot be allocated.
    pub fn without_edges(n: usize) -> Result<Self, MatrixError> {
        let mut data = allocate(n)?;
        data.resize(n * n, f32::INFINITY);
        for i in 0..n {
            data[i * n + i] = 0.0;
        }
        Ok(Self { n, data })
    }

    /// Takes row-major weights as they are, except that -0.0 becomes 0.0.
    ///
    /// # Errors
    /// When `n` is 0, the length is not n², or an entry is NaN or -infinity.
    pub fn from_row_major(n: usize, mut data: Vec<f32>) -> Result<Self, MatrixError> {
        if n == 0 {
            return Err(MatrixError::Empty);
        }
        if n.checked_mul(n) != Some(data.len()) {
            return Err(MatrixError::WrongLength { n, found: data.len() });
        }
        for (at, value) in data.iter_mut().enumerate() {
            if value.is_nan() || *value == f32::NEG_INFINITY {
                return Err(MatrixError::NotAWeight { row: at / n, column: at % n, value: *value });
            }
            *value += 0.0; // -0.0 + 0.0 is +0.0
        }
        Ok(Self { n, data })
    }

    /// The number of vertices.
    pub fn n(&self) -> usize {
        self.n
    }

    /// All entries in row-major order.
    pub fn as_slice(&self) -> &[f32] {
        &self.data
    }

    /// All entries in row-major order, for a solver to update in place.
    pub fn as_mut_slice(&mut self) -> &mut [f32] {
        &mut self.data
    }

    /// Row `i`: lengths of paths that start at vertex `i`.
    pub fn row(&self, i: usize) -> &[f32] {
        &self.data[i * self.n..(i + 1) * self.n]
    }

    /// Entry (i, j).
    pub fn get(&self, i: usize, j: usize) -> f32 {
        self.row(i)[j]
    }

    /// Keeps the shorter of the known path and an edge of this weight from `i` to `j`.
    pub fn add_edge(&mut self, i: usize, j: usize, weight: f32) {
        let entry = &mut self.data[i * self.n + j];
        *entry = entry.min(weight + 0.0);
    }
}

/// Room for n² floats, asked for without aborting the process when there is none.
fn allocate(n: usize) -> Result<Vec<f32>, MatrixError> {
    if n == 0 {
        return Err(MatrixError::Empty);
    }
    let too_large = || MatrixError::TooLarge { n, bytes: (n as u128) * (n as u128) * 4 };
    let entries = n.checked_mul(n).ok_or_else(too_large)?;
    let mut data = Vec::new();
    data.try_reserve_exact(entries).map_err(|_| too_large())?;
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_edges_means_zero_on_the_diagonal_and_infinity_elsewhere() {
        let matrix = DistanceMatrix::without_edges(3).unwrap();
        assert_eq!(matrix.get(1, 1), 0.0);
        assert_eq!(matrix.get(1, 2), f32::INFINITY);
    }

    #[test]
    fn zero_vertices_and_impossible_sizes_are_errors_not_aborts() {
        assert_eq!(DistanceMatrix::without_edges(0), Err(MatrixError::Empty));
        assert!(matches!(DistanceMatrix::without_edges(usize::MAX / 2), Err(MatrixError::TooLarge { .. })));
        assert!(matches!(DistanceMatrix::without_edges(1 << 31), Err(MatrixError::TooLarge { .. })));
    }

    #[test]
    fn nan_and_negative_infinity_are_refused_with_their_place() {
        let error = DistanceMatrix::from_row_major(2, vec![0.0, 1.0, f32::NAN, 0.0]).unwrap_err();
        assert!(matches!(error, MatrixError::NotAWeight { row: 1, column: 0, .. }));
        assert!(DistanceMatrix::from_row_major(1, vec![f32::NEG_INFINITY]).is_err());
    }

    #[test]
    fn negative_zero_becomes_positive_zero_so_that_bits_can_be_compared() {
        let matrix = DistanceMatrix::from_row_major(1, vec![-0.0]).unwrap();
        assert_eq!(matrix.get(0, 0).to_bits(), 0.0_f32.to_bits());
    }

    #[test]
    fn parallel_edges_keep_the_shorter_one() {
        let mut matrix = DistanceMatrix::without_edges(2).unwrap();
        matrix.add_edge(0, 1, 5.0);
        matrix.add_edge(0, 1, 7.0);
        assert_eq!(matrix.get(0, 1), 5.0);
    }
}
