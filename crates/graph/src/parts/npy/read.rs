//! A matrix of a `.npy` file, read from the disk block by block.

use memmap2::Mmap;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{NpyError, NpyProblem, failed, header::Header};
use crate::parts::{by_element, fill::fill_rows, map::map};
use crate::{BlockError, Blocks, Element, ElementType, MatrixError};
use repro_files::open_regular;

/// The matrix in the `.npy` file at `path`, an array of n x n `float32`, `float64`, `int32` or `uint16` in C order, as a graph in this element type.
/// Nothing but its header is read now. What is wrong with a number is found when it is read: NaN, -infinity, a diagonal that is not 0, or one that
/// the element type does not hold.
///
/// The file must not be shortened while it is in use: the system ends a process that reads what is gone.
///
/// # Errors
/// What of the file or its header is not as described.
pub fn npy_blocks(path: &Path, element: ElementType) -> Result<Box<dyn Blocks>, NpyError> {
    let open = || -> Result<NpyMatrix, NpyProblem> {
        let file = open_regular(path).map_err(NpyProblem::Unreadable)?;
        let bytes = map(&file).map_err(NpyProblem::Unreadable)?;
        let (header, offset) = Header::parse(&bytes)?;
        let [n, columns] = header.shape[..] else {
            let found = format!("shape {:?}", header.shape);
            return Err(NpyProblem::Unexpected { expected: "two dimensions", found });
        };
        if n != columns {
            let found = format!("{n} x {columns}");
            return Err(NpyProblem::Unexpected { expected: "as many rows as columns", found });
        }
        if n == 0 {
            return Err(MatrixError::Empty.into());
        }
        let numbers = (n as u128).saturating_mul(n as u128).saturating_mul(header.element.bytes() as u128);
        let promised = numbers.saturating_add(offset as u128);
        if promised != bytes.len() as u128 {
            return Err(NpyProblem::Length { promised, found: bytes.len() as u64 });
        }
        Ok(NpyMatrix { path: path.to_path_buf(), n, stored: header.element, element, bytes, offset })
    };
    open().map(|matrix| Box::new(matrix) as Box<dyn Blocks>).map_err(|problem| failed(path, problem))
}

/// Reads the n x n matrix of an open `.npy` file as it is stored, bit for bit, which must be of this element type and fill the file to its end. What
/// the numbers are is not looked at. Nobody may shorten the file meanwhile.
///
/// # Errors
/// What of the file or its header is not as described.
pub fn read_npy(file: &File, n: usize, element: ElementType, into: &mut [u8]) -> Result<(), NpyProblem> {
    let found = file.metadata().map_err(NpyProblem::Unreadable)?.len();
    let bytes = map(file).map_err(NpyProblem::Unreadable)?;
    let (header, offset) = Header::parse(&bytes)?;
    if header.shape != [n, n] {
        let found = format!("shape {:?}", header.shape);
        return Err(NpyProblem::NotWanted { found, wanted: format!("shape [{n}, {n}]") });
    }
    if header.element != element {
        let found = format!("numbers of type {}", header.element);
        return Err(NpyProblem::NotWanted { found, wanted: element.to_string() });
    }
    let numbers = bytes.get(offset..).unwrap_or_default();
    if numbers.len() != into.len() {
        let promised = (offset + into.len()) as u128;
        return Err(NpyProblem::Length { promised, found });
    }
    into.copy_from_slice(numbers);
    Ok(())
}

struct NpyMatrix {
    path: PathBuf,
    n: usize,
    /// As which type the numbers are stored.
    stored: ElementType,
    element: ElementType,
    bytes: Mmap,
    /// Bytes before the numbers.
    offset: usize,
}

impl NpyMatrix {
    fn fill<S: Element, T: Element>(
        &self,
        row: usize,
        columns: &Range<usize>,
        into: &mut [T],
    ) -> Result<(), BlockError> {
        let size = size_of::<S>();
        let from = &self.bytes[self.offset + (row * self.n + columns.start) * size..][..columns.len() * size];
        let mut all_kept = true;
        for (to, from) in into.iter_mut().zip(from.chunks_exact(size)) {
            let (number, is_kept) = convert::<S, T>(bytemuck::pod_read_unaligned(from));
            *to = number;
            all_kept &= is_kept;
        }
        let diagonal = row.checked_sub(columns.start).and_then(|at| into.get(at));
        if all_kept && diagonal.is_none_or(|diagonal| *diagonal == T::ZERO) {
            return Ok(());
        }
        let error = self.problem::<S, T>(row, columns, from);
        Err(BlockError(format!("{}: {error}", self.path.display())))
    }

    /// What is wrong with a row.
    fn problem<S: Element, T: Element>(
        &self,
        row: usize,
        columns: &Range<usize>,
        from: &[u8],
    ) -> MatrixError {
        let numbers = columns.clone().zip(from.chunks_exact(size_of::<S>()));
        for (column, from) in numbers {
            let stored: S = bytemuck::pod_read_unaligned(from);
            let value = stored.to_f64();
            if value.is_nan() || value == f64::NEG_INFINITY {
                return MatrixError::NotAWeight { row, column, value };
            }
            if !convert::<S, T>(stored).1 {
                return MatrixError::NotOfType { row, column, value, element: T::TYPE };
            }
            if row == column && value != 0.0 {
                return MatrixError::NotZeroOnDiagonal { vertex: row, value };
            }
        }
        // The file was changed while it was read.
        MatrixError::NotAWeight { row, column: columns.start, value: f64::NAN }
    }
}

/// A number in another type, and whether it is one there.
#[inline]
fn convert<S: Element, T: Element>(stored: S) -> (T, bool) {
    let value = stored.to_f64();
    let number = T::from_f64(value);
    let is_same = number.to_f64() == value && value > f64::NEG_INFINITY;
    // A finite number that looks like no edge is none of the type. -0.0 + 0.0 is 0.0.
    let is_kept = is_same && number.is_absent() == stored.is_absent();
    (if number.is_absent() { T::ABSENT } else { number.plus(T::ZERO) }, is_kept)
}

impl Blocks for NpyMatrix {
    fn n(&self) -> usize {
        self.n
    }

    fn element(&self) -> ElementType {
        self.element
    }

    fn read(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
        pitch: usize,
        into: &mut [u8],
    ) -> Result<(), BlockError> {
        by_element!(self.stored, S => by_element!(self.element, T => {
            fill_rows(self.n, rows, &columns, pitch, into, |u, row: &mut [T]| self.fill::<S, T>(u, &columns, row))
        }))
    }
}
