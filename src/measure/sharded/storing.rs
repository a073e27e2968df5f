//! A result that lies in shards on the devices, written as one file.

use super::agree::barrier;
use super::matrix::parts_of;
use super::{ShardedMatrix, Share};
use crate::device::DeviceError;
use crate::graph::NpyWriter;
use crate::protocol::{Failure, Result};
use std::path::Path;

impl ShardedMatrix {
    /// Writes the last result, which all processes have found right, into one `.npy` file, each process its own blocks. The file has its
    /// name once it is whole.
    pub(super) fn store_distances(&mut self, share: &Share, path: &Path) -> Result<()> {
        if !self.has_right_result_of(share.variant) {
            return Err(Failure::other("asked to store before a result was right"));
        }
        let team = share.team;
        let exists = || format!("{} exists: remove it, or choose another folder", path.display());
        let is_there = team.is_first() && path.exists();
        barrier(team, if is_there { Err(Failure::other(exists())) } else { Ok(()) })?;
        let problem = *self.problem();
        let begin = || NpyWriter::begin(path, problem.n, problem.element).map_err(Failure::other);
        let writer = match barrier(team, team.is_first().then(begin).transpose())? {
            Some(writer) => Ok(writer),
            None => NpyWriter::open(path, problem.n, problem.element).map_err(Failure::other),
        };
        let writer = barrier(team, writer)?;
        barrier(team, self.write_blocks(&writer))?;
        let finished = if team.is_first() { writer.finish().map_err(Failure::other) } else { Ok(()) };
        barrier(team, finished)
    }

    fn write_blocks(&mut self, writer: &NpyWriter) -> Result<()> {
        parts_of(&mut self.prepared)?.store(&mut |block, numbers| {
            writer.write_block(block, numbers).map_err(|error| DeviceError::other(error.to_string()))
        })?;
        writer.sync().map_err(Failure::other)
    }
}
