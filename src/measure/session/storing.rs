//! A result that lies in parts on the devices, written as one file, and the folders that processes write to.

use super::{Session, no_graph};
use crate::device::DeviceError;
use crate::graph::{NpyError, NpyWriter};
use crate::measure::protocol::{Failure, FailureCause};
use crate::plan::Variant;
use crate::store::MadeFolders;
use repro_files::write_new;
use std::io;
use std::path::Path;

impl Session {
    /// Writes the last result, which all processes have found right, into one `.npy` file, each process its own blocks. The file has its
    /// name once it is whole.
    pub(super) fn store_distances(&mut self, variant: &Variant, path: &Path) -> Result<(), Failure> {
        if self.right.as_ref() != Some(variant) {
            return Err(Failure::new(FailureCause::Other, "asked to store before a result was right"));
        }
        let is_first = self.group().own().rank == 0;
        let free = if is_first { not_there(path) } else { Ok(()) };
        self.once_all_have(free)?;
        self.write_together(path, is_first)
    }

    /// Whether every process can write to `folder`.
    pub(super) fn try_folder(&self, folder: &Path) -> Result<(), Failure> {
        let tried = write_and_remove(folder, self.group().own().rank).map_err(|error| {
            let problem = format!(
                "cannot write to {} ({error}): choose a folder that every process can make and write to",
                folder.display()
            );
            Failure::new(FailureCause::Other, problem)
        });
        // What one process has made goes after all have written there.
        self.once_all_have(tried).map(drop)
    }

    fn write_together(&mut self, path: &Path, is_first: bool) -> Result<(), Failure> {
        let problem = self.problem()?;
        let begun = is_first.then(|| NpyWriter::begin(path, problem.n, problem.element)).transpose();
        let writer = match self.once_all_have(begun.map_err(unwritten))? {
            Some(writer) => Ok(writer),
            None => NpyWriter::open(path, problem.n, problem.element).map_err(unwritten),
        };
        let writer = self.once_all_have(writer)?;
        let written = self.write_blocks(&writer);
        self.once_all_have(written)?;
        let finished = if is_first { writer.finish().map_err(unwritten) } else { Ok(()) };
        self.once_all_have(finished)
    }

    fn write_blocks(&mut self, writer: &NpyWriter) -> Result<(), Failure> {
        let (.., prepared) = self.prepared.last_mut().ok_or_else(no_graph)?;
        let parts = prepared.in_parts().ok_or_else(no_graph)?;
        parts.store(&mut |block, numbers| {
            writer.write_block(block, numbers).map_err(|error| DeviceError::other(error.to_string()))
        })?;
        writer.sync().map_err(unwritten)
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

fn not_there(path: &Path) -> Result<(), Failure> {
    if path.exists() {
        let problem = format!("{} exists: remove it, or choose another folder", path.display());
        return Err(Failure::new(FailureCause::Other, problem));
    }
    Ok(())
}

fn unwritten(error: NpyError) -> Failure {
    Failure::new(FailureCause::Other, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_tried_and_left_as_it_was() {
        let place = tempfile::tempdir().unwrap();
        let left = || std::fs::read_dir(place.path()).unwrap().count();
        let session = Session::default();
        session.try_folder(&place.path().join("a/b")).unwrap();
        session.try_folder(place.path()).unwrap();
        assert_eq!(left(), 0);
        let file = place.path().join("file");
        std::fs::write(&file, "").unwrap();
        for refused in [file.join("x"), file] {
            let told = session.try_folder(&refused).unwrap_err().message;
            assert!(told.contains(&format!("cannot write to {} (", refused.display())), "{told}");
            assert!(told.contains("choose a folder that every process can"), "{told}");
        }
        assert_eq!(left(), 1);
    }
}
