//! A matrix for NumPy to standard output.

use crate::graph::NpyHeader;
use shortest_paths::Element;
use shortest_paths::write::{WriteError, WriteProblem, WriteRow};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::marker::PhantomData;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What errors call it.
const NAME: &str = "standard output";

/// Bytes that are written at once: a row may be short.
const PIECE: usize = 1 << 18;

/// Writes rows one after the other. What was written cannot be taken back; one that ends too early is shorter than its header says.
pub(super) struct NpyStream<T> {
    /// Not Rust's own standard output, which looks for line ends.
    to: BufWriter<File>,
    /// Written with the first row, so that a solve that fails before leaves nothing.
    header: Option<Vec<u8>>,
    reader_left: Arc<AtomicBool>,
    numbers: PhantomData<fn(T)>,
}

impl<T: Element> NpyStream<T> {
    /// # Errors
    /// When there is no standard output.
    pub fn begin(rows: usize, columns: usize) -> Result<Self, WriteError> {
        let to = io::stdout().as_fd().try_clone_to_owned().map_err(unwritable)?;
        Ok(Self {
            to: BufWriter::with_capacity(PIECE, to.into()),
            header: Some(NpyHeader::new(T::TYPE, &[rows, columns]).bytes()),
            reader_left: Arc::default(),
            numbers: PhantomData,
        })
    }

    /// Whether nobody reads any more, which is no failure: several threads may be refused for it, each in its own words.
    pub fn reader_left(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.reader_left)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let header = self.header.take().unwrap_or_default();
        let written = self.to.write_all(&header).and_then(|()| self.to.write_all(bytes));
        self.noted(written)
    }

    fn noted(&self, written: io::Result<()>) -> Result<(), WriteError> {
        written.map_err(|error| {
            if error.kind() == io::ErrorKind::BrokenPipe {
                self.reader_left.store(true, Ordering::Relaxed);
            }
            unwritable(error)
        })
    }

    /// # Errors
    /// When the last bytes cannot be written.
    pub fn finish(mut self) -> Result<(), WriteError> {
        self.write(&[])?;
        let flushed = self.to.flush();
        self.noted(flushed)
    }
}

impl<T: Element> WriteRow<T> for NpyStream<T> {
    fn write_row(&mut self, _: usize, distances: &[T]) -> Result<(), WriteError> {
        self.write(bytemuck::cast_slice(distances))
    }

    fn path(&self) -> &Path {
        Path::new(NAME)
    }
}

pub(super) fn unwritable(error: io::Error) -> WriteError {
    WriteError { path: NAME.into(), problem: WriteProblem::Unwritable(error) }
}
