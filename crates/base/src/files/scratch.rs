//! Temporary folders.

use crate::files::own_folder::{FolderError, own_folder};
use crate::files::variable::temporary_folder;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PREFIX: &str = "scratch.";
/// How long the processes of a killed one may take to end.
const TIME_TO_END: Duration = Duration::from_secs(2);

/// A temporary folder for this process alone, removed on drop. As long as the process lives it holds a lock on the folder, so that the
/// next process that makes one knows which of them a killed process has left, and removes these.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    /// Ends with the process, however that ends.
    _lock: File,
}

impl Scratch {
    /// Makes one in a folder of the user's own below that for temporary files; `purpose` is in its name.
    ///
    /// # Errors
    /// When it cannot be made, or that folder is not the user's own: with the remedy.
    pub fn new(purpose: &str) -> io::Result<Self> {
        let within = temporary_own_folder();
        own_folder(&within)
            .map_err(|error| io::Error::other(format!("{error}; or set TMPDIR to a folder of your own")))?;
        Self::within(&within, purpose)
    }

    /// Makes a folder in `within`, which is the user's own (see [`own_folder`]).
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn within(within: &Path, purpose: &str) -> io::Result<Self> {
        remove_at_start(within);
        let gate = File::open(within)?;
        // Nobody looks for abandoned folders before this one is locked. A file system that has no locks of folders, as some of networks,
        // keeps what a killed process left: there nobody can tell whether it is in use.
        let _ = gate.lock_shared();
        let folder = tempfile::Builder::new().prefix(&format!("{PREFIX}{purpose}.")).tempdir_in(within)?;
        let lock = File::open(folder.path())?;
        let _ = lock.lock();
        Ok(Self { folder, _lock: lock })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// A folder among the temporary files that is to be the user's own: not made yet. [`Scratch::new`] makes its folders there.
pub fn temporary_own_folder() -> PathBuf {
    #[cfg(unix)]
    let user = rustix::process::geteuid().as_raw().to_string();
    #[cfg(not(unix))]
    let user = "user";
    temporary_folder().join(format!("repro-{user}"))
}

/// Removes what killed processes have left of [`Scratch::new`], for whoever has just killed one. Costs a look into one folder, and waits for a moment
/// where a process that the killed one had started still writes there while it is being ended.
pub fn remove_abandoned() {
    remove_all_abandoned_in(&temporary_own_folder());
}

fn remove_all_abandoned_in(within: &Path) {
    let began = Instant::now();
    while !remove_abandoned_in(within) && began.elapsed() < TIME_TO_END {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Removes what was abandoned in the folder of [`Scratch::within`], once for each folder.
fn remove_at_start(within: &Path) {
    static LOOKED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    let mut looked = LOOKED.lock().unwrap_or_else(PoisonError::into_inner);
    if looked.iter().any(|known| known == within) {
        return;
    }
    looked.push(within.to_path_buf());
    drop(looked);
    remove_abandoned_in(within);
}

/// Whether all that was abandoned there is removed.
fn remove_abandoned_in(within: &Path) -> bool {
    // Whatever goes wrong costs room on the disk and nothing else.
    let Ok(gate) = File::open(within) else { return true };
    if gate.try_lock().is_err() {
        return false;
    }
    let mut all = true;
    for entry in std::fs::read_dir(within).into_iter().flatten().flatten() {
        let is_scratch = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if !is_scratch || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let Ok(folder) = File::open(entry.path()) else { continue };
        if folder.try_lock().is_ok() {
            all &= std::fs::remove_dir_all(entry.path()).is_ok();
        }
    }
    all
}

/// A file in `folder` without a name, to write and to read, which goes with the process.
///
/// # Errors
/// When it cannot be made.
pub fn scratch_file(folder: &Path) -> io::Result<File> {
    tempfile::tempfile_in(folder)
}

impl From<FolderError> for io::Error {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::Unmakable { source, .. } => source,
            error @ FolderError::Unsafe { .. } => io::Error::other(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_with_its_owner_and_what_a_killed_process_left_goes_at_the_next_start() {
        let place = tempfile::tempdir().unwrap();
        // Without a lock, as after a kill.
        let abandoned = place.path().join("scratch.solve.abc");
        std::fs::create_dir(&abandoned).unwrap();
        std::fs::write(abandoned.join("file"), "left").unwrap();
        // In use by a living process.
        let used = place.path().join("scratch.solve.def");
        std::fs::create_dir(&used).unwrap();
        let lock = File::open(&used).unwrap();
        lock.lock().unwrap();
        std::fs::create_dir(place.path().join("other")).unwrap();
        let scratch = Scratch::within(place.path(), "test").unwrap();
        assert!(!abandoned.exists());
        assert!(used.exists() && place.path().join("other").exists());
        let path = scratch.path().to_path_buf();
        std::fs::write(path.join("file"), "text").unwrap();
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn what_a_process_left_goes_although_others_make_folders_or_write_there_meanwhile() {
        let place = tempfile::tempdir().unwrap();
        let abandoned = place.path().join("scratch.kernel.abc");
        std::fs::create_dir(&abandoned).unwrap();
        let gate = File::open(place.path()).unwrap();
        gate.lock_shared().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for n in 0..50 {
                    let folder = abandoned.join(n.to_string());
                    let _ = std::fs::create_dir(&folder)
                        .and_then(|()| std::fs::write(folder.join("file"), "text"));
                    std::thread::sleep(Duration::from_millis(1));
                }
                gate.unlock().unwrap();
            });
            remove_all_abandoned_in(place.path());
        });
        assert!(!abandoned.exists());
    }
}
