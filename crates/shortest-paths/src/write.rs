//! Results to files: the writers of the crate `repro-graph`, and what takes rows of a search in any order.

pub use repro_graph::write::*;

use crate::Element;
use repro_graph::Block;
use std::collections::BTreeMap;
use std::io;
use std::marker::PhantomData;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Writes a matrix into a `.npy` file row by row: each once, in any order, from any number of threads. Keeps no row.
#[derive(Debug)]
pub struct NpyRows<T> {
    writer: NpyWriter,
    rows: usize,
    columns: usize,
    /// Numbers so far.
    written: AtomicUsize,
    element: PhantomData<fn(T)>,
}

impl<T: Element> NpyRows<T> {
    /// Makes the file, under its temporary name and with room for all rows.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn begin(path: &Path, rows: usize, columns: usize) -> Result<Self, WriteError> {
        let writer = NpyWriter::begin_rows(path, rows, columns, T::TYPE)?;
        Ok(Self { writer, rows, columns, written: AtomicUsize::new(0), element: PhantomData })
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
        let refused = |problem: WriteProblem| Err(problem.at(self.writer.path()));
        let last = rows.end.saturating_sub(1).max(rows.start);
        if last >= self.rows {
            return refused(WriteProblem::NotARow { row: last, rows: self.rows });
        }
        let (found, expected) = (numbers.len(), self.columns.saturating_mul(rows.len()));
        if found != expected {
            return refused(WriteProblem::Numbers { found, expected });
        }
        let block = Block { rows, columns: 0..self.columns };
        self.writer.write_block(&block, bytemuck::cast_slice(numbers))?;
        self.written.fetch_add(found, Ordering::Relaxed);
        Ok(())
    }

    /// Writes the whole matrix, several rows a thread at a time.
    ///
    /// # Errors
    /// When there are not as many numbers as the file has, or they cannot be written.
    pub fn write_all(&self, numbers: &[T]) -> Result<(), WriteError> {
        let (found, expected) = (numbers.len(), self.columns.saturating_mul(self.rows));
        if found != expected {
            return Err(WriteProblem::Numbers { found, expected }.at(self.writer.path()));
        }
        self.writer.write_whole(bytemuck::cast_slice(numbers))?;
        self.written.fetch_add(found, Ordering::Relaxed);
        Ok(())
    }

    /// Gives the file its name when all of it is on the disk.
    ///
    /// # Errors
    /// When rows are missing, or the system cannot.
    pub fn finish(self) -> Result<(), WriteError> {
        let (found, expected) = (self.written.into_inner() / self.columns.max(1), self.rows);
        if found < expected && self.columns > 0 {
            return Err(WriteProblem::RowsMissing { found, expected }.at(self.writer.path()));
        }
        self.writer.finish()
    }
}

/// Takes rows in any order from many threads. A row that came too early is kept until those before it are there; of
/// [`SearchContext::rows`](crate::SearchContext::rows) those are about as many as there are threads, and more if one search takes much longer.
pub struct OrderedWriter<'a, T> {
    state: Mutex<State<'a, T>>,
}

struct State<'a, T> {
    writer: Box<dyn WriteRow<T> + 'a>,
    next: usize,
    early: BTreeMap<usize, (usize, Vec<T>)>,
    /// Why a row could not be written. A file of which one was not must not be finished.
    failed: Option<io::ErrorKind>,
}

impl<'a, T: Copy> OrderedWriter<'a, T> {
    /// Hands rows on to `writer`.
    pub fn new(writer: impl WriteRow<T> + 'a) -> Self {
        let state = State { writer: Box::new(writer), next: 0, early: BTreeMap::new(), failed: None };
        Self { state: Mutex::new(state) }
    }

    /// Takes row number `index`, counted from 0.
    ///
    /// # Errors
    /// When a row cannot be written, came before, or an earlier one failed.
    pub fn write(&self, index: usize, source: usize, distances: &[T]) -> Result<(), WriteError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.check()?;
        let written = state.take(index, source, distances);
        state.failed = written.as_ref().err().map(|error| match &error.problem {
            WriteProblem::Unwritable(system) => system.kind(),
            _ => io::ErrorKind::InvalidInput,
        });
        written
    }

    /// Finishes the file.
    ///
    /// # Errors
    /// When a row failed, or one is missing before those that came, and what finishing fails by.
    pub fn finish(self) -> Result<(), WriteError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.check()?;
        if let Some((last, _)) = state.early.last_key_value() {
            let (found, expected) = (state.next + state.early.len(), last + 1);
            return Err(WriteProblem::RowsMissing { found, expected }.at(state.writer.path()));
        }
        state.writer.finish()
    }
}

impl<T: Copy> State<'_, T> {
    /// Whether all rows could be written so far. The reason of the one that could not is that of all that follow.
    fn check(&self) -> Result<(), WriteError> {
        let failed = |kind: io::ErrorKind| WriteProblem::Unwritable(kind.into()).at(self.writer.path());
        self.failed.map_or(Ok(()), |kind| Err(failed(kind)))
    }

    fn take(&mut self, index: usize, source: usize, distances: &[T]) -> Result<(), WriteError> {
        if index < self.next || self.early.contains_key(&index) {
            return Err(WriteProblem::NotARow { row: index, rows: self.next }.at(self.writer.path()));
        }
        if index > self.next {
            self.early.insert(index, (source, distances.to_vec()));
            return Ok(());
        }
        self.writer.write_row(source, distances)?;
        self.next += 1;
        while let Some((source, distances)) = self.early.remove(&self.next) {
            self.writer.write_row(source, &distances)?;
            self.next += 1;
        }
        Ok(())
    }
}
