//! Compiled kernels on disk: each file ends with its hash, so that a damaged one is compiled again.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The file name for code made from `parts`: texts, options, the compiler's version.
pub fn key(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_string()
}

/// A fresh folder inside `folder` for files that are renamed into it when they are whole.
pub fn scratch_folder(folder: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let beside = folder.join(format!("building.{}.{count}", std::process::id()));
    std::fs::create_dir_all(&beside)?;
    Ok(beside)
}

/// Appends a file's hash to it. What reads the file by its own headers, a library's loader for one, does not mind.
pub fn append_hash(path: &Path) -> io::Result<()> {
    let mut bytes = std::fs::read(path)?;
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    std::fs::write(path, bytes)
}

/// Whether there is a file that [`append_hash`] finished and nothing damaged since.
pub fn ends_with_its_hash(path: &Path) -> bool {
    let Ok(bytes) = std::fs::read(path) else { return false };
    let Some(split) = bytes.len().checked_sub(blake3::OUT_LEN) else { return false };
    let (content, hash) = bytes.split_at(split);
    blake3::hash(content).as_bytes() == hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_its_hash_is_whole_and_a_damaged_or_short_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = scratch_folder(folder.path()).unwrap().join("library");
        std::fs::write(&file, b"machine code").unwrap();
        assert!(!ends_with_its_hash(&file));
        append_hash(&file).unwrap();
        assert!(ends_with_its_hash(&file));
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[3] ^= 1;
        std::fs::write(&file, bytes).unwrap();
        assert!(!ends_with_its_hash(&file));
        assert!(!ends_with_its_hash(&folder.path().join("absent")));
    }

    #[test]
    fn every_part_of_the_key_counts_and_so_do_their_borders() {
        assert_ne!(key(&["a", "b"]), key(&["a", "c"]));
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
    }
}
