//! What a matrix does not say of itself: which vertices its rows and columns are, and where the paths are. Lies beside the matrix, in a file of
//! its name with `.json` after it.

use super::no_path::NoPath;
use crate::graph::ElementType;
use repro_files::NewFile;
use repro_terminal::Error;
use serde::{Deserialize, Serialize};
use shortest_paths::read::{Names, Numbering};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use strum::{EnumString, VariantNames};

/// The version of this file's form.
const VERSION: u32 = 1;

/// What a result is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Description {
    /// The version, under a name that says where the file comes from.
    pub repro_solve: u32,
    /// Vertices of the graph.
    pub n: usize,
    /// The type of distances.
    pub element: ElementType,
    pub vertices: Numbering,
    /// The name of each vertex, where they are named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<Box<str>>>,
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
    pub no_path: Option<NoPath>,
    pub digest: String,
}

/// Paths next to distances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredPaths {
    pub kind: PathKind,
    /// Their file, seen from the folder of the distances.
    pub file: PathBuf,
}

/// What stands in a matrix of paths. As a word, which is parsed and listed, it is `predecessor` or `next`.
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
    pub fn new(n: usize, element: ElementType, names: &Names, digest: String) -> Self {
        let given = match names {
            Names::Given(names) => Some(names.clone()),
            Names::FromZero | Names::FromOne => None,
        };
        Self {
            repro_solve: VERSION,
            n,
            element,
            vertices: names.numbering(),
            names: given,
            sources: None,
            targets: None,
            paths: None,
            no_path: None,
            digest,
        }
    }

    /// What the vertices are called.
    pub fn names(&self) -> Names {
        match (self.vertices, &self.names) {
            (Numbering::FromOne, _) => Names::FromOne,
            (Numbering::Named, Some(names)) => Names::Given(names.clone()),
            _ => Names::FromZero,
        }
    }

    /// Whether the matrix alone says less.
    pub fn is_needed(&self) -> bool {
        self.paths.is_some()
            || self.sources.is_some()
            || self.targets.is_some()
            || self.vertices == Numbering::Named
    }

    /// Where it is of the result in this file.
    pub fn place(result: &Path) -> PathBuf {
        let mut name = result.file_name().unwrap_or_default().to_os_string();
        name.push(".json");
        result.with_file_name(name)
    }

    /// That it can lie next to `result` without replacing what somebody else has there.
    ///
    /// # Errors
    /// The file that would be replaced.
    pub fn check_place(&self, result: &Path, with_paths: bool) -> Result<(), Error> {
        if (with_paths || self.is_needed())
            && let Err(error) = Self::of(result)
        {
            return Err(format!("--out {}: {error}, or choose another name", result.display()).into());
        }
        Ok(())
    }

    /// Stores it next to `result`, whole or not at all. One that is not needed takes away what an earlier result of the same name left.
    ///
    /// # Errors
    /// When the file cannot be written; nothing is left of it then.
    pub fn store(&self, result: &Path) -> Result<(), Error> {
        let place = Self::place(result);
        if !self.is_needed() {
            if Self::of(result).is_ok_and(|earlier| earlier.is_some()) {
                std::fs::remove_file(&place)?;
            }
            return Ok(());
        }
        let write = || -> io::Result<()> {
            let mut file = NewFile::begin(&place)?;
            file.write_all(serde_json::to_string(self)?.as_bytes())?;
            file.finish()
        };
        write().map_err(|error| {
            format!("{}: cannot be written: {error}; make room, or choose another folder", place.display())
                .into()
        })
    }

    /// That of a result, if there is one.
    ///
    /// # Errors
    /// The file, and why it is none.
    pub fn of(result: &Path) -> Result<Option<Self>, Error> {
        let place = Self::place(result);
        let text = match repro_files::read_text(&place) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("{}: cannot be read: {error}", place.display()).into()),
        };
        let read: Self = serde_json::from_str(&text).map_err(|error| {
            format!("{}: does not describe a result of `solve`: {error}; remove that file", place.display())
        })?;
        if read.repro_solve != VERSION {
            let found = read.repro_solve;
            return Err(format!(
                "{}: has version {found}, and {VERSION} is known: use a newer repro",
                place.display()
            )
            .into());
        }
        Ok(Some(read))
    }
}
