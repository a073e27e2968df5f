//! Files that are there whole or not at all.

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// What a name ends in until the file is whole.
const UNFINISHED: &str = ".new";

/// Where `path` lies until it is whole.
pub fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(UNFINISHED);
    path.with_file_name(name)
}

/// Gives a file that was written whole, and flushed to the disk, the name that it is to have.
///
/// # Errors
/// When the system cannot.
pub fn finish(file: &File, path: &Path) -> io::Result<()> {
    file.sync_all()?;
    // Opened before: an error afterwards would leave a file of that name.
    let folder = open_folder(path.parent().unwrap_or(Path::new("")))?;
    std::fs::rename(unfinished(path), path)?;
    folder.sync_all()
}

/// Gives a file that was written whole the name that it is to have, while the system still writes it to the disk.
///
/// # Errors
/// When the system cannot.
pub fn finish_unflushed(path: &Path) -> io::Result<()> {
    std::fs::rename(unfinished(path), path)
}

/// Flushes the names in a folder to the disk.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    open_folder(folder)?.sync_all()
}

fn open_folder(folder: &Path) -> io::Result<File> {
    File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

/// The bytes of a file, read when they are looked at.
///
/// Nobody may shorten the file as long as they are: the system ends a process that looks at bytes that are no longer there. Files of the program's own
/// are replaced and never changed.
pub(super) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the bytes are only read, as numbers of which every value is one; who changes the file while it is read gets other numbers, which
    // verification finds.
    unsafe { Mmap::map(file) }
}
