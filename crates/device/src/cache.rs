//! Compiled kernels on disk. A file is its content's hash and the content, so that a damaged one is compiled again.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

const HASH_BYTES: usize = blake3::OUT_LEN;

/// REPRO_CACHE, or `repro` in the user's cache folder; none when the user has no home.
pub fn cache_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("REPRO_CACHE") {
        return Some(folder.into());
    }
    let base = match std::env::var_os("XDG_CACHE_HOME") {
        Some(folder) => PathBuf::from(folder),
        None => std::env::home_dir()?.join(".cache"),
    };
    Some(base.join("repro"))
}

/// The file name for code made from `parts`: source hash, options, compiler version.
pub(super) fn key(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_string()
}

pub(super) fn get(key: &str) -> Option<Vec<u8>> {
    get_from(&cache_folder()?, key)
}

pub(super) fn put(key: &str, image: &[u8]) -> io::Result<()> {
    match cache_folder() {
        Some(folder) => put_into(&folder, key, image),
        None => Ok(()),
    }
}

fn get_from(folder: &Path, key: &str) -> Option<Vec<u8>> {
    let mut bytes = std::fs::read(folder.join(key)).ok()?;
    let image = bytes.split_off_checked(HASH_BYTES)?;
    (blake3::hash(&image).as_bytes() == bytes.as_slice()).then_some(image)
}

/// A fresh folder inside `folder` for files that are renamed into it when they are whole.
pub(super) fn scratch_folder(folder: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let beside = folder.join(format!("building.{}.{count}", std::process::id()));
    std::fs::create_dir_all(&beside)?;
    Ok(beside)
}

/// Writes beside and renames: another process may be reading or writing the same file.
fn put_into(folder: &Path, key: &str, image: &[u8]) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let beside = folder.join(format!("{key}.{}", std::process::id()));
    let mut bytes = blake3::hash(image).as_bytes().to_vec();
    bytes.extend_from_slice(image);
    std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, folder.join(key))).inspect_err(
        |_| {
            let _ = std::fs::remove_file(&beside);
        },
    )
}

trait SplitOffChecked {
    fn split_off_checked(&mut self, at: usize) -> Option<Vec<u8>>;
}

impl SplitOffChecked for Vec<u8> {
    fn split_off_checked(&mut self, at: usize) -> Option<Vec<u8>> {
        (at <= self.len()).then(|| self.split_off(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_got_and_a_damaged_or_short_file_is_not() {
        let folder = tempfile::tempdir().unwrap();
        put_into(folder.path(), "k", b"machine code").unwrap();
        assert_eq!(get_from(folder.path(), "k").as_deref(), Some(&b"machine code"[..]));
        let file = folder.path().join("k");
        let mut bytes = std::fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&file, &bytes).unwrap();
        assert_eq!(get_from(folder.path(), "k"), None);
        std::fs::write(&file, b"torn").unwrap();
        assert_eq!(get_from(folder.path(), "k"), None);
        assert_eq!(get_from(folder.path(), "absent"), None);
    }

    #[test]
    fn every_part_of_the_key_counts_and_so_do_their_borders() {
        assert_ne!(key(&["a", "b"]), key(&["a", "c"]));
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
    }
}
