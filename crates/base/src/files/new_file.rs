//! Files that are there whole or not at all: written under a temporary name next to the final one, and renamed.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::files::in_place::{create_new, create_private, remove_if_there, without_following};

/// What a name ends in until the file is whole. A process that is killed may leave one.
pub const UNFINISHED: &str = ".new";

/// Where `path` lies until it is whole.
pub fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(UNFINISHED);
    path.with_file_name(name)
}

fn open_folder(folder: &Path) -> io::Result<File> {
    File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

/// Whether `path` still leads to `file`, which was opened there. Where the system has no numbers of files, whether anything is there.
///
/// # Errors
/// When nothing is there, or the system does not say.
#[cfg(unix)]
pub fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (here, there) = (file.metadata()?, std::fs::symlink_metadata(path)?);
    Ok((here.dev(), here.ino()) == (there.dev(), there.ino()))
}

/// Whether anything is at `path`: the system has no numbers of files.
///
/// # Errors
/// When the system does not say.
#[cfg(not(unix))]
pub fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// A file that gets its name with [`Self::finish`]. Dropped before, nothing is left of it, and an older file of that name stays.
#[derive(Debug)]
pub struct NewFile {
    file: File,
    path: PathBuf,
    /// Whether this process has begun it, and it has not got its name yet.
    removes: bool,
}

impl NewFile {
    /// Begins the file `path`, under its temporary name. What has that name is removed first, and is neither written to nor followed: a
    /// process that was killed left it, or somebody prepared a link.
    ///
    /// # Errors
    /// When it cannot be made, also where a folder has the temporary name.
    pub fn begin(path: &Path) -> io::Result<Self> {
        Self::begin_by(create_new, path)
    }

    /// Begins a file that no other user can read.
    ///
    /// # Errors
    /// As [`Self::begin`].
    pub fn begin_private(path: &Path) -> io::Result<Self> {
        Self::begin_by(create_private, path)
    }

    fn begin_by(create: fn(&Path) -> io::Result<File>, path: &Path) -> io::Result<Self> {
        let beside = unfinished(path);
        remove_if_there(&beside)?;
        let file = create(&beside)?;
        Ok(Self { file, path: path.to_path_buf(), removes: true })
    }

    /// Opens what another process has begun, to write to it too. Dropped, it stays as it is.
    ///
    /// # Errors
    /// When it is not there, or a link.
    pub fn join(path: &Path) -> io::Result<Self> {
        let file = without_following(OpenOptions::new().read(true).write(true)).open(unfinished(path))?;
        Ok(Self { file, path: path.to_path_buf(), removes: false })
    }

    pub fn file(&self) -> &File {
        &self.file
    }

    /// The name that it will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name when all of it is on the disk.
    ///
    /// # Errors
    /// When the system cannot, or another process has begun the same file meanwhile.
    pub fn finish(self) -> io::Result<()> {
        self.file.sync_all()?;
        // Opened before: an error afterwards would leave a file of that name.
        let folder = open_folder(self.path.parent().unwrap_or(Path::new("")))?;
        self.finish_unflushed()?;
        folder.sync_all()
    }

    /// Gives it its name while the system still writes it to the disk: a killed process leaves the old file or the new one, and so does a
    /// power cut on most file systems.
    ///
    /// # Errors
    /// As [`Self::finish`].
    pub fn finish_unflushed(mut self) -> io::Result<()> {
        let beside = unfinished(&self.path);
        if !is_at(&self.file, &beside)? {
            return Err(io::Error::other("another process writes the same file"));
        }
        std::fs::rename(beside, &self.path)?;
        self.removes = false;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // The error that came before is the one to report.
        if self.removes && is_at(&self.file, &unfinished(&self.path)).unwrap_or(false) {
            let _ = std::fs::remove_file(unfinished(&self.path));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_its_name_once_it_is_whole_and_leaves_nothing_when_it_is_dropped_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let mut file = NewFile::begin(&path).unwrap();
        file.write_all(b"old").unwrap();
        assert!(!path.exists());
        file.finish().unwrap();
        let mut file = NewFile::begin(&path).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    #[cfg(unix)]
    fn a_link_with_the_temporary_name_is_replaced_and_what_it_leads_to_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (path, elsewhere) = (folder.path().join("record"), folder.path().join("elsewhere"));
        std::fs::write(&elsewhere, "theirs").unwrap();
        std::os::unix::fs::symlink(&elsewhere, unfinished(&path)).unwrap();
        assert!(NewFile::join(&path).is_err());
        let mut file = NewFile::begin(&path).unwrap();
        file.write_all(b"ours").unwrap();
        file.finish_unflushed().unwrap();
        assert_eq!(std::fs::read(&elsewhere).unwrap(), b"theirs");
        assert_eq!(std::fs::read(&path).unwrap(), b"ours");
        assert!(!path.is_symlink());
    }

    #[test]
    fn of_two_writers_of_one_file_the_first_is_told_and_takes_nothing_of_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let first = NewFile::begin(&path).unwrap();
        let mut second = NewFile::begin(&path).unwrap();
        assert!(first.finish_unflushed().unwrap_err().to_string().contains("another process"));
        second.write_all(b"whole").unwrap();
        second.finish_unflushed().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
    }

    #[test]
    fn a_folder_in_the_way_is_an_error_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        std::fs::create_dir(unfinished(&path)).unwrap();
        assert!(NewFile::begin(&path).is_err());
        assert!(unfinished(&path).is_dir());
    }
}
