//! Compiled kernels, kept between runs. Each ends with its hash, so that a damaged one is made again.

use repro_base::files::{
    FolderError, open_to_append, own_folder, read_regular, temporary_own_folder, variable,
};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where compiled kernels are kept: REPRO_CACHE, or `repro` in the user's folder for caches. If no such folder can be made, it is a folder
/// of the user's own among the temporary files. The folder exists, and no other user can write to it, since code is loaded from it.
///
/// # Errors
/// When there is no such folder and none can be made.
pub fn cache_folder() -> Result<PathBuf, FolderError> {
    let own = |folder: PathBuf| own_folder(&folder).map(|()| folder);
    if let Some(named) = variable("REPRO_CACHE") {
        return own(named.into());
    }
    let home = || std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    let base = variable("XDG_CACHE_HOME").map(PathBuf::from).or_else(|| Some(home()?.join(".cache")));
    match base.map(|base| own(base.join("repro"))) {
        None | Some(Err(FolderError::Unmakable { .. })) => own(temporary_own_folder()),
        Some(usual) => usual,
    }
}

/// The file name for what is made from `parts`: texts, options, the compiler's version.
pub fn cache_key(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_string()
}

/// Appends a file's hash to it. Readers that go by the file's own headers, as a library's loader does, ignore it.
///
/// # Errors
/// When it cannot be read or written.
pub(crate) fn append_hash(path: &Path) -> io::Result<()> {
    let hash = blake3::hash(&std::fs::read(path)?);
    open_to_append(path)?.write_all(hash.as_bytes())
}

/// What a file held when [`append_hash`] or [`keep`] finished it. None where there is no such file, or it was damaged since.
pub fn kept(path: &Path) -> Option<Vec<u8>> {
    let mut content = read_regular(path).ok()?;
    let hash = content.split_off(content.len().checked_sub(blake3::OUT_LEN)?);
    (blake3::hash(&content).as_bytes() == hash.as_slice()).then_some(content)
}

/// Keeps `content` as the file `name` in `folder`, which is the user's own. Other processes may do so at the same time.
///
/// # Errors
/// When it cannot be written.
pub fn keep(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(content)?;
    file.write_all(blake3::hash(content).as_bytes())?;
    file.persist(folder.join(name))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_found_and_a_damaged_or_short_file_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k");
        keep(folder.path(), "k", b"machine code").unwrap();
        assert_eq!(kept(&path).as_deref(), Some(&b"machine code"[..]));
        std::fs::write(&path, b"machine code").unwrap();
        assert_eq!(kept(&path), None);
        append_hash(&path).unwrap();
        assert_eq!(kept(&path).as_deref(), Some(&b"machine code"[..]));
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[3] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(kept(&path), None);
        std::fs::write(&path, b"torn").unwrap();
        assert_eq!(kept(&path), None);
        assert_eq!(kept(&folder.path().join("absent")), None);
    }

    #[test]
    fn every_part_of_the_key_counts_and_so_do_their_borders() {
        assert_ne!(cache_key(&["a", "b"]), cache_key(&["a", "c"]));
        assert_ne!(cache_key(&["ab", "c"]), cache_key(&["a", "bc"]));
    }
}
