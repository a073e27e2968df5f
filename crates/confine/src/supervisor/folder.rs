//! What a program's files take.

use super::processes::Process;
use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use walkdir::WalkDir;

/// How many files are below `folder`, and what they take on disk, links not followed. Stops counting above this many files.
pub(super) fn used(folder: &Path, most_files: usize) -> (u64, u64) {
    // What is gone meanwhile takes nothing.
    let found = WalkDir::new(folder).min_depth(1).into_iter().flatten().flat_map(|entry| entry.metadata());
    found.take(most_files + 1).fold((0, 0), |(files, bytes), about| (files + 1, bytes + on_disk(&about)))
}

/// What files take that have no name any more and that these processes keep open.
pub(super) fn nameless_bytes(processes: &[Process]) -> u64 {
    let mut seen = HashSet::new();
    let folders = processes.iter().map(|process| fs::read_dir(format!("/proc/{}/fd", process.pid)));
    let open = folders.flatten().flatten().flatten().filter_map(|file| fs::metadata(file.path()).ok());
    let nameless = open.filter(|about| about.is_file() && about.nlink() == 0);
    nameless.filter(|about| seen.insert((about.dev(), about.ino()))).map(|about| on_disk(&about)).sum()
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
        let (files, bytes) = used(folder.path(), 100);
        assert_eq!(files, 4);
        assert!((100_000..200_000).contains(&bytes), "{bytes}");
        assert_eq!(used(folder.path(), 2).0, 3);
    }
}
