//! Archives of NumPy and SciPy: zip, with a `.npy` file in it for each array.

use super::{Read, ReadOptions, ReadProblem, dense, sparse};
use crate::npy::Array;
use crate::{Element, SearchError, memory_check};
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read as _, Seek};
use zip::{ZipArchive, read::ZipFile};

/// How many names an error lists.
const SHOWN: usize = 8;

/// What zip is read from, which goes to and fro.
pub(super) trait SeekableRead: io::Read + Seek {}
impl<S: io::Read + Seek> SeekableRead for S {}

/// An archive.
pub(super) struct Archive<'a>(ZipArchive<Box<dyn SeekableRead + 'a>>);

impl<'a> Archive<'a> {
    fn open(source: Box<dyn SeekableRead + 'a>) -> Result<Self, ReadProblem> {
        ZipArchive::new(source).map(Self).map_err(|error| ReadProblem::Archive(error.into()))
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.0.file_names_raw().map(|name| name.escape_ascii().to_string()).collect();
        names.sort();
        names
    }

    fn has(&self, name: &str) -> bool {
        self.0.file_names_raw().any(|found| found == name.as_bytes())
    }

    /// A file in it, unpacked while it is read.
    pub fn member(&mut self, name: &str) -> Result<ZipFile<'_, Box<dyn SeekableRead + 'a>>, ReadProblem> {
        if !self.has(name) {
            let found = self.names().into_iter().take(SHOWN).collect();
            return Err(ReadProblem::Missing { wanted: name.to_string(), found });
        }
        self.0.by_name(name).map_err(|error| ReadProblem::Archive(error.into()))
    }

    /// An array in it.
    pub fn array(
        &mut self,
        name: &str,
    ) -> Result<Array<ZipFile<'_, Box<dyn SeekableRead + 'a>>>, ReadProblem> {
        Array::open(name, self.member(name)?).map_err(in_archive)
    }
}

/// What cannot be read of a member is the fault of the archive.
fn in_archive(problem: ReadProblem) -> ReadProblem {
    match problem {
        ReadProblem::Unreadable(error) => ReadProblem::Archive(error),
        other => other,
    }
}

/// Reads a sparse matrix, or else the array `arr_0` or the only one: from a file that lies on the disk as it is, or from any stream.
pub(super) fn read<T: Element>(file: Option<File>, stream: impl io::Read, options: &ReadOptions) -> Read<T> {
    let source: Box<dyn SeekableRead> = match file {
        Some(file) => Box::new(BufReader::new(file)),
        None => Box::new(Cursor::new(whole(stream)?)),
    };
    let mut archive = Archive::open(source)?;
    if archive.has("format.npy") {
        return sparse::read(&mut archive, options).map_err(in_archive);
    }
    let name = match &archive.names()[..] {
        [only] => only.clone(),
        _ => "arr_0.npy".to_string(),
    };
    dense::read_array(archive.array(&name)?, options).map_err(in_archive)
}

/// A stream cannot go back, and what is packed in it has to lie in memory.
fn whole(mut stream: impl io::Read) -> Result<Vec<u8>, ReadProblem> {
    const WHAT: &str = "the unpacked archive";
    let mut all = Vec::new();
    loop {
        let more = (all.len() / 8).max(1 << 20);
        let bytes = all.len() as u128 + more as u128;
        memory_check::check(WHAT, bytes)?;
        let refused = |_| SearchError::NotEnoughMemory { what: WHAT, bytes, available: 0 };
        all.try_reserve_exact(more).map_err(refused)?;
        let read =
            stream.by_ref().take(more as u64).read_to_end(&mut all).map_err(ReadProblem::Unreadable)?;
        if read < more {
            return Ok(all);
        }
    }
}
