//! What a program's files take.

use super::tree::Process;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// `st_blocks` counts these, whatever the file system's own blocks are.
const BLOCK_BYTES: u64 = 512;

/// Files and what they take on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Used {
    pub bytes: u64,
    pub files: u32,
}

/// Everything below `folder`, links not followed. Stops counting above this many files.
pub(super) fn used(folder: &Path, most_files: u32) -> Used {
    let mut used = Used::default();
    let mut unvisited = vec![folder.to_path_buf()];
    while let Some(folder) = unvisited.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            // What is gone meanwhile takes nothing.
            let Ok(metadata) = entry.metadata() else { continue };
            used.bytes += metadata.blocks() * BLOCK_BYTES;
            used.files += 1;
            if used.files > most_files {
                return used;
            }
            if metadata.is_dir() {
                unvisited.push(entry.path());
            }
        }
    }
    used
}

/// What files take that have no name any more and that these processes keep open.
pub(super) fn nameless_bytes(processes: &[Process]) -> u64 {
    let mut seen = std::collections::HashSet::new();
    let mut bytes = 0;
    for process in processes {
        let Ok(open) = fs::read_dir(format!("/proc/{}/fd", process.pid)) else { continue };
        for file in open.flatten() {
            let Ok(metadata) = fs::metadata(file.path()) else { continue };
            let is_nameless = metadata.is_file() && metadata.nlink() == 0;
            if is_nameless && seen.insert((metadata.dev(), metadata.ino())) {
                bytes += metadata.blocks() * BLOCK_BYTES;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn files_of_all_depths_count_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("c"), vec![1; 100_000]).unwrap();
        std::os::unix::fs::symlink("/usr", inner.join("d")).unwrap();
        let all = used(folder.path(), 100);
        assert_eq!(all.files, 4);
        assert!((100_000..200_000).contains(&all.bytes), "{all:?}");
        assert_eq!(used(folder.path(), 2).files, 3);
    }

    #[test]
    fn a_deleted_file_that_is_open_counts_once() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![1; 1 << 20]).unwrap();
        file.sync_all().unwrap();
        let again = file.try_clone().unwrap();
        let pid = std::process::id() as i32;
        let own = Process { pid, parent: 1, group: 1, threads: 1, memory_bytes: 0 };
        let bytes = nameless_bytes(&[own]);
        drop(again);
        assert!((1 << 20..3 << 19).contains(&bytes), "{bytes}");
    }
}
