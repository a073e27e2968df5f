//! Graphs that can be read only once: from standard input and from pipes. Their bytes are kept as they come.

use super::{Format, GraphInput, ReadError, ReadOptions, ReadProblem, read_from};
use repro_base::files::{scratch_file, temporary_folder};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;

/// The path that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// Whether `path` can be read by this process alone, or only once.
pub fn is_read_once(path: &Path) -> bool {
    // A shell's `<(...)` is one of these.
    let of_this_process = ["/dev/stdin", "/dev/fd", "/proc"].iter().any(|place| path.starts_with(place));
    let is_stream = || std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir());
    path.as_os_str() == STANDARD_INPUT || of_this_process || is_stream()
}

/// Reads a graph from what can be read only once, and keeps the bytes.
///
/// # Errors
/// When it is no graph, or there is no room for a copy.
pub fn read_once(path: &Path) -> Result<(GraphInput<f32>, SavedGraph), ReadError> {
    if path.as_os_str() == STANDARD_INPUT {
        return SavedGraph::read(io::stdin(), Path::new("standard input"));
    }
    SavedGraph::read(File::open(path).map_err(|error| unreadable(path, error))?, path)
}

fn unreadable(path: &Path, error: io::Error) -> ReadError {
    ReadProblem::Unreadable(error).at(path, None)
}

/// The bytes of a graph that could be read only once, until they lie in the folder of a run.
#[derive(Clone, Debug)]
pub struct SavedGraph {
    name: String,
    /// A file without a name, so that it is gone when the process ends, in whatever way.
    bytes: Arc<File>,
}

/// Two are equal when they share one file: one is a clone of the other.
impl PartialEq for SavedGraph {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.bytes, &other.bytes)
    }
}

impl SavedGraph {
    /// Reads a graph from `input`, which `name` stands for in errors, and keeps the bytes as they come.
    ///
    /// # Errors
    /// When it is no graph, or there is no room for a copy.
    fn read(input: impl Read, name: &Path) -> Result<(GraphInput<f32>, Self), ReadError> {
        let mut copy = scratch_file(temporary_folder()).map_err(|error| unreadable(name, no_room(&error)))?;
        let loaded = read_from(name, TeeReader { input, copy: &mut copy }, &ReadOptions::default())?;
        let extension = match loaded.format {
            Format::Dimacs => "gr",
            Format::MatrixMarket => "mtx",
            Format::EdgeList => "txt",
            Format::Npy => "npy",
            Format::Npz => "npz",
        };
        let packed = if loaded.gzip { ".gz" } else { "" };
        let saved = Self { name: format!("graph.{extension}{packed}"), bytes: Arc::new(copy) };
        Ok((loaded, saved))
    }

    /// What it is called in a run's folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Writes its bytes.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write_to(&self, output: &mut impl Write) -> io::Result<()> {
        let mut bytes = &*self.bytes;
        bytes.rewind()?;
        io::copy(&mut bytes, output).map(drop)
    }
}

/// Writes what is read of `input` into `copy`.
struct TeeReader<'a, R> {
    input: R,
    copy: &'a mut File,
}

impl<R: Read> Read for TeeReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(buffer)?;
        self.copy.write_all(&buffer[..length]).map_err(|error| no_room(&error))?;
        Ok(length)
    }
}

fn no_room(error: &io::Error) -> io::Error {
    let folder = temporary_folder();
    let message =
        format!("its copy in {} cannot be written ({error}): set TMPDIR to another folder", folder.display());
    io::Error::new(error.kind(), message)
}
