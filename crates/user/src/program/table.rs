//! An adapter's file as it is written.

use repro_graph::ElementType;
use repro_solvers::kernel_file::{Name, SingleLine};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramFile {
    pub name: Name,
    pub summary: SingleLine,
    /// Where the program comes from, with its version.
    pub from: SingleLine,
    /// The types that it solves; `f32` where none are given.
    #[serde(default)]
    pub elements: Vec<ElementType>,
    pub program: ProgramTable,
}

/// How the program is run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramTable {
    /// The program and its arguments, with placeholders in curly brackets.
    pub command: Spanned<Vec<String>>,
    /// Whether it answers requests on its standard input.
    #[serde(default)]
    pub protocol: bool,
    /// Whether it does n³ tasks on the host, so that a time that the processor's ceiling does not allow is refused.
    #[serde(default)]
    pub cubic: bool,
    #[serde(default)]
    pub needs: NeedsTable,
    /// How the program's version is found where it is no package of Python.
    pub probe: Option<ProbeTable>,
    #[serde(default)]
    pub memory: MemoryTable,
    /// The longest that it may run, from its start to its end.
    pub seconds: Option<u64>,
    /// The most processes at one time.
    pub processes: Option<u32>,
    /// Variables in addition to the few that every program gets.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

/// What the program needs. Where something of it is missing, cells are skipped with the reason.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NeedsTable {
    /// An NVIDIA GPU, which it uses itself.
    pub gpu: bool,
    /// Packages, as `scipy==1.17.1|1.18.1`.
    pub python: Vec<PythonPackage>,
    /// How they are installed, where it is not by pip from the index of packages.
    pub install: Option<String>,
}

/// A package of Python and the versions of it that an adapter was tested with. Without versions, any will do.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct PythonPackage {
    pub name: String,
    pub versions: Vec<String>,
}

impl TryFrom<String> for PythonPackage {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (name, versions) = text.split_once("==").unwrap_or((&text, ""));
        let versions: Vec<_> = versions.split('|').map(str::trim).filter(|one| !one.is_empty()).collect();
        let is_part = |one: char| one.is_ascii_alphanumeric() || "-_.+".contains(one);
        let mut words = versions.iter().copied().chain([name.trim()]);
        if words.all(|word| !word.is_empty() && word.chars().all(is_part)) {
            let versions = versions.into_iter().map(String::from).collect();
            return Ok(Self { name: name.trim().to_string(), versions });
        }
        Err(format!(
            "{text:?} is no package: expected one such as \"scipy==1.17.1\" or \"scipy==1.17.1|1.18.1\" with the versions that it was tested with, or \"numpy\" where any will do"
        ))
    }
}

/// A command that shows that the program is there, and its version.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeTable {
    pub command: Vec<String>,
    /// What the first line of its output has to contain, such as a version.
    pub prints: String,
}

/// The most resident memory that it may take.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryTable {
    /// How many matrices of n x n distances.
    pub matrices: Option<f64>,
    /// MiB in addition to those matrices.
    pub mebibytes: Option<u64>,
}
