//! A file that describes an implementation, with everything that it names, as it was read.

use super::headers::{self, place_beside, read_bytes, read_text};
use super::place::{FileError, Text};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Component, Path, PathBuf};
use toml::Spanned;

/// What makes an implementation of a user's file, in whatever process: its text and what lies next to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GivenFile {
    /// The file's own name, for messages.
    pub file: String,
    /// Where it lies, from the working folder where it is below that; programs are started from there.
    pub folder: PathBuf,
    /// The implementation's name.
    pub name: String,
    pub text: String,
    /// The kernel's source, and the headers next to it that it reaches, by their names.
    pub sources: Vec<(String, String)>,
    /// Machine code in the place of a source.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "hexadecimal")]
    pub cubin: Option<Vec<u8>>,
}

/// What is looked at before the rest is.
#[derive(Deserialize)]
struct Head {
    name: Spanned<String>,
    source: Option<Spanned<String>>,
    cubin: Option<Spanned<String>>,
    program: Option<ProgramHead>,
}

/// What names the scripts of a program.
#[derive(Deserialize)]
struct ProgramHead {
    #[serde(default)]
    command: Vec<String>,
}

/// Stands for the file's own folder in the command of a program.
const OWN_FOLDER: &str = "{adapters}/";

impl GivenFile {
    /// Reads a file and what it names.
    ///
    /// # Errors
    /// When one of them cannot be read, is no text, or lies elsewhere.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let text = read_text(path).map_err(FileError::Placed)?;
        let unreachable = |error: io::Error| FileError::Whole {
            file: path.display().to_string(),
            problem: error.to_string(),
        };
        let absolute = path.canonicalize().map_err(unreachable)?;
        let here = from_here(&absolute);
        let folder = match here.parent() {
            Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
            parent => parent.unwrap_or(Path::new("/")).to_path_buf(),
        };
        // As it was named, but for detours.
        let is_detour = path.components().any(|part| part == Component::ParentDir);
        let shown = if is_detour { &here } else { path }.display().to_string();
        let whole = |problem: String| FileError::Whole { file: shown.clone(), problem };
        let of = Text { file: &shown, text: &text };
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
        let cubin = head
            .cubin
            .as_ref()
            .map(|name| {
                let code = read_bytes(&located(name)?);
                code.map_err(|problem| of.error(&name.span(), format!("cubin: {problem}")))
            })
            .transpose()?;
        Ok(Self { file: shown, folder, name: head.name.into_inner(), text, sources, cubin })
    }

    /// The first 128 bits of a BLAKE3 hash over all of it but its place, in hexadecimal.
    pub fn hash(&self) -> String {
        let names_and_texts = self.sources.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]);
        let parts = [self.text.as_bytes()].into_iter().chain(names_and_texts).chain(self.cubin.as_deref());
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.finalize().to_hex()[..32].to_string()
    }

    /// That `known` has its name: another file, or one of this program's own.
    pub(crate) fn name_is_taken(&self, known: Option<&Self>) -> FileError {
        let head: Option<Head> = toml::from_str(&self.text).ok();
        let line = head.map_or(1, |head| self.as_text().line(head.name.span().start));
        let by = known.map(|known| known.file.clone());
        FileError::Taken { file: self.file.clone(), line, name: self.name.clone(), by }
    }

    /// Its text with its name, for messages about places in it.
    pub(super) fn as_text(&self) -> Text<'_> {
        Text { file: &self.file, text: &self.text }
    }
}

/// `absolute` from the working folder on, where it is below that: records then name no folder of the machine that has nothing to do with
/// the run.
fn from_here(absolute: &Path) -> PathBuf {
    let working = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let below = working.ok().and_then(|folder| absolute.strip_prefix(folder).ok());
    below.unwrap_or(absolute).to_path_buf()
}

/// Bytes in records: two digits each.
mod hexadecimal {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use std::fmt::Write;

    #[expect(clippy::ref_option, reason = "serde hands over a reference")]
    pub fn serialize<S: Serializer>(bytes: &Option<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
        let mut digits = String::new();
        for byte in bytes.iter().flatten() {
            let _ = write!(digits, "{byte:02x}");
        }
        serializer.serialize_some(&digits)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<u8>>, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let byte = |at: usize| {
            let pair = digits.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
            pair.ok_or_else(|| D::Error::custom("machine code: expected two hexadecimal digits a byte"))
        };
        (0..digits.len()).step_by(2).map(byte).collect::<Result<_, _>>().map(Some)
    }
}
