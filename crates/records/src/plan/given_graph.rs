//! `--graph`: a graph that the user brings, from a file, a pipe or standard input.

use crate::plan::{GraphSource, Limits, check_host_memory};
use repro_base::files::{scratch_file, temporary_folder};
use repro_graph::read::{Format, Loaded, ReadError, ReadOptions, ReadProblem, file_blocks, read, read_from};
use repro_graph::{self as graph, ElementType};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What stands for standard input.
const STANDARD_INPUT: &str = "-";

/// A graph that was read once and found usable.
pub struct GivenGraph {
    pub source: GraphSource,
    /// The number of vertices.
    pub n: usize,
    /// Its bytes, where they cannot be read a second time.
    pub saved: Option<SavedGraph>,
}

impl GivenGraph {
    /// Reads the graph at `path`, or from standard input where that is `-`, and checks that `limits` leave room for it. What
    /// can be read only once is kept.
    ///
    /// # Errors
    /// What is wrong with the graph, or with its size.
    pub fn read(path: &Path, limits: &Limits) -> Result<Self, String> {
        let read = if is_read_once(path) {
            read_once(path).map(|(loaded, saved)| (loaded, Some(saved)))
        } else {
            read(path, &ReadOptions::default()).map(|loaded| (loaded, None))
        };
        let (loaded, saved) = read.map_err(|error| error.to_string())?;
        let n = loaded.n();
        // Here, so that nobody waits for a matrix of which there is no room for three.
        check_host_memory(n, 1, ElementType::F32, limits, true)
            .map_err(|failure| format!("{}: {}", path.display(), failure))?;
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let matrix = loaded.graph.into_matrix().map_err(|error| named(&error))?;
        graph::potentials(&matrix, &|_| Ok(())).map_err(|error| named(&error))?;
        let place =
            saved.as_ref().map_or_else(|| std::path::absolute(path), |saved| Ok(saved.name.clone().into()));
        let place = place.map_err(|error| unreadable(path, error).to_string())?;
        let digest = graph::digest(matrix.as_slice()).to_string();
        Ok(Self { source: GraphSource::File { path: place, digest }, n, saved })
    }

    /// Opens the graph at `path` for a sharded matrix: of edges nothing but the list is kept, of a `.npy` file nothing.
    ///
    /// # Errors
    /// What is wrong with the file. What can be read only once is refused: every process reads the graph for itself.
    pub fn open_sharded(path: &Path, element: ElementType) -> Result<Self, String> {
        if is_read_once(path) {
            let problem = "a sharded graph is read more than once, by every process: give the path of a file";
            return Err(format!("{}: {problem}", path.display()));
        }
        let unreadable = |error| unreadable(path, error).to_string();
        let blocks = file_blocks(path, element).map_err(|error| error.to_string())?;
        let digest = graph::file_digest(path).map_err(unreadable)?;
        let place = std::path::absolute(path).map_err(unreadable)?;
        Ok(Self { source: GraphSource::File { path: place, digest }, n: blocks.n(), saved: None })
    }
}

/// Whether `path` means something to this process alone, or has nothing more to give when it was read.
fn is_read_once(path: &Path) -> bool {
    // A shell's `<(...)` is one of these.
    let of_this_process = ["/dev/stdin", "/dev/fd", "/proc"].iter().any(|place| path.starts_with(place));
    let is_stream = || std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir());
    path.as_os_str() == STANDARD_INPUT || of_this_process || is_stream()
}

/// Reads a graph from what can be read only once, and keeps the bytes.
fn read_once(path: &Path) -> Result<(Loaded<f32>, SavedGraph), ReadError> {
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
    /// Without a name of its own, so that it goes with the process, however that ends.
    bytes: Arc<File>,
}

/// Two are the same when one is a copy of the other.
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
    fn read(input: impl Read, name: &Path) -> Result<(Loaded<f32>, Self), ReadError> {
        let mut copy =
            scratch_file(&temporary_folder()).map_err(|error| unreadable(name, no_room(&error)))?;
        let loaded = read_from(name, Copying { input, copy: &mut copy }, &ReadOptions::default())?;
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

    /// Where it lies in a run's folder.
    pub fn place_in(&self, folder: &Path) -> PathBuf {
        folder.join(&self.name)
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
struct Copying<'a, R> {
    input: R,
    copy: &'a mut File,
}

impl<R: Read> Read for Copying<'_, R> {
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
