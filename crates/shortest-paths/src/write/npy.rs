//! Matrices for NumPy, whose rows come in any order.

use super::error::{WriteError, WriteProblem};
use crate::Weight;
use rayon::prelude::*;
use repro_graph::{Block, NpyError, NpyWriter};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that a thread hands to the system at once, of a whole matrix.
const PIECE: usize = 4 << 20;

/// Writes a matrix into a `.npy` file row by row: each once, in any order, from any number of threads. Keeps no row.
///
/// ```
/// use shortest_paths::write::NpyRows;
/// use shortest_paths::{ArcsBuilder, Control, Searches, Want};
///
/// let mut builder = ArcsBuilder::growing();
/// builder.add(0, 1, 2.5_f32)?;
/// let (graph, _) = builder.build()?;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("distances.npy");
/// let file = NpyRows::begin(&path, 2, 2)?;
/// let searches = Searches::new(&graph, &Control::default())?;
/// searches.rows(&[0, 1], Want::default(), &Control::default(), |row| Ok(file.write(row.index, row.distances)?))?;
/// file.finish()?;
/// assert!(path.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NpyRows<T> {
    writer: NpyWriter,
    rows: usize,
    columns: usize,
    written: AtomicUsize,
    numbers: PhantomData<fn(T)>,
}

impl<T> std::fmt::Debug for NpyRows<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("NpyRows").field("path", &self.writer.path()).finish_non_exhaustive()
    }
}

impl<T: Weight> NpyRows<T> {
    /// Makes the file, under its temporary name and with room for all rows.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn begin(path: &Path, rows: usize, columns: usize) -> Result<Self, WriteError> {
        let writer = NpyWriter::begin_rows(path, rows, columns, T::TYPE)?;
        Ok(Self { writer, rows, columns, written: AtomicUsize::new(0), numbers: PhantomData })
    }

    /// Asks the system for the room of all rows before there are any, on another thread than the one that computes them: then writing only
    /// copies. What the system refuses, writing tells.
    pub fn reserve(&self) {
        self.writer.reserve();
    }

    /// Writes row number `row`, counted from 0.
    ///
    /// # Errors
    /// When there is no such row, or it cannot be written.
    pub fn write(&self, row: usize, numbers: &[T]) -> Result<(), WriteError> {
        self.write_rows(row..row.saturating_add(1), numbers)
    }

    /// Writes several rows at once, numbers of one row after the other.
    ///
    /// # Errors
    /// When there are no such rows, or they cannot be written.
    pub fn write_rows(&self, rows: Range<usize>, numbers: &[T]) -> Result<(), WriteError> {
        let last = rows.end.saturating_sub(1).max(rows.start);
        if last >= self.rows {
            return Err(WriteProblem::NotARow { row: last, rows: self.rows }.at(self.writer.path()));
        }
        let count = rows.len();
        if numbers.len() != self.columns.saturating_mul(count) {
            let (found, expected) = (numbers.len() / count.max(1), self.columns);
            return Err(WriteProblem::RowLength { found, expected }.at(self.writer.path()));
        }
        let block = Block { rows, columns: 0..self.columns };
        self.writer.write_block(&block, bytemuck::cast_slice(numbers))?;
        self.written.fetch_add(count, Ordering::Relaxed);
        Ok(())
    }

    /// Writes the whole matrix, several rows a thread at a time.
    ///
    /// # Errors
    /// When there are not as many numbers as the file has, or they cannot be written.
    pub fn write_all(&self, numbers: &[T]) -> Result<(), WriteError> {
        if self.rows.checked_mul(self.columns) != Some(numbers.len()) {
            let (found, expected) = (numbers.len(), self.rows.saturating_mul(self.columns));
            return Err(WriteProblem::Numbers { found, expected }.at(self.writer.path()));
        }
        if self.columns == 0 {
            return (0..self.rows).try_for_each(|row| self.write(row, &[]));
        }
        let rows = (PIECE / size_of::<T>() / self.columns).max(1);
        numbers.par_chunks(rows * self.columns).enumerate().try_for_each(|(at, piece)| {
            self.write_rows(at * rows..at * rows + piece.len() / self.columns, piece)
        })
    }

    /// Gives the file its name when all of it is on the disk.
    ///
    /// # Errors
    /// When rows are missing, or the system cannot.
    pub fn finish(self) -> Result<(), WriteError> {
        self.finish_as(NpyWriter::finish)
    }

    /// Gives the file its name while the system still writes it to the disk: programs find it whole from now on. If the machine stops before
    /// the system is done, as in a power cut, the file may be there and not whole. [`NpyRows::finish`] takes the disk's time and excludes that.
    ///
    /// # Errors
    /// When rows are missing, or the system cannot.
    pub fn finish_unflushed(self) -> Result<(), WriteError> {
        self.finish_as(NpyWriter::finish_unflushed)
    }

    fn finish_as(self, finish: fn(NpyWriter) -> Result<(), NpyError>) -> Result<(), WriteError> {
        let (found, expected) = (self.written.into_inner(), self.rows);
        if found != expected {
            return Err(WriteProblem::RowsMissing { found, expected }.at(self.writer.path()));
        }
        Ok(finish(self.writer)?)
    }
}
