//! A file under a temporary name until it is whole.

use super::WriteError;
use super::error::unwritable;
use repro_graph::{finish_file, unfinished_file};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// Removes what was begun, unless it was finished.
#[derive(Debug)]
pub(super) struct Begun {
    pub path: PathBuf,
    finished: bool,
}

impl Begun {
    /// To be made before the file, so that a file half made goes as well.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), finished: false }
    }

    pub fn keep(mut self) {
        self.finished = true;
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if !self.finished {
            // The error that came before is the one to report.
            let _ = std::fs::remove_file(unfinished_file(&self.path));
        }
    }
}

/// Where bytes go that will be the file at `path`.
pub(super) fn begin(path: &Path) -> Result<(Begun, BufWriter<File>), WriteError> {
    let begun = Begun::new(path);
    let file = File::create(unfinished_file(path)).map_err(unwritable(path))?;
    Ok((begun, BufWriter::with_capacity(1 << 18, file)))
}

/// Gives the file its name when all of it is on the disk.
pub(super) fn finish(begun: Begun, writer: BufWriter<File>) -> Result<(), WriteError> {
    let file = writer.into_inner().map_err(|error| unwritable(&begun.path)(error.into_error()))?;
    finish_file(&file, &begun.path).map_err(unwritable(&begun.path))?;
    begun.keep();
    Ok(())
}
