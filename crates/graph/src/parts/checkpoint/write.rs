//! Writing checkpoints: each process its part, and one of them the file that makes it complete.

use std::io::{self, Write};
use std::path::Path;

use super::{
    CheckpointError, CheckpointHeader, FORMAT, HEADER, PartRecord, Stored, byte_order, folder_of, folders,
};
use crate::parts::{Block, layout::Layout};
use repro_files::{NewFile, UNFINISHED, refuse_link, refuse_links, remove_if_there, sync_folder};

/// Complete checkpoints that stay: the one before the last is used where the last is torn.
const KEPT: usize = 2;
/// The name of a part is its process's number between these two.
const PART: &str = "part-";
const PART_END: &str = ".bin";

fn cannot_write(path: &Path) -> impl Fn(io::Error) -> CheckpointError {
    move |source| CheckpointError::Write { path: path.to_path_buf(), source }
}

/// Writes what one process has of a checkpoint.
pub struct CheckpointWriter {
    name: String,
    file: NewFile,
    blocks: Vec<Block>,
    bytes: u64,
    hasher: blake3::Hasher,
}

impl CheckpointWriter {
    /// Begins the part of process number `rank` of the checkpoint after so many vertices, in the folder of checkpoints `dir`.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn begin(dir: &Path, vertices: usize, rank: usize) -> Result<Self, CheckpointError> {
        let folder = folder_of(dir, vertices);
        // What is above it may come from anybody.
        refuse_link(dir).and_then(|()| refuse_links(dir)).map_err(cannot_write(dir))?;
        std::fs::create_dir_all(&folder).map_err(cannot_write(&folder))?;
        let name = format!("{PART}{rank:05}{PART_END}");
        let path = folder.join(&name);
        let file = NewFile::begin(&path).map_err(cannot_write(&path))?;
        Ok(Self { name, file, blocks: Vec::new(), bytes: 0, hasher: blake3::Hasher::new() })
    }

    /// Adds a block: its numbers row after row, without gaps.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write(&mut self, block: &Block, numbers: &[u8]) -> Result<(), CheckpointError> {
        self.file.write_all(numbers).map_err(cannot_write(self.file.path()))?;
        self.hasher.update_rayon(numbers);
        self.bytes += numbers.len() as u64;
        self.blocks.push(block.clone());
        Ok(())
    }

    /// Returns when the part is on the disk, with what process 0 has to know of it for [`commit_checkpoint`].
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> Result<PartRecord, CheckpointError> {
        let path = self.file.path().to_path_buf();
        self.file.finish().map_err(cannot_write(&path))?;
        let blake3 = self.hasher.finalize().to_hex().to_string();
        Ok(PartRecord { file: self.name, blocks: self.blocks, bytes: self.bytes, blake3 })
    }
}

/// Makes a checkpoint complete whose `parts` are all on the disk, and removes all but it and the latest other one from `dir`. One process does this,
/// while no other writes checkpoints there.
///
/// # Errors
/// When the blocks of the parts are not the whole matrix, or a file cannot be written or removed. The checkpoint before is then still there.
pub fn commit_checkpoint(
    dir: &Path,
    header: CheckpointHeader,
    parts: Vec<PartRecord>,
) -> Result<(), CheckpointError> {
    let folder = folder_of(dir, header.vertices);
    let blocks: Vec<Block> = parts.iter().flat_map(|part| part.blocks.iter().cloned()).collect();
    Layout::of(header.identity.n, &blocks)
        .map_err(|problem| CheckpointError::Incomplete { path: folder.clone(), problem })?;
    let path = folder.join(HEADER);
    let stored = Stored { format: FORMAT, byte_order: byte_order().to_string(), header, parts };
    let write = || -> io::Result<()> {
        let mut file = NewFile::begin(&path)?;
        file.write_all(&serde_json::to_vec_pretty(&stored)?)?;
        file.finish()?;
        // The folder's own name.
        sync_folder(dir)
    };
    write().map_err(cannot_write(&path))?;
    remove_others(dir, &folder).map_err(cannot_write(dir))
}

/// Leaves `newest` and the latest complete ones beside it.
fn remove_others(dir: &Path, newest: &Path) -> io::Result<()> {
    let others = folders(dir)?.into_iter().map(|(_, path)| path).filter(|path| path != newest);
    let mut kept = 1;
    for path in others {
        let header = path.join(HEADER);
        if kept < KEPT && header.exists() {
            kept += 1;
            continue;
        }
        // First what makes it complete: a kill in the middle leaves no torn checkpoint.
        remove_if_there(&header)?;
        remove_parts(&path)?;
    }
    Ok(())
}

/// Removes the files of a checkpoint, and its folder if nothing else lies there: what has such a name can be anybody's.
fn remove_parts(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(UNFINISHED).unwrap_or(&name);
        if name == HEADER || (name.starts_with(PART) && name.ends_with(PART_END)) {
            remove_if_there(&path)?;
        }
    }
    match std::fs::remove_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
        other => other,
    }
}
