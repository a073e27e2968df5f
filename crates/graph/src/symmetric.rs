//! Whether a graph is as undirected as it is declared to be.

use rayon::prelude::*;
use thiserror::Error;

use super::{DistanceMatrix, Element};

/// A side of the squares that are compared with those across the diagonal: both stay in a nearby cache.
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

/// Looks at every pair of edges of a graph that is declared undirected.
///
/// # Errors
/// The first in order of rows that is not the same both ways.
pub fn check_symmetric<T: Element>(graph: &DistanceMatrix<T>) -> Result<(), Asymmetry> {
    let n = graph.n();
    let differ = |row: usize, column: usize| !graph.row(row)[column].same(graph.row(column)[row]);
    let first_in = |rows: usize| {
        let squares = (rows..n).step_by(SIDE);
        let places = squares.flat_map(|columns| {
            let pairs =
                move |row| (columns.max(row + 1)..n.min(columns + SIDE)).map(move |column| (row, column));
            (rows..n.min(rows + SIDE)).flat_map(pairs)
        });
        places.filter(|&(row, column)| differ(row, column)).min()
    };
    let (row, column) = match (0..n.div_ceil(SIDE)).into_par_iter().find_map_first(|at| first_in(at * SIDE)) {
        None => return Ok(()),
        Some(place) => place,
    };
    let (there, back) = (graph.row(row)[column].to_f64(), graph.row(column)[row].to_f64());
    Err(Asymmetry { row, column, there, back })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RandomGraph, generate};

    #[test]
    fn the_first_edge_that_has_no_equal_back_is_named() {
        let undirected = RandomGraph { undirected: true, density: 0.7, ..RandomGraph::complete(3) };
        for n in [1, 2, 64, 65, 200] {
            assert_eq!(check_symmetric(&generate::<u16>(&undirected, n).unwrap()), Ok(()));
        }
        let right = generate::<f32>(&undirected, 200).unwrap();
        for (row, column) in [(0, 1), (150, 151), (199, 3), (70, 10)] {
            let mut weights = right.as_slice().to_vec();
            weights[row * 200 + column] = 0.5;
            weights[199 * 200 + 198] = 0.5;
            let found = check_symmetric(&DistanceMatrix::from_row_major(200, weights).unwrap()).unwrap_err();
            assert_eq!((found.row, found.column), (row.min(column), row.max(column)));
            assert!(found.there == 0.5 || found.back == 0.5);
        }
        let directed = generate::<f32>(&RandomGraph::complete(3), 8).unwrap();
        let said = check_symmetric(&directed).unwrap_err().to_string();
        assert!(said.contains("edge (0, 1) weighs") && said.contains("declare it directed"), "{said}");
    }
}
