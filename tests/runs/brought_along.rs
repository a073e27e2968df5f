//! Experiments that name files of implementations of their own.

use crate::common::{assert_refused, repro, stderr, stdout};
use repro::results::StoredRun;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const EXPERIMENT: &str = r#"title = "a program of its own"
with = ["programs/copy.toml"]

[graph]
density = 1.0
max_weight = 1
seed = 1

[sampling]
min_samples = 1
max_samples = 1
precision = 0.1
budget_s = 0.0

[limits]
warm_up_s = 0.0
sample_s = 60
full_cell_s = 60
whole_reference_n = 64
reference_rows = 4

[[cells]]
implementation = "copy"
sizes = [1]

[[cells]]
implementation = "cpu-naive"
sizes = [4]
"#;

/// Right for one vertex: the graph is its own solution.
const PROGRAM: &str = r#"name = "copy"
summary = "copies the graph"
from = "a test"

[program]
command = ["cp", "{graph}", "{out}"]
"#;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("programs")).unwrap();
    fs::write(folder.path().join("own.toml"), EXPERIMENT).unwrap();
    fs::write(folder.path().join("programs/copy.toml"), PROGRAM).unwrap();
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> std::process::Output {
    let mut command = repro();
    command.current_dir(folder).args(["run", "own.toml", "--device", "cpu", "--quiet"]).args(arguments);
    command.output().unwrap()
}

#[test]
fn an_experiment_runs_what_it_names_beside_its_own_file_and_keeps_it() {
    let folder = folder();
    let output = run(folder.path(), &["--out", "run"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let stored = StoredRun::open(&folder.path().join("run")).unwrap();
    let given = &stored.manifest.experiment.given[0];
    let kept = (given.name.as_str(), given.file.as_str(), given.folder.as_path());
    // No folder of the machine that has nothing to do with the run.
    assert_eq!(kept, ("copy", "programs/copy.toml", Path::new("programs")));
    let is_right = |name: &str| stored.samples.iter().any(|row| row.implementation == name && row.verified);
    assert!(is_right("copy") && is_right("cpu-naive"));
}

#[test]
fn what_an_experiment_names_is_in_no_other() {
    let folder = folder();
    fs::write(
        folder.path().join("other.toml"),
        EXPERIMENT.replace("with =", "# with =").replace("\"copy\"", "\"cpu-parallel\""),
    )
    .unwrap();
    for only in ["copy", "cpu-naive,copy"] {
        let mut command = repro();
        command.current_dir(folder.path()).args(["run", "other.toml", "--device", "cpu", "--only", only]);
        assert_refused(&command.output().unwrap(), &["unknown implementation 'copy'"]);
    }
}

#[test]
fn a_file_that_an_experiment_names_is_held_against_its_line() {
    let folder = folder();
    fs::write(folder.path().join("programs/copy.toml"), PROGRAM.replace("summary", "sumary")).unwrap();
    let output = run(folder.path(), &["--out", "run"]);
    assert_refused(&output, &["own.toml:2: with: programs/copy.toml:2: unknown field `sumary`"]);
    fs::remove_file(folder.path().join("programs/copy.toml")).unwrap();
    assert_refused(&run(folder.path(), &["--out", "run"]), &["own.toml:2: with: "]);
    assert!(!folder.path().join("run").exists());
}

#[test]
fn outside_of_a_clone_an_experiment_that_needs_its_files_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = repro();
    command.current_dir(folder.path()).args(["run", "peers", "--device", "cpu"]);
    assert_refused(&command.output().unwrap(), &["run it in a clone of the repository"]);
}
