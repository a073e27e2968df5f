//! Archives of NumPy and SciPy: zip, with a `.npy` file in it for each array.

use super::{ReadOptions, ReadProblem, ReadResult, arrays};
use crate::npy::Array;
use crate::{Element, memory_check};
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read as _, Seek};
use zip::{ZipArchive, read::ZipFile};

/// A source that zip can be read from, since it seeks.
pub(super) trait SeekableRead: io::Read + Seek {}
impl<S: io::Read + Seek> SeekableRead for S {}

/// A `.npz` file.
pub(super) struct Archive(ZipArchive<Box<dyn SeekableRead>>);

/// A file in it, unpacked while it is read.
type Member<'a> = ZipFile<'a, Box<dyn SeekableRead>>;

impl Archive {
    fn open(source: Box<dyn SeekableRead>) -> Result<Self, ReadProblem> {
        ZipArchive::new(source).map(Self).map_err(|error| ReadProblem::Archive(error.into()))
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.0.file_names_raw().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        names.sort();
        names
    }

    fn has(&self, name: &str) -> bool {
        self.0.index_for_name(name).is_some()
    }

    /// A file in it, unpacked while it is read.
    pub fn member(&mut self, name: &str) -> Result<Member<'_>, ReadProblem> {
        if !self.has(name) {
            return Err(ReadProblem::Missing { wanted: name.to_string(), found: self.names() });
        }
        self.0.by_name(name).map_err(|error| ReadProblem::Archive(error.into()))
    }

    /// The array in the member of this name, which includes `.npy`.
    pub fn array(&mut self, name: &str) -> Result<Array<Member<'_>>, ReadProblem> {
        Array::open(name, self.member(name)?)
    }
}

/// Reads a sparse matrix, or else the only array: from a file that lies on the disk as it is, or from any stream.
pub(super) fn read<T: Element>(
    file: Option<File>,
    stream: impl io::Read,
    options: &ReadOptions,
) -> ReadResult<T> {
    let source: Box<dyn SeekableRead> = match file {
        Some(file) => Box::new(BufReader::new(file)),
        None => Box::new(Cursor::new(whole(stream)?)),
    };
    let mut archive = Archive::open(source)?;
    let read = if archive.has("format.npy") {
        arrays::read(&mut archive, options)
    } else {
        let found = archive.names();
        let [name] = &found[..] else { return Err(ReadProblem::NotOneArray { found }) };
        archive.array(name).and_then(|array| arrays::read_array(array, options))
    };
    read.map_err(|problem| problem.packed(ReadProblem::Archive))
}

/// Reads a stream into memory, because zip has to seek and a stream cannot.
fn whole(mut stream: impl io::Read) -> Result<Vec<u8>, ReadProblem> {
    let mut all = Vec::new();
    loop {
        memory_check::grow("the unpacked archive", &mut all, 1 << 20, usize::MAX)?;
        let more = all.capacity() - all.len();
        let read =
            stream.by_ref().take(more as u64).read_to_end(&mut all).map_err(ReadProblem::Unreadable)?;
        if read < more {
            return Ok(all);
        }
    }
}
