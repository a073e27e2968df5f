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
//! Each may be packed with gzip. Of several arcs between two vertices the least weight stays, and arcs from a vertex to itself are dropped
//! unless they are negative; both are counted ([`GraphInput::dropped`]). SciPy adds such duplicates up in some of its functions; here the
//! least wins. A stored or written 0 is an arc of weight 0, unless [`ReadOptions::zeros`] says otherwise for matrices. An absent arc is
//! written as `inf`, in NumPy's `int32` as 2^30 - 1, in `uint16` as 32767, in `bool` as `False`; `True` is an arc of weight 1.

mod arrays;
mod dimacs;
mod edge_list;
mod error;
mod format;
mod matrix_market;
mod npz;
mod tee;
mod text;

use crate::blocks::by_element;
use crate::npy::{Array, NpyFile, npy_blocks};
use crate::{Arcs, Blocks, DistanceMatrix, DroppedArcs, Element, ElementType, Graph, MatrixError};
use serde::Serialize;
use std::fs::File;
use std::path::Path;
use strum::{EnumString, VariantNames};
use text::LineReader;

pub use error::{ReadError, ReadProblem};
pub use format::Format;
pub use format::{Names, Numbering};
pub use tee::{SavedGraph, is_read_once, read_once};
pub use text::parse_weight;

/// What a 0 off the diagonal of a dense matrix means; as an option it is written `arcs` or `absent`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum ZeroPolicy {
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
    pub zeros: ZeroPolicy,
}

/// A graph as its file holds it.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredGraph<T> {
    /// Listed arcs.
    Arcs(Arcs<T>),
    /// A matrix of all weights.
    Matrix(DistanceMatrix<T>),
}

/// A graph that was read, and what is to be known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphInput<T> {
    /// The graph. Its vertices are counted from 0.
    pub graph: StoredGraph<T>,
    /// What the file calls its vertices.
    pub names: Names,
    /// Arcs of the file that the graph does without.
    pub dropped: DroppedArcs,
    /// The format of the file.
    pub format: Format,
    /// Whether it was packed with gzip.
    pub gzip: bool,
    /// How an edge list was understood; `None` for other formats.
    pub edge_list: Option<EdgeListForm>,
}

/// What the lines of an edge list have shown of its form.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EdgeListForm {
    /// What stands between fields: commas, semicolons, tabs, or blanks, which may be tabs too.
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

impl<T: Element> GraphInput<T> {
    /// The number of vertices.
    pub fn n(&self) -> usize {
        match &self.graph {
            StoredGraph::Arcs(arcs) => arcs.n(),
            StoredGraph::Matrix(matrix) => matrix.n(),
        }
    }
}

impl<T: Element> StoredGraph<T> {
    /// The graph as a matrix.
    ///
    /// # Errors
    /// When it does not fit into memory.
    pub fn into_matrix(self) -> Result<DistanceMatrix<T>, MatrixError> {
        match self {
            Self::Matrix(matrix) => Ok(matrix),
            Self::Arcs(arcs) => DistanceMatrix::from_rows(arcs.n(), |tail, row| arcs.fill_row(tail, row)),
        }
    }
}

/// Reads the graph in the file at `path` with weights of type `T`. Fractions are rounded to the nearest `f32` or `f64`; an integer must be
/// one that the type holds.
///
/// ```
/// use repro_graph::read::{ReadOptions, StoredGraph, read};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("roads.txt");
/// std::fs::write(&path, "# from to km\nBonn Ulm 420\nUlm Kiel 860\n")?;
/// let loaded = read::<i32>(&path, &ReadOptions::default())?;
/// let StoredGraph::Arcs(graph) = &loaded.graph else { panic!("an edge list is no matrix") };
/// assert_eq!((graph.n(), graph.m()), (3, 2));
/// assert_eq!(loaded.names.name(2), "Kiel");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The file, the line of a text file, and what is wrong there. Memory is taken for what was read, and not for what a header promises.
pub fn read<T: Element>(path: &Path, options: &ReadOptions) -> Result<GraphInput<T>, ReadError> {
    let open = || File::open(path).map_err(ReadProblem::Unreadable);
    let file = open().map_err(|problem| problem.at(path, None))?;
    let about = file.metadata();
    if about.as_ref().is_ok_and(std::fs::Metadata::is_dir) {
        return Err(ReadProblem::Directory.at(path, None));
    }
    // Opened a second time for `.npy` and `.npz`, whose readers seek; what is no regular file is only read as a stream.
    let again = about.is_ok_and(|about| about.is_file()).then(open).transpose();
    let again = again.map_err(|problem| problem.at(path, None))?;
    read_stream(path, again, file, options)
}

/// As [`read`], from any stream, once and to its end. Errors show `name`, and its extension decides the format where the content does not.
///
/// # Errors
/// Those of [`read`].
pub fn read_from<T: Element>(
    name: &Path,
    input: impl std::io::Read,
    options: &ReadOptions,
) -> Result<GraphInput<T>, ReadError> {
    read_stream(name, None, input, options)
}

fn read_stream<T: Element>(
    name: &Path,
    file: Option<File>,
    input: impl std::io::Read,
    options: &ReadOptions,
) -> Result<GraphInput<T>, ReadError> {
    let mut line = None;
    let read = || {
        let input = format::open(input)?;
        let gzip = input.gzip;
        let format = options.format.map_or_else(|| format::recognise(&input.start, name), Ok)?;
        let mut edge_list = None;
        let graph = match (format, file.filter(|_| !gzip)) {
            (Format::Npy, Some(file)) => {
                NpyFile::open(file).and_then(|file| arrays::read_file(&file, options))
            }
            (Format::Npy, None) => {
                Array::open("the array", input.stream).and_then(|array| arrays::read_array(array, options))
            }
            (Format::Npz, plain) => npz::read(plain, input.stream, options),
            (text, _) => {
                let mut lines = LineReader::new(input.stream);
                let read = match text {
                    Format::Dimacs => dimacs::read(&mut lines, options),
                    Format::MatrixMarket => matrix_market::read(&mut lines, options),
                    _ => edge_list::read(&mut lines, options, &mut edge_list),
                };
                line = lines.place;
                read
            }
        };
        let (graph, names, mut dropped) =
            graph.map_err(|problem| if gzip { problem.packed(ReadProblem::Gzip) } else { problem })?;
        if let StoredGraph::Matrix(matrix) = &graph {
            dropped.absent = (matrix.n() * (matrix.n() - 1) - Graph::m(matrix)) as u64;
        }
        Ok(GraphInput { graph, names, dropped, format, gzip, edge_list })
    };
    read().map_err(|problem: ReadProblem| problem.at(name, line))
}

/// The graph in the file at `path`, by block: of a `.npy` file each block is read from the disk when asked for; of others the arcs or the
/// matrix are kept.
///
/// # Errors
/// What is wrong with the file, or the room for it.
pub fn file_blocks(path: &Path, element: ElementType) -> Result<Box<dyn Blocks>, ReadError> {
    if let Some(blocks) = npy_blocks(path, element).map_err(|problem| problem.at(path, None))? {
        return Ok(blocks);
    }
    let at = |error: MatrixError| ReadProblem::Matrix(error).at(path, None);
    match read::<f32>(path, &ReadOptions::default())?.graph {
        StoredGraph::Arcs(arcs) => {
            by_element!(element, T => Ok(Box::new(arcs.convert::<T>().map_err(at)?)))
        }
        StoredGraph::Matrix(matrix) => {
            by_element!(element, T => Ok(Box::new(matrix.convert::<T>().map_err(at)?)))
        }
    }
}

/// The bytes of a file, unpacked if it is packed.
///
/// # Errors
/// When it cannot be read, or is empty.
pub fn unpacked(path: &Path) -> Result<impl std::io::Read, ReadProblem> {
    format::open(File::open(path).map_err(ReadProblem::Unreadable)?).map(|input| input.stream)
}

/// What each reader returns.
type ReadResult<T> = Result<(StoredGraph<T>, Names, DroppedArcs), ReadProblem>;
