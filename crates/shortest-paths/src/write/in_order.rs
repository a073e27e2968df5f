//! Rows that come in any order, handed on in theirs.

use super::{WriteError, WriteProblem};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A file that takes rows of distances one after the other.
pub trait WriteRow<T>: Send {
    /// Writes the next row, whose source is this vertex.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write_row(&mut self, source: usize, distances: &[T]) -> Result<(), WriteError>;

    /// The file that errors name.
    fn path(&self) -> &Path;
}

/// Takes rows in any order from many threads. A row that came too early is kept until those before it are there; of
/// [`Searches::rows`](crate::Searches::rows) those are about as many as there are threads, and more if one search takes much longer.
pub struct InOrder<T, W> {
    state: Mutex<State<T, W>>,
}

struct State<T, W> {
    writer: W,
    next: usize,
    early: BTreeMap<usize, (usize, Vec<T>)>,
    /// Why a row could not be written. A file of which one was not must not be finished.
    failed: Option<String>,
}

impl<T, W> std::fmt::Debug for InOrder<T, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("InOrder").finish_non_exhaustive()
    }
}

impl<T: Copy, W: WriteRow<T>> InOrder<T, W> {
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
