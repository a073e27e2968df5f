//! Reads a file that describes an implementation, with everything that it names.

use super::headers::{self, place_beside, read_bytes, read_text};
use repro_solvers::ImplementationFile;
use repro_solvers::kernel_file::{FileError, Text};
use serde::Deserialize;
use std::path::{Component, Path, PathBuf};
use toml::Spanned;

/// What is looked at before the rest is.
#[derive(Deserialize)]
pub struct Head {
    name: Spanned<String>,
    source: Option<Spanned<String>>,
    cubin: Option<Spanned<String>>,
    pub program: Option<ProgramHead>,
}

/// What names the scripts of a program.
#[derive(Deserialize)]
pub struct ProgramHead {
    #[serde(default)]
    command: Vec<String>,
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
    let folder = match here.parent() {
        Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
        parent => parent.unwrap_or(Path::new("/")).to_path_buf(),
    };
    // As it was named, but for detours.
    let is_detour = path.components().any(|part| part == Component::ParentDir);
    let shown = if is_detour { &here } else { path }.display().to_string();
    let of = Text { file: &shown, text: &text };
    let whole = |problem: String| of.error_in_whole(problem);
    let head: Head = toml::from_str(&text).map_err(|error| of.unreadable(&error))?;
    let located = |name: &Spanned<String>| -> Result<PathBuf, FileError> {
        place_beside(&folder, name.get_ref()).map_err(|problem| of.error(&name.span(), problem))
    };
    let mut sources = Vec::new();
    if let Some(source) = &head.source {
        let unreadable = |problem: String| of.error(&source.span(), format!("source: {problem}"));
        let path = located(source)?;
        let content = read_text(&path).map_err(unreadable)?;
        let beside = headers::beside(path.parent().unwrap_or(&folder), &content).map_err(unreadable)?;
        sources.push((source.get_ref().clone(), content));
        sources.extend(beside);
    }
    let command = head.program.iter().flat_map(|program| &program.command);
    for script in command.filter_map(|word| word.strip_prefix(OWN_FOLDER)) {
        let place = place_beside(&folder, script).map_err(whole)?;
        sources.push((script.to_string(), read_text(&place).map_err(whole)?));
    }
    let code = |name: &Spanned<String>| {
        let code = read_bytes(&located(name)?);
        code.map_err(|problem| of.error(&name.span(), format!("cubin: {problem}")))
    };
    let cubin = head.cubin.as_ref().map(code).transpose()?;
    Ok(ImplementationFile { file: shown, folder, name: head.name.into_inner(), text, sources, cubin })
}

/// That `known` has the name of `given`: another file, or one of this program's own.
pub fn name_is_taken(given: &ImplementationFile, known: Option<&ImplementationFile>) -> FileError {
    let head: Option<Head> = toml::from_str(&given.text).ok();
    let line = head.map_or(1, |head| as_text(given).line(head.name.span().start));
    let by = known.map(|known| known.file.clone());
    FileError::Taken { file: given.file.clone(), line, name: given.name.clone(), by }
}

/// The text of a file with its name, for messages about places in it.
pub fn as_text(given: &ImplementationFile) -> Text<'_> {
    Text { file: &given.file, text: &given.text }
}

/// `absolute` from the working folder on, where it is below that: records then name no folder of the machine that has nothing to do with
/// the run.
fn from_here(absolute: &Path) -> PathBuf {
    let working = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let below = working.ok().and_then(|folder| absolute.strip_prefix(folder).ok());
    below.unwrap_or(absolute).to_path_buf()
}
