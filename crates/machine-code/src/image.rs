//! The instructions' encodings, which listings leave out, from the compiled file itself: an ELF with a section a kernel.

use object::{Object, ObjectSection};
use std::ops::Range;

/// Bytes of an instruction from compute capability 7.0 on.
pub(crate) const INSTRUCTION_BYTES: u64 = 16;

/// The compiled file.
pub(crate) struct Image<'a> {
    file: object::File<'a>,
    bytes: &'a [u8],
}

impl<'a> Image<'a> {
    /// Where in the file these bytes of the function are.
    pub(crate) fn range(&self, name: &str, start: u64, length: u64) -> Option<Range<usize>> {
        let section = self.file.section_by_name(&format!(".text.{name}"))?;
        let (first, size) = section.file_range()?;
        let end = start.checked_add(length).filter(|end| *end <= size)?;
        let at = |offset: u64| usize::try_from(first.checked_add(offset)?).ok();
        Some(at(start)?..at(end)?)
    }

    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let file = object::File::parse(bytes);
        file.map(|file| Self { file, bytes })
            .map_err(|error| format!("it is no compiled file that can be read ({error})"))
    }

    /// The encodings of the function of this name, which begins so many bytes behind its section's begin.
    pub(crate) fn encodings(&self, name: &str, start: u64, length: u64) -> Result<Vec<u128>, String> {
        let missing = || format!("it has no {length} bytes of code for {name} at {start:#x}");
        let code = self.range(name, start, length).and_then(|range| self.bytes.get(range));
        let (instructions, rest) = code.ok_or_else(missing)?.as_chunks::<{ INSTRUCTION_BYTES as usize }>();
        if rest.is_empty() {
            Ok(instructions.iter().copied().map(u128::from_le_bytes).collect())
        } else {
            Err(missing())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_compiled_file_is_refused() {
        for bytes in [&b""[..], b"not an ELF", b"\x7fELF"] {
            let error = Image::read(bytes).err().unwrap();
            assert!(error.contains("no compiled file"), "{error}");
        }
    }
}
