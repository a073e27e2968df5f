//! Checkpoints: the state of a long solve on disk, from which it can be continued on any number of devices.
//!
//! A folder has at most two complete checkpoints, each in a folder of its own that is named after the vertices of which account was taken:
//! ```text
//! vertices-000512/part-00000.bin   the blocks of one process, one after the other, raw numbers row after row
//! vertices-000512/part-00001.bin
//! vertices-000512/checkpoint.json  what they are, written last: without it there is no checkpoint
//! ```
//! All processes must see the same folder.

mod open;
mod write;

use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

use super::Block;
use crate::ElementType;
pub use open::{Checkpoint, Latest, Refused};
pub use write::{CheckpointWriter, commit_checkpoint};

/// The version of the format, which is in every `checkpoint.json`.
const FORMAT: u32 = 1;

/// The file that makes a checkpoint complete.
const HEADER: &str = "checkpoint.json";

/// How the names of the folders of checkpoints begin.
const FOLDER: &str = "vertices-";

/// What is solved: a checkpoint continues nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphIdentity {
    /// Which graph it is, in the caller's words: equal for equal graphs alone.
    pub graph: String,
    pub n: usize,
    pub element: ElementType,
}

impl fmt::Display for GraphIdentity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "'{}' with n = {} in {}", self.graph, self.n, self.element)
    }
}

/// What a checkpoint is of, and how far the solve was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointHeader {
    pub identity: GraphIdentity,
    /// Vertices of a round of the solve that wrote it.
    pub round: usize,
    /// The vertices below this are done: lengths are those of paths through them.
    pub vertices: usize,
}

/// The file of one process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartRecord {
    /// Its name in the folder of the checkpoint.
    pub file: String,
    /// In the order in which they lie in it.
    pub blocks: Vec<Block>,
    pub bytes: u64,
    /// The BLAKE3 hash of it, in hexadecimal digits.
    pub blake3: String,
}

/// Why a checkpoint cannot be written or used.
#[derive(Debug, Error)]
pub enum CheckpointError {
    #[error("cannot write the checkpoint {}: {source}; make room, or choose another folder", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read the checkpoint {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "{} is a checkpoint of {found}, and {expected} is to be solved: choose another folder for checkpoints, or remove this one",
        path.display()
    )]
    OfAnother { path: PathBuf, found: Box<GraphIdentity>, expected: Box<GraphIdentity> },
    #[error("the blocks of the checkpoint {} are not the whole matrix: {problem}", path.display())]
    Incomplete { path: PathBuf, problem: String },
    #[error("the checkpoint {} cannot be used: {problem}", path.display())]
    Torn { path: PathBuf, problem: String },
}

/// What is in `checkpoint.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: u32,
    /// The order of the bytes of a number: `little` or `big`.
    byte_order: String,
    header: CheckpointHeader,
    parts: Vec<PartRecord>,
}

fn byte_order() -> &'static str {
    if cfg!(target_endian = "big") { "big" } else { "little" }
}

fn folder_of(dir: &Path, vertices: usize) -> PathBuf {
    dir.join(format!("{FOLDER}{vertices:06}"))
}

/// The folders of checkpoints in `dir`, complete or not, with their number of vertices, the latest first.
fn folders(dir: &Path) -> io::Result<Vec<(usize, PathBuf)>> {
    let mut found = Vec::new();
    let entries = match std::fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        other => other?,
    };
    for entry in entries {
        let path = entry?.path();
        let vertices = path.file_name().and_then(|name| name.to_str()?.strip_prefix(FOLDER)?.parse().ok());
        // Others have nothing to do with checkpoints.
        if let Some(vertices) = vertices.filter(|&vertices| path == folder_of(dir, vertices)) {
            found.push((vertices, path));
        }
    }
    found.sort_by_key(|(vertices, _)| std::cmp::Reverse(*vertices));
    Ok(found)
}

#[cfg(test)]
mod tests;
