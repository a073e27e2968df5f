//! The instructions' encodings, which listings leave out, from the compiled file itself: an ELF with a section a kernel.

use object::{Object, ObjectSection};
use repro_machine_code::{INSTRUCTION_BYTES, KernelListing};
use std::ops::Range;

/// The compiled file.
pub struct Image<'a> {
    file: object::File<'a>,
    bytes: &'a [u8],
}

impl<'a> Image<'a> {
    /// # Errors
    /// When it is no compiled file.
    pub fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let file = object::File::parse(bytes);
        file.map(|file| Self { file, bytes })
            .map_err(|error| format!("it is no compiled file that can be read ({error})"))
    }

    /// Where in the file these instructions of a kernel are.
    pub fn place(&self, kernel: &KernelListing, instructions: Range<usize>) -> Option<Range<usize>> {
        let section = self.file.section_by_name(&format!(".text.{}", kernel.name))?;
        let (first, size) = section.file_range()?;
        let at = |index: usize| kernel.start.checked_add(index as u64 * INSTRUCTION_BYTES);
        let [start, end] = [at(instructions.start)?, at(instructions.end).filter(|end| *end <= size)?];
        let in_file = |offset: u64| usize::try_from(first.checked_add(offset)?).ok();
        Some(in_file(start)?..in_file(end)?)
    }

    /// Their encodings.
    ///
    /// # Errors
    /// When the file does not have them.
    pub fn encodings(&self, kernel: &KernelListing, instructions: Range<usize>) -> Result<Vec<u128>, String> {
        let count = instructions.len();
        let code = self.place(kernel, instructions).and_then(|place| self.bytes.get(place));
        let code = code.ok_or_else(|| format!("it has not all {count} instructions of {}", kernel.name))?;
        let (codes, _) = code.as_chunks::<{ INSTRUCTION_BYTES as usize }>();
        Ok(codes.iter().copied().map(u128::from_le_bytes).collect())
    }
}
