//! Whether a graph is undirected, found or as it is declared to be.

use rayon::prelude::*;
use thiserror::Error;

use super::{DistanceMatrix, Element};

/// A side of the squares that are compared with those across the diagonal.
const SIDE: usize = 64;

/// An edge that is not as long as the one back.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error(
    "the graph is declared undirected, but edge ({row}, {column}) weighs {there} and ({column}, {row}) weighs {back}: \
     declare it directed, or make them equal"
)]
pub struct Asymmetry {
    pub row: usize,
    pub column: usize,
    pub there: f64,
    pub back: f64,
}

/// Whether every edge is as long as the one back, in every bit. On all threads of the current rayon pool; of a graph that differs in its first
/// edges these alone are looked at.
pub fn is_symmetric<T: Element>(graph: &DistanceMatrix<T>) -> bool {
    let n = graph.n();
    let bands = n.div_ceil(SIDE);
    let band = |i: usize| (i..bands).all(|j| is_same_across(graph, i * SIDE, j * SIDE));
    // Most directed graphs end here, and no thread is woken.
    is_same_across(graph, 0, 0) && (0..bands).into_par_iter().all(band)
}

/// Whether the square from (row, column) on is that from (column, row) on with rows for columns.
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

/// Looks at every pair of edges of a graph that is declared undirected.
///
/// # Errors
/// The first in order of rows that is not the same both ways.
pub fn check_symmetric<T: Element>(graph: &DistanceMatrix<T>) -> Result<(), Asymmetry> {
    if is_symmetric(graph) {
        return Ok(());
    }
    let n = graph.n();
    let differs = |row: usize, column: &usize| !graph.row(row)[*column].bitwise_eq(graph.row(*column)[row]);
    let first_in = |row: usize| (row + 1..n).find(|column| differs(row, column)).map(|column| (row, column));
    let Some((row, column)) = (0..n).into_par_iter().find_map_first(first_in) else { return Ok(()) };
    let (there, back) = (graph.row(row)[column].to_f64(), graph.row(column)[row].to_f64());
    Err(Asymmetry { row, column, there, back })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RandomGraph, generate};

    #[test]
    fn any_one_edge_makes_a_graph_directed() {
        let undirected = RandomGraph { undirected: true, ..RandomGraph::complete(3) };
        let n = 67;
        let right = generate::<i32>(&undirected, n).unwrap();
        for at in (0..n * n).filter(|at| at / n != at % n) {
            let mut weights = right.as_slice().to_vec();
            weights[at] += 1;
            assert!(
                !is_symmetric(&DistanceMatrix::from_row_major(n, weights).unwrap()),
                "{}, {}",
                at / n,
                at % n
            );
        }
    }

    #[test]
    fn the_first_edge_that_has_no_equal_back_is_named() {
        let undirected = RandomGraph { undirected: true, density: 0.7, ..RandomGraph::complete(3) };
        for n in [1, 2, 64, 65, 200] {
            let graph = generate::<u16>(&undirected, n).unwrap();
            assert!(is_symmetric(&graph));
            assert_eq!(check_symmetric(&graph), Ok(()));
        }
        let right = generate::<f32>(&undirected, 200).unwrap();
        for (row, column) in [(0, 1), (150, 151), (199, 3), (70, 10)] {
            let mut weights = right.as_slice().to_vec();
            weights[row * 200 + column] = 0.5;
            weights[199 * 200 + 198] = 0.5;
            let graph = DistanceMatrix::from_row_major(200, weights).unwrap();
            assert!(!is_symmetric(&graph));
            let found = check_symmetric(&graph).unwrap_err();
            assert_eq!((found.row, found.column), (row.min(column), row.max(column)));
            assert!(found.there == 0.5 || found.back == 0.5);
        }
        let directed = generate::<f32>(&RandomGraph::complete(3), 8).unwrap();
        let said = check_symmetric(&directed).unwrap_err().to_string();
        assert!(said.contains("edge (0, 1) weighs") && said.contains("declare it directed"), "{said}");
    }
}
