//! Writes rows of results to files, as they come or all at once.
//! Also computes digests of rows, and counts pairs without a path.

use super::sidecar::Description;
use super::work::SolveRequest;
use crate::graph::{ElementType, NpyHeader};
use repro_base::terminal::Error;
use shortest_paths::write::{
    CsvRows, NpyWriter, OrderedWriter, OutputFormat, WriteError, WriteProblem, WriteRow,
};
use shortest_paths::{Control, Element, Row, Solution};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The files of a result, still under temporary names.
pub(super) struct ResultFiles<'a, T: Element> {
    distances: DistanceFile<'a, T>,
    paths: Option<NpyWriter>,
    request: &'a SolveRequest<'a>,
}

enum DistanceFile<'a, T: Element> {
    /// A .npy file, whose rows may be written in any order.
    Matrix(NpyWriter),
    /// Text, or standard output: rows are written in their order.
    Ordered(OrderedWriter<'a, T>),
}

/// The files whose sizes are known, with their sizes in bytes.
pub(super) fn sizes<'a>(request: &'a SolveRequest) -> Vec<(&'a Path, u128)> {
    let (files, graph) = (request.files, &request.graph);
    let distances = files.out.as_deref().filter(|_| files.format == OutputFormat::Npy);
    let distances = distances.map(|out| (out, request.bytes(request.columns(), graph.element.bytes())));
    let paths = files.paths.as_deref().map(|file| (file, request.bytes(graph.n, size_of::<i32>())));
    distances.into_iter().chain(paths).collect()
}

impl<'a, T: Element> ResultFiles<'a, T> {
    /// Makes the files, under their temporary names.
    ///
    /// # Errors
    /// When one cannot be made.
    pub fn begin(request: &'a SolveRequest) -> Result<Self, WriteError> {
        let (n, rows, columns) = (request.graph.n, request.rows(), request.columns());
        let distances = match (&request.files.out, request.files.format) {
            (None, _) => DistanceFile::Ordered(OrderedWriter::new(NpyStream::begin::<T>(rows, columns)?)),
            (Some(out), OutputFormat::Npy) => {
                DistanceFile::Matrix(NpyWriter::begin(out, rows, columns, T::TYPE)?)
            }
            (Some(out), OutputFormat::Csv) => {
                let rows = CsvRows::begin(out, n, request.targets.as_deref(), &request.names)?;
                DistanceFile::Ordered(OrderedWriter::new(rows))
            }
        };
        let paths = request.files.paths.as_ref();
        let paths = paths.map(|file| NpyWriter::begin(file, rows, n, ElementType::I32)).transpose()?;
        Ok(Self { distances, paths, request })
    }

    /// Asks the system for disk space, before there is anything to store.
    pub fn reserve(&self) {
        if let DistanceFile::Matrix(file) = &self.distances {
            file.reserve();
        }
        self.paths.iter().for_each(NpyWriter::reserve);
    }

    /// Stores a row, from any thread.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn row(&self, row: &Row<T>) -> Result<(), WriteError> {
        match &self.distances {
            DistanceFile::Matrix(file) => file.write_row(row.index, row.distances)?,
            DistanceFile::Ordered(rows) => rows.write(row.index, row.source, row.distances)?,
        }
        self.paths.iter().zip(row.predecessors).try_for_each(|(file, tree)| file.write_row(row.index, tree))
    }

    /// Stores a whole result.
    ///
    /// # Errors
    /// When it cannot be written, or the solve is cancelled.
    pub fn whole(&self, solution: &Solution<T>, control: &Control) -> Result<(), Error> {
        match &self.distances {
            DistanceFile::Matrix(file) => file.write_whole(&solution.distances)?,
            DistanceFile::Ordered(rows) => {
                for (index, row) in solution.distances.chunks(self.request.columns().max(1)).enumerate() {
                    control.check()?;
                    rows.write(index, self.request.source(index), row)?;
                }
            }
        }
        control.check()?;
        let paths = solution.predecessors.iter().chain(&solution.next);
        self.paths.iter().zip(paths).try_for_each(|(file, paths)| Ok(file.write_whole(paths)?))
    }

    /// Gives the files their names, the distances last: where they are, everything is.
    ///
    /// # Errors
    /// When the system cannot. What was finished before is taken away again.
    pub fn finish(self, description: &Description) -> Result<(), Error> {
        let (files, mut beside) = (self.request.files, Vec::new());
        let finish = || -> Result<(), Error> {
            if let Some((file, path)) = self.paths.zip(files.paths.clone()) {
                file.finish_rows()?;
                beside.push(path);
            }
            if let Some(out) = &files.out {
                beside.extend(description.store(out)?);
            }
            match self.distances {
                DistanceFile::Matrix(file) => Ok(file.finish_rows()?),
                DistanceFile::Ordered(rows) => Ok(rows.finish()?),
            }
        };
        let finished = finish();
        if finished.is_err() {
            beside.iter().for_each(|file| drop(std::fs::remove_file(file)));
        }
        finished
    }
}

/// Bytes that are written at once: a row may be short.
const PIECE: usize = 1 << 18;

/// Writes rows to standard output. What was written cannot be taken back: a matrix that ends too early is shorter than its header says.
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

/// A hash of each row, and one of all: equal for equal distances of one type, whatever order and format they are stored in.
pub(super) struct Digests(Mutex<(Vec<[u8; 32]>, usize)>);

/// The digest of all rows, and how many pairs have no path.
pub(super) struct Digest {
    /// The first 128 bits of the BLAKE3 hash of the rows' BLAKE3 hashes, in hexadecimal digits.
    pub digest: String,
    /// Counts pairs of a source and a target.
    pub without_path: usize,
}

impl Digests {
    pub fn new(rows: usize) -> Self {
        Self(Mutex::new((vec![[0; 32]; rows], 0)))
    }

    pub fn add<T: Element>(&self, row: usize, distances: &[T]) {
        let digest = blake3::hash(bytemuck::cast_slice(distances));
        let without = distances.iter().filter(|distance| distance.is_absent()).count();
        let (rows, without_path) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rows[row] = *digest.as_bytes();
        *without_path += without;
    }

    pub fn whole(self) -> Digest {
        let (rows, without_path) = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        Digest { digest: blake3::hash(rows.as_flattened()).to_hex()[..32].to_string(), without_path }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_may_come_in_any_order_and_pairs_without_path_are_counted() {
        let (one, other) = (Digests::new(2), Digests::new(2));
        let far = (1 << 30) - 1;
        let rows = [[0, far, 3], [far, 0, far]];
        (0..2).for_each(|row| one.add::<i32>(row, &rows[row]));
        (0..2).rev().for_each(|row| other.add::<i32>(row, &rows[row]));
        let (one, other) = (one.whole(), other.whole());
        assert_eq!((one.digest, one.without_path), (other.digest, 3));
        assert_eq!(other.without_path, 3);
    }
}
