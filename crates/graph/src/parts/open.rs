//! Graph files of any format, by block.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::map::map;
use super::npy::{self, OpenError, npy_blocks};
use crate::{Blocks, ElementType, read_edges_for_blocks};

/// The graph in the file at `path`, by block: a `.npy` file is read from the disk where and when it is asked for
/// ([`npy_blocks`](crate::npy_blocks)), and edges in DIMACS or Matrix Market format are read now ([`read_edges_for_blocks`](crate::read_edges_for_blocks)).
/// How the file begins decides which it is.
///
/// # Errors
/// What is wrong with the file, or the room for it.
pub fn file_blocks(path: &Path, element: ElementType) -> Result<Box<dyn Blocks>, OpenError> {
    if is_npy(path) {
        return Ok(npy_blocks(path, element)?);
    }
    Ok(read_edges_for_blocks(path)?.into_blocks(element)?)
}

/// The BLAKE3 hash of the bytes of the file at `path`, in hexadecimal digits. They are read by all threads, and not kept in memory.
///
/// # Errors
/// When it cannot be read.
pub fn file_digest(path: &Path) -> io::Result<String> {
    let bytes = map(&repro_files::open_regular(path)?)?;
    Ok(blake3::Hasher::new().update_rayon(&bytes).finalize().to_hex().to_string())
}

/// What cannot be read is no such file; the reader of the others finds out why. Of a stream nothing is taken.
fn is_npy(path: &Path) -> bool {
    let mut start = [0; npy::MAGIC.len()];
    let is_file = std::fs::metadata(path).is_ok_and(|about| about.is_file());
    is_file
        && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == npy::MAGIC
}
