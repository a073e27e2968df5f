//! Archives for NumPy: distances, and the paths beside them.

use super::error::{WriteError, WriteProblem, unwritable};
use super::in_order::WriteRow;
use super::latched::Latched;
use super::unfinished;
use crate::Weight;
use repro_files::NewFile;
use repro_graph::NpyArray;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::marker::PhantomData;
use std::path::Path;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Writes a `.npz` file: a matrix `distances`, and others after it by [`NpzRows::array`]. Rows come one after the other and none is kept.
pub struct NpzRows<T> {
    begun: NewFile,
    zip: ZipWriter<Latched<BufWriter<File>>>,
    compressed: bool,
    /// Of the array that is being written.
    rows: usize,
    columns: usize,
    written: usize,
    numbers: PhantomData<fn(T)>,
}

impl<T> std::fmt::Debug for NpzRows<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("NpzRows").field("path", &self.begun.path()).finish_non_exhaustive()
    }
}

impl<T: Weight> NpzRows<T> {
    /// Makes the file, under its temporary name. Packing it takes much longer than writing it.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn begin(path: &Path, rows: usize, columns: usize, compressed: bool) -> Result<Self, WriteError> {
        let (begun, file) = unfinished::begin(path)?;
        let zip = ZipWriter::new(Latched::new(file));
        let numbers = PhantomData;
        let none = NpzRows::<T> { begun, zip, compressed, rows: 0, columns: 0, written: 0, numbers };
        none.array("distances", rows, columns)
    }

    /// Goes on with another array, of any type, when all rows of this one are written.
    ///
    /// # Errors
    /// When rows are missing, or it cannot be written.
    pub fn array<U: Weight>(self, name: &str, rows: usize, columns: usize) -> Result<NpzRows<U>, WriteError> {
        let Self { begun, mut zip, compressed, .. } = self.whole()?;
        let method = if compressed { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        // Without this an array of 4 GiB is an error at its end.
        let options = SimpleFileOptions::default().compression_method(method).large_file(true);
        let started = zip.start_file(format!("{name}.npy"), options);
        started.map_err(|error| of_zip(begun.path(), error))?;
        zip.write_all(&NpyArray::header(U::TYPE, &[rows, columns])).map_err(unwritable(begun.path()))?;
        Ok(NpzRows { begun, zip, compressed, rows, columns, written: 0, numbers: PhantomData })
    }

    /// Gives the file its name when all of it is on the disk.
    ///
    /// # Errors
    /// When rows are missing, or the system cannot.
    pub fn finish(self) -> Result<(), WriteError> {
        let Self { begun, zip, .. } = self.whole()?;
        let file = zip.finish().map_err(|error| of_zip(begun.path(), error))?;
        let file = file.into_inner().map_err(unwritable(begun.path()))?;
        unfinished::finish(begun, file)
    }

    fn whole(self) -> Result<Self, WriteError> {
        if self.written == self.rows {
            return Ok(self);
        }
        Err(WriteProblem::RowsMissing { found: self.written, expected: self.rows }.at(self.begun.path()))
    }
}

fn of_zip(path: &Path, error: ZipError) -> WriteError {
    unwritable(path)(match error {
        ZipError::Io(error) => error,
        other => other.into(),
    })
}

impl<T: Weight> WriteRow<T> for NpzRows<T> {
    fn write_row(&mut self, _: usize, distances: &[T]) -> Result<(), WriteError> {
        let path = self.begun.path();
        if self.written == self.rows {
            return Err(WriteProblem::NotARow { row: self.written, rows: self.rows }.at(path));
        }
        if distances.len() != self.columns {
            let (found, expected) = (distances.len(), self.columns);
            return Err(WriteProblem::RowLength { found, expected }.at(path));
        }
        self.zip.write_all(bytemuck::cast_slice(distances)).map_err(unwritable(path))?;
        self.written += 1;
        Ok(())
    }

    fn path(&self) -> &Path {
        self.begun.path()
    }
}
