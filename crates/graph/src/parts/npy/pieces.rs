//! A matrix in several `.npy` files, one a process, for hosts that share no file system or readers that want their part alone.

use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::{NpyError, NpyProblem, failed, header::Header, write::settled};
use crate::ElementType;
use crate::parts::Block;
use repro_files::NewFile;

/// Room for the header, whose length is not known before all numbers are written.
const HEADER_BYTES: usize = 128;

/// What is in the `.json` next to a part: where its numbers belong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NpyPartBlocks {
    /// Vertices of the whole matrix.
    pub n: usize,
    pub element: ElementType,
    /// The number of this part among all, and how many there are.
    pub part: usize,
    pub parts: usize,
    /// In the order in which they lie in the one-dimensional array of the `.npy` file, each row after row.
    pub blocks: Vec<Block>,
}

/// Writes one part of a matrix: `NAME.part-R-of-P.npy`, and `NAME.part-R-of-P.json` with its blocks.
pub struct NpyPart {
    file: NewFile,
    about: NpyPartBlocks,
    entries: usize,
}

impl NpyPart {
    /// Begins part number `part` of `parts`, counted from 0, of the matrix that would be the file `name`; an extension `.npy` of it is left out.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn begin(
        name: &Path,
        n: usize,
        element: ElementType,
        part: usize,
        parts: usize,
    ) -> Result<Self, NpyError> {
        let stem = if name.extension().is_some_and(|extension| extension == "npy") {
            name.with_extension("")
        } else {
            name.to_path_buf()
        };
        let mut file_name = stem.file_name().unwrap_or_default().to_os_string();
        file_name.push(format!(".part-{part}-of-{parts}.npy"));
        let path = stem.with_file_name(file_name);
        let create = || -> io::Result<NewFile> {
            let mut file = NewFile::begin(&path)?;
            file.write_all(&[0; HEADER_BYTES])?;
            Ok(file)
        };
        let file = create().map_err(|error| failed(&path, NpyProblem::Unwritable(error)))?;
        let about = NpyPartBlocks { n, element, part, parts, blocks: Vec::new() };
        Ok(Self { file, about, entries: 0 })
    }

    /// Adds a block: its numbers row after row, without gaps, as a solver leaves them.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write_block(&mut self, block: &Block, numbers: &[u8]) -> Result<(), NpyError> {
        let settled = settled(self.about.element, numbers);
        let written = self.file.write_all(settled.as_deref().unwrap_or(numbers));
        written.map_err(|error| failed(self.file.path(), NpyProblem::Unwritable(error)))?;
        self.entries += numbers.len() / self.about.element.bytes();
        self.about.blocks.push(block.clone());
        Ok(())
    }

    /// Writes the header and the list of blocks, and gives both files their names.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn finish(self) -> Result<(), NpyError> {
        let Self { file, about, entries } = self;
        let path = file.path().to_path_buf();
        let header = Header { element: about.element, shape: vec![entries] }.bytes(HEADER_BYTES);
        let list = path.with_extension("json");
        let write = || -> io::Result<()> {
            file.file().write_all_at(&header, 0)?;
            file.finish()?;
            let mut blocks = NewFile::begin(&list)?;
            blocks.write_all(&serde_json::to_vec_pretty(&about)?)?;
            blocks.finish()
        };
        write().map_err(|error| failed(&path, NpyProblem::Unwritable(error)))
    }
}
