//! Paths out of stored matrices.

use crate::error::Failure;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use shortest_paths::{walk, walk_next};

/// The vertices of the path that a row of predecessors holds; `None` where it holds none.
#[pyfunction]
pub fn walk_predecessors(
    row: PyReadonlyArray1<i32>,
    source: usize,
    target: usize,
) -> PyResult<Option<Vec<usize>>> {
    Ok(walk(row.as_slice()?, source, target).map_err(Failure::from)?)
}

/// The vertices of the path that a matrix of next vertices holds; `None` where it holds none.
#[pyfunction]
pub fn walk_next_vertices(
    next: PyReadonlyArray2<i32>,
    source: usize,
    target: usize,
) -> PyResult<Option<Vec<usize>>> {
    let n = next.as_array().nrows();
    Ok(walk_next(next.as_slice()?, n, source, target).map_err(Failure::from)?)
}
