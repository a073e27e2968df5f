//! A `.npy` file that lies on a disk as it is, read by several threads at once.

use super::ReadProblem;
use super::arrays::{Array, Number, NumberType};
use super::dense::place;
use super::error::Wanted;
use crate::Weight;
use repro_graph::NpyArray;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes that a thread converts at once: a multiple of the size of every type.
const BUFFER: usize = 64 << 10;

/// An n x n array whose file is as long as its header promises.
pub(super) struct NpyFile {
    file: File,
    /// Bytes before the numbers.
    offset: u64,
    name: String,
    numbers: NumberType,
    n: usize,
    /// Whether columns lie one after the other, and not rows.
    pub fortran: bool,
}

impl NpyFile {
    /// The file of an array of rows and columns, opened anew; nothing where it is no file, or another one than was opened before, or has not the
    /// length that its header promises.
    pub fn open<R: Read>(path: &Path, array: &Array<R>) -> Option<Self> {
        let mut file = File::open(path).ok()?;
        let about = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let mut header = Counted { inner: &mut file, bytes: 0 };
        let is_same = NpyArray::read(&mut header).is_ok_and(|header| header == array.header);
        let offset = header.bytes;
        let bytes = array.promised().saturating_mul(array.numbers.bytes() as u128);
        let is_whole = u128::from(about.len()) == bytes.saturating_add(offset.into());
        let [n, _] = array.header.shape[..] else { return None };
        let (name, fortran) = (array.name.clone(), array.header.fortran);
        (is_same && is_whole).then_some(Self { file, offset, name, numbers: array.numbers, n, fortran })
    }

    /// Reads the numbers from number `first` on, each as one of `T`; those of that very type as they are.
    ///
    /// # Errors
    /// When the system cannot, or a number that has to be converted is none of the type.
    pub fn read<T: Weight>(&self, first: usize, into: &mut [T]) -> Result<(), ReadProblem> {
        // Errors in what is copied name rows and columns as they lie.
        if self.numbers.is_element(T::TYPE) && !self.fortran {
            let bytes = bytemuck::cast_slice_mut(into);
            return self.file.read_exact_at(bytes, self.place(first)).map_err(ReadProblem::Unreadable);
        }
        self.for_each(first, into.len(), |at, number| match self.numbers.weight::<T>(number) {
            Some(weight) => {
                into[at - first] = weight;
                Ok(())
            }
            None => {
                let (array, place) = (self.name.clone(), place(self.n, self.fortran)(at));
                let wanted = Wanted::Weight(T::TYPE);
                Err(ReadProblem::Entry { array, place, value: number.to_string(), wanted })
            }
        })
    }

    /// Visits `count` numbers from number `first` on.
    ///
    /// # Errors
    /// When the system cannot read them, and the first of `visit`.
    fn for_each(
        &self,
        first: usize,
        count: usize,
        mut visit: impl FnMut(usize, Number) -> Result<(), ReadProblem>,
    ) -> Result<(), ReadProblem> {
        let size = self.numbers.bytes();
        let mut buffer = vec![0; BUFFER.min(count.saturating_mul(size))];
        for from in (first..first + count).step_by(BUFFER / size) {
            let bytes = &mut buffer[..(BUFFER / size).min(first + count - from) * size];
            self.file.read_exact_at(bytes, self.place(from)).map_err(ReadProblem::Unreadable)?;
            for (at, bytes) in bytes.chunks_exact(size).enumerate() {
                visit(from + at, self.numbers.number(bytes))?;
            }
        }
        Ok(())
    }

    fn place(&self, number: usize) -> u64 {
        self.offset + (number * self.numbers.bytes()) as u64
    }
}

/// A stream whose bytes are counted.
struct Counted<R> {
    inner: R,
    bytes: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.bytes += read as u64;
        Ok(read)
    }
}
