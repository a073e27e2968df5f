//! A file under a temporary name until it is whole.

use super::WriteError;
use super::error::unwritable;
use repro_files::NewFile;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Where bytes go that will be the file at `path`. It is made before anything of it is written, and removed on drop unless it was finished.
pub(super) fn begin(path: &Path) -> Result<(NewFile, BufWriter<File>), WriteError> {
    let begun = NewFile::begin(path).map_err(unwritable(path))?;
    let file = begun.file().try_clone().map_err(unwritable(path))?;
    Ok((begun, BufWriter::with_capacity(1 << 18, file)))
}

/// Gives the file its name when all of it is on the disk.
pub(super) fn finish(begun: NewFile, writer: BufWriter<File>) -> Result<(), WriteError> {
    let path = begun.path().to_path_buf();
    writer.into_inner().map_err(|error| unwritable(&path)(error.into_error()))?;
    begun.finish().map_err(unwritable(&path))
}
