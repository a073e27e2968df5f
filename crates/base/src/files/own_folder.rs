//! Folders from which code is loaded, or where secrets lie: no other user may write to them.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a folder is not used.
#[derive(Debug, Error)]
pub enum FolderError {
    #[error("cannot make {}: {source}", path.display())]
    Unmakable { path: PathBuf, source: io::Error },
    #[error("{} is not used, since {problem}", path.display())]
    Unsafe { path: PathBuf, problem: String },
}

impl FolderError {
    /// The folder.
    pub fn path(&self) -> &Path {
        match self {
            Self::Unmakable { path, .. } | Self::Unsafe { path, .. } => path,
        }
    }

    fn unsafe_since(path: &Path, problem: impl Into<String>) -> Self {
        Self::Unsafe { path: path.to_path_buf(), problem: problem.into() }
    }
}

/// Makes `path`, and what is above it, if it is not there: with rights for the user alone. One that is there is checked with
/// [`check_own_folder`].
///
/// # Errors
/// When it cannot be made, or others could write to it.
pub fn own_folder(path: &Path) -> Result<(), FolderError> {
    let unmakable = |source| FolderError::Unmakable { path: path.to_path_buf(), source };
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
        std::fs::create_dir_all(above).map_err(unmakable)?;
    }
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(unmakable(error)),
        _ => check_own_folder(path),
    }
}

/// Makes sure that nobody but this user can put files into the folder `path`, or another folder in its place: it and a link to it
/// belong to the user, and what is above it to the user or the system's administrator, who is trusted, as are groups that may write there.
///
/// # Errors
/// What is not so, or that it cannot be looked at.
#[cfg(unix)]
pub fn check_own_folder(path: &Path) -> Result<(), FolderError> {
    use std::os::unix::fs::MetadataExt;
    const WRITABLE_BY_OTHERS: u32 = 0o022;
    const WRITABLE_BY_ALL: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    let unreadable = |source| FolderError::Unmakable { path: path.to_path_buf(), source };
    let refused = |problem: String| Err(FolderError::unsafe_since(path, problem));
    let user = rustix::process::geteuid().as_raw();
    let is_own = |about: &std::fs::Metadata| about.uid() == user;
    let named = std::fs::symlink_metadata(path).map_err(unreadable)?;
    if named.is_symlink() && !is_own(&named) {
        return refused(format!("it is a link of user {}", named.uid()));
    }
    let real = std::fs::canonicalize(path).map_err(unreadable)?;
    let about = std::fs::symlink_metadata(&real).map_err(unreadable)?;
    if !about.is_dir() {
        return refused("it is no folder".to_string());
    }
    if !is_own(&about) {
        return refused(format!("it belongs to user {}", about.uid()));
    }
    if about.mode() & WRITABLE_BY_OTHERS != 0 {
        let chmod = format!("chmod go-w {}", real.display());
        return refused(format!("others may write to it (mode {:o}): {chmod}", about.mode() & 0o7777));
    }
    for above in real.ancestors().skip(1) {
        let about = std::fs::symlink_metadata(above).map_err(unreadable)?;
        let above = above.display();
        if about.mode() & WRITABLE_BY_ALL != 0 && about.mode() & STICKY == 0 {
            return refused(format!("every user may rename what is in {above}: chmod +t {above}"));
        }
        if !is_own(&about) && about.uid() != 0 {
            return refused(format!("{above} belongs to user {}, who may rename what is in it", about.uid()));
        }
    }
    Ok(())
}

/// Makes sure that `path` is a folder. Who may write to it is not looked at on this system.
///
/// # Errors
/// When it is none.
#[cfg(not(unix))]
pub fn check_own_folder(path: &Path) -> Result<(), FolderError> {
    if path.is_dir() { Ok(()) } else { Err(FolderError::unsafe_since(path, "it is no folder")) }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    fn mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_new_folder_is_the_users_alone_and_is_taken_again() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("a/b");
        own_folder(&folder).unwrap();
        assert_eq!(std::fs::metadata(&folder).unwrap().mode() & 0o7777, 0o700);
        own_folder(&folder).unwrap();
        // Others may read what is there.
        mode(&folder, 0o755);
        own_folder(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_others_may_write_to_or_replace_is_refused_with_what_to_do() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("above/own");
        own_folder(&folder).unwrap();
        for open in [0o777, 0o1777, 0o775] {
            mode(&folder, open);
            let refused = own_folder(&folder).unwrap_err().to_string();
            assert!(
                refused.contains("others may write to it") && refused.contains("chmod go-w"),
                "{refused}"
            );
        }
        mode(&folder, 0o700);
        mode(&place.path().join("above"), 0o777);
        let refused = own_folder(&folder).unwrap_err().to_string();
        assert!(refused.contains("every user may rename"), "{refused}");
        mode(&place.path().join("above"), 0o1777);
        own_folder(&folder).unwrap();
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
}
