//! Matrices of NumPy.

use super::arrays::Array;
use super::error::{ArrayPosition, Wanted};
use super::npy_file::NpyFile;
use super::packing::Input;
use super::{Names, Packing, Read, ReadOptions, ReadProblem, Stored, Zeros};
use crate::{Dropped, Weight, WeightMatrix};
use rayon::prelude::*;
use repro_graph::{DistanceMatrix, MatrixError};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reads a `.npy` file. One that is not packed is read by several threads at once, straight to where its numbers stay.
pub(super) fn read_file<T: Weight>(path: &Path, input: Input, options: &ReadOptions) -> Read<T> {
    let array = Array::open("the array", input.stream)?;
    let n = order(&array)?;
    match NpyFile::open(path, &array).filter(|_| input.packing == Packing::Plain) {
        Some(file) => read_at_once(&file, n, options),
        None => read_array(array, options),
    }
}

/// Each thread looks at what it has read while that is in its cache.
fn read_at_once<T: Weight>(file: &NpyFile, n: usize, options: &ReadOptions) -> Read<T> {
    let self_loops = AtomicU64::new(0);
    // Columns of such a file are the rows here, and the diagonal is what it is.
    let (matrix, survey) = DistanceMatrix::from_pieces(n, |first, rows: &mut [T]| {
        file.read(first * n, rows)?;
        for (at, row) in rows.chunks_mut(n).enumerate() {
            let loops = prepare(first + at, row, options)?;
            self_loops.fetch_add(loops, Ordering::Relaxed);
        }
        Ok::<_, ReadProblem>(())
    })?;
    let dropped = Dropped { self_loops: self_loops.into_inner(), ..Dropped::default() };
    let graph = if file.fortran || options.undirected {
        WeightMatrix::new(arranged(matrix, file.fortran, options)?)
    } else {
        WeightMatrix::surveyed(matrix, survey)
    };
    Ok((Stored::Matrix(graph), Names::FromZero, dropped))
}

/// Reads any n x n array from a stream.
pub(super) fn read_array<T: Weight>(array: Array<impl std::io::Read>, options: &ReadOptions) -> Read<T> {
    let n = order(&array)?;
    let fortran = array.header.fortran;
    let mut data = array.all(
        Wanted::Weight(T::TYPE),
        |numbers, number| numbers.weight::<T>(number),
        place(n, fortran),
    )?;
    let rows = data.par_chunks_mut(n).enumerate().map(|(row, weights)| prepare(row, weights, options));
    let self_loops = rows.reduce(|| Ok(0), |a, b| Ok(a? + b?))?;
    let matrix = arranged(DistanceMatrix::from_row_major(n, data)?, fortran, options)?;
    let dropped = Dropped { self_loops, ..Dropped::default() };
    Ok((Stored::Matrix(WeightMatrix::new(matrix)), Names::FromZero, dropped))
}

/// Where a number of an n x n array stands.
pub(super) fn place(n: usize, fortran: bool) -> impl Fn(usize) -> ArrayPosition {
    move |at| {
        let (row, column) = (at / n, at % n);
        if fortran {
            ArrayPosition::Entry { row: column, column: row }
        } else {
            ArrayPosition::Entry { row, column }
        }
    }
}

/// The number of vertices, for whose matrix there is room.
fn order<T>(array: &Array<T>) -> Result<usize, ReadProblem>
where
    T: std::io::Read,
{
    let [rows, columns] = array.header.shape[..] else {
        return Err(array.unshapely("(n, n), a matrix with as many rows as columns"));
    };
    if rows != columns {
        return Err(array.unshapely("(n, n), a matrix with as many rows as columns"));
    }
    if rows == 0 {
        return Err(MatrixError::Empty.into());
    }
    if rows.checked_mul(rows).is_none() {
        let bytes = (rows as u128).saturating_mul(rows as u128);
        return Err(MatrixError::TooLarge { n: rows, bytes }.into());
    }
    Ok(rows)
}

/// Makes weights of the numbers of a row, and returns how many arcs lead from a vertex to itself.
///
/// # Errors
/// The first number that is neither a weight nor what is no arc, of those that were copied as they are.
fn prepare<T: Weight>(row: usize, weights: &mut [T], options: &ReadOptions) -> Result<u64, MatrixError> {
    if options.zeros == Zeros::Absent {
        for weight in &mut *weights {
            *weight = if *weight == T::ZERO { T::ABSENT } else { *weight };
        }
    }
    let is_out = |weight: &T| !weight.same(T::ABSENT) && weight.to_f64().abs() > T::TYPE.most();
    if T::TYPE.is_integer()
        && let Some(column) = weights.iter().position(is_out)
    {
        // As `f64` a large integer is infinite.
        let value = weights[column].to_string().parse().unwrap_or(f64::INFINITY);
        return Err(MatrixError::NotOfType { row, column, value, element: T::TYPE });
    }
    let stay = &mut weights[row];
    let is_loop = *stay > T::ZERO && !stay.is_absent();
    if *stay > T::ZERO {
        *stay = T::ZERO;
    }
    Ok(u64::from(is_loop))
}

/// The matrix with rows for columns if it has columns for rows, and the same both ways if it is to be undirected.
fn arranged<T: Weight>(
    mut matrix: DistanceMatrix<T>,
    fortran: bool,
    options: &ReadOptions,
) -> Result<DistanceMatrix<T>, MatrixError> {
    if fortran && !options.undirected {
        for_each_pair(&mut matrix, std::mem::swap);
    } else if options.undirected {
        for_each_pair(&mut matrix, |a, b| {
            let least = a.lesser(*b);
            (*a, *b) = (least, least);
        });
    }
    Ok(matrix)
}

/// Visits the two entries of every two vertices, tile by tile so that columns stay in the cache.
fn for_each_pair<T: Weight>(matrix: &mut DistanceMatrix<T>, visit: impl Fn(&mut T, &mut T)) {
    const TILE: usize = 64;
    let n = matrix.n();
    let data = matrix.as_mut_slice();
    for top in (0..n).step_by(TILE) {
        let (above, below) = data.split_at_mut((top + TILE).min(n) * n);
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
    fn every_pair_is_visited_once() {
        for n in [1, 2, 63, 64, 65, 130, 200] {
            let number = |at: usize| ((at / n * 1000 + at % n) % 30_000) as i32;
            let mut matrix = DistanceMatrix::without_edges(n).unwrap();
            matrix.as_mut_slice().iter_mut().enumerate().for_each(|(at, entry)| *entry = number(at));
            for_each_pair(&mut matrix, |a, b| (*a, *b) = (*b + 1, *a + 1));
            for (at, entry) in matrix.as_slice().iter().enumerate() {
                let (row, column) = (at / n, at % n);
                let expected = if row == column { number(at) } else { number(column * n + row) + 1 };
                assert_eq!(*entry, expected, "{n}: ({row}, {column})");
            }
        }
    }
}
