//! Matrices that list every entry.

use super::{Names, Read, ReadOptions, ReadProblem, StoredGraph, ZeroPolicy};
use crate::npy::{Array, NpyFile};
use crate::{DistanceMatrix, DroppedArcs, Element, MatrixError, for_each_pair};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reads a `.npy` file that lies on a disk, by several threads at once and straight to where its numbers stay. Each looks at what it has read while
/// that is in its cache.
pub(super) fn read_file<T: Element>(file: &NpyFile, options: &ReadOptions) -> Read<T> {
    let n = file.header.order("the array")?;
    let self_loops = AtomicU64::new(0);
    // Columns of such a file are the rows here, and the diagonal is what it is.
    let matrix = DistanceMatrix::from_pieces(n, |first, rows: &mut [T]| {
        file.read(first * n, rows)?;
        for (at, row) in rows.chunks_mut(n).enumerate() {
            self_loops.fetch_add(prepare(first + at, row, options)?, Ordering::Relaxed);
        }
        Ok::<_, ReadProblem>(())
    })
    .map_err(|problem| if file.header.fortran { problem.transposed() } else { problem })?;
    let graph = arranged(matrix, file.header.fortran, options);
    let dropped = DroppedArcs { self_loops: self_loops.into_inner(), ..DroppedArcs::default() };
    Ok((StoredGraph::Matrix(graph), Names::FromZero, dropped))
}

/// Reads an n x n array from a stream.
pub(super) fn read_array<T: Element>(array: Array<impl std::io::Read>, options: &ReadOptions) -> Read<T> {
    let n = array.header.order(&array.name)?;
    let fortran = array.header.fortran;
    let entries = array.weights()?;
    stored_matrix(n, entries, fortran, Names::FromZero, options)
}

/// The graph of n x n entries, one row after the other, or one column after the other.
pub(super) fn stored_matrix<T: Element>(
    n: usize,
    mut entries: Vec<T>,
    by_columns: bool,
    names: Names,
    options: &ReadOptions,
) -> Read<T> {
    let rows = entries.par_chunks_mut(n).enumerate().map(|(row, weights)| prepare(row, weights, options));
    let self_loops = rows.reduce(|| Ok(0), |a, b| Ok(a? + b?))?;
    let matrix = arranged(DistanceMatrix::from_row_major(n, entries)?, by_columns, options);
    let dropped = DroppedArcs { self_loops, ..DroppedArcs::default() };
    Ok((StoredGraph::Matrix(matrix), names, dropped))
}

/// Makes weights of the numbers of a row, and returns how many arcs lead from a vertex to itself.
///
/// # Errors
/// The first number that is neither a weight nor what is no arc, of those that were copied as they are.
fn prepare<T: Element>(row: usize, weights: &mut [T], options: &ReadOptions) -> Result<u64, MatrixError> {
    if options.zeros == ZeroPolicy::Absent {
        for weight in &mut *weights {
            *weight = if *weight == T::ZERO { T::ABSENT } else { *weight };
        }
    }
    DistanceMatrix::check_range(row, 0, weights)?;
    let stay = &mut weights[row];
    let is_loop = *stay > T::ZERO && !stay.is_absent();
    if *stay > T::ZERO {
        *stay = T::ZERO;
    }
    Ok(u64::from(is_loop))
}

/// The matrix with rows for columns if it has columns for rows, and the same both ways if it is to be undirected.
fn arranged<T: Element>(
    mut matrix: DistanceMatrix<T>,
    by_columns: bool,
    options: &ReadOptions,
) -> DistanceMatrix<T> {
    let n = matrix.n();
    if options.undirected {
        for_each_pair(matrix.as_mut_slice(), n, |a, b| {
            let least = a.shorter(*b);
            (*a, *b) = (least, least);
        });
    } else if by_columns {
        for_each_pair(matrix.as_mut_slice(), n, std::mem::swap);
    }
    matrix
}
