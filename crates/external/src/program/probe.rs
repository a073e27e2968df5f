//! Whether a program is there, in the version that its adapter was tested with.

use super::ProgramError;
use super::table::{NeedsTable, ProbeTable};
use repro_confine::{
    ExitCause, ExitReport, FOREIGN_BYTES, Limits, SandboxCommand, SandboxedProcess, foreign_text,
};
use repro_files::Scratch;
use std::time::Duration;
use toml::Spanned;

/// Some packages take seconds to find when nothing of them is in memory.
const TIME: Duration = Duration::from_secs(60);
/// Prints the version of the package that is its argument, without importing it.
const VERSION: &str = "import sys, importlib.metadata as m\ntry: print(m.version(sys.argv[1]))\nexcept m.PackageNotFoundError: print('')";

/// The Python that `scripts/fetch scipy` makes in a clone.
const FETCHED: &str = "target/tools/python/bin";

/// What has to be found.
#[derive(Clone, Debug)]
pub(super) enum Need {
    Gpu,
    /// A package for this Python, in one of these versions, or any where there are none.
    Package {
        python: String,
        name: String,
        versions: Vec<String>,
        /// What installs it. Neither has every Python a pip, nor may every pip install.
        remedy: String,
    },
    Printed(ProbeTable),
}

/// All that an adapter needs, in the order in which it is looked for.
///
/// # Errors
/// What is no package of Python.
pub(super) fn needs(
    table: &NeedsTable,
    probe: Option<&ProbeTable>,
    command: &[String],
) -> Result<Vec<Need>, ProgramError> {
    let python = command.first().filter(|first| first.contains("python"));
    let python = python.cloned().unwrap_or_else(|| "python3".into());
    let package = |text: &Spanned<String>| {
        let (name, versions) = text.get_ref().split_once("==").unwrap_or((text.get_ref(), ""));
        let versions = versions.split('|').map(str::trim).filter(|version| !version.is_empty());
        let versions: Vec<String> = versions.map(str::to_string).collect();
        let is_word = |word: &str| {
            !word.is_empty() && word.chars().all(|one| one.is_ascii_alphanumeric() || "-_.+".contains(one))
        };
        if !is_word(name.trim()) || !versions.iter().all(|version| is_word(version)) {
            return Err(ProgramError {
                span: text.span(),
                problem: format!(
                    "needs.python: {:?} is no package: expected one such as \"scipy==1.17.1\" or \"scipy==1.17.1|1.18.1\" with the versions that it was tested with, or \"numpy\" where any will do",
                    text.get_ref()
                ),
            });
        }
        let name: String = name.trim().into();
        let remedy = table.install.clone().unwrap_or_else(|| {
            let pinned = versions.first().map_or(name.clone(), |version| format!("{name}=={version}"));
            format!("install {pinned}, as into a virtual environment whose `bin` is first in PATH")
        });
        Ok(Need::Package { python: python.clone(), name, versions, remedy })
    };
    let gpu = table.gpu.then_some(Ok(Need::Gpu));
    let printed = probe.cloned().map(|probe| Ok(Need::Printed(probe)));
    gpu.into_iter().chain(table.python.iter().map(package)).chain(printed).collect()
}

impl Need {
    /// Why it is not there, with the remedy. None where it is.
    pub fn missing(&self) -> Option<String> {
        match self {
            Self::Gpu => {
                let has_one = std::path::Path::new("/dev/nvidia0").exists();
                (!has_one).then(|| "it needs an NVIDIA GPU, and there is no /dev/nvidia0".into())
            }
            Self::Package { python, name, versions, remedy } => {
                let wanted = [name.as_str(), &versions.join(" or ")].join(" ").trim().to_string();
                let found = match version(python, name) {
                    Ok(found) => found,
                    Err(problem) => return Some(format!("it needs {wanted}: {problem}")),
                };
                // What follows the plus is how it was built, as for which CUDA.
                let without_build = |version: &str| version.split('+').next().map(str::to_string);
                let is_tested = |version: &String| without_build(&found) == without_build(version);
                if found.is_empty() {
                    let remedy = in_fetched(name, versions).unwrap_or_else(|| remedy.clone());
                    Some(format!("it needs {wanted}, which {python} does not have: {remedy}"))
                } else if versions.is_empty() || versions.iter().any(is_tested) {
                    None
                } else {
                    Some(format!(
                        "it was tested with {wanted}, and {python} has {found}: {remedy}, or name that version in its file"
                    ))
                }
            }
            Self::Printed(ProbeTable { command, prints }) => {
                let shown = command.join(" ");
                match first_line(command.clone()) {
                    Ok(line) if line.contains(prints) => None,
                    Ok(line) => Some(format!(
                        "`{shown}` prints `{line}`, but the adapter was tested with a version that prints {prints}"
                    )),
                    Err(problem) => Some(problem),
                }
            }
        }
    }
}

/// What has a package found that the Python in a clone has.
fn in_fetched(name: &str, versions: &[String]) -> Option<String> {
    let folder = std::path::absolute(FETCHED).ok()?;
    let python = folder.join("python3").display().to_string();
    let found = version(&python, name).ok()?;
    let fits = if versions.is_empty() { !found.is_empty() } else { versions.contains(&found) };
    fits.then(|| format!("put {} first in PATH, which has it", folder.display()))
}

/// The version of a package that a Python has; empty where it has none.
fn version(python: &str, name: &str) -> Result<String, String> {
    first_line([python, "-c", VERSION, name].map(String::from).into())
}

/// The first line that a command prints; empty where it prints none and ends well.
fn first_line(words: Vec<String>) -> Result<String, String> {
    let folder = Scratch::new("probe").map_err(|error| format!("a folder for a probe: {error}"))?;
    let environment = super::method::python_variables();
    let command = SandboxCommand { words, folder: folder.path().into(), environment };
    let limits = Limits { wall: TIME, gpu: true, ..Limits::default() };
    match SandboxedProcess::spawn(&command, &limits).and_then(|mut running| running.exchange("", TIME)) {
        Ok(line) => Ok(foreign_text(&line, FOREIGN_BYTES)),
        Err(ExitReport { cause: ExitCause::Exited(0), .. }) => Ok(String::new()),
        Err(report) => Err(report.to_string()),
    }
}
