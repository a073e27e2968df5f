//! Results to files: the writers of the crate `repro-graph`, and one that takes rows in any order.

pub use repro_graph::write::*;

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};

/// Takes rows in any order from many threads. A row that comes too early waits for those before it. With
/// [`SearchContext::rows`](crate::SearchContext::rows) about as many wait as there are threads, and more if one search takes much longer.
pub struct OrderedWriter<'a, T> {
    state: Mutex<State<'a, T>>,
}

struct State<'a, T> {
    writer: Box<dyn WriteRow<T> + 'a>,
    next: usize,
    early: BTreeMap<usize, (usize, Vec<T>)>,
    /// Why a row could not be written; the file must not be finished then.
    failed: Option<io::Error>,
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
            WriteProblem::Unwritable(system) => again(system),
            _ => io::ErrorKind::InvalidInput.into(),
        });
        written
    }

    /// Finishes the file.
    ///
    /// # Errors
    /// When a row could not be written, one is missing before a later one, or the file cannot be finished.
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
    /// Fails if a row could not be written: its error is that of all calls that follow.
    fn check(&self) -> Result<(), WriteError> {
        let failed = |error| WriteProblem::Unwritable(again(error)).at(self.writer.path());
        self.failed.as_ref().map_or(Ok(()), |error| Err(failed(error)))
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

/// The same error, in the system's words where it is the system's.
fn again(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}
