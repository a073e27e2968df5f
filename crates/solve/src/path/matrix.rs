//! Chosen numbers of a stored matrix, without the rest of it in memory.

use crate::graph::{Element, NpyArray};
use repro_terminal::Error;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// An array of two directions in a `.npy` file or in an archive.
#[derive(Debug)]
pub(super) struct Matrix {
    file: PathBuf,
    /// Its name in the archive.
    array: Option<&'static str>,
    pub rows: usize,
    pub columns: usize,
    numbers: Numbers,
}

/// How numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Numbers {
    F32,
    F64,
    I32,
    U16,
}

impl Numbers {
    fn of(descr: &str) -> Option<Self> {
        match descr {
            "<f4" => Some(Self::F32),
            "<f8" => Some(Self::F64),
            "<i4" => Some(Self::I32),
            "<u2" => Some(Self::U16),
            _ => None,
        }
    }

    fn bytes(self) -> usize {
        match self {
            Self::F64 => 8,
            Self::F32 | Self::I32 => 4,
            Self::U16 => 2,
        }
    }

    /// A distance; +infinity for none.
    fn distance(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            (Self::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]).into(),
            (Self::I32, &[a, b, c, d]) => i32::from_le_bytes([a, b, c, d]).settled().to_f64(),
            (Self::U16, &[a, b]) => u16::from_le_bytes([a, b]).settled().to_f64(),
            (_, bytes) => bytes.try_into().map_or(f64::NAN, f64::from_le_bytes),
        }
    }
}

impl Matrix {
    /// Looks at the array in a file; none where the archive has no such array.
    ///
    /// # Errors
    /// The file, and why it holds no matrix.
    pub fn open(file: &Path, array: Option<&'static str>) -> Result<Option<Self>, Error> {
        let wrong = |what: String| -> Error { format!("{}: {what}", file.display()).into() };
        let header = match stream(file, array, header) {
            Ok(header) => header,
            Err(error) if array.is_some() && error.kind() == io::ErrorKind::NotFound && file.is_file() => {
                return Ok(None);
            }
            Err(error) => return Err(wrong(format!("cannot be read: {error}"))),
        };
        let numbers = Numbers::of(&header.descr)
            .ok_or_else(|| wrong(format!("has numbers of type '{}', which no result has", header.descr)))?;
        let [rows, columns] = header.shape[..] else {
            return Err(wrong(format!(
                "has an array of shape {:?}, and a result has rows and columns",
                header.shape
            )));
        };
        if header.fortran {
            return Err(wrong("has columns one after the other, and a result has rows".to_string()));
        }
        Ok(Some(Self { file: file.to_owned(), array, rows, columns, numbers }))
    }

    /// Whether numbers are rounded.
    pub fn is_rounded(&self) -> bool {
        matches!(self.numbers, Numbers::F32 | Numbers::F64)
    }

    pub fn is_of_vertices(&self) -> bool {
        self.numbers == Numbers::I32
    }

    /// Distances at places (row, column), in any order.
    ///
    /// # Errors
    /// When the file cannot be read so far.
    pub fn distances(&self, places: &[(usize, usize)]) -> Result<Vec<f64>, Error> {
        let mut found = vec![f64::NAN; places.len()];
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(|&at| places[at]);
        let ranges = order.iter().map(|&at| (places[at].0, places[at].1..places[at].1 + 1));
        let mut each = order.iter();
        self.pieces(ranges, |bytes| {
            if let Some(&at) = each.next() {
                found[at] = self.numbers.distance(bytes);
            }
        })?;
        Ok(found)
    }

    /// A whole row of vertices.
    ///
    /// # Errors
    /// When the file cannot be read so far.
    pub fn row(&self, row: usize) -> Result<Vec<i32>, Error> {
        let mut found = Vec::new();
        self.pieces([(row, 0..self.columns)], |bytes| found.extend(integers(bytes)))?;
        Ok(found)
    }

    /// A whole column of vertices.
    ///
    /// # Errors
    /// When the file cannot be read so far.
    pub fn column(&self, column: usize) -> Result<Vec<i32>, Error> {
        let mut found = Vec::new();
        self.pieces((0..self.rows).map(|row| (row, column..column + 1)), |bytes| {
            found.extend(integers(bytes))
        })?;
        Ok(found)
    }

    /// Hands on the bytes of pieces of rows, which ascend in the file.
    fn pieces(
        &self,
        pieces: impl IntoIterator<Item = (usize, Range<usize>)>,
        mut take: impl FnMut(&[u8]),
    ) -> Result<(), Error> {
        let size = self.numbers.bytes();
        let all = stream(&self.file, self.array, |stream| {
            header(stream)?;
            let (mut at, mut bytes) = (0_u64, Vec::new());
            for (row, columns) in pieces {
                let start = (row as u64 * self.columns as u64 + columns.start as u64) * size as u64;
                if let Some(gap) = start.checked_sub(at) {
                    skip(stream, gap)?;
                    bytes.resize(columns.len() * size, 0);
                    stream.read_exact(&mut bytes)?;
                    at = start + bytes.len() as u64;
                }
                // The same place again has the same bytes.
                take(&bytes);
            }
            Ok(())
        });
        all.map_err(|error| {
            format!("{}: cannot be read: {error}; is it truncated?", self.file.display()).into()
        })
    }
}

/// Lets `read` have the bytes of an array, its header first.
fn stream<R>(
    file: &Path,
    array: Option<&str>,
    read: impl FnOnce(&mut dyn Read) -> io::Result<R>,
) -> io::Result<R> {
    let mut file = BufReader::new(File::open(file)?);
    let Some(array) = array else { return read(&mut file) };
    let mut archive = ZipArchive::new(file).map_err(io::Error::from)?;
    let mut entry = archive.by_name(&format!("{array}.npy")).map_err(io::Error::from)?;
    read(&mut entry)
}

fn header(stream: &mut dyn Read) -> io::Result<NpyArray> {
    NpyArray::read(stream).map_err(|problem| io::Error::other(problem.to_string()))
}

fn skip(stream: &mut dyn Read, bytes: u64) -> io::Result<()> {
    let skipped = io::copy(&mut stream.take(bytes), &mut io::sink())?;
    if skipped == bytes { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn integers(bytes: &[u8]) -> impl Iterator<Item = i32> + '_ {
    bytes.as_chunks().0.iter().map(|four| i32::from_le_bytes(*four))
}
