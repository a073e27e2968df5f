//! The instructions' encodings, which listings leave out, from the compiled file itself: an ELF with a section a kernel.

use object::{Object, ObjectSection};

/// Bytes of an instruction from compute capability 7.0 on.
pub(crate) const INSTRUCTION_BYTES: u64 = 16;

/// The compiled file.
pub(crate) struct Image<'a>(object::File<'a>);

impl<'a> Image<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let file = object::File::parse(bytes);
        file.map(Self).map_err(|error| format!("it is no compiled file that can be read ({error})"))
    }

    /// The encodings of the function of this name, which begins so many bytes behind its section's begin.
    pub(crate) fn encodings(&self, name: &str, start: u64, length: u64) -> Result<Vec<u128>, String> {
        let section = format!(".text.{name}");
        let missing = || format!("it has no {length} bytes of code for {name} at {start:#x}");
        let data = self.0.section_by_name(&section).and_then(|section| section.data().ok());
        let range = usize::try_from(start).ok().zip(usize::try_from(start.saturating_add(length)).ok());
        let code = data.zip(range).and_then(|(data, (start, end))| data.get(start..end));
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
