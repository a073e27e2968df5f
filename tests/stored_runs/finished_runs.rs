//! A finished run is never altered, whatever command is given its folder.

use crate::common::stored::{edit_manifest, edit_rows, fail};
use crate::common::{files, repro, run_table1, stderr, stdout};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const CELLS: [&str; 8] = ["--device", "cpu", "--only", "cpu-naive", "--sizes", "8,12", "--samples", "3"];

/// A finished run in the folder `run` of a new folder.
fn finished() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let output = run_table1(&run, &CELLS);
    assert!(output.status.success(), "{}", stderr(&output));
    (folder, run)
}

fn manifest(run: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(run.join("manifest.json")).unwrap()).unwrap()
}

/// Ceilings that any machine exceeds: who measures them again raises them.
fn lower_ceilings(run: &Path) {
    edit_manifest(run, |manifest| {
        let ceilings = &mut manifest["environment"]["ceilings"];
        (ceilings["cpu_core_tasks_per_s"], ceilings["cpu_tasks_per_s"]) = (json!(1.0), json!(1.0));
    });
}

/// Makes the samples at n = 12 one that failed.
fn fail_one_cell(run: &Path) {
    edit_rows(&run.join("samples.csv"), |row| {
        let is_first = row.get("sample") == "0" && row.get("scope") == "kernel";
        row.n() != 12 || (is_first && fail(row, "it failed"))
    });
}

#[test]
fn no_command_changes_a_byte_of_a_finished_run_or_its_ceilings() {
    let (folder, run) = finished();
    lower_ceilings(&run);
    let before = files(&run);
    for arguments in [
        "run table1 --resume run",
        "report run --out page",
        "history run --out histories",
        "compare run run --results .",
        "track table1 --device cpu --only cpu-naive --sizes 8 --samples 3 --against run --results . --out tracked --no-history",
    ] {
        let output = repro().current_dir(folder.path()).args(arguments.split(' ')).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{arguments}: {}", stderr(&output));
        assert!(files(&run) == before, "{arguments} changed the run");
    }
}

#[test]
fn nothing_is_written_beside_the_records_of_a_run() {
    let (folder, run) = finished();
    let before = files(&run);
    for (arguments, option) in [
        ("report run --out run", "no report"),
        ("history run --out run", "--out"),
        ("track table1 --device cpu --history run --out run", "--history"),
        ("track table1 --device cpu --out run", "run holds another run"),
        ("run table1 --device cpu --out run", "run holds another run"),
    ] {
        let output = repro().current_dir(folder.path()).args(arguments.split(' ')).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", stderr(&output));
        assert!(stderr(&output).contains(option), "{arguments}: {}", stderr(&output));
        assert!(files(&run) == before, "{arguments} changed the run");
    }
}

/// Older builds noted that a run had finished also where a cell had failed.
#[test]
fn a_run_that_finished_with_a_failure_is_not_altered_either_and_says_how_to_measure_what_failed() {
    let (_folder, run) = finished();
    lower_ceilings(&run);
    fail_one_cell(&run);
    let before = files(&run);
    let output = crate::common::run(&["run", "table1", "--resume", run.to_str().unwrap()]);
    assert!(files(&run) == before, "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(1));
    for part in ["1 of 2 cells", "has finished", "a new run"] {
        assert!(stderr(&output).contains(part), "no '{part}' in {}", stderr(&output));
    }
    assert!(stdout(&output).contains("it failed"), "{}", stdout(&output));
}

#[test]
fn a_run_of_which_a_cell_failed_has_not_finished_until_a_resume_measures_it() {
    let (_folder, run) = finished();
    fail_one_cell(&run);
    edit_manifest(&run, |manifest| manifest["finished"] = Value::Null);
    let output = crate::common::run(&["run", "table1", "--resume", run.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(manifest(&run)["finished"].is_string());
}
