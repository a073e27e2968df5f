//! A result that lies in shards on the devices, written as one file, and the folders that processes write to.

use super::matrix::parts_of;
use super::{ShardedMatrix, Share, Team};
use repro_device::DeviceError;
use repro_files::write_new;
use repro_graph::NpyWriter;
use repro_protocol::{Failure, Result};
use repro_store::MadeFolders;
use std::io;
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
        team.barrier(if is_there { Err(Failure::other(exists())) } else { Ok(()) })?;
        let problem = *self.problem();
        let begin = || NpyWriter::begin(path, problem.n, problem.element).map_err(Failure::other);
        let writer = match team.barrier(team.is_first().then(begin).transpose())? {
            Some(writer) => Ok(writer),
            None => NpyWriter::open(path, problem.n, problem.element).map_err(Failure::other),
        };
        let writer = team.barrier(writer)?;
        team.barrier(self.write_blocks(&writer))?;
        let finished = if team.is_first() { writer.finish().map_err(Failure::other) } else { Ok(()) };
        team.barrier(finished)
    }

    fn write_blocks(&mut self, writer: &NpyWriter) -> Result<()> {
        parts_of(&mut self.prepared)?.store(&mut |block, numbers| {
            writer.write_block(block, numbers).map_err(|error| DeviceError::other(error.to_string()))
        })?;
        writer.sync().map_err(Failure::other)
    }
}

impl Team {
    /// Whether every process can write to `folder`.
    ///
    /// # Errors
    /// When one cannot: what to do.
    pub fn try_folder(&self, folder: &Path) -> Result<()> {
        let tried = write_and_remove(folder, self.own().rank).map_err(|error| {
            let problem = format!(
                "cannot write to {} ({error}): choose a folder that every process can make and write to",
                folder.display()
            );
            Failure::other(problem)
        });
        // What one process has made goes after all have written there.
        self.barrier(tried).map(drop)
    }
}

/// Writes a file into `folder`, which is made if need be, and removes it. With the result goes what was made.
fn write_and_remove(folder: &Path, rank: usize) -> io::Result<MadeFolders> {
    let made = MadeFolders::make(folder)?;
    let file = folder.join(format!(".written-by-{rank}"));
    write_new(&file, b"whether this works")?;
    std::fs::remove_file(&file)?;
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_tried_and_left_as_it_was() {
        let place = tempfile::tempdir().unwrap();
        let left = || std::fs::read_dir(place.path()).unwrap().count();
        let team = Team::default();
        team.try_folder(&place.path().join("a/b")).unwrap();
        team.try_folder(place.path()).unwrap();
        assert_eq!(left(), 0);
        let file = place.path().join("file");
        std::fs::write(&file, "").unwrap();
        for refused in [file.join("x"), file] {
            let message = team.try_folder(&refused).unwrap_err().message;
            assert!(message.contains(&format!("cannot write to {} (", refused.display())), "{message}");
            assert!(message.contains("choose a folder that every process can"), "{message}");
        }
        assert_eq!(left(), 1);
    }
}
