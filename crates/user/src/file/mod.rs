//! A user's files, read with all that they name: kernels, whose format `repro_solvers` has, and programs.

#[cfg(test)]
mod tests;

use crate::program;
use repro_device::included;
use repro_solvers::kernel_file::{self, FileError, SourceText};
use repro_solvers::{Implementation, ImplementationFile};
use serde::Deserialize;
use std::path::{Component, Path, PathBuf};
use toml::{Spanned, Table};

/// The keys that are read before the rest of the file.
#[derive(Deserialize)]
struct FileHeader {
    name: Spanned<String>,
    source: Option<Spanned<String>>,
    cubin: Option<Spanned<String>>,
    program: Option<Table>,
}

/// Stands for the file's own folder in the command of a program.
const OWN_FOLDER: &str = "{adapters}/";

/// Reads a file and what it names.
///
/// # Errors
/// When one of them cannot be read, is no text, or lies elsewhere.
pub fn read(path: &Path) -> Result<ImplementationFile, FileError> {
    let text = read_text(path).map_err(FileError::Placed)?;
    let absolute =
        path.canonicalize().map_err(|error| FileError::Placed(format!("{}: {error}", path.display())))?;
    let here = from_here(&absolute);
    let folder = here.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Messages and records show the path as it was given, unless it has `..` in it.
    let is_detour = path.components().any(|part| part == Component::ParentDir);
    let shown = if is_detour { &here } else { path }.display().to_string();
    let of = SourceText { file: &shown, text: &text };
    let head: FileHeader = toml::from_str(&text).map_err(|error| of.unreadable(&error))?;
    let mut sources = Vec::new();
    if let Some(name) = &head.source {
        let read = source_and_headers(folder, name.get_ref());
        sources = read.map_err(|problem| of.error(&name.span(), format!("source: {problem}")))?;
    }
    let command = head.program.iter().filter_map(|program| program.get("command")?.as_array()).flatten();
    for script in command.filter_map(|word| word.as_str()?.strip_prefix(OWN_FOLDER)) {
        let read = place_beside(folder, script).and_then(|place| read_text(&place));
        let read = read.map_err(|problem| of.error_in_whole(problem))?;
        sources.push((script.to_string(), read));
    }
    let code = |name: &Spanned<String>| {
        let read = place_beside(folder, name.get_ref()).and_then(|place| read_bytes(&place));
        read.map_err(|problem| of.error(&name.span(), format!("cubin: {problem}")))
    };
    let cubin = head.cubin.as_ref().map(code).transpose()?;
    let (folder, name) = (folder.to_path_buf(), head.name.into_inner());
    Ok(ImplementationFile { file: shown, folder, name, text, sources, cubin })
}

/// The error that the name of `given` is taken: by the file `known` or, if none, by an implementation of this program.
pub fn name_is_taken(given: &ImplementationFile, known: Option<&ImplementationFile>) -> FileError {
    let of = SourceText { file: &given.file, text: &given.text };
    let line = toml::from_str(&given.text).map_or(1, |head: FileHeader| of.line(head.name.span().start));
    let by = known.map(|known| known.file.clone());
    FileError::Taken { file: given.file.clone(), line, name: given.name.clone(), by }
}

/// The implementation that a file describes, with all numbers of the file tried out.
///
/// # Errors
/// What is wrong, with its file, line and key.
pub fn implementation(given: &ImplementationFile) -> Result<Implementation, FileError> {
    let of = SourceText { file: &given.file, text: &given.text };
    let head: FileHeader = toml::from_str(&given.text).map_err(|error| of.unreadable(&error))?;
    match head.program {
        None => kernel_file::implementation(given),
        Some(_) => program::implementation(of, given),
    }
}

/// `absolute` relative to the working folder, where it lies below that: records then name no folder of the machine that has nothing to do
/// with the run.
fn from_here(absolute: &Path) -> PathBuf {
    let working = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let below = working.ok().and_then(|folder| absolute.strip_prefix(folder).ok());
    below.unwrap_or(absolute).to_path_buf()
}

/// The most bytes of one file, and of a kernel's source and all its headers together.
const MOST_BYTES: u64 = 4 << 20;

/// The text of a file of at most [`MOST_BYTES`], a size that no kernel has.
///
/// # Errors
/// Why it cannot be read.
fn read_text(path: &Path) -> Result<String, String> {
    let bytes = read_bytes(path)?;
    String::from_utf8(bytes).map_err(|_| format!("{} is no text in UTF-8", path.display()))
}

/// The bytes of a regular file of at most [`MOST_BYTES`], a size that no kernel has.
///
/// # Errors
/// Why it cannot be read.
fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    repro_base::files::read_at_most(path, MOST_BYTES)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// The path of the file `name`, which has to lie in `folder` or below.
///
/// # Errors
/// When the name or a link leads out of `folder`: what is read becomes part of records, and links may come from anybody.
fn place_beside(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let is_below = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if name.is_empty() || !is_below {
        return Err(format!("'{name}' leads out of the folder: name a file next to this one or below"));
    }
    let path = folder.join(name);
    if path
        .canonicalize()
        .is_ok_and(|real| folder.canonicalize().is_ok_and(|folder| !real.starts_with(folder)))
    {
        return Err(format!("'{name}' is a link that leads out of the folder: put the file itself there"));
    }
    Ok(path)
}

/// A kernel's source, and the headers next to it that it includes, directly or through another, by the names that they are included with.
///
/// # Errors
/// When one leads out of the folder or cannot be read, or when they are too large together.
fn source_and_headers(folder: &Path, name: &str) -> Result<Vec<(String, String)>, String> {
    let path = place_beside(folder, name)?;
    let folder = path.parent().unwrap_or(folder);
    let text = read_text(&path)?;
    let (mut bytes, mut pending) = (text.len() as u64, vec![text.clone()]);
    let mut found = vec![(name.to_string(), text)];
    while let Some(text) = pending.pop() {
        for name in text.lines().filter_map(included) {
            let path =
                place_beside(folder, name).map_err(|problem| format!("#include \"{name}\": {problem}"))?;
            // A header that is not there may be one of ours; otherwise the compiler reports it.
            if found[1..].iter().any(|(known, _)| known == name) || !path.exists() {
                continue;
            }
            let header = read_text(&path)?;
            bytes += header.len() as u64;
            if bytes > MOST_BYTES {
                return Err(format!("the headers have more than {} MiB together", MOST_BYTES >> 20));
            }
            pending.push(header.clone());
            found.push((name.to_string(), header));
        }
    }
    Ok(found)
}
