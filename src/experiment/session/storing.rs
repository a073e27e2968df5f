//! A result that lies in parts on the devices, written as one file.

use super::super::protocol::{Failure, FailureCause, Variant};
use super::{Session, no_graph};
use crate::device::DeviceError;
use crate::graph::{NpyError, NpyWriter};
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
        let stored = self.write_together(path, is_first);
        if stored.is_err() && is_first {
            NpyWriter::abandon(path);
        }
        stored
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
