//! Which format a file is in, whether it is packed with gzip, and what it calls its vertices.

use super::ReadProblem;
use super::matrix_market::BANNER;
use super::text::BOM;
use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use strum::{EnumString, IntoStaticStr, VariantNames};

/// A format of graph files. As a word, which is parsed and listed, it is `matrix-market` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Format {
    /// The shortest-path format of the ninth DIMACS implementation challenge, `.gr`.
    Dimacs,
    /// Matrix Market, `.mtx`: entry (i, j) is an arc from i to j. Real, integer and pattern, whose arcs weigh 1; general, symmetric and
    /// skew-symmetric.
    MatrixMarket,
    /// An arc a line, `FROM TO` or `FROM TO WEIGHT`, as in the collection SNAP, with blanks, commas, semicolons or tabs between and names in
    /// quotes where these are in them. Without weights each arc weighs 1. Lines that begin with `#` or `%` are comments, and a first line such
    /// as `source,target,weight` is a heading.
    EdgeList,
    /// A matrix of NumPy.
    Npy,
    /// An archive of NumPy or SciPy.
    Npz,
}

/// Recognises the format by how the file begins, or else by the extension of its name.
pub(super) fn recognise(start: &[u8], path: &Path) -> Result<Format, ReadProblem> {
    let start = start.strip_prefix(BOM).unwrap_or(start);
    match start {
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => return Ok(Format::Npy),
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => return Ok(Format::Npz),
        _ => {}
    }
    if start.get(..BANNER.len()).is_some_and(|head| head.eq_ignore_ascii_case(BANNER)) {
        return Ok(Format::MatrixMarket);
    }
    let text = start.trim_ascii_start();
    let mut lines = text.split(|byte| *byte == b'\n');
    // No other format has such a line, except an edge list with vertices named `p` and `sp`.
    if lines
        .clone()
        .take_while(|line| matches!(line, [b'c' | b'p', ..]))
        .any(|line| line.starts_with(b"p sp "))
    {
        return Ok(Format::Dimacs);
    }
    match extension(path).as_str() {
        // JSON and XML.
        _ if matches!(text, [b'{' | b'[' | b'<', ..]) => return Err(ReadProblem::UnknownFormat),
        "txt" | "el" | "edges" | "edgelist" | "tsv" | "snap" => return Ok(Format::EdgeList),
        "gr" => return Ok(Format::Dimacs),
        "mtx" => return Ok(Format::MatrixMarket),
        _ => {}
    }
    let line = lines.next().unwrap_or_default().trim_ascii();
    match text {
        [b'c'] | [b'c' | b'p', b' ' | b'\t' | b'\r' | b'\n', ..] => Ok(Format::Dimacs),
        [b'#' | b'%', ..] => Ok(Format::EdgeList),
        // What has other control characters than tabs is no text.
        _ if line.iter().any(|byte| b" \t,;".contains(byte))
            && line.iter().all(|byte| *byte == b'\t' || *byte >= b' ') =>
        {
            Ok(Format::EdgeList)
        }
        _ => Err(ReadProblem::UnknownFormat),
    }
}

/// The extension of a name in small letters, without `.gz`.
fn extension(path: &Path) -> String {
    let of = |path: &Path| path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match of(path).as_str() {
        "gz" => of(&path.with_extension("")),
        other => other.to_string(),
    }
}

/// What a file calls its vertices, which a [`Graph`](crate::Graph) counts from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "vertices", content = "names", rename_all = "kebab-case")]
pub enum Names {
    /// By their numbers, from 0.
    FromZero,
    /// By their numbers, from 1.
    FromOne,
    /// The name of each. Where all are numbers they ascend, and other names are in the order in which the file first mentions them.
    #[serde(rename = "named")]
    Given(Vec<Box<str>>),
}

/// How the vertices of a file are named. As a word, which is parsed and listed, it is `from-zero` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Numbering {
    /// By numbers from 0; those that the file does not mention are vertices without arcs.
    FromZero,
    /// By numbers from 1.
    FromOne,
    /// By any words; vertices are those that the file mentions.
    Named,
}

impl Names {
    /// How vertices are named.
    pub fn numbering(&self) -> Numbering {
        match self {
            Self::FromZero => Numbering::FromZero,
            Self::FromOne => Numbering::FromOne,
            Self::Given(_) => Numbering::Named,
        }
    }

    /// The name of a vertex; its number, counted from 0, if it is none of the graph.
    pub fn name(&self, vertex: usize) -> Cow<'_, str> {
        match self {
            Self::FromZero => vertex.to_string().into(),
            Self::FromOne => (vertex as u128 + 1).to_string().into(),
            Self::Given(names) => match names.get(vertex) {
                Some(name) => Cow::Borrowed(name),
                None => vertex.to_string().into(),
            },
        }
    }

    /// The vertex of this name among `n`. O(n) where names are given.
    pub fn vertex(&self, name: &str, n: usize) -> Option<usize> {
        let number = match self {
            Self::FromZero => name.parse().ok(),
            Self::FromOne => name.parse::<usize>().ok().and_then(|number| number.checked_sub(1)),
            Self::Given(names) => names.iter().position(|given| **given == *name),
        };
        number.filter(|vertex| *vertex < n)
    }
}

/// Bytes read at once: files can be hundreds of megabytes, so reads are few and large.
const BUFFER: usize = 256 << 10;

/// The number of bytes by which the format is recognised.
const START: u64 = 4 << 10;

/// How gzip files start.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What is in a file.
pub(super) struct Input<'a> {
    pub gzip: bool,
    /// How it starts.
    pub start: Vec<u8>,
    /// All of it, the start included.
    pub stream: Box<dyn BufRead + 'a>,
}

/// Unpacks a stream while it is read.
pub(super) fn open<'a>(input: impl Read + 'a) -> Result<Input<'a>, ReadProblem> {
    let (start, stream) = started(input).map_err(ReadProblem::Unreadable)?;
    let gzip = start.starts_with(&GZIP);
    let (start, stream) =
        if gzip { started(MultiGzDecoder::new(stream)).map_err(ReadProblem::Gzip)? } else { (start, stream) };
    match () {
        () if start.is_empty() => Err(ReadProblem::Empty),
        () if gzip && start.starts_with(&GZIP) => Err(ReadProblem::GzipTwice),
        () => Ok(Input { gzip, start, stream }),
    }
}

/// The first [`START`] bytes and a stream of all. (One read of a pipe may give too few to recognise the format by.)
fn started<'a>(mut input: impl Read + 'a) -> io::Result<(Vec<u8>, Box<dyn BufRead + 'a>)> {
    let mut start = Vec::new();
    input.by_ref().take(START).read_to_end(&mut start)?;
    let all = Cursor::new(start.clone()).chain(BufReader::with_capacity(BUFFER, input));
    Ok((start, Box::new(all)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides_before_the_name_where_it_is_plain() {
        for (start, name, format) in [
            (&b"\x93NUMPY"[..], "x.gr", Some(Format::Npy)),
            (b"PK\x03\x04", "x", Some(Format::Npz)),
            (b"%%matrixmarket x", "x.txt", Some(Format::MatrixMarket)),
            (b"\n\nc hi\n", "x", Some(Format::Dimacs)),
            (b"c d 7\n", "x.TXT.gz", Some(Format::EdgeList)),
            (b"c d 7\np sp 2 1\n", "x.txt", Some(Format::Dimacs)),
            (b"p sp 2\n", "x.mtx", Some(Format::Dimacs)),
            (b"1 2 7\n", "x.gr.gz", Some(Format::Dimacs)),
            (b"# nodes\n", "x", Some(Format::EdgeList)),
            (b"1\t2\n", "x", Some(Format::EdgeList)),
            (b"one two three four\n", "x", Some(Format::EdgeList)),
            (b"\xef\xbb\xbfp sp 2 1\n", "x", Some(Format::Dimacs)),
            (b"{\"type\": \"FeatureCollection\"}\n", "x.txt", None),
            (b"<graphml>\n", "x.txt", None),
            (b"one\n", "x", None),
            (b"\x01 \x02\n", "x", None),
        ] {
            assert_eq!(recognise(start, Path::new(name)).ok(), format, "{name}");
        }
    }
}
