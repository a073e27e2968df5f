//! Why a file is no graph.

use super::Packing;
use crate::{GraphError, NegativeCycle, SolveError};
use repro_graph::{ElementType, MatrixError, NpyProblem, Problem};
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file is not a graph: the file, the line where there is one, and what is wrong there.
#[derive(Debug, Error)]
#[error("{}{}: {problem}", path.display(), line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct ReadError {
    /// The file as it was named.
    pub path: PathBuf,
    /// The line that was read last, counted from 1; `None` where the file has no lines or is the problem as a whole.
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
    /// It is no file.
    #[error("is a directory: name a graph file in it")]
    Directory,
    /// Nothing is in it.
    #[error("is empty: expected a graph as DIMACS .gr, Matrix Market .mtx, an edge list, .npy or .npz")]
    Empty,
    /// It cannot be unpacked.
    #[error("is packed with {packing} and cannot be unpacked: {error}; check it with {} -t", packing.tool())]
    Packed {
        /// How it is packed.
        packing: Packing,
        /// What came up.
        error: io::Error,
    },
    /// What was unpacked is packed.
    #[error("is packed twice: unpack it first with {}", packing.tool())]
    PackedTwice {
        /// How it is packed inside.
        packing: Packing,
    },
    /// It looks like none of the formats.
    #[error(
        "is in no known format: expected DIMACS (`p sp N M`, .gr), Matrix Market (`%%MatrixMarket`, .mtx), an edge list (`U V W`), .npy or .npz"
    )]
    UnknownFormat,
    /// The text breaks its format.
    #[error(transparent)]
    Text(Problem),
    /// A vertex of an edge list that is asked to have numbers has none.
    #[error("`{found}` is no number of a vertex from {first} on: mend it, or have vertices named")]
    NotANumber {
        /// What stands there.
        found: String,
        /// The first number.
        first: u32,
    },
    /// An arc from a vertex to itself is negative.
    #[error(
        "vertex {name} has an arc of weight {} to itself, a negative cycle: shortest paths do not exist, raise or remove it",
        cycle.weight
    )]
    NegativeLoop {
        /// What the file calls the vertex.
        name: String,
        /// Likewise, as the graph counts it.
        cycle: NegativeCycle,
    },
    /// The arcs are no graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// An array is not as NumPy stores it.
    #[error("{}: {problem}", shortened(array))]
    Array {
        /// Which array.
        array: String,
        /// What is wrong with it.
        problem: NpyProblem,
    },
    /// An array has the wrong shape.
    #[error("{} has shape {}, but {expected} was expected", shortened(array), shape_of(shape))]
    Shape {
        /// Which array.
        array: String,
        /// Its shape.
        shape: Vec<usize>,
        /// The shape it should have.
        expected: String,
    },
    /// Numbers of a type that cannot be weights.
    #[error(
        "{} has numbers of type '{}': expected integers, float32, float64 or bool",
        shortened(array),
        shortened(descr)
    )]
    NumberType {
        /// Which array.
        array: String,
        /// The type as NumPy writes it.
        descr: String,
    },
    /// A number of an array is not of the type asked for.
    #[error(
        "{} holds {value} at {place}, which {wanted} does not hold: choose another element type or mend it",
        shortened(array)
    )]
    Entry {
        /// Which array.
        array: String,
        /// Where, counted from 0.
        place: ArrayPosition,
        /// The number.
        value: String,
        /// What it should be.
        wanted: Wanted,
    },
    /// An array ends early.
    #[error("{} ends after {found} of {promised} numbers: is it truncated?", shortened(array))]
    Short {
        /// Which array.
        array: String,
        /// Numbers read.
        found: usize,
        /// Numbers that its header promises.
        promised: u128,
    },
    /// An array goes on after its last number.
    #[error(
        "{} goes on after the {promised} numbers that its header promises: correct the header",
        shortened(array)
    )]
    Long {
        /// Which array.
        array: String,
        /// Numbers that its header promises.
        promised: u128,
    },
    /// A zip archive that cannot be used.
    #[error("is no archive of NumPy or SciPy: {0}; save it again with numpy.savez or scipy.sparse.save_npz")]
    Archive(#[source] io::Error),
    /// A file that should be in the archive is not.
    #[error(
        "has no {wanted} in it, but {}: save one array, or name it arr_0, or use scipy.sparse.save_npz",
        found.iter().map(|name| shortened(name)).collect::<Vec<_>>().join(", ")
    )]
    Missing {
        /// What was looked for.
        wanted: String,
        /// The first few names.
        found: Vec<String>,
    },
    /// A sparse matrix that is not CSR.
    #[error("is a sparse matrix in the format '{found}': save its tocsr()")]
    NotCsr {
        /// The format.
        found: String,
    },
    /// A matrix cannot be a graph.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// There is no room.
    #[error(transparent)]
    NoRoom(#[from] SolveError),
}

/// Letters of a name in a file that a message shows.
const SHOWN: usize = 80;

/// A name from a file as a message shows it: a file may give names of thousands of letters.
fn shortened(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(SHOWN) {
        None => name.into(),
        Some((end, _)) => format!("{}...", &name[..end]).into(),
    }
}

/// The shape of an array, or the number of its dimensions if they are many.
fn shape_of(shape: &[usize]) -> String {
    if shape.len() <= 8 { format!("{shape:?}") } else { format!("of {} dimensions", shape.len()) }
}

/// Where a number of an array stands, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayPosition {
    /// In an array of one direction.
    Index(usize),
    /// In a matrix.
    Entry {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
}

impl std::fmt::Display for ArrayPosition {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Index(index) => write!(f, "index {index}"),
            Self::Entry { row, column } => write!(f, "({row}, {column})"),
        }
    }
}

/// What a number of an array should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A weight of this type.
    Weight(ElementType),
    /// A number of a vertex or of arcs.
    Count,
}

impl std::fmt::Display for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Weight(element) => element.fmt(f),
            Self::Count => f.write_str("a list of vertices or of beginnings of rows"),
        }
    }
}

impl From<Problem> for ReadProblem {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Unreadable(error) => Self::Unreadable(error),
            Problem::Matrix(error) => Self::Matrix(error),
            other => Self::Text(other),
        }
    }
}

impl ReadProblem {
    /// Where it is.
    pub(super) fn at(self, path: &Path, line: Option<usize>) -> ReadError {
        ReadError { path: path.to_owned(), line, problem: Box::new(self) }
    }

    /// What cannot be read of an unpacked stream is the fault of the packed one.
    pub(super) fn in_packed(self, packing: Packing) -> Self {
        match self {
            Self::Unreadable(error) | Self::Array { problem: NpyProblem::Unreadable(error), .. }
                if packing != Packing::Plain =>
            {
                Self::Packed { packing, error }
            }
            other => other,
        }
    }
}
