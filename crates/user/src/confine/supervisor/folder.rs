//! What a program's files take.

use super::processes::{Process, has_ended};
use crate::confine::exit::ExitCause;
use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use walkdir::WalkDir;

/// How many files are below `folder`, and what they take on disk, links not followed. Stops counting above this many files.
///
/// # Errors
/// That some cannot be counted, as below folders of which nobody may read one, or whose names are together longer than a path may be.
pub(super) fn used(folder: &Path, most_files: u64) -> Result<(u64, u64), ExitCause> {
    let (mut files, mut bytes) = (0, 0);
    for found in WalkDir::new(folder).min_depth(1) {
        match found.and_then(|entry| entry.metadata()).map_err(|error| error.into_io_error()) {
            Ok(about) => (files, bytes) = (files + 1, bytes + on_disk(&about)),
            // What is gone meanwhile takes nothing.
            Err(Some(error)) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                let why = error.map_or_else(|| "a circle".to_string(), |error| error.to_string());
                return Err(ExitCause::Broke(format!("had files that cannot be counted: {why}")));
            }
        }
        if files > most_files {
            break;
        }
    }
    Ok((files, bytes))
}

/// What files take that have no name any more and that these processes keep open.
///
/// # Errors
/// That one of them cannot be looked at, as one whose binary nobody may read.
pub(super) fn nameless_bytes(processes: &[Process]) -> Result<u64, ExitCause> {
    let (mut seen, mut bytes) = (HashSet::new(), 0);
    for process in processes {
        let open = match fs::read_dir(format!("/proc/{}/fd", process.pid)) {
            Ok(open) => open,
            Err(error) if error.kind() == ErrorKind::PermissionDenied && !has_ended(process.pid) => {
                return Err(ExitCause::Broke("had a process whose open files cannot be seen".into()));
            }
            Err(_) => continue,
        };
        let open = open.flatten().filter_map(|file| fs::metadata(file.path()).ok());
        let nameless = open.filter(|about| about.is_file() && about.nlink() == 0);
        bytes += nameless
            .filter(|about| seen.insert((about.dev(), about.ino())))
            .map(|about| on_disk(&about))
            .sum::<u64>();
    }
    Ok(bytes)
}

/// `st_blocks` counts so many bytes, whatever the file system's own blocks are.
fn on_disk(about: &fs::Metadata) -> u64 {
    about.blocks() * 512
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_all_depths_count_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("c"), vec![1; 100_000]).unwrap();
        std::os::unix::fs::symlink("/usr", inner.join("d")).unwrap();
        let (files, bytes) = used(folder.path(), 100).unwrap();
        assert_eq!(files, 4);
        assert!((100_000..200_000).contains(&bytes), "{bytes}");
        assert_eq!(used(folder.path(), 2).unwrap().0, 3);
    }

    #[test]
    fn files_below_more_folders_than_a_path_has_room_for_are_not_overlooked() {
        use rustix::fs::{Mode, OFlags, mkdirat, openat};
        let folder = tempfile::tempdir().unwrap();
        let name = "d".repeat(250);
        let read = OFlags::RDONLY | OFlags::DIRECTORY;
        let mut inner = rustix::fs::open(folder.path(), read, Mode::empty()).unwrap();
        for _ in 0..17 {
            mkdirat(&inner, &*name, Mode::RWXU).unwrap();
            inner = openat(&inner, &*name, read, Mode::empty()).unwrap();
        }
        openat(&inner, "hidden", OFlags::CREATE | OFlags::WRONLY, Mode::RWXU).unwrap();
        let refused = used(folder.path(), 100).unwrap_err();
        assert!(refused.to_string().contains("cannot be counted"), "{refused}");
    }
}
