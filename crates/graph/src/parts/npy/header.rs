//! The header of a `.npy` file: a version, a length, and a dictionary in the syntax of Python.

use super::{NpyProblem, descr};
use crate::ElementType;
use std::io::Read;

/// How every such file starts.
pub(in crate::parts) const MAGIC: &[u8] = b"\x93NUMPY";

/// NumPy's own are at most 64 KiB in version 1, and hardly ever more than 128 bytes.
const LONGEST: usize = 1 << 20;

/// What numbers begin at a multiple of.
const ALIGNMENT: usize = 64;

/// How much of a header is repeated in an error.
const SHOWN: usize = 60;

/// What a header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub element: ElementType,
    pub shape: Vec<usize>,
}

/// What the header of an array of any type says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NpyArray {
    /// The type of its numbers as NumPy writes it, for example `<f4`.
    pub descr: String,
    /// Whether columns lie one after the other, and not rows.
    pub fortran: bool,
    /// The number of entries in each direction; none of a single number.
    pub shape: Vec<usize>,
}

impl NpyArray {
    /// Reads a header from the start of a stream, which is left where the numbers begin.
    ///
    /// # Errors
    /// When it cannot be read, or is none.
    pub fn read(mut input: impl Read) -> Result<Self, NpyProblem> {
        let mut start = Vec::new();
        // Magic, version, and the length in the shortest form, with which version 2 says how much more there is.
        take(&mut input, 10, &mut start)?;
        if start.get(6).is_some_and(|major| *major > 1) {
            take(&mut input, 2, &mut start)?;
        }
        let length = match start.get(8..) {
            Some(&[a, b]) => usize::from(u16::from_le_bytes([a, b])),
            Some(&[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]) as usize,
            _ => 0,
        };
        take(&mut input, length.min(LONGEST), &mut start)?;
        Self::parse(&start).map(|(array, _)| array)
    }

    /// The bytes of a header of such an array, rows one after the other.
    pub fn header(element: ElementType, shape: &[usize]) -> Vec<u8> {
        Header { element, shape: shape.to_vec() }.bytes()
    }

    /// Reads it from the start of a file, with the number of bytes before the numbers.
    fn parse(file: &[u8]) -> Result<(Self, usize), NpyProblem> {
        let (text, offset) = text_of(file)?;
        Ok((dictionary(text)?, offset))
    }
}

/// Up to so many bytes more.
fn take(input: &mut impl Read, bytes: usize, into: &mut Vec<u8>) -> Result<(), NpyProblem> {
    let taken = input.by_ref().take(bytes as u64).read_to_end(into);
    taken.map(|_| ()).map_err(NpyProblem::Unreadable)
}

fn unexpected(expected: &'static str, found: &[u8]) -> NpyProblem {
    // Quotes stay what they are: headers are full of them.
    let text = found[..found.len().min(SHOWN)].escape_ascii().to_string().replace("\\'", "'");
    let more = if found.len() > SHOWN { "..." } else { "" };
    NpyProblem::Unexpected { expected, found: format!("`{text}{more}`") }
}

impl Header {
    /// Reads it from the start of a file, with the number of bytes before the numbers.
    pub fn parse(file: &[u8]) -> Result<(Self, usize), NpyProblem> {
        let (NpyArray { descr: found, fortran, shape }, offset) = NpyArray::parse(file)?;
        let element = ElementType::ALL.into_iter().find(|element| descr(*element) == found);
        let element = element.ok_or_else(|| unexpected(TYPES, found.as_bytes()))?;
        if fortran {
            return Err(NpyProblem::Unexpected {
                expected: "rows one after the other ('fortran_order': False)",
                found: "columns one after the other: save numpy.ascontiguousarray of it".to_string(),
            });
        }
        Ok((Self { element, shape }, offset))
    }

    /// The bytes of it.
    pub fn bytes(&self) -> Vec<u8> {
        let shape: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        let comma = if shape.len() == 1 { "," } else { "" };
        let text = format!(
            "{{'descr': '{}', 'fortran_order': False, 'shape': ({}{comma}), }}",
            descr(self.element),
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
}

/// The dictionary in the header of a file, with the number of bytes before the numbers.
fn text_of(file: &[u8]) -> Result<(&[u8], usize), NpyProblem> {
    let Some(rest) = file.strip_prefix(MAGIC) else {
        return Err(unexpected(
            "`\\x93NUMPY`, the start of a .npy file",
            &file[..file.len().min(MAGIC.len())],
        ));
    };
    let short = || unexpected("a header of NumPy's .npy format", rest);
    let (&version, rest) = rest.split_first_chunk::<2>().ok_or_else(short)?;
    let (length, rest) = match version {
        [1, 0] => {
            let (length, rest) = rest.split_first_chunk().ok_or_else(short)?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        [2 | 3, 0] => {
            let (length, rest) = rest.split_first_chunk().ok_or_else(short)?;
            (u32::from_le_bytes(*length) as usize, rest)
        }
        [major, minor] => {
            let found = format!("version {major}.{minor}");
            return Err(NpyProblem::Unexpected {
                expected: "version 1.0, 2.0 or 3.0 of the .npy format",
                found,
            });
        }
    };
    if length > LONGEST {
        let found = format!("one of {length} bytes");
        return Err(NpyProblem::Unexpected { expected: "a header of at most 1 MiB", found });
    }
    let text = rest.get(..length).ok_or_else(short)?;
    let offset = file.len() - rest.len() + length;
    Ok((text, offset))
}

const DICTIONARY: &str = "a dictionary with 'descr', 'fortran_order' and 'shape'";
const TYPES: &str =
    "numbers of type '<f4', '<f8', '<i4' or '<u2' (float32, float64, int32, uint16; little-endian)";

fn dictionary(text: &[u8]) -> Result<NpyArray, NpyProblem> {
    let mut rest = Text(text);
    let malformed = || unexpected(DICTIONARY, text);
    let (mut descr, mut fortran, mut shape) = (None, None, None);
    rest.take(b'{').ok_or_else(malformed)?;
    while rest.take(b'}').is_none() {
        let key = rest.string().ok_or_else(malformed)?;
        rest.take(b':').ok_or_else(malformed)?;
        match key {
            b"descr" => {
                let start = rest.trimmed();
                let found = rest.string().ok_or_else(|| unexpected(TYPES, start))?;
                descr = Some(String::from_utf8_lossy(found).into_owned());
            }
            b"fortran_order" => fortran = Some(rest.truth().ok_or_else(malformed)?),
            b"shape" => shape = Some(rest.tuple().ok_or_else(malformed)?),
            _ => return Err(malformed()),
        }
        if rest.take(b',').is_none() {
            rest.take(b'}').ok_or_else(malformed)?;
            break;
        }
    }
    if !rest.trimmed().is_empty() {
        return Err(malformed());
    }
    let (Some(descr), Some(fortran), Some(shape)) = (descr, fortran, shape) else {
        return Err(malformed());
    };
    Ok(NpyArray { descr, fortran, shape })
}

/// What is left of a header.
struct Text<'a>(&'a [u8]);

impl<'a> Text<'a> {
    fn trimmed(&self) -> &'a [u8] {
        self.0.trim_ascii()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.trim_ascii_start().strip_prefix(&[byte])?;
        Some(())
    }

    /// Without escapes, which no key and no type has.
    fn string(&mut self) -> Option<&'a [u8]> {
        let (&quote, rest) = self.0.trim_ascii_start().split_first()?;
        let length = rest.iter().position(|byte| *byte == quote)?;
        let text = &rest[..length];
        if !matches!(quote, b'\'' | b'"') || text.contains(&b'\\') {
            return None;
        }
        self.0 = &rest[length + 1..];
        Some(text)
    }

    fn truth(&mut self) -> Option<bool> {
        let text = self.0.trim_ascii_start();
        for (name, value) in [(&b"True"[..], true), (b"False", false)] {
            if let Some(rest) = text.strip_prefix(name) {
                self.0 = rest;
                return Some(value);
            }
        }
        None
    }

    fn tuple(&mut self) -> Option<Vec<usize>> {
        let mut numbers = Vec::new();
        self.take(b'(')?;
        while self.take(b')').is_none() {
            let text = self.0.trim_ascii_start();
            let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            numbers.push(std::str::from_utf8(&text[..length]).ok()?.parse().ok()?);
            self.0 = &text[length..];
            if self.take(b',').is_none() {
                self.take(b')')?;
                break;
            }
        }
        Some(numbers)
    }
}
