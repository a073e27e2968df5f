//! Reading checkpoints: only whole ones, and only of what is to be solved.

use memmap2::Mmap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{
    CheckpointError, CheckpointHeader, FORMAT, GraphIdentity, HEADER, PartRecord, Stored, byte_order,
    folder_of, folders,
};
use crate::parts::{Block, by_element, fill::fill_rows, layout::Layout, map::map};
use crate::{BlockError, Blocks, ElementType};

/// A checkpoint whose files are all there. Its blocks are read from the disk when they are asked for.
pub struct Checkpoint {
    header: CheckpointHeader,
    layout: Layout,
    /// Of all parts, in the order of the layout's numbers.
    blocks: Vec<Placed>,
    parts: Vec<Mmap>,
}

/// Where a block lies.
struct Placed {
    block: Block,
    part: usize,
    /// Bytes before it.
    offset: usize,
}

/// What was found in a folder of checkpoints.
pub struct Latest {
    /// The latest that is whole.
    pub checkpoint: Option<Checkpoint>,
    /// Later ones, which are not.
    pub refused: Vec<Refused>,
}

/// A checkpoint that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub path: PathBuf,
    pub problem: String,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "the checkpoint {} is not used: {}", self.path.display(), self.problem)
    }
}

impl Checkpoint {
    /// Looks for the latest whole checkpoint in `dir`. Every byte of it is read and compared with its hash.
    ///
    /// # Errors
    /// When `dir` cannot be read, or a checkpoint in it is of something else than `expected`.
    pub fn latest(dir: &Path, expected: &GraphIdentity) -> Result<Latest, CheckpointError> {
        let read = |source| CheckpointError::Read { path: dir.to_path_buf(), source };
        let mut refused = Vec::new();
        for (vertices, path) in folders(dir).map_err(read)? {
            match Self::open(&path, vertices, expected, true) {
                Ok(checkpoint) => return Ok(Latest { checkpoint: Some(checkpoint), refused }),
                Err(CheckpointError::Torn { path, problem }) => refused.push(Refused { path, problem }),
                Err(other) => return Err(other),
            }
        }
        Ok(Latest { checkpoint: None, refused })
    }

    /// Opens the checkpoint after so many vertices, without comparing hashes: for processes other than the one that called [`Checkpoint::latest`].
    ///
    /// # Errors
    /// When it is not whole, or of something else than `expected`.
    pub fn at(dir: &Path, vertices: usize, expected: &GraphIdentity) -> Result<Self, CheckpointError> {
        Self::open(&folder_of(dir, vertices), vertices, expected, false)
    }

    fn open(
        folder: &Path,
        vertices: usize,
        expected: &GraphIdentity,
        with_hashes: bool,
    ) -> Result<Self, CheckpointError> {
        let torn = |problem| CheckpointError::Torn { path: folder.to_path_buf(), problem };
        let Stored { header, parts, .. } = read_header(folder).map_err(torn)?;
        if header.identity != *expected {
            return Err(CheckpointError::OfAnother {
                path: folder.to_path_buf(),
                found: Box::new(header.identity),
                expected: Box::new(expected.clone()),
            });
        }
        let (n, size) = (header.identity.n, header.identity.element.bytes());
        if header.vertices != vertices || vertices > n {
            return Err(torn(format!("its {HEADER} is of {} vertices", header.vertices)));
        }
        let blocks: Vec<Block> = parts.iter().flat_map(|part| part.blocks.iter().cloned()).collect();
        let layout = Layout::of(n, &blocks).map_err(torn)?;
        let mut placed = Vec::with_capacity(blocks.len());
        let mut maps = Vec::with_capacity(parts.len());
        for (part, record) in parts.iter().enumerate() {
            let mut offset = 0_usize;
            for block in &record.blocks {
                placed.push(Placed { block: block.clone(), part, offset });
                let bytes = block.entries().and_then(|entries| entries.checked_mul(size));
                let end = bytes.and_then(|bytes| offset.checked_add(bytes));
                offset = end.ok_or_else(|| torn(format!("{} has blocks beyond counting", record.file)))?;
            }
            if offset as u64 != record.bytes {
                return Err(torn(format!(
                    "the blocks of {} take {offset} bytes, and it is to have {}",
                    record.file, record.bytes
                )));
            }
            maps.push(open_part(folder, record, with_hashes).map_err(torn)?);
        }
        Ok(Self { header, layout, blocks: placed, parts: maps })
    }

    /// What it is of, and how far the solve was.
    pub fn header(&self) -> &CheckpointHeader {
        &self.header
    }
}

fn read_header(folder: &Path) -> Result<Stored, String> {
    let text = repro_files::read_regular(&folder.join(HEADER)).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => format!("it was not completed: it has no {HEADER}"),
        _ => format!("{HEADER} cannot be read: {error}"),
    })?;
    #[derive(serde::Deserialize)]
    struct Version {
        format: u32,
    }
    let malformed = |error: serde_json::Error| format!("{HEADER} is malformed: {error}");
    let Version { format } = serde_json::from_slice(&text).map_err(malformed)?;
    if format != FORMAT {
        return Err(format!("{HEADER} has format {format}, and this program reads format {FORMAT}"));
    }
    let stored: Stored = serde_json::from_slice(&text).map_err(malformed)?;
    if stored.byte_order != byte_order() {
        return Err(format!(
            "its numbers are {}-endian, and those of this machine are not",
            stored.byte_order
        ));
    }
    Ok(stored)
}

fn open_part(folder: &Path, record: &PartRecord, with_hash: bool) -> Result<Mmap, String> {
    let name = &record.file;
    if Path::new(name).file_name() != Some(name.as_ref()) {
        return Err(format!("'{name}' is no file of this folder"));
    }
    let unreadable = |error| format!("{name} cannot be read: {error}");
    let file = repro_files::open_regular(&folder.join(name)).map_err(unreadable)?;
    let bytes = file.metadata().map_err(unreadable)?.len();
    if bytes != record.bytes {
        return Err(format!("{name} has {bytes} bytes of {}", record.bytes));
    }
    let map = map(&file).map_err(unreadable)?;
    if with_hash && blake3::Hasher::new().update_rayon(&map).finalize().to_hex().as_str() != record.blake3 {
        return Err(format!("{name} is not what was written: its hash is another"));
    }
    Ok(map)
}

impl Blocks for Checkpoint {
    fn n(&self) -> usize {
        self.header.identity.n
    }

    fn element(&self) -> ElementType {
        self.header.identity.element
    }

    fn read(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
        pitch: usize,
        into: &mut [u8],
    ) -> Result<(), BlockError> {
        by_element!(self.element(), T => fill_rows(self.n(), rows, &columns, pitch, into, |u, row: &mut [T]| {
            let row: &mut [u8] = bytemuck::cast_slice_mut(row);
            self.copy(u, &columns, size_of::<T>(), row);
            Ok(())
        }))
    }
}

impl Checkpoint {
    /// Copies what is stored of a row, in numbers of `size` bytes.
    fn copy(&self, row: usize, columns: &Range<usize>, size: usize, into: &mut [u8]) {
        for (held, number) in self.layout.of_row(row, columns) {
            let Placed { block, part, offset } = &self.blocks[*number];
            let common = held.start.max(columns.start)..held.end.min(columns.end);
            let first = (row - block.rows.start) * block.columns.len() + common.start - held.start;
            let from = &self.parts[*part][offset + first * size..][..common.len() * size];
            into[(common.start - columns.start) * size..][..from.len()].copy_from_slice(from);
        }
    }
}
