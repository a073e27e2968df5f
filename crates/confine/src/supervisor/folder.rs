//! What a program's files take.

use super::tree::Process;
use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// `st_blocks` counts these, whatever the file system's own blocks are.
const BLOCK_BYTES: u64 = 512;

/// How many files are below `folder`, and what they take on disk, links not followed. Stops counting above this many files.
pub(super) fn used(folder: &Path, most_files: u64) -> (u64, u64) {
    let (mut files, mut bytes) = (0, 0);
    let mut unvisited = vec![folder.to_path_buf()];
    while let Some(folder) = unvisited.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            // What is gone meanwhile takes nothing.
            let Ok(metadata) = entry.metadata() else { continue };
            files += 1;
            bytes += metadata.blocks() * BLOCK_BYTES;
            if files > most_files {
                return (files, bytes);
            }
            if metadata.is_dir() {
                unvisited.push(entry.path());
            }
        }
    }
    (files, bytes)
}

/// What files take that have no name any more and that these processes keep open.
pub(super) fn nameless_bytes(processes: &[Process]) -> u64 {
    let mut seen = HashSet::new();
    let folders = processes.iter().map(|process| fs::read_dir(format!("/proc/{}/fd", process.pid)));
    let open = folders.flatten().flatten().flatten().filter_map(|file| fs::metadata(file.path()).ok());
    let nameless = open.filter(|about| about.is_file() && about.nlink() == 0);
    nameless
        .filter(|about| seen.insert((about.dev(), about.ino())))
        .map(|about| about.blocks() * BLOCK_BYTES)
        .sum()
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
