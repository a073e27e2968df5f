//! A `.npy` file that lies on a disk as it is, of which any part is read without the rest.

use super::number::weight_of;
use super::{Array, NpyHeader, NumberType};
use crate::blocks::by_element;
use crate::read::ReadProblem;
use crate::{BlockError, Blocks, DistanceMatrix, Element, ElementType};
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes that a thread converts at once: a multiple of the size of every type.
const BUFFER: usize = 64 << 10;

/// An array whose file is as long as its header promises. Nobody may shorten it meanwhile.
#[derive(Debug)]
pub struct NpyFile {
    file: File,
    /// What the header says.
    pub header: NpyHeader,
    /// Bytes before the numbers.
    offset: u64,
    numbers: NumberType,
}

impl NpyFile {
    /// Reads the header, and compares the file's length with it.
    ///
    /// # Errors
    /// What of the file or its header is not as described, and [`ReadProblem::NumberType`].
    pub fn open(file: File) -> Result<Self, ReadProblem> {
        let Array { name: array, header, numbers, offset, .. } = Array::open("the array", &file)?;
        let found = file.metadata().map_err(ReadProblem::Unreadable)?.len();
        let promised = header.entries().saturating_mul(numbers.bytes() as u128).saturating_add(offset.into());
        if promised != found.into() {
            let is_short = u128::from(found) < promised;
            let remedy =
                if is_short { "is it truncated?" } else { "store one array in it, and nothing else" };
            let problem = format!("has {found} bytes, and its header promises {promised}: {remedy}");
            return Err(ReadProblem::Array { array, problem });
        }
        Ok(Self { file, header, offset, numbers })
    }

    /// Whether its numbers are of this type, as they lie in the memory of this machine.
    pub fn holds(&self, element: ElementType) -> bool {
        self.numbers.is_element(element)
    }

    /// Reads the numbers from number `first` of the file on, each as one of `T`; numbers that are stored as `T` are not checked.
    ///
    /// # Errors
    /// When the system cannot, or a number that has to be converted is none of the type.
    pub fn read<T: Element>(&self, first: usize, into: &mut [T]) -> Result<(), ReadProblem> {
        let size = self.numbers.bytes();
        let place = |number: usize| self.offset + (number * size) as u64;
        if self.holds(T::TYPE) {
            let bytes = bytemuck::cast_slice_mut(into);
            return self.file.read_exact_at(bytes, place(first)).map_err(ReadProblem::Unreadable);
        }
        let mut buffer = vec![0; BUFFER.min(into.len().saturating_mul(size))];
        let mut next = first;
        for into in into.chunks_mut(BUFFER / size) {
            let bytes = &mut buffer[..into.len() * size];
            self.file.read_exact_at(bytes, place(next)).map_err(ReadProblem::Unreadable)?;
            for (weight, bytes) in into.iter_mut().zip(bytes.chunks_exact(size)) {
                let number = self.numbers.number(bytes);
                let Some(number) = self.numbers.weight(number) else {
                    return Err(self.header.unwanted("the array", next, number, &weight_of(T::TYPE)));
                };
                *weight = number;
                next += 1;
            }
        }
        Ok(())
    }

    /// This square matrix as a graph in this element type, read where and when it is asked for.
    ///
    /// # Errors
    /// When it has other numbers of rows than of columns, or columns lie one after the other.
    pub fn into_blocks(self, element: ElementType) -> Result<Box<dyn Blocks>, ReadProblem> {
        let n = self.header.order("the array")?;
        if self.header.fortran {
            let expected = "rows one after the other, as numpy.ascontiguousarray makes them,";
            return Err(self.header.unshapely("the array", expected));
        }
        Ok(Box::new(NpyBlocks { n, file: self, element }))
    }
}

/// Reads the n x n matrix of an open `.npy` file as it is stored, bit for bit, which must be of this element type and fill the file to its
/// end. The numbers are not checked.
///
/// # Errors
/// What of the file or its header is not as described.
pub fn read_npy(file: &File, n: usize, element: ElementType, into: &mut [u8]) -> Result<(), ReadProblem> {
    let file = NpyFile::open(file.try_clone().map_err(ReadProblem::Unreadable)?)?;
    let wanted = NpyHeader::new(element, &[n, n]);
    if file.header != wanted {
        let text = |header: &NpyHeader| {
            let order = if header.fortran { ", columns one after the other" } else { "" };
            format!("shape {:?} of '{}'{order}", header.shape, header.descr)
        };
        let problem = format!("has {}, and {} was expected", text(&file.header), text(&wanted));
        return Err(ReadProblem::Array { array: "the array".to_string(), problem });
    }
    file.file.read_exact_at(into, file.offset).map_err(ReadProblem::Unreadable)
}

struct NpyBlocks {
    file: NpyFile,
    n: usize,
    element: ElementType,
}

impl Blocks for NpyBlocks {
    fn n(&self) -> usize {
        self.n
    }

    fn element(&self) -> ElementType {
        self.element
    }

    fn read_row(&self, row: usize, columns: Range<usize>, into: &mut [u8]) -> Result<(), BlockError> {
        by_element!(self.element, T => {
            let weights: &mut [T] = bytemuck::cast_slice_mut(into);
            let read = self.file.read(row * self.n + columns.start, weights);
            read.map_err(|problem| BlockError(problem.to_string()))?;
            DistanceMatrix::check_range(row, columns.start, weights)
                .and_then(|()| DistanceMatrix::canonicalize_row(row, columns.start, weights))
                .map_err(|error| BlockError(error.to_string()))
        })
    }
}

/// The graph in the `.npy` file at `path` as [`NpyFile::into_blocks`] has it; none where the file begins otherwise.
///
/// # Errors
/// What is wrong with the file.
pub(crate) fn npy_blocks(path: &Path, element: ElementType) -> Result<Option<Box<dyn Blocks>>, ReadProblem> {
    // A stream is left untouched, and other readers say why a file cannot be read.
    let Ok(file) = repro_base::files::open_regular(path) else { return Ok(None) };
    let mut start = [0; super::header::MAGIC.len()];
    if file.read_exact_at(&mut start, 0).is_err() || start != super::header::MAGIC {
        return Ok(None);
    }
    NpyFile::open(file)?.into_blocks(element).map(Some)
}
