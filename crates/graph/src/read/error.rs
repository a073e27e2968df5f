//! Why a file is no graph.

use crate::{ElementType, GraphError, MatrixError, NegativeCycle, SearchError};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file is not a graph: the file, the line where there is one, and what is wrong there.
#[derive(Debug, Error)]
#[error("{}{}: {problem}", path.display(), line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct ReadError {
    /// The file as it was named.
    pub path: PathBuf,
    /// The line that was read last, counted from 1; `None` where the file has no lines, or the problem is with the file as a whole.
    pub line: Option<usize>,
    /// What is wrong.
    pub problem: Box<ReadProblem>,
}

/// What is wrong with a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadProblem {
    /// The system cannot read it.
    #[error("cannot be read: {0}")]
    Unreadable(#[source] io::Error),
    /// It is a directory, not a file.
    #[error("is a directory: name a graph file in it")]
    Directory,
    /// Nothing is in it.
    #[error("is empty: expected a graph as DIMACS .gr, Matrix Market .mtx, an edge list, .npy or .npz")]
    Empty,
    /// It cannot be unpacked.
    #[error("is gzip-compressed and cannot be unpacked: {0}; check it with gunzip -t")]
    Gzip(#[source] io::Error),
    /// Its unpacked content is packed again.
    #[error("is gzip-compressed twice: unpack it first with gunzip")]
    GzipTwice,
    /// It looks like none of the formats.
    #[error(
        "is in no known format: expected DIMACS (`p sp N M`, .gr), Matrix Market (`%%MatrixMarket`, .mtx), an edge list (`U V W`), .npy or .npz"
    )]
    UnknownFormat,
    /// A line is longer than any of a graph.
    #[error("a line of more than {limit} bytes: this is not a graph in text form")]
    LineTooLong { limit: u64 },
    /// The text ends before its header does.
    #[error("the file ends without {expected}")]
    MissingHeader { expected: &'static str },
    /// The text breaks its format.
    #[error("expected {expected}, found {found}")]
    Unexpected { expected: &'static str, found: String },
    /// A matrix that is not square, so no graph.
    #[error("the matrix is {rows} x {columns}, but a graph needs as many rows as columns")]
    NotSquare { rows: usize, columns: usize },
    /// A vertex that is not among those of the header. Both count from 1.
    #[error("vertex {vertex} is not in 1..={n}, the vertices of the header")]
    OutOfRange { vertex: usize, n: usize },
    /// A number in text is no weight.
    #[error("{found} is no weight: use a number that {element} can hold, or inf for no edge")]
    NotAWeight { found: String, element: ElementType },
    /// A number in text is no weight of this integer type.
    #[error(
        "{found} is no weight in {element}, of which this project uses integers up to {most}: choose another element type or scale the weights"
    )]
    NotOfType { found: String, element: ElementType, most: f64 },
    /// An integer in text that this type of numbers would round.
    #[error(
        "{found} is an integer that {element} cannot hold, the nearest is {nearest}: scale the weights down, or write it with a decimal point to have it rounded"
    )]
    InexactInteger { found: String, nearest: String, element: ElementType },
    /// The text has fewer entries than its header says.
    #[error("the file ends after {found} of {promised} entries that its header promises: is it truncated?")]
    TooFew { promised: usize, found: usize },
    /// The text has more entries than its header says.
    #[error("more entries than the {promised} that the header promises: correct the header")]
    TooMany { promised: usize },
    /// The header has far more vertices than the entries can be about.
    #[error(
        "the header declares {n} vertices, but the file has only {entries} edges: correct the header, or renumber vertices from 1"
    )]
    Deserted { n: usize, entries: usize },
    /// A vertex of an edge list has no number, though numbers were asked for.
    #[error("`{found}` is no number of a vertex from {first} on: mend it, or have vertices named")]
    NotANumber { found: String, first: u32 },
    /// An arc from a vertex to itself is negative.
    #[error(
        "vertex {name} has an arc of weight {} to itself, a negative cycle: shortest paths do not exist, raise or remove it",
        cycle.weight
    )]
    NegativeLoop { name: String, cycle: NegativeCycle },
    /// The arcs are no graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// An array is not as NumPy stores it.
    #[error("{}: {problem}", shortened(array))]
    Array { array: String, problem: String },
    /// An array has the wrong shape.
    #[error("{} has shape {}, but {expected} was expected", shortened(array), shape_of(shape))]
    Shape { array: String, shape: Vec<usize>, expected: String },
    /// Numbers of a type that cannot be weights.
    #[error(
        "{} has numbers of type '{}': expected integers, float32, float64 or bool",
        shortened(array),
        shortened(descr)
    )]
    NumberType { array: String, descr: String },
    /// A number of an array, with its indices counted from 0, is not of the type asked for.
    #[error("{} holds {value} at {place:?}, which {wanted}", shortened(array))]
    Entry { array: String, place: Vec<usize>, value: String, wanted: String },
    /// An array ends early.
    #[error("{} ends after {found} of {promised} numbers: is it truncated?", shortened(array))]
    Short { array: String, found: usize, promised: u128 },
    /// An array goes on after its last number.
    #[error(
        "{} goes on after the {promised} numbers that its header promises: correct the header",
        shortened(array)
    )]
    Long { array: String, promised: u128 },
    /// A zip archive that cannot be used.
    #[error("is no archive of NumPy or SciPy: {0}; save it again with numpy.savez or scipy.sparse.save_npz")]
    Archive(#[source] io::Error),
    /// A file that should be in the archive is not.
    #[error("has no {wanted} in it, but {}: save it again with scipy.sparse.save_npz", listed(found))]
    Missing { wanted: String, found: Vec<String> },
    /// An archive that is no sparse matrix and has no array, or several.
    #[error("has {} in it: save one array alone, or use scipy.sparse.save_npz", listed(found))]
    NotOneArray { found: Vec<String> },
    /// A sparse matrix that is not CSR.
    #[error("is a sparse matrix in the format '{found}': save its tocsr()")]
    NotCsr { found: String },
    /// A matrix cannot be a graph.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// There is no room.
    #[error(transparent)]
    NoRoom(#[from] SearchError),
}

/// Letters of a name in a file that a message shows.
const SHOWN: usize = 80;

/// A name from a file as a message shows it: a file may give names of thousands of letters, and of others than letters.
fn shortened(name: &str) -> String {
    let letters = name.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c });
    let more = if name.chars().count() > SHOWN { "..." } else { "" };
    letters.take(SHOWN).chain(more.chars()).collect()
}

/// The first names of members of an archive.
fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(8).map(|name| shortened(name)).collect();
    if shown.is_empty() { "nothing".to_string() } else { shown.join(", ") }
}

/// The shape of an array, or the number of its dimensions if they are many.
fn shape_of(shape: &[usize]) -> String {
    if shape.len() <= 8 { format!("{shape:?}") } else { format!("of {} dimensions", shape.len()) }
}

impl ReadProblem {
    /// Adds the file and the line.
    pub fn at(self, path: &Path, line: Option<usize>) -> ReadError {
        ReadError { path: path.to_owned(), line, problem: Box::new(self) }
    }

    /// Turns a problem into one of the array of this name, unless the system cannot read it.
    pub(crate) fn in_array(self, array: &str) -> Self {
        match self {
            Self::Unreadable(error) => Self::Unreadable(error),
            other => Self::Array { array: array.to_string(), problem: other.to_string() },
        }
    }

    /// Exchanges row and column, for a matrix whose columns were read as rows.
    pub(super) fn transposed(self) -> Self {
        match self {
            Self::Matrix(MatrixError::NotAWeight { row, column, value }) => {
                MatrixError::NotAWeight { row: column, column: row, value }.into()
            }
            Self::Matrix(MatrixError::NotOfType { row, column, value, element }) => {
                MatrixError::NotOfType { row: column, column: row, value, element }.into()
            }
            other => other,
        }
    }

    /// Turns a failed read into the fault of the format that the data are packed in.
    pub(super) fn packed(self, fault: impl Fn(io::Error) -> Self) -> Self {
        match self {
            Self::Unreadable(error) => fault(error),
            other => other,
        }
    }
}
