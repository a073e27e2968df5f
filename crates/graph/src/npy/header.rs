//! The header of a `.npy` file: a version, a length, and a dictionary in the syntax of Python.

use super::number::Number;
use crate::read::ReadProblem;
use crate::{ElementType, MatrixError};
use serde::Deserialize;
use std::io::Read;

/// How every such file starts.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// The longest header that is read. NumPy's own are at most 64 KiB in version 1, and hardly ever more than 128 bytes.
const LONGEST: usize = 1 << 20;

/// Numbers begin at a multiple of this many bytes.
const ALIGNMENT: usize = 64;

/// How much of a header is repeated in an error.
const SHOWN: usize = 60;

/// What a header says of its array.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NpyHeader {
    /// The type of its numbers as NumPy writes it, for example `<f4`.
    pub descr: String,
    /// Whether columns lie one after the other, and not rows.
    #[serde(rename = "fortran_order")]
    pub fortran: bool,
    /// The number of entries in each direction; empty for a single number.
    pub shape: Vec<usize>,
}

impl NpyHeader {
    /// The header of an array of these numbers, rows one after the other.
    pub fn new(element: ElementType, shape: &[usize]) -> Self {
        let descr = match element {
            ElementType::F32 => "<f4",
            ElementType::F64 => "<f8",
            ElementType::I32 => "<i4",
            ElementType::U16 => "<u2",
        };
        Self { descr: descr.to_string(), fortran: false, shape: shape.to_vec() }
    }

    /// Reads a header from the start of a stream, which is left where the numbers begin, and returns its length in bytes too.
    ///
    /// # Errors
    /// When it cannot be read, or is none.
    pub fn read(mut input: impl Read) -> Result<(Self, u64), ReadProblem> {
        let mut start = Vec::new();
        let mut take = |bytes: usize, start: &mut Vec<u8>| {
            let taken = input.by_ref().take(bytes as u64).read_to_end(start);
            taken.map_err(ReadProblem::Unreadable)
        };
        // Magic, version, and the length in the shortest form, with which version 2 says how much more there is.
        take(10, &mut start)?;
        if !start.starts_with(MAGIC) {
            let found = &start[..start.len().min(MAGIC.len())];
            return Err(unexpected("`\\x93NUMPY`, the start of a .npy file", found));
        }
        let short = |start: &[u8]| unexpected("a header of NumPy's .npy format", &start[MAGIC.len()..]);
        let length = match start[MAGIC.len()..] {
            [1, 0, a, b] => usize::from(u16::from_le_bytes([a, b])),
            [2 | 3, 0, a, b] => {
                take(2, &mut start)?;
                let [c, d] = start[10..] else { return Err(short(&start)) };
                u32::from_le_bytes([a, b, c, d]) as usize
            }
            [major, minor, ..] => {
                let found = format!("version {major}.{minor}");
                let expected = "version 1.0, 2.0 or 3.0 of the .npy format";
                return Err(ReadProblem::Unexpected { expected, found });
            }
            _ => return Err(short(&start)),
        };
        if length > LONGEST {
            let found = format!("one of {length} bytes");
            return Err(ReadProblem::Unexpected { expected: "a header of at most 1 MiB", found });
        }
        let before = start.len();
        if take(length, &mut start)? < length {
            return Err(short(&start));
        }
        Ok((dictionary(&start[before..])?, start.len() as u64))
    }

    /// The bytes that begin a file, with the padding before the numbers.
    pub fn bytes(&self) -> Vec<u8> {
        let shape: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        let comma = if shape.len() == 1 { "," } else { "" };
        let text = format!(
            "{{'descr': '{}', 'fortran_order': False, 'shape': ({}{comma}), }}",
            self.descr,
            shape.join(", ")
        );
        // Magic, version, the length itself, and the line feed at the end.
        let start = MAGIC.len() + 4;
        let all = (start + text.len() + 1).next_multiple_of(ALIGNMENT);
        let mut bytes = [MAGIC, &[1, 0], &((all - start) as u16).to_le_bytes(), text.as_bytes()].concat();
        bytes.resize(all - 1, b' ');
        bytes.push(b'\n');
        bytes
    }

    /// The indices of number `at` of the file, counted from 0.
    fn place(&self, mut at: usize) -> Vec<usize> {
        let mut place = vec![0; self.shape.len()];
        // The last index runs fastest, or, in Fortran order, the first.
        let mut axes: Vec<usize> = (0..place.len()).collect();
        if !self.fortran {
            axes.reverse();
        }
        for axis in axes {
            (place[axis], at) = (at % self.shape[axis], at / self.shape[axis]);
        }
        place
    }

    /// The number of vertices, if the array's shape is that of a graph's matrix.
    ///
    /// # Errors
    /// When it is not, with the name of the array.
    pub(crate) fn order(&self, array: &str) -> Result<usize, ReadProblem> {
        match self.shape[..] {
            [0, 0] => Err(MatrixError::Empty.into()),
            [n, columns] if n == columns => Ok(n),
            _ => Err(self.unshapely(array, "(n, n), a matrix with as many rows as columns")),
        }
    }

    /// The complaint that another shape was expected.
    pub(crate) fn unshapely(&self, array: &str, expected: &str) -> ReadProblem {
        let (array, expected) = (array.to_string(), expected.to_string());
        ReadProblem::Shape { array, shape: self.shape.clone(), expected }
    }

    /// The complaint that number `at` of the file is not what was `wanted`.
    pub(super) fn unwanted(&self, array: &str, at: usize, number: Number, wanted: &str) -> ReadProblem {
        let (array, value, wanted) = (array.to_string(), number.to_string(), wanted.to_string());
        ReadProblem::Entry { array, place: self.place(at), value, wanted }
    }

    /// How many numbers the shape promises.
    pub fn entries(&self) -> u128 {
        self.shape.iter().fold(1, |all, length| all.saturating_mul(*length as u128))
    }
}

fn unexpected(expected: &'static str, found: &[u8]) -> ReadProblem {
    // Quotes stay what they are: headers are full of them.
    let text = found[..found.len().min(SHOWN)].escape_ascii().to_string().replace("\\'", "'");
    let more = if found.len() > SHOWN { "..." } else { "" };
    ReadProblem::Unexpected { expected, found: format!("`{text}{more}`") }
}

/// Parses the dictionary as JSON. To replace quotes and brackets is enough: names of types and keys have none in them.
fn dictionary(text: &[u8]) -> Result<NpyHeader, ReadProblem> {
    let malformed = || unexpected("a dictionary with 'descr', 'fortran_order' and 'shape'", text);
    let python = str::from_utf8(text).map_err(|_| malformed())?;
    let mut json = String::new();
    for character in python.trim().chars() {
        match character {
            '\'' => json.push('"'),
            '(' => json.push('['),
            // No comma comes before the end.
            ')' | ']' | '}' => {
                json.truncate(json.trim_end().trim_end_matches(',').len());
                json.push(if character == '}' { '}' } else { ']' });
            }
            other => json.push(other),
        }
    }
    let json = json.replace("True", "true").replace("False", "false");
    serde_json::from_str(&json).map_err(|_| malformed())
}
