//! Graphs from files, in whichever of the known formats they are.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::{
    DistanceMatrix, MatrixError, dimacs,
    matrix_market::{self, BANNER},
    text::Lines,
};

/// Files can be hundreds of megabytes: fewer and larger reads.
const BUFFER: usize = 256 << 10;

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
    #[error("is gzip-compressed: unpack it first with gunzip")]
    Gzip,
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
    #[error("{found} is no weight: use a number that f32 can hold, or inf for no edge")]
    NotAWeight { found: String },
    #[error(
        "vertex {vertex} has a self loop of weight {weight}, a negative cycle: shortest paths do not exist, remove it"
    )]
    NegativeSelfLoop { vertex: usize, weight: f32 },
    #[error("the file ends after {found} of {promised} entries that its header promises: is it truncated?")]
    TooFew { promised: usize, found: usize },
    #[error("more entries than the {promised} that the header promises: correct the header")]
    TooMany { promised: usize },
    #[error(transparent)]
    Matrix(#[from] MatrixError),
}

/// Reads a graph in DIMACS shortest-path or Matrix Market format, recognised by how the file starts or else by its
/// extension. Weights are rounded to `f32`. Of parallel edges the shortest counts; self loops are ignored unless
/// they are negative.
///
/// # Errors
/// When the file cannot be read, is in neither format, breaks its format, or needs a matrix larger than the
/// available memory, which is found out before it is allocated.
pub fn read_graph(path: &Path) -> Result<DistanceMatrix, ReadError> {
    let fail = |line, problem| ReadError { path: path.to_owned(), line, problem };
    let whole = |problem| fail(None, problem);
    let mut input = open(path).map_err(whole)?;
    let format =
        recognise(input.fill_buf().map_err(|e| whole(Problem::Unreadable(e)))?, path).map_err(whole)?;
    let mut lines = Lines::new(input);
    let graph = match format {
        Format::Dimacs => dimacs::read(&mut lines),
        Format::MatrixMarket => matrix_market::read(&mut lines),
    };
    graph.map_err(|problem| fail(Some(lines.number()), problem))
}

#[derive(Debug, PartialEq)]
enum Format {
    Dimacs,
    MatrixMarket,
}

fn open(path: &Path) -> Result<BufReader<File>, Problem> {
    let file = File::open(path).map_err(Problem::Unreadable)?;
    if file.metadata().is_ok_and(|about| about.is_dir()) {
        return Err(Problem::Directory);
    }
    Ok(BufReader::with_capacity(BUFFER, file))
}

fn recognise(start: &[u8], path: &Path) -> Result<Format, Problem> {
    if start.is_empty() {
        return Err(Problem::Empty);
    }
    if start.starts_with(&[0x1f, 0x8b]) {
        return Err(Problem::Gzip);
    }
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
    match path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("gr") => Ok(Format::Dimacs),
        Some("mtx" | "mm") => Ok(Format::MatrixMarket),
        _ => Err(Problem::UnknownFormat),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(
            read("x.GR", b"a 1 2 3\n").unwrap_err(),
            "x.GR:1: expected a problem line `p sp N M`, found `a 1 2 3`"
        );
        assert!(read("x.mtx", b"2 2 1\n").unwrap_err().starts_with("x.mtx:1: expected a header"));
    }

    #[test]
    fn files_that_are_no_graphs_say_what_they_are() {
        assert!(read("x.gr", b"").unwrap_err().starts_with("x.gr: is empty"));
        assert_eq!(
            read("x.gr", &[0x1f, 0x8b, 8]).unwrap_err(),
            "x.gr: is gzip-compressed: unpack it first with gunzip"
        );
        assert!(read("x.csv", b"0,1\n1,0\n").unwrap_err().starts_with("x.csv: is in no known format"));
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(read_graph(folder.path()).unwrap_err().problem, Problem::Directory));
        assert!(matches!(
            read_graph(&folder.path().join("none")).unwrap_err().problem,
            Problem::Unreadable(_)
        ));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_graph_beyond_the_available_memory_is_refused_before_it_is_allocated() {
        let message = read("usa.gr", b"p sp 23947347 58333344\n").unwrap_err();
        assert!(message.starts_with("usa.gr:1: n = 23947347 needs 2293901713353636 bytes"), "{message}");
    }

    #[test]
    fn every_message_is_one_line() {
        for content in [&b"p sp 2 1\na 1 2 \xff\x00\x1b[31m\n"[..], b"\x7fELF", b"p sp 2 1\na 1 2"] {
            let message = read("x.gr", content).unwrap_err();
            assert!(message.chars().all(|c| !c.is_control()), "{message:?}");
        }
    }
}
