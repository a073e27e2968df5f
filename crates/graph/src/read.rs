//! Graphs from files, in whichever of the known formats they are.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Cursor, Read},
    path::{Path, PathBuf},
};

use flate2::bufread::MultiGzDecoder;
use thiserror::Error;

use super::{
    Blocks, DistanceMatrix, ElementType, MatrixError, SparseError, dimacs,
    edges::{Edges, Keep},
    entries::EntryCollector,
    matrix_market::{self, BANNER},
    text::{BOM, Lines},
};

/// Files can be hundreds of megabytes: fewer and larger reads.
const BUFFER: usize = 256 << 10;

/// The format is recognised by so many bytes, blank lines at the start of a DIMACS file included.
const START: u64 = 4 << 10;

/// How gzip files start.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// Why a file is not a graph: the file, the line where there is one, and what is wrong there.
#[derive(Debug, Error)]
#[error("{}{}: {problem}", path.display(), line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct ReadError {
    /// The file as it was named.
    pub path: PathBuf,
    /// The line that was read last, counted from 1; `None` when the file as a whole is the problem.
    pub line: Option<usize>,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a graph file. Vertices are numbered from 1, as in the file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    #[error("is a directory: name a graph file in it")]
    Directory,
    #[error("is empty: expected a graph in DIMACS (.gr) or Matrix Market (.mtx) format")]
    Empty,
    #[error("is gzip-compressed and cannot be unpacked: {0}; check it with gunzip -t")]
    Gzip(io::Error),
    #[error("is gzip-compressed twice: unpack it first with gunzip")]
    GzipTwice,
    #[error(
        "is in no known format: expected DIMACS (`p sp N M`, .gr) or Matrix Market (`%%MatrixMarket`, .mtx)"
    )]
    UnknownFormat,
    #[error("a line of more than {limit} bytes: this is not a graph in text form")]
    LineTooLong { limit: u64 },
    #[error("the file ends without {expected}")]
    MissingHeader { expected: &'static str },
    #[error("expected {expected}, found {found}")]
    Unexpected { expected: &'static str, found: String },
    #[error("the matrix is {rows} x {columns}, but a graph needs as many rows as columns")]
    NotSquare { rows: usize, columns: usize },
    #[error("vertex {vertex} is not in 1..={n}, the vertices of the header")]
    OutOfRange { vertex: usize, n: usize },
    #[error("{found} is no weight: use a number that {element} can hold, or inf for no edge")]
    NotAWeight { found: String, element: ElementType },
    #[error(
        "{found} is no weight in {element}, of which this project uses integers up to {most}: choose another element type or scale the weights"
    )]
    NotOfType { found: String, element: ElementType, most: f64 },
    #[error(
        "{found} is an integer that {element} cannot hold, the nearest is {nearest}: scale the weights down, or write it with a decimal point to have it rounded"
    )]
    InexactInteger { found: String, nearest: String, element: ElementType },
    #[error(
        "vertex {vertex} has a self loop of weight {weight}, a negative cycle: shortest paths do not exist, remove it"
    )]
    NegativeSelfLoop { vertex: usize, weight: f64 },
    #[error("the file ends after {found} of {promised} entries that its header promises: is it truncated?")]
    TooFew { promised: usize, found: usize },
    #[error(
        "the header has {n} vertices, and most of them are at no edge, since there are {entries} entries: correct the header, or number the vertices that have edges from 1"
    )]
    Deserted { n: usize, entries: usize },
    #[error("more entries than the {promised} that the header promises: correct the header")]
    TooMany { promised: usize },
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    #[error(transparent)]
    Sparse(#[from] SparseError),
}

impl Problem {
    /// What cannot be read of an unpacked stream is the fault of the packed one.
    fn in_gzip(self) -> Self {
        match self {
            Self::Unreadable(error) => Self::Gzip(error),
            other => other,
        }
    }
}

/// Reads a graph in DIMACS shortest-path or Matrix Market format, gzip-compressed or not, recognised by how the file
/// starts or else by its extension. Fractions are rounded to `f32`; an integer must be one that `f32` holds. Of parallel
/// edges the shortest counts; self loops are ignored unless they are negative. In a Matrix Market `array` file 0 is an edge
/// of weight 0, and `inf` no edge.
///
/// # Errors
/// When the file cannot be read, is in neither format, breaks its format, or needs a matrix larger than the
/// available memory, which is found out before it is allocated.
pub fn read_graph(path: &Path) -> Result<DistanceMatrix, ReadError> {
    read_edges(path)?.into_matrix()
}

/// Reads the edges of a graph file as [`read_graph`] does, and checks them, without a matrix as long as they are few.
///
/// # Errors
/// As [`read_graph`].
pub fn read_edges(path: &Path) -> Result<EdgeList, ReadError> {
    read_file(path, Keep::Matrix)
}

/// Reads edges for [`EdgeList::into_blocks`]: the matrix need not fit into memory where a file lists edges. A Matrix Market `array` file is
/// read as a matrix, which must.
///
/// # Errors
/// As [`read_graph`].
pub fn read_edges_for_blocks(path: &Path) -> Result<EdgeList, ReadError> {
    read_file(path, Keep::Blocks)
}

fn read_file(path: &Path, keep: Keep) -> Result<EdgeList, ReadError> {
    let input = open(path).map_err(|problem| ReadError { path: path.to_owned(), line: None, problem })?;
    read_stream(path, input, keep)
}

/// Reads the edges of a graph from any stream, once and to its end. `name` stands in errors, and its extension for what
/// the content does not show.
///
/// # Errors
/// As [`read_graph`].
pub fn read_edges_from(name: &Path, input: impl Read) -> Result<EdgeList, ReadError> {
    read_stream(name, input, Keep::Matrix)
}

fn read_stream(name: &Path, input: impl Read, keep: Keep) -> Result<EdgeList, ReadError> {
    let whole = |problem| ReadError { path: name.to_owned(), line: None, problem };
    let input = buffered(input).map_err(whole)?;
    if !input.start.starts_with(GZIP) {
        return read_text(name, input, false, keep);
    }
    let unpacked = buffered(MultiGzDecoder::new(input.all)).map_err(|problem| whole(problem.in_gzip()))?;
    if unpacked.start.starts_with(GZIP) {
        return Err(whole(Problem::GzipTwice));
    }
    read_text(name, unpacked, true, keep)
}

fn read_text(
    name: &Path,
    input: Buffered<impl BufRead>,
    gzip: bool,
    keep: Keep,
) -> Result<EdgeList, ReadError> {
    let fail = |line, problem| ReadError { path: name.to_owned(), line, problem };
    let format = recognise(&input.start, name).map_err(|problem| fail(None, problem))?;
    let mut lines = Lines::new(input.all);
    let mut kept = EntryCollector::new(keep);
    let read = match format {
        Format::Dimacs => dimacs::read(&mut lines, &mut kept),
        Format::MatrixMarket => matrix_market::read(&mut lines, &mut kept),
    };
    // Without a header there was an error.
    match read.and_then(|()| kept.into_edges().ok_or(Problem::Empty)) {
        Ok(edges) => Ok(EdgeList { name: name.to_owned(), format, gzip, edges }),
        Err(problem) if gzip => Err(fail(Some(lines.number()), problem.in_gzip())),
        Err(problem) => Err(fail(Some(lines.number()), problem)),
    }
}

/// The edges of a graph that was read and found well-formed.
pub struct EdgeList {
    name: PathBuf,
    format: Format,
    gzip: bool,
    edges: Edges,
}

impl EdgeList {
    /// The number of vertices.
    pub fn n(&self) -> usize {
        self.edges.n()
    }

    /// The extension for the format that was read: `gr`, `mtx`, `gr.gz` or `mtx.gz`.
    pub fn extension(&self) -> &'static str {
        match (self.format, self.gzip) {
            (Format::Dimacs, false) => "gr",
            (Format::Dimacs, true) => "gr.gz",
            (Format::MatrixMarket, false) => "mtx",
            (Format::MatrixMarket, true) => "mtx.gz",
        }
    }

    /// The graph.
    ///
    /// # Errors
    /// When the matrix does not fit into memory.
    pub fn into_matrix(self) -> Result<DistanceMatrix, ReadError> {
        let Self { name, edges, .. } = self;
        edges.into_matrix().map_err(|error| ReadError { path: name, line: None, problem: error.into() })
    }

    /// The graph by block, in this element type. Edges are kept as [`SparseRows`](crate::SparseRows), or as the matrix where there are so many
    /// that it is smaller and fits.
    ///
    /// # Errors
    /// When a weight is no number of that type, or there is no room.
    pub fn into_blocks(self, element: ElementType) -> Result<Box<dyn Blocks>, ReadError> {
        let Self { name, edges, .. } = self;
        edges.into_blocks(element).map_err(|error| ReadError {
            path: name,
            line: None,
            problem: error.into(),
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Dimacs,
    MatrixMarket,
}

fn open(path: &Path) -> Result<File, Problem> {
    let file = File::open(path).map_err(Problem::Unreadable)?;
    if file.metadata().is_ok_and(|about| about.is_dir()) {
        return Err(Problem::Directory);
    }
    Ok(file)
}

/// A stream and how it starts.
struct Buffered<R> {
    start: Vec<u8>,
    /// All of it, the start included.
    all: R,
}

/// A pipe hands out what there is, which may be less than what its format can be recognised by.
fn buffered(mut input: impl Read) -> Result<Buffered<impl BufRead>, Problem> {
    let mut start = Vec::new();
    input.by_ref().take(START).read_to_end(&mut start).map_err(Problem::Unreadable)?;
    let all = Cursor::new(start.clone()).chain(BufReader::with_capacity(BUFFER, input));
    Ok(Buffered { start, all })
}

fn recognise(start: &[u8], path: &Path) -> Result<Format, Problem> {
    if start.is_empty() {
        return Err(Problem::Empty);
    }
    let start = start.strip_prefix(BOM).unwrap_or(start);
    // DIMACS files may open with blank lines; Matrix Market files may not.
    if start.get(..BANNER.len()).is_some_and(|head| head.eq_ignore_ascii_case(BANNER)) {
        return Ok(Format::MatrixMarket);
    }
    match start.trim_ascii_start() {
        [b'c'] | [b'c', b' ' | b'\t' | b'\r' | b'\n', ..] | [b'p', b' ' | b'\t', ..] => {
            return Ok(Format::Dimacs);
        }
        _ => {}
    }
    let extension = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
    let unpacked =
        if extension(path).as_deref() == Some("gz") { path.with_extension("") } else { path.into() };
    match extension(&unpacked).as_deref() {
        Some("gr") => Ok(Format::Dimacs),
        Some("mtx" | "mm") => Ok(Format::MatrixMarket),
        _ => Err(Problem::UnknownFormat),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn read(name: &str, content: &[u8]) -> Result<DistanceMatrix, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let prefix = format!("{}/", folder.path().display());
        read_graph(&path).map_err(|error| error.to_string().replace(&prefix, ""))
    }

    #[test]
    fn content_decides_the_format_and_then_the_extension() {
        let dimacs = b"\nc made up\np sp 2 1\na 1 2 3\n";
        let market = b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3\n";
        assert_eq!(read("x.mtx", dimacs).unwrap().get(0, 1), 3.0);
        assert_eq!(read("x.gr", market).unwrap().get(0, 1), 3.0);
        for (name, text) in [("x", &dimacs[..]), ("x", market)] {
            assert_eq!(read(name, &[BOM, text].concat()).unwrap().get(0, 1), 3.0);
        }
        assert_eq!(
            read("x.GR", b"a 1 2 3\n").unwrap_err(),
            "x.GR:1: expected a problem line `p sp N M`, found `a 1 2 3`"
        );
        assert!(read("x.mtx", b"2 2 1\n").unwrap_err().starts_with("x.mtx:1: expected a header"));
    }

    #[test]
    fn files_that_are_no_graphs_say_what_they_are() {
        assert!(read("x.gr", b"").unwrap_err().starts_with("x.gr: is empty"));
        let message = read("x.gr", &[0x1f, 0x8b, 8]).unwrap_err();
        assert!(message.starts_with("x.gr: is gzip-compressed and cannot be unpacked: "), "{message}");
        for (name, content) in [("x.csv", b"0,1\n1,0\n".to_vec()), ("x.gz", gzip(b"a 1 2 3\n"))] {
            assert!(read(name, &content).unwrap_err().starts_with(&format!("{name}: is in no known format")));
        }
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(read_graph(folder.path()).unwrap_err().problem, Problem::Directory));
        assert!(matches!(
            read_graph(&folder.path().join("none")).unwrap_err().problem,
            Problem::Unreadable(_)
        ));
    }

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(content).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn what_is_wrong_with_gzip_is_told_apart_from_what_is_wrong_in_it() {
        let packed = gzip(b"p sp 2 1\na 1 2 3\n");
        let cut = read("x.gr", &packed[..packed.len() - 6]).unwrap_err();
        assert!(
            cut.contains("is gzip-compressed and cannot be unpacked: ") && cut.contains("gunzip -t"),
            "{cut}"
        );
        assert!(read("x.gr", &gzip(&packed)).unwrap_err().starts_with("x.gr: is gzip-compressed twice"));
        assert!(read("x.gr", &gzip(b"")).unwrap_err().starts_with("x.gr: is empty"));
        assert!(read("x.gr", &gzip(b"p sp 2 1\na 1 9 3\n")).unwrap_err().starts_with("x.gr:2: vertex 9"));
        // Of several members, and where neither format has a start of its own: what is before `.gz` decides.
        let text = b"p sp 2 1\na 1 2 3\n";
        assert_eq!(read("x", &[gzip(&text[..12]), gzip(&text[12..])].concat()).unwrap().get(0, 1), 3.0);
        assert!(
            read("x.GR.gz", &gzip(b"a 1 2 3\n")).unwrap_err().starts_with("x.GR.gz:1: expected a problem")
        );
    }

    #[test]
    fn a_stream_that_comes_byte_by_byte_is_recognised() {
        struct Drops<'a>(&'a [u8]);
        impl Read for Drops<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let length = buffer.len().min(1);
                self.0.read(&mut buffer[..length])
            }
        }
        let market = b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3\n";
        for (content, extension) in [(market.to_vec(), "mtx"), (gzip(market), "mtx.gz")] {
            let edges = read_edges_from(Path::new("-"), Drops(&content)).unwrap();
            assert_eq!(edges.extension(), extension);
            assert_eq!(edges.into_matrix().unwrap().get(0, 1), 3.0);
        }
    }

    #[test]
    fn every_message_is_one_line() {
        for content in [&b"p sp 2 1\na 1 2 \xff\x00\x1b[31m\n"[..], b"\x7fELF", b"p sp 2 1\na 1 2"] {
            let message = read("x.gr", content).unwrap_err();
            assert!(message.chars().all(|c| !c.is_control()), "{message:?}");
        }
    }
}
