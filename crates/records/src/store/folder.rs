//! A run's folder: who may write to it, and what of it this process made.

use crate::store::{JournalError, RecordError};
use repro_base::files::{is_at, open_lock};
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Folders that this process made. On drop those that are still empty are removed, so that a command that refuses leaves
/// nothing behind.
#[derive(Debug, Default)]
pub struct NewFolders {
    /// The deepest first.
    made: Vec<PathBuf>,
}

impl NewFolders {
    /// Makes `folder` and those above it that are not there.
    ///
    /// # Errors
    /// When one of them cannot be made; those that were are removed again.
    pub fn make(folder: &Path) -> io::Result<Self> {
        let missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let made = Self { made: folder.ancestors().take_while(missing).map(Path::to_path_buf).collect() };
        std::fs::create_dir_all(folder)?;
        Ok(made)
    }

    /// Makes `folder`, which must not be there yet, and those above it that are not there.
    ///
    /// # Errors
    /// When it is there, or as in [`Self::make`].
    pub fn make_new(folder: &Path) -> io::Result<Self> {
        let above = folder.parent().filter(|above| !above.as_os_str().is_empty());
        let mut made = above.map(Self::make).transpose()?.unwrap_or_default();
        std::fs::create_dir(folder)?;
        made.made.insert(0, folder.to_path_buf());
        Ok(made)
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        for folder in &self.made {
            // One that holds something by now is not empty, and stays.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// The right to write to a run's folder, until it is dropped or the process ends, however it ends.
#[derive(Debug)]
pub(super) struct RunLock {
    file: File,
    path: PathBuf,
    /// Whether this process made the file, and so removes it.
    made: bool,
}

impl RunLock {
    /// # Errors
    /// When another process has it, or the file cannot be made.
    pub fn acquire(folder: &Path) -> Result<Self, JournalError> {
        let path = folder.join(".lock");
        let failed = RecordError::write(&path);
        loop {
            let (opened, made) = match File::create_new(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (open_lock(&path), false),
                made => (made, true),
            };
            let file = match opened {
                // Removed between the two calls by the process that made it.
                Err(error) if error.kind() == io::ErrorKind::NotFound && folder.is_dir() => continue,
                opened => opened.map_err(&failed)?,
            };
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Err(JournalError::Locked(folder.to_path_buf())),
                Err(TryLockError::Error(source)) => return Err(failed(source).into()),
                Ok(()) => {}
            }
            let lock = Self { file, path: path.clone(), made };
            // A lock on a file that was removed meanwhile keeps nobody out.
            if lock.is_in_place() {
                return Ok(lock);
            }
        }
    }

    /// Whether the path still leads to the file that is locked.
    fn is_in_place(&self) -> bool {
        is_at(&self.file, &self.path).unwrap_or(false)
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        if self.made && self.is_in_place() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> Vec<PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn of_many_who_take_and_drop_a_lock_only_one_has_it_at_a_time() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let folder = tempfile::tempdir().unwrap();
        let (holders, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while taken.load(Ordering::SeqCst) < 200 {
                        match RunLock::acquire(folder.path()) {
                            Ok(_lock) => {
                                assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                                taken.fetch_add(1, Ordering::SeqCst);
                                holders.fetch_sub(1, Ordering::SeqCst);
                            }
                            Err(JournalError::Locked(_)) => std::thread::yield_now(),
                            Err(error) => panic!("{error}"),
                        }
                    }
                });
            }
        });
    }

    #[test]
    fn made_folders_go_while_they_are_empty_and_no_other_folder_does() {
        let folder = tempfile::tempdir().unwrap();
        let (there, deep) = (folder.path().join("there"), folder.path().join("there/a/b"));
        std::fs::create_dir(&there).unwrap();
        drop(NewFolders::make(&deep).unwrap());
        assert_eq!(entries(folder.path()), std::slice::from_ref(&there));
        assert_eq!(entries(&there), [] as [&Path; 0]);
        let made = NewFolders::make_new(&deep).unwrap();
        assert!(NewFolders::make_new(&deep).is_err());
        std::fs::write(there.join("a/file"), "").unwrap();
        drop(made);
        assert_eq!(entries(&there.join("a")), [there.join("a/file")]);
    }
}
