//! Matrices for NumPy, whose rows come in any order.

use super::error::{WriteError, WriteProblem};
use super::unfinished::Begun;
use crate::Weight;
use repro_graph::{Block, NpyWriter};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

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
    begun: Begun,
    writer: NpyWriter,
    rows: usize,
    columns: usize,
    written: AtomicUsize,
    numbers: PhantomData<fn(T)>,
}

impl<T> std::fmt::Debug for NpyRows<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("NpyRows").field("path", &self.begun.path).finish_non_exhaustive()
    }
}

impl<T: Weight> NpyRows<T> {
    /// Makes the file, under its temporary name and with room for all rows.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn begin(path: &Path, rows: usize, columns: usize) -> Result<Self, WriteError> {
        let begun = Begun::new(path);
        let writer = NpyWriter::begin_rows(path, rows, columns, T::TYPE)?;
        Ok(Self { begun, writer, rows, columns, written: AtomicUsize::new(0), numbers: PhantomData })
    }

    /// Writes row number `row`, counted from 0.
    ///
    /// # Errors
    /// When there is no such row, or it cannot be written.
    pub fn write(&self, row: usize, numbers: &[T]) -> Result<(), WriteError> {
        if row >= self.rows {
            return Err(WriteProblem::NotARow { row, rows: self.rows }.at(&self.begun.path));
        }
        if numbers.len() != self.columns {
            let (found, expected) = (numbers.len(), self.columns);
            return Err(WriteProblem::RowLength { found, expected }.at(&self.begun.path));
        }
        let block = Block { rows: row..row + 1, columns: 0..self.columns };
        self.writer.write_block(&block, bytemuck::cast_slice(numbers))?;
        self.written.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Gives the file its name when all of it is on the disk.
    ///
    /// # Errors
    /// When rows are missing, or the system cannot.
    pub fn finish(self) -> Result<(), WriteError> {
        let (found, expected) = (self.written.into_inner(), self.rows);
        if found != expected {
            return Err(WriteProblem::RowsMissing { found, expected }.at(&self.begun.path));
        }
        self.writer.finish()?;
        self.begun.keep();
        Ok(())
    }
}
