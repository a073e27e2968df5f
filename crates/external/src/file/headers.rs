//! Headers that lie next to a kernel's source.

use repro_device::included;
use std::path::{Component, Path, PathBuf};

/// Of one kernel's source and of all its headers together, bytes.
const MOST_BYTES: u64 = 4 << 20;

/// A file of text, up to a size that no kernel has.
///
/// # Errors
/// Why it cannot be read.
pub fn read_text(path: &Path) -> Result<String, String> {
    let bytes = read_bytes(path)?;
    String::from_utf8(bytes).map_err(|_| format!("{} is no text in UTF-8", path.display()))
}

/// A regular file, up to a size that no kernel has.
///
/// # Errors
/// Why it cannot be read.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    repro_files::read_at_most(path, MOST_BYTES)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Where the file `name` is that lies in `folder` or below.
///
/// # Errors
/// When the name or a link leads out of `folder`: what is read becomes part of records, and links may come from anybody.
pub fn place_beside(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let is_below = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if name.is_empty() || !is_below {
        return Err(format!("'{name}' leads out of the folder: name a file next to this one or below"));
    }
    let path = folder.join(name);
    match (folder.canonicalize(), path.canonicalize()) {
        (Ok(folder), Ok(real)) if !real.starts_with(&folder) => {
            Err(format!("'{name}' is a link that leads out of the folder: put the file itself there"))
        }
        _ => Ok(path),
    }
}

/// The headers that `text` includes, directly or through another, as far as `find` has them, by the names that they are included with.
///
/// # Errors
/// The first of `find`.
pub fn reached<E>(
    text: &str,
    mut find: impl FnMut(&str) -> Result<Option<String>, E>,
) -> Result<Vec<(String, String)>, E> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut pending = vec![text.to_string()];
    while let Some(text) = pending.pop() {
        for name in text.lines().filter_map(included) {
            if found.iter().any(|(known, _)| known == name) {
                continue;
            }
            if let Some(header) = find(name)? {
                pending.push(header.clone());
                found.push((name.to_string(), header));
            }
        }
    }
    Ok(found)
}

/// The headers that `text` includes and that lie in `folder`, directly or through another, by the names that they are included with.
///
/// # Errors
/// When one leads out of the folder or cannot be read, or when they are too large together.
pub fn beside(folder: &Path, text: &str) -> Result<Vec<(String, String)>, String> {
    let mut bytes = text.len() as u64;
    reached(text, |name| {
        let path = place_beside(folder, name).map_err(|problem| format!("#include \"{name}\": {problem}"))?;
        if !path.exists() {
            // It may be one of ours; the compiler knows.
            return Ok(None);
        }
        let content = read_text(&path)?;
        bytes += content.len() as u64;
        if bytes > MOST_BYTES {
            return Err(format!("the headers have more than {} MiB together", MOST_BYTES >> 20));
        }
        Ok(Some(content))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_found_through_others_and_only_beside() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("a.cuh", "#include \"b.cuh\"\n#include \"repro.cuh\"\n");
        write("b.cuh", "int b;\n");
        write("c.cuh", "int c;\n");
        let found = beside(folder.path(), "  # include  \"a.cuh\"\n#include <cuda.h>\n").unwrap();
        let names: Vec<&str> = found.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["a.cuh", "b.cuh"]);
    }
}
