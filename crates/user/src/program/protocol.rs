//! What is asked of a program: whether it is there, in the version that its adapter was tested with; and requests, which it answers by one JSON
//! object a line.

use super::table::{ProbeTable, ProgramTable, PythonPackage};
use crate::confine::{
    ExitCause, ExitReport, FOREIGN_BYTES, SandboxCommand, SandboxLimits, SandboxedProcess, foreign_quote,
    foreign_text,
};
use repro_base::files::Scratch;
use repro_device::DeviceError;
use serde::{Deserialize, Serialize};
use std::mem::discriminant;
use std::path::Path;
use std::time::Duration;

/// How much of a wrong answer is repeated, in bytes.
const SHOWN: usize = 80;

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ProgramRequest<'a> {
    /// Reads the graph, and makes all ready that does not depend on its weights.
    Load { graph: &'a str, n: usize, element: &'a str },
    /// Finds the distances.
    Solve {},
    /// Writes the distances of the last solve.
    Store { distances: &'a str },
}

/// The answers to requests; the seconds of a solve are by the program's own clock.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Response {
    Loaded {},
    Solved { seconds: Option<f64> },
    Stored {},
    Failed { reason: String },
}

impl ProgramRequest<'_> {
    /// The answer that is expected, for messages and to compare with.
    fn expected(&self) -> &'static str {
        match self {
            Self::Load { .. } => r#"{"loaded": {}}"#,
            Self::Solve {} => r#"{"solved": {}}"#,
            Self::Store { .. } => r#"{"stored": {}}"#,
        }
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// How the program ended, or that it answered before it was asked, or what else it answered.
    pub fn ask(&self, program: &mut SandboxedProcess, within: Duration) -> Result<Response, DeviceError> {
        let failed = |problem: String| Err(DeviceError::other(problem));
        let line = serde_json::to_string(self).map_err(|error| DeviceError::other(error.to_string()))?;
        // A clock would show no more than how long it takes to read the answer that is already there.
        if program.has_printed() {
            return failed(format!("the program answered before it was asked {line}"));
        }
        let text = program.exchange(&line, within).map_err(|ended| has_ended(&ended))?;
        let expected = self.expected();
        let right = serde_json::from_str::<Response>(expected).ok().as_ref().map(discriminant);
        match serde_json::from_str(&text) {
            Ok(answer) if Some(discriminant(&answer)) == right => Ok(answer),
            Ok(Response::Failed { reason }) => {
                let quoted = foreign_quote(&reason, FOREIGN_BYTES);
                failed(format!("the program failed at {line}, and says: {quoted}"))
            }
            _ => {
                let quoted = foreign_quote(&text, SHOWN);
                failed(format!("the program answered {quoted} to {line}: expected {expected}"))
            }
        }
    }
}

/// The failure of a solve whose program has ended.
pub(super) fn has_ended(report: &ExitReport) -> DeviceError {
    DeviceError::other(report.to_string())
}

/// The limit of a probe. Some packages take seconds to find when none of their files is in memory.
const TIME: Duration = Duration::from_secs(60);
/// Prints the version of the package that is its argument, without importing it.
const VERSION: &str = "import sys, importlib.metadata as m\ntry: print(m.version(sys.argv[1]))\nexcept m.PackageNotFoundError: print('')";

/// The Python that `scripts/fetch scipy` makes in a clone.
const FETCHED: &str = "target/tools/python/bin";

/// # Errors
/// What of all that an adapter needs is not there, with the remedy.
pub(super) fn missing(table: &ProgramTable) -> Result<(), String> {
    if table.needs.gpu && !Path::new("/dev/nvidia0").exists() {
        return Err("it needs an NVIDIA GPU, and there is no /dev/nvidia0".into());
    }
    let python = table.command.get_ref().first().filter(|first| first.contains("python"));
    let python = python.map_or("python3", String::as_str);
    for package in &table.needs.python {
        missing_package(python, package, table.needs.install.as_deref())?;
    }
    let Some(ProbeTable { command, prints }) = &table.probe else { return Ok(()) };
    let line = first_line(command.clone())?;
    if line.contains(prints) {
        return Ok(());
    }
    let command = command.join(" ");
    Err(format!(
        "`{command}` prints `{line}`, but the adapter was tested with a version that prints {prints}"
    ))
}

/// `install` is the adapter's advice on how to install the package. Without it the advice names no pip, which some Pythons lack.
fn missing_package(python: &str, package: &PythonPackage, install: Option<&str>) -> Result<(), String> {
    let PythonPackage { name, versions } = package;
    let wanted = [&**name, &versions.join(" or ")].join(" ").trim().to_string();
    let found = version(python, name).map_err(|problem| format!("it needs {wanted}: {problem}"))?;
    // After the plus a version says how the package was built, for example for which CUDA.
    let is_tested = |tested: &String| tested.split('+').next() == found.split('+').next();
    if !found.is_empty() && (versions.is_empty() || versions.iter().any(is_tested)) {
        return Ok(());
    }
    let pinned = versions.first().map_or_else(|| name.clone(), |version| format!("{name}=={version}"));
    let by_pip = format!("install {pinned}, as into a virtual environment whose `bin` is first in PATH");
    let remedy = install.unwrap_or(&by_pip);
    if !found.is_empty() {
        return Err(format!(
            "it was tested with {wanted}, and {python} has {found}: {remedy}, or name that version in its file"
        ));
    }
    let remedy = in_fetched(package).unwrap_or_else(|| remedy.to_string());
    Err(format!("it needs {wanted}, which {python} does not have: {remedy}"))
}

/// How to have the package found, where the Python of `scripts/fetch scipy` has it.
fn in_fetched(PythonPackage { name, versions }: &PythonPackage) -> Option<String> {
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
    let environment = super::python_variables();
    let command = SandboxCommand { words, folder: folder.path().into(), environment };
    let limits = SandboxLimits { wall: TIME, gpu: true, ..SandboxLimits::default() };
    match SandboxedProcess::spawn(&command, &limits).and_then(|running| running.resume().exchange("", TIME)) {
        Ok(line) => Ok(foreign_text(&line, FOREIGN_BYTES)),
        Err(ExitReport { cause: ExitCause::Exited(0), .. }) => Ok(String::new()),
        Err(report) => Err(report.to_string()),
    }
}
