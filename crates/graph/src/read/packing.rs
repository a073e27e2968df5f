//! Files as they are, or packed with gzip.

use super::ReadProblem;
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Cursor, Read};

/// Files can be hundreds of megabytes: fewer and larger reads.
const BUFFER: usize = 256 << 10;

/// The format is recognised by so many bytes.
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

/// A pipe hands out what there is, which may be less than what its format can be recognised by.
fn started<'a>(mut input: impl Read + 'a) -> io::Result<(Vec<u8>, Box<dyn BufRead + 'a>)> {
    let mut start = Vec::new();
    input.by_ref().take(START).read_to_end(&mut start)?;
    let all = Cursor::new(start.clone()).chain(BufReader::with_capacity(BUFFER, input));
    Ok((start, Box::new(all)))
}
