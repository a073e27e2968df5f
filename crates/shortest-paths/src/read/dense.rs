//! Matrices of NumPy.

use super::arrays::Array;
use super::error::{Place, Wanted};
use super::packing::Input;
use super::{Names, Packing, Read, ReadOptions, ReadProblem, Stored, Zeros};
use crate::{Dropped, Weight, room};
use repro_graph::{DistanceMatrix, MatrixError, read_npy};
use std::path::Path;

/// Reads a `.npy` file. One that is not packed and holds the type asked for is copied from the mapped file.
pub(super) fn read_file<T: Weight>(path: &Path, input: Input, options: &ReadOptions) -> Read<T> {
    let array = Array::open("the array", input.stream)?;
    let is_as_wanted = array.header.descr == descr::<T>() && !array.header.fortran;
    let n = order(&array)?;
    // Memory is taken only for what is there.
    let bytes = array.promised().saturating_mul(size_of::<T>() as u128);
    let is_there =
        std::fs::metadata(path).is_ok_and(|about| about.is_file() && u128::from(about.len()) > bytes);
    if input.packing == Packing::Plain && is_as_wanted && is_there {
        let mut data = room::filled("the matrix", n * n, T::ZERO)?;
        let read = read_npy(path, n, T::TYPE, bytemuck::cast_slice_mut(&mut data));
        // What is wrong with the file, the other way finds as well.
        if read.is_ok() {
            return finish(data, n, options);
        }
    }
    read_array(array, options)
}

/// Reads any n x n array.
pub(super) fn read_array<T: Weight>(array: Array<impl std::io::Read>, options: &ReadOptions) -> Read<T> {
    let n = order(&array)?;
    let fortran = array.header.fortran;
    let place = |at: usize| {
        let (row, column) = (at / n, at % n);
        if fortran { Place::Entry { row: column, column: row } } else { Place::Entry { row, column } }
    };
    let mut data =
        array.all(Wanted::Weight(T::TYPE), |numbers, number| numbers.weight::<T>(number), place)?;
    if fortran {
        for row in 0..n {
            for column in row + 1..n {
                data.swap(row * n + column, column * n + row);
            }
        }
    }
    finish(data, n, options)
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

/// What NumPy calls the type.
fn descr<T: Weight>() -> &'static str {
    match T::TYPE {
        repro_graph::ElementType::F32 => "<f4",
        repro_graph::ElementType::F64 => "<f8",
        repro_graph::ElementType::I32 => "<i4",
        repro_graph::ElementType::U16 => "<u2",
    }
}

/// Makes a graph of the numbers, rows one after the other.
fn finish<T: Weight>(mut data: Vec<T>, n: usize, options: &ReadOptions) -> Read<T> {
    let mut dropped = Dropped::default();
    if options.zeros == Zeros::Absent {
        data.iter_mut().filter(|weight| **weight == T::ZERO).for_each(|weight| *weight = T::ABSENT);
    }
    for vertex in 0..n {
        let weight = &mut data[vertex * n + vertex];
        // The numbers of a file that was copied are looked at below.
        if *weight > T::ZERO {
            dropped.self_loops += u64::from(!weight.is_absent());
            *weight = T::ZERO;
        }
    }
    if options.undirected {
        for row in 0..n {
            for column in row + 1..n {
                let least = data[row * n + column].lesser(data[column * n + row]);
                (data[row * n + column], data[column * n + row]) = (least, least);
            }
        }
    }
    // The least and the greatest integers of a copied file are neither weights nor what is no arc.
    let is_out = |weight: &T| !weight.is_absent() && weight.to_f64().abs() > T::TYPE.most();
    if T::TYPE.is_integer()
        && let Some(at) = data.iter().position(is_out)
    {
        let (row, column, value) = (at / n, at % n, data[at].to_f64());
        return Err(MatrixError::NotOfType { row, column, value, element: T::TYPE }.into());
    }
    let matrix = DistanceMatrix::from_row_major(n, data)?;
    Ok((Stored::Matrix(matrix), Names::FromZero, dropped))
}
