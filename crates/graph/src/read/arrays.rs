//! Matrices that list every entry, and sparse ones that `scipy.sparse.save_npz` stores in compressed sparse rows.

use super::npz::Archive;
use super::{Names, ReadOptions, ReadProblem, ReadResult, StoredGraph, ZeroPolicy};
use crate::npy::{Array, NO_COUNT, NpyFile, NpyHeader, count};
use crate::{Arcs, DistanceMatrix, DroppedArcs, Element, MatrixError, for_each_pair};
use rayon::prelude::*;
use std::io::Read as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reads a `.npy` file that lies on a disk, by several threads at once and straight to where its numbers stay. Each looks at what it has read while
/// that is in its cache.
pub(super) fn read_file<T: Element>(file: &NpyFile, options: &ReadOptions) -> ReadResult<T> {
    let n = file.header.order("the array")?;
    let self_loops = AtomicU64::new(0);
    // In Fortran order the columns of the file are the rows here; the diagonal is the same.
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
pub(super) fn read_array<T: Element>(
    array: Array<impl std::io::Read>,
    options: &ReadOptions,
) -> ReadResult<T> {
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
) -> ReadResult<T> {
    let rows = entries.par_chunks_mut(n).enumerate().map(|(row, weights)| prepare(row, weights, options));
    let self_loops = rows.reduce(|| Ok(0), |a, b| Ok(a? + b?))?;
    let matrix = arranged(DistanceMatrix::from_row_major(n, entries)?, by_columns, options);
    let dropped = DroppedArcs { self_loops, ..DroppedArcs::default() };
    Ok((StoredGraph::Matrix(matrix), names, dropped))
}

/// Makes weights of the numbers of a row, and returns how many arcs lead from a vertex to itself.
///
/// # Errors
/// The first number, of those copied unchecked, that neither is a weight nor stands for no arc.
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

/// Transposes a matrix that was read by columns, or makes it symmetric if it is to be undirected.
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

/// The longest name of a format, as text of four bytes a letter, and more.
const LONGEST_FORMAT: u64 = 64;

/// Reads the arrays of the archive, in any order that they lie in.
pub(super) fn read<T: Element>(archive: &mut Archive, options: &ReadOptions) -> ReadResult<T> {
    let format = format(archive)?;
    if format != "csr" {
        return Err(ReadProblem::NotCsr { found: format });
    }
    let shape = counts(archive, "shape.npy", 2)?;
    let (rows, columns) = (shape[0], shape[1]);
    if rows != columns {
        return Err(ReadProblem::NotSquare { rows, columns });
    }
    let offsets = counts(archive, "indptr.npy", rows.saturating_add(1))?;
    let m = offsets.last().copied().unwrap_or(0);
    let heads = line(archive.array("indices.npy")?, m)?;
    let heads = heads.all(NO_COUNT, |head| u32::try_from(count(head)?).ok())?;
    let weights = line(archive.array("data.npy")?, m)?.weights()?;
    let (arcs, dropped) = Arcs::from_csr(offsets, heads, weights, options.undirected)?;
    Ok((StoredGraph::Arcs(arcs), Names::FromZero, dropped))
}

/// The name of the format: a single text of bytes, or of letters of four bytes.
fn format(archive: &mut Archive) -> Result<String, ReadProblem> {
    let mut member = archive.member("format.npy")?;
    NpyHeader::read(&mut member).map_err(|problem| problem.in_array("format.npy"))?;
    let mut text = Vec::new();
    member.by_ref().take(LONGEST_FORMAT).read_to_end(&mut text).map_err(ReadProblem::Archive)?;
    text.retain(|byte| *byte != 0);
    Ok(text.escape_ascii().to_string())
}

fn counts(archive: &mut Archive, name: &str, length: usize) -> Result<Vec<usize>, ReadProblem> {
    line(archive.array(name)?, length)?.all(NO_COUNT, count)
}

/// The array, if it is one of this length.
fn line<R: std::io::Read>(array: Array<R>, length: usize) -> Result<Array<R>, ReadProblem> {
    if array.header.shape == [length] {
        Ok(array)
    } else {
        Err(array.header.unshapely(&array.name, &format!("({length},)")))
    }
}
