//! The header of a `.npy` file: a version, a length, and a dictionary in the syntax of Python.

use super::{NpyProblem, descr};
use crate::ElementType;

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

fn unexpected(expected: &'static str, found: &[u8]) -> NpyProblem {
    // Quotes stay what they are: headers are full of them.
    let text = found[..found.len().min(SHOWN)].escape_ascii().to_string().replace("\\'", "'");
    let more = if found.len() > SHOWN { "..." } else { "" };
    NpyProblem::Unexpected { expected, found: format!("`{text}{more}`") }
}

impl Header {
    /// Reads it from the start of a file, with the number of bytes before the numbers.
    pub fn parse(file: &[u8]) -> Result<(Self, usize), NpyProblem> {
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
        Ok((dictionary(text)?, offset))
    }

    /// The bytes of it, of at least `least` in all.
    pub fn bytes(&self, least: usize) -> Vec<u8> {
        let shape: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        let comma = if shape.len() == 1 { "," } else { "" };
        let text = format!(
            "{{'descr': '{}', 'fortran_order': False, 'shape': ({}{comma}), }}",
            descr(self.element),
            shape.join(", ")
        );
        // Magic, version, the length itself, and the line feed at the end.
        let start = MAGIC.len() + 4;
        let all = (start + text.len() + 1).max(least).next_multiple_of(ALIGNMENT);
        let mut bytes = [MAGIC, &[1, 0], &((all - start) as u16).to_le_bytes(), text.as_bytes()].concat();
        bytes.resize(all - 1, b' ');
        bytes.push(b'\n');
        bytes
    }
}

const DICTIONARY: &str = "a dictionary with 'descr', 'fortran_order' and 'shape'";
const TYPES: &str =
    "numbers of type '<f4', '<f8', '<i4' or '<u2' (float32, float64, int32, uint16; little-endian)";

fn dictionary(text: &[u8]) -> Result<Header, NpyProblem> {
    let mut rest = Text(text);
    let malformed = || unexpected(DICTIONARY, text);
    let (mut element, mut fortran, mut shape) = (None, None, None);
    rest.take(b'{').ok_or_else(malformed)?;
    while rest.take(b'}').is_none() {
        let key = rest.string().ok_or_else(malformed)?;
        rest.take(b':').ok_or_else(malformed)?;
        match key {
            b"descr" => {
                let start = rest.trimmed();
                let found = rest.string().ok_or_else(|| unexpected(TYPES, start))?;
                let known = ElementType::ALL.into_iter().find(|element| descr(*element).as_bytes() == found);
                element = Some(known.ok_or_else(|| unexpected(TYPES, found))?);
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
    let (Some(element), Some(fortran), Some(shape)) = (element, fortran, shape) else {
        return Err(malformed());
    };
    if fortran {
        return Err(NpyProblem::Unexpected {
            expected: "rows one after the other ('fortran_order': False)",
            found: "columns one after the other: save numpy.ascontiguousarray of it".to_string(),
        });
    }
    Ok(Header { element, shape })
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
