//! The description of a stored matrix: which vertices its rows and columns are, and where the paths are. It lies next to the matrix, in a
//! file of the same name with `.json` after it.

use super::output::folder_of;
use crate::graph::ElementType;
use repro_base::files::NewFile;
use repro_base::terminal::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shortest_paths::read::Names;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use strum::{EnumString, VariantNames};

/// The version of this file's form.
pub(super) const VERSION: u32 = 1;

/// What the description says of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Description {
    /// The version, under a name that says where the file comes from.
    pub repro_solve: u32,
    /// Vertices of the graph.
    pub n: usize,
    /// The type of distances.
    pub element: ElementType,
    /// What the vertices are called.
    #[serde(flatten)]
    pub names: Names,
    /// The vertex of each row, counted from 0; row i is vertex i where none were chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<usize>>,
    /// The vertex of each column of the distances, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub targets: Option<Vec<usize>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<StoredPaths>,
    /// What stands in the distances where no path leads. Results of earlier versions do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_path: Option<Value>,
    pub digest: String,
}

/// Paths next to distances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredPaths {
    pub kind: PathKind,
    /// Their file, seen from the folder of the distances.
    pub file: PathBuf,
}

impl StoredPaths {
    /// Describes paths in `file` for the description next to the distances in `out`.
    pub fn new(kind: PathKind, file: &Path, out: &Path) -> Self {
        let name = file.file_name().unwrap_or_default();
        let folder =
            if file.parent() == out.parent() { Ok(PathBuf::new()) } else { folder_of(file).canonicalize() };
        Self { kind, file: folder.map_or_else(|_| file.to_owned(), |folder| folder.join(name)) }
    }
}

/// What stands in a matrix of paths. On the command line it is `predecessor` or `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum PathKind {
    #[serde(rename = "predecessors")]
    Predecessor,
    Next,
}

impl PathKind {
    /// Its name in files, and in what is shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Predecessor => "predecessors",
            Self::Next => "next",
        }
    }
}

impl Description {
    /// Whether this says more than the matrix alone.
    fn is_needed(&self) -> bool {
        self.paths.is_some()
            || self.sources.is_some()
            || self.targets.is_some()
            || matches!(self.names, Names::Given(_))
    }

    /// The path of the description of the result in this file.
    pub fn beside(result: &Path) -> PathBuf {
        let mut name = result.file_name().unwrap_or_default().to_os_string();
        name.push(".json");
        result.with_file_name(name)
    }

    /// Checks that it can lie next to `result` without replacing what somebody else has there.
    ///
    /// # Errors
    /// The file that would be replaced.
    pub fn check_room(&self, result: &Path) -> Result<(), Error> {
        match Self::read(result) {
            Err(error) if self.is_needed() => {
                Err(format!("--out {}: {error}, or choose another name", result.display()).into())
            }
            _ => Ok(()),
        }
    }

    /// Stores it next to `result`, whole or not at all, and returns where. If it is not needed, it deletes the description of an earlier
    /// result of the same name.
    ///
    /// # Errors
    /// When the file cannot be written; nothing is left of it then.
    pub fn store(&self, result: &Path) -> Result<Option<PathBuf>, Error> {
        let path = Self::beside(result);
        if !self.is_needed() {
            if matches!(Self::read(result), Ok(Some(_))) {
                std::fs::remove_file(&path)?;
            }
            return Ok(None);
        }
        let write = || -> io::Result<()> {
            let mut file = NewFile::begin(&path)?;
            file.file.write_all(serde_json::to_string(self)?.as_bytes())?;
            file.finish()
        };
        write().map_err(|error| {
            format!("{}: cannot be written: {error}; make room, or choose another folder", path.display())
        })?;
        Ok(Some(path))
    }

    /// Reads the description of a result, if there is one.
    ///
    /// # Errors
    /// The file, and why it is no description.
    pub fn read(result: &Path) -> Result<Option<Self>, Error> {
        let path = Self::beside(result);
        let refused = |problem: String| Err(format!("{}: {problem}", path.display()).into());
        let text = match repro_base::files::read_text(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return refused(format!("cannot be read: {error}")),
        };
        match serde_json::from_str(&text) {
            Ok(Self { repro_solve: found, .. }) if found != VERSION => {
                refused(format!("has version {found}, and {VERSION} is known: use a newer repro"))
            }
            Ok(read) => Ok(Some(read)),
            Err(error) => {
                refused(format!("does not describe a result of `solve`: {error}; remove that file"))
            }
        }
    }
}
