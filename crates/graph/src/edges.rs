//! The edges of a file while it is read. Memory grows with what was read, and not with what a header promises.

use super::{
    Blocks, DistanceMatrix, Element, ElementType, MatrixError, SparseError, SparseRows, read::Problem,
};
use crate::parts::{EdgeSource, by_element, matrix_blocks};
use std::ops::Range;

/// The matrix is made once the list of edges has grown to this share of its size. From there on it costs at most so many
/// times what was read, and the list, which then goes, at most a quarter in addition to it.
const LIST_SHARE: usize = 4;

/// An edge between vertices counted from 0.
struct Edge<T> {
    from: u32,
    to: u32,
    weight: T,
}

/// What edges are read for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Keep {
    /// A matrix, which must fit into memory.
    Matrix,
    /// Blocks of a matrix that need not. Where there are so many edges that it is smaller than the list, it is made if there is room.
    Blocks,
}

/// Edges between `n` vertices: a list while there are few, the matrix from then on.
pub struct Edges<T = f32> {
    n: usize,
    listed: Vec<Edge<T>>,
    matrix: Option<DistanceMatrix<T>>,
    /// Whether the list may go on when it is large, because there is no room for a matrix.
    list_alone: bool,
}

impl<T: Element> Edges<T> {
    /// No edges yet between `n` vertices.
    ///
    /// # Errors
    /// When a matrix of them does not fit into memory and is needed, or there are more than a list can number. None is taken here.
    pub fn new(n: usize, keep: Keep) -> Result<Self, Problem> {
        let room = DistanceMatrix::<T>::check_room(n);
        let list_alone = match keep {
            Keep::Matrix => room.map(|()| false)?,
            Keep::Blocks => SparseRows::check_vertices(n).map(|()| room.is_err())?,
        };
        Ok(Self { n, listed: Vec::new(), matrix: None, list_alone })
    }

    /// The number of vertices.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Adds an edge between 0-based vertices: of parallel ones the shortest counts, +infinity is none, and a self loop
    /// shortens nothing unless it is negative, which makes it a negative cycle.
    ///
    /// # Errors
    /// When it is a negative self loop, or there is no room for the matrix after all.
    pub fn add(&mut self, from: usize, to: usize, weight: T) -> Result<(), Problem> {
        if from == to {
            if weight < T::ZERO {
                return Err(Problem::NegativeSelfLoop { vertex: from + 1, weight: weight.to_f64() });
            }
            return Ok(());
        }
        if weight.is_absent() {
            return Ok(());
        }
        if let Some(matrix) = &mut self.matrix {
            matrix.add_edge(from, to, weight);
            return Ok(());
        }
        // There are fewer than 2^32 vertices, which was checked or follows from a matrix that fits.
        self.listed.push(Edge { from: from as u32, to: to as u32, weight });
        if !self.list_alone
            && self.listed.len() * size_of::<Edge<T>>() * LIST_SHARE >= self.n * self.n * size_of::<T>()
        {
            self.matrix = Some(self.take_matrix()?);
        }
        Ok(())
    }

    /// The matrix.
    ///
    /// # Errors
    /// When it does not fit into memory.
    pub fn into_matrix(mut self) -> Result<DistanceMatrix<T>, MatrixError> {
        self.take_matrix()
    }

    fn take_matrix(&mut self) -> Result<DistanceMatrix<T>, MatrixError> {
        if let Some(matrix) = self.matrix.take() {
            return Ok(matrix);
        }
        let mut matrix = DistanceMatrix::without_edges(self.n)?;
        for Edge { from, to, weight } in std::mem::take(&mut self.listed) {
            matrix.add_edge(from as usize, to as usize, weight);
        }
        Ok(matrix)
    }
}

impl Edges<f32> {
    /// The graph by block, in this element type. Edges that are still a list are kept as [`SparseRows`].
    ///
    /// # Errors
    /// When a weight is no number of that type, or there is no room.
    pub fn into_blocks(mut self, element: ElementType) -> Result<Box<dyn Blocks>, SparseError> {
        if let Some(matrix) = self.matrix.take() {
            return Ok(by_element!(element, T => matrix_blocks(matrix.convert::<T>()?)));
        }
        Ok(Box::new(SparseRows::of(self.n, element, &self.listed)?))
    }
}

impl EdgeSource for Vec<Edge<f32>> {
    fn count(&self) -> u64 {
        self.len() as u64
    }

    fn visit(&self, numbers: Range<u64>, take: &mut dyn FnMut(usize, usize, f32)) {
        for edge in &self[numbers.start as usize..numbers.end as usize] {
            take(edge.from as usize, edge.to as usize, edge.weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matrix_is_the_same_whether_it_is_made_early_or_late() {
        let weight = |i: usize, j: usize| ((i * 7 + j * 3) % 5) as f32;
        let n = 40;
        for rows in [1, n] {
            let mut edges = Edges::new(n, Keep::Matrix).unwrap();
            let mut matrix = DistanceMatrix::without_edges(n).unwrap();
            for (i, j) in (0..rows).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j) {
                for weight in [weight(i, j), weight(i, j) + 1.0, f32::INFINITY] {
                    edges.add(i, j, weight).unwrap();
                    matrix.add_edge(i, j, weight);
                }
            }
            assert_eq!(edges.matrix.is_some(), rows == n);
            assert_eq!(edges.into_matrix().unwrap(), matrix);
        }
    }

    #[test]
    fn edges_repeated_without_end_take_no_more_than_the_matrix() {
        let mut edges = Edges::new(8, Keep::Matrix).unwrap();
        (0..100_000).try_for_each(|_| edges.add(0, 1, 2.0)).unwrap();
        assert_eq!(edges.listed.capacity(), 0);
    }
}
