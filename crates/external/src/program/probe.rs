//! Whether a program is there, in the version that its adapter was tested with.

use super::table::{ProbeTable, ProgramTable};
use repro_confine::{
    ExitCause, ExitReport, FOREIGN_BYTES, Limits, SandboxCommand, SandboxedProcess, foreign_text,
};
use repro_files::Scratch;
use std::path::Path;
use std::time::Duration;

/// Some packages take seconds to find when nothing of them is in memory.
const TIME: Duration = Duration::from_secs(60);
/// Prints the version of the package that is its argument, without importing it.
const VERSION: &str = "import sys, importlib.metadata as m\ntry: print(m.version(sys.argv[1]))\nexcept m.PackageNotFoundError: print('')";

/// The Python that `scripts/fetch scipy` makes in a clone.
const FETCHED: &str = "target/tools/python/bin";

/// The name of a package of Python and the versions of it that will do, any where there are none.
///
/// # Errors
/// What is expected instead.
pub(super) fn package(text: &str) -> Result<(&str, Vec<&str>), String> {
    let (name, versions) = text.split_once("==").unwrap_or((text, ""));
    let versions: Vec<&str> =
        versions.split('|').map(str::trim).filter(|version| !version.is_empty()).collect();
    let is_part = |one: char| one.is_ascii_alphanumeric() || "-_.+".contains(one);
    let is_word = |word: &&str| !word.is_empty() && word.chars().all(is_part);
    if is_word(&name.trim()) && versions.iter().all(is_word) {
        return Ok((name.trim(), versions));
    }
    Err(format!(
        "needs.python: {text:?} is no package: expected one such as \"scipy==1.17.1\" or \"scipy==1.17.1|1.18.1\" with the versions that it was tested with, or \"numpy\" where any will do"
    ))
}

/// What of all that an adapter needs is not there, with the remedy. None where nothing is missing.
pub(super) fn missing(table: &ProgramTable, command: &[String]) -> Option<String> {
    if table.needs.gpu && !Path::new("/dev/nvidia0").exists() {
        return Some("it needs an NVIDIA GPU, and there is no /dev/nvidia0".into());
    }
    let python = command.first().filter(|first| first.contains("python"));
    let python = python.map_or("python3", String::as_str);
    let install = table.needs.install.as_deref();
    let mut packages = table.needs.python.iter().filter_map(|text| package(text.get_ref()).ok());
    packages
        .find_map(|(name, versions)| missing_package(python, name, &versions, install))
        .or_else(|| missing_program(table.probe.as_ref()?))
}

/// `install` is what installs it, where pip does not: neither has every Python a pip, nor may every pip install.
fn missing_package(python: &str, name: &str, versions: &[&str], install: Option<&str>) -> Option<String> {
    let wanted = [name, &versions.join(" or ")].join(" ").trim().to_string();
    let found = match version(python, name) {
        Ok(found) => found,
        Err(problem) => return Some(format!("it needs {wanted}: {problem}")),
    };
    let pinned = versions.first().map_or(name.to_string(), |version| format!("{name}=={version}"));
    let by_pip = format!("install {pinned}, as into a virtual environment whose `bin` is first in PATH");
    let remedy = install.unwrap_or(&by_pip);
    // What follows the plus is how it was built, as for which CUDA.
    let is_tested = |tested: &&str| tested.split('+').next() == found.split('+').next();
    if found.is_empty() {
        let remedy = in_fetched(name, versions).unwrap_or_else(|| remedy.to_string());
        Some(format!("it needs {wanted}, which {python} does not have: {remedy}"))
    } else if versions.is_empty() || versions.iter().any(is_tested) {
        None
    } else {
        Some(format!(
            "it was tested with {wanted}, and {python} has {found}: {remedy}, or name that version in its file"
        ))
    }
}

fn missing_program(ProbeTable { command, prints }: &ProbeTable) -> Option<String> {
    match first_line(command.clone()) {
        Ok(line) if line.contains(prints) => None,
        Ok(line) => Some(format!(
            "`{}` prints `{line}`, but the adapter was tested with a version that prints {prints}",
            command.join(" ")
        )),
        Err(problem) => Some(problem),
    }
}

/// What has a package found that the Python in a clone has.
fn in_fetched(name: &str, versions: &[&str]) -> Option<String> {
    let folder = std::path::absolute(FETCHED).ok()?;
    let python = folder.join("python3").display().to_string();
    let found = version(&python, name).ok()?;
    let fits = if versions.is_empty() { !found.is_empty() } else { versions.contains(&&*found) };
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
    match SandboxedProcess::spawn(&command, &limits).and_then(|running| running.resume().exchange("", TIME)) {
        Ok(line) => Ok(foreign_text(&line, FOREIGN_BYTES)),
        Err(ExitReport { cause: ExitCause::Exited(0), .. }) => Ok(String::new()),
        Err(report) => Err(report.to_string()),
    }
}
