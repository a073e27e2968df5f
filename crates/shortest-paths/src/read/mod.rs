//! Graphs from files.
//!
//! | Format | Recognised by | Vertices | Result |
//! |---|---|---|---|
//! | [`Format::Dimacs`] | a line `c` or `p`, or `.gr` | from 1 | arcs |
//! | [`Format::MatrixMarket`] | `%%MatrixMarket` | from 1 | arcs of `coordinate` files, a matrix of `array` files |
//! | [`Format::EdgeList`] | comments with `#` or `%`, or words with separators between | from 0, from 1, or names | arcs |
//! | [`Format::Npy`] | NumPy's magic bytes | from 0 | a matrix |
//! | [`Format::Npz`] | the magic bytes of zip | from 0 | arcs of SciPy's CSR, a matrix of an array |
//!
//! Each may be packed with gzip or Zstandard. Of several arcs between two vertices the least weight stays, and arcs from a vertex to itself
//! are dropped unless they are negative; both are counted ([`Loaded::dropped`]). SciPy adds such duplicates up in some of its functions; here
//! the least wins. A stored or written 0 is an arc of weight 0, if [`ReadOptions::zeros`] does not say otherwise of matrices. No arc is
//! written `inf`; in NumPy's `int32` it is 2^30 - 1, in `uint16` 32767, which are counted, and in `bool` `False`, where `True` is an arc of
//! weight 1.

mod arrays;
mod chosen;
mod csr;
mod dense;
mod edge_list;
mod error;
mod format;
mod names;
mod npy_file;
mod npz;
mod packing;
mod text;

use crate::{Arcs, Dropped, Graph, Weight, WeightMatrix};
use std::path::Path;

pub use chosen::{Reason, Typed, fitting, read_typed};
pub use error::{ArrayPosition, ReadError, ReadProblem, Wanted};
pub use format::Format;
pub use names::{Names, Numbering};
pub use packing::Packing;

/// What a 0 off the diagonal of a dense matrix means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zeros {
    /// An arc of weight 0.
    #[default]
    Arcs,
    /// No arc, as in dense graphs of `scipy.sparse.csgraph`.
    Absent,
}

/// How a file is to be read. The default finds everything out from the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format; recognised by how the file begins, and else by its extension, if left out.
    pub format: Option<Format>,
    /// Whether every arc stands for two, there and back.
    pub undirected: bool,
    /// How an edge list names its vertices; found out from the names if left out.
    pub numbering: Option<Numbering>,
    /// What a 0 in a `.npy` file, in a matrix of a `.npz` file or in an `array` of Matrix Market means.
    pub zeros: Zeros,
}

/// A graph as its file holds it.
#[derive(Clone, Debug, PartialEq)]
pub enum Stored<T> {
    /// Listed arcs.
    Arcs(Arcs<T>),
    /// A matrix of all weights.
    Matrix(WeightMatrix<T>),
}

/// A graph that was read, and what is to be known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded<T> {
    /// The graph. Its vertices are counted from 0.
    pub graph: Stored<T>,
    /// What the file calls its vertices.
    pub names: Names,
    /// Arcs of the file that the graph does without.
    pub dropped: Dropped,
    /// The format of the file.
    pub format: Format,
    /// How it was packed.
    pub packing: Packing,
    /// Of an edge list, how it was understood.
    pub edge_list: Option<EdgeListForm>,
}

/// What was found out of an edge list from its lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeListForm {
    /// What stands between fields: commas, semicolons, tabs, or blanks where blanks and tabs do.
    pub separator: &'static str,
    /// The line that names the columns.
    pub heading: Option<String>,
    /// Whether arcs have weights. If not, each weighs 1.
    pub weighted: bool,
    /// Lines that begin with `#` or `%`.
    pub comments: usize,
    /// Vertices that no line mentions, whose numbers lie between those of others.
    pub unmentioned: usize,
}

impl<T: Weight> Loaded<T> {
    /// The number of vertices.
    pub fn n(&self) -> usize {
        match &self.graph {
            Stored::Arcs(arcs) => arcs.n(),
            Stored::Matrix(matrix) => matrix.n(),
        }
    }
}

/// Reads the graph in the file at `path` with weights of type `T`. Fractions are rounded to the nearest `f32` or `f64`; an integer must be
/// one that the type holds.
///
/// ```
/// use shortest_paths::read::{Names, ReadOptions, Stored, read};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("roads.txt");
/// std::fs::write(&path, "# from to km\nBonn Ulm 420\nUlm Kiel 860\n")?;
/// let loaded = read::<i32>(&path, &ReadOptions::default())?;
/// let Stored::Arcs(graph) = &loaded.graph else { panic!("an edge list is no matrix") };
/// assert_eq!((graph.n(), graph.m()), (3, 2));
/// assert_eq!(loaded.names.name(2), "Kiel");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The file, the line of a text file, and what is wrong there. Memory is taken for what was read, and not for what a header promises.
pub fn read<T: Weight>(path: &Path, options: &ReadOptions) -> Result<Loaded<T>, ReadError> {
    let mut line = None;
    read_at(path, options, &mut line).map_err(|problem| problem.at(path, line))
}

/// [`read`]; `line` is where it stopped.
fn read_at<T: Weight>(
    path: &Path,
    options: &ReadOptions,
    line: &mut Option<usize>,
) -> Result<Loaded<T>, ReadProblem> {
    let input = packing::open(path)?;
    let packing = input.packing;
    let format = match options.format {
        Some(format) => format,
        None => format::recognise(&input.start, path)?,
    };
    let mut edge_list = None;
    let graph = match format {
        Format::Dimacs | Format::MatrixMarket => text::read(input.stream, format, options, line),
        Format::EdgeList => edge_list::read(input.stream, options, line, &mut edge_list),
        Format::Npy => dense::read_file(path, input, options),
        Format::Npz => npz::read(path, input, options),
    };
    let (graph, names, mut dropped) = graph.map_err(|problem| problem.in_packed(packing))?;
    if let Stored::Matrix(matrix) = &graph {
        dropped.absent = (matrix.n() * (matrix.n() - 1) - Graph::m(matrix)) as u64;
    }
    Ok(Loaded { graph, names, dropped, format, packing, edge_list })
}

/// What each reader returns.
type Read<T> = Result<(Stored<T>, Names, Dropped), ReadProblem>;
