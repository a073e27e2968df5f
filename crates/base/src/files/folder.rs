//! Folders that no other user can write to: code is loaded from them, secrets lie there, temporary files are made in them.

use super::temporary_folder;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use thiserror::Error;

/// Why a folder is not used.
#[derive(Debug, Error)]
pub enum FolderError {
    #[error("cannot make {}: {source}", path.display())]
    Unmakable { path: PathBuf, source: io::Error },
    #[error("{} is not used, since {problem}", path.display())]
    Unsafe { path: PathBuf, problem: String },
}

/// Makes `path`, and what is above it, if it is not there: with rights for the user alone. One that is there is checked: nobody but this
/// user can put files into it, or another folder in its place. It and a link to it belong to the user, and what is above it to the user or the
/// system's administrator, who is trusted, as are groups that may write there.
///
/// # Errors
/// When it cannot be made or looked at, or which of these conditions does not hold.
pub fn own_folder(path: &Path) -> Result<(), FolderError> {
    let unmakable = |source| FolderError::Unmakable { path: path.to_path_buf(), source };
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    if let Err(error) = made
        && error.kind() != io::ErrorKind::AlreadyExists
    {
        return Err(unmakable(error));
    }
    let problem = problem_of(path).map_err(unmakable)?;
    problem.map_or(Ok(()), |problem| Err(FolderError::Unsafe { path: path.to_path_buf(), problem }))
}

/// Why others could change what lies in this folder; none where they cannot.
fn problem_of(path: &Path) -> io::Result<Option<String>> {
    const WRITABLE_BY_OTHERS: u32 = 0o022;
    const WRITABLE_BY_ALL: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    let user = rustix::process::geteuid().as_raw();
    let is_own = |about: &Metadata| about.uid() == user;
    let named = std::fs::symlink_metadata(path)?;
    if named.is_symlink() && !is_own(&named) {
        return Ok(Some(format!("it is a link of user {}", named.uid())));
    }
    let real = std::fs::canonicalize(path)?;
    let about = std::fs::symlink_metadata(&real)?;
    if !about.is_dir() {
        return Ok(Some("it is no folder".to_string()));
    }
    if !is_own(&about) {
        return Ok(Some(format!("it belongs to user {}", about.uid())));
    }
    if about.mode() & WRITABLE_BY_OTHERS != 0 {
        let (mode, real) = (about.mode() & 0o7777, real.display());
        return Ok(Some(format!("others may write to it (mode {mode:o}): chmod go-w {real}")));
    }
    for above in real.ancestors().skip(1) {
        let about = std::fs::symlink_metadata(above)?;
        let above = above.display();
        if about.mode() & WRITABLE_BY_ALL != 0 && about.mode() & STICKY == 0 {
            return Ok(Some(format!("every user may rename what is in {above}: chmod +t {above}")));
        }
        if !is_own(&about) && about.uid() != 0 {
            return Ok(Some(format!(
                "{above} belongs to user {}, who may rename what is in it",
                about.uid()
            )));
        }
    }
    Ok(None)
}

const PREFIX: &str = "scratch.";
/// How long the processes that a killed process had started may take to end.
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
        remove_abandoned_in(within);
        let gate = File::open(within)?;
        // Nobody looks for abandoned folders before this one is locked. A file system that cannot lock folders, as some network file
        // systems cannot, keeps what a killed process left: there nobody can tell whether it is in use.
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
    temporary_folder().join(format!("repro-{}", rustix::process::geteuid().as_raw()))
}

/// Removes the folders of [`Scratch::new`] that killed processes left; for whoever has just killed one. Costs a look into one folder, and
/// up to two seconds where one cannot be removed yet, since a process that the killed one had started still writes to it.
pub fn remove_abandoned() {
    remove_all_abandoned_in(&temporary_own_folder());
}

fn remove_all_abandoned_in(within: &Path) {
    let began = Instant::now();
    while !remove_abandoned_in(within) && began.elapsed() < TIME_TO_END {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Removes abandoned folders in `within`; returns whether none is left. False also while another process makes a folder there.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    /// The mode of a folder and of the one above it, and why it is refused.
    #[test]
    fn a_new_folder_is_the_users_alone_and_one_that_others_may_write_to_or_replace_is_refused_with_what_to_do()
     {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("above/own");
        own_folder(&folder).unwrap();
        assert_eq!(std::fs::metadata(&folder).unwrap().mode() & 0o7777, 0o700);
        for (own, above, refused) in [
            (0o777, 0o700, "others may write to it: chmod go-w"),
            (0o1777, 0o700, "others may write to it: chmod go-w"),
            (0o775, 0o700, "others may write to it: chmod go-w"),
            (0o700, 0o777, "every user may rename"),
            (0o700, 0o1777, ""),
            // Others may read what is there.
            (0o755, 0o700, ""),
        ] {
            mode(&folder, own);
            mode(&place.path().join("above"), above);
            let told = own_folder(&folder).map_or_else(|error| error.to_string(), |()| String::new());
            let is_told = refused.split(": ").all(|part| told.contains(part));
            assert!(is_told && told.is_empty() == refused.is_empty(), "{own:o} {above:o}: {told}");
        }
    }

    #[test]
    fn a_folder_of_another_user_and_what_is_no_folder_are_refused_and_a_link_of_the_users_own_is_not() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        own_folder(&path("real")).unwrap();
        symlink(path("real"), path("link")).unwrap();
        own_folder(&path("link")).unwrap();
        std::fs::write(path("file"), "").unwrap();
        assert!(own_folder(&path("file")).unwrap_err().to_string().contains("no folder"));
        symlink(path("absent"), path("dangling")).unwrap();
        assert!(own_folder(&path("dangling")).is_err() && !path("absent").exists());
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(path("real"), Some(65534), None).unwrap();
            for name in ["real", "link"] {
                let refused = own_folder(&path(name)).unwrap_err().to_string();
                assert!(refused.contains("belongs to user 65534"), "{refused}");
            }
            std::os::unix::fs::chown(place.path(), Some(65534), None).unwrap();
            std::os::unix::fs::chown(path("real"), Some(0), None).unwrap();
            assert!(own_folder(&path("real")).unwrap_err().to_string().contains("who may rename"));
            std::os::unix::fs::chown(place.path(), Some(0), None).unwrap();
            std::os::unix::fs::lchown(path("link"), Some(65534), None).unwrap();
            std::os::unix::fs::chown(path("real"), Some(0), None).unwrap();
            assert!(own_folder(&path("link")).unwrap_err().to_string().contains("link of user 65534"));
        }
    }

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
