//! Results to files: the writers of the crate `repro-graph`, and what takes rows of a search in any order.

pub use repro_graph::write::*;

use crate::Element;
use repro_graph::Block;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Writes a matrix into a `.npy` file row by row: each once, in any order, from any number of threads. Keeps no row.
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

impl<T: Element> NpyRows<T> {
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
        self.writer.write_whole(bytemuck::cast_slice(numbers))?;
        self.written.fetch_add(self.rows, Ordering::Relaxed);
        Ok(())
    }

    /// Gives the file its name when all of it is on the disk.
    ///
    /// # Errors
    /// When rows are missing, or the system cannot.
    pub fn finish(self) -> Result<(), WriteError> {
        let (found, expected) = (self.written.into_inner(), self.rows);
        if found != expected {
            return Err(WriteProblem::RowsMissing { found, expected }.at(self.writer.path()));
        }
        self.writer.finish()
    }
}

/// Takes rows in any order from many threads. A row that came too early is kept until those before it are there; of
/// [`SearchContext::rows`](crate::SearchContext::rows) those are about as many as there are threads, and more if one search takes much longer.
pub struct OrderedWriter<T, W> {
    state: Mutex<State<T, W>>,
}

struct State<T, W> {
    writer: W,
    next: usize,
    early: BTreeMap<usize, (usize, Vec<T>)>,
    /// Why a row could not be written. A file of which one was not must not be finished.
    failed: Option<String>,
}

impl<T, W> std::fmt::Debug for OrderedWriter<T, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("OrderedWriter").finish_non_exhaustive()
    }
}

impl<T: Copy, W: WriteRow<T>> OrderedWriter<T, W> {
    /// Hands rows on to `writer`.
    pub fn new(writer: W) -> Self {
        Self { state: Mutex::new(State { writer, next: 0, early: BTreeMap::new(), failed: None }) }
    }

    /// Takes row number `index`, counted from 0.
    ///
    /// # Errors
    /// When a row cannot be written, came before, or an earlier one failed.
    pub fn write(&self, index: usize, source: usize, distances: &[T]) -> Result<(), WriteError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { writer, next, early, failed } = &mut *state;
        if let Some(reason) = failed {
            return Err(WriteProblem::FailedBefore { reason: reason.clone() }.at(writer.path()));
        }
        let mut fail = |error: WriteError| {
            *failed = Some(error.problem.to_string());
            error
        };
        if index < *next || early.contains_key(&index) {
            return Err(fail(WriteProblem::NotARow { row: index, rows: *next }.at(writer.path())));
        }
        if index > *next {
            early.insert(index, (source, distances.to_vec()));
            return Ok(());
        }
        writer.write_row(source, distances).map_err(&mut fail)?;
        *next += 1;
        while let Some((source, distances)) = early.remove(next) {
            writer.write_row(source, &distances).map_err(&mut fail)?;
            *next += 1;
        }
        Ok(())
    }

    /// The writer, to be finished.
    ///
    /// # Errors
    /// When a row failed, or one is missing before those that came.
    pub fn into_writer(self) -> Result<W, WriteError> {
        let State { writer, next, early, failed } =
            self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(reason) = failed {
            return Err(WriteProblem::FailedBefore { reason }.at(writer.path()));
        }
        match early.last_key_value() {
            Some((last, _)) => {
                let (found, expected) = (next + early.len(), last + 1);
                Err(WriteProblem::RowsMissing { found, expected }.at(writer.path()))
            }
            None => Ok(writer),
        }
    }
}
