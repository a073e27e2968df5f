//! A matrix for NumPy to standard output.

use crate::graph::NpyHeader;
use shortest_paths::Element;
use shortest_paths::write::{WriteError, WriteProblem, WriteRow};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::fd::AsFd;
use std::path::Path;

/// Bytes that are written at once: a row may be short.
const PIECE: usize = 1 << 18;

/// Writes rows one after the other. What was written cannot be taken back; one that ends too early is shorter than its header says.
pub(super) struct NpyStream {
    /// Not Rust's own standard output, which looks for line ends.
    to: BufWriter<File>,
    /// Written with the first row, so that a solve that fails before leaves nothing.
    header: Vec<u8>,
}

impl NpyStream {
    /// # Errors
    /// When there is no standard output.
    pub fn begin<T: Element>(rows: usize, columns: usize) -> Result<Self, WriteError> {
        let to = io::stdout().as_fd().try_clone_to_owned().map_err(unwritable)?;
        let header = NpyHeader::new(T::TYPE, &[rows, columns]).bytes();
        Ok(Self { to: BufWriter::with_capacity(PIECE, to.into()), header })
    }
}

impl<T: Element> WriteRow<T> for NpyStream {
    fn write_row(&mut self, _: usize, distances: &[T]) -> Result<(), WriteError> {
        let header = std::mem::take(&mut self.header);
        let written = self.to.write_all(&header);
        written.and_then(|()| self.to.write_all(bytemuck::cast_slice(distances))).map_err(unwritable)
    }

    fn path(&self) -> &Path {
        Path::new("standard output")
    }

    fn finish(mut self: Box<Self>) -> Result<(), WriteError> {
        self.to.flush().map_err(unwritable)
    }
}

fn unwritable(error: io::Error) -> WriteError {
    WriteProblem::Unwritable(error).at(Path::new("standard output"))
}
