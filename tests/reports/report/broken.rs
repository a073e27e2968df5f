//! Runs that are not whole: each has its sentence on the page, and the rest of the page is as it should be.

use super::{made, report, written};
use crate::common::stored::{
    ABLATION, STRUCTURE, copy, edit_manifest, edit_rows, fail, redigest, tear, unfinish,
};
use crate::common::{stderr, stdout};
use repro::report::{ExperimentPage, assemble};
use repro::results::StoredRun;
use serde_json::{Value, json};
use std::path::Path;

/// A small run with verdicts.
const RUN: &str = ABLATION;

#[test]
fn what_a_run_lacks_is_told_on_the_page_and_what_is_left_still_gives_what_it_gives() {
    type Change = fn(&Path);
    let cases: [(Change, [&[&str]; 2]); 2] = [
        (
            |run| {
                unfinish(run);
                edit_rows(&run.join("samples.csv"), |row| row.get("implementation") != "staged-load");
                tear(&run.join("samples.csv"));
            },
            [
                &["run: the last ", " bytes of samples.csv are no whole sample", "they are left out"],
                &["run has not finished: ", " cells have a result"],
            ],
        ),
        (
            |run| {
                edit_rows(&run.join("samples.csv"), |row| {
                    row.get("implementation") != "katz-kider" || row.n() == 128 || fail(row, "out of paper")
                });
                edit_manifest(run, |manifest| manifest["build"]["dirty"] = true.into());
            },
            [
                &["run: 2 cells have no valid time", "katz-kider n = 4096", "failed", "out of paper"],
                &["run was measured by a build with uncommitted changes"],
            ],
        ),
    ];
    for (change, told) in cases {
        let folder = tempfile::tempdir().unwrap();
        let [run, out] = ["run", "out"].map(|name| folder.path().join(name));
        copy(RUN, &run);
        change(&run);
        let (written, said) = made(&[&run], &out);
        for parts in told {
            let mut notes = said.lines().filter_map(|line| line.strip_prefix("note: "));
            let note = notes.find(|note| parts.iter().all(|part| note.contains(part)));
            let note = note.unwrap_or_else(|| panic!("no note with {parts:?}: {said}"));
            assert!(written.page.contains(note), "not on the page: {note}");
        }
        let mut results = written.rows().iter().flat_map(|row| row["results"].as_array().unwrap());
        let is_left = |one: &Value| one["machine"] == "NVIDIA H200" && one["verdict"] == "REPRODUCED";
        assert!(results.any(is_left));
    }
}

/// Nothing worked, but it was on a GPU.
#[test]
fn a_run_of_which_all_cells_failed_is_not_taken_for_one_without_a_gpu() {
    let folder = tempfile::tempdir().unwrap();
    let [run, out] = ["run", "out"].map(|name| folder.path().join(name));
    // Without counts, which decide claims without any cell.
    copy("h200/table1-guard-again", &run);
    edit_rows(&run.join("samples.csv"), |row| fail(row, "out of paper"));
    let (written, said) = made(&[&run], &out);
    assert!(said.contains("cells have no valid time, the first being cpu-naive n = 1024"), "{said}");
    assert!(!said.contains("No run here was made on a GPU"), "{said}");
    assert!(written.rows().iter().all(|row| row["results"] == json!([])));
}

#[test]
fn in_a_folder_of_runs_a_broken_one_is_left_out_and_told_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    copy(RUN, &path("runs/unverified"));
    for run in ["runs/cut", "runs/future", "runs/whole"] {
        copy(STRUCTURE, &path(run));
    }
    let cut = path("runs/cut/manifest.json");
    let text = std::fs::read_to_string(&cut).unwrap();
    std::fs::write(&cut, &text[..text.len() / 2]).unwrap();
    edit_manifest(&path("runs/future"), |manifest| manifest["schema_version"] = 99.into());
    edit_rows(&path("runs/unverified/samples.csv"), |row| {
        row.set("verified", "false");
        true
    });
    let output = report(&[&path("runs")], &path("out"));
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let complaints = stderr(&output);
    let complaints: Vec<&str> = complaints.lines().collect();
    assert_eq!(complaints.len(), 3, "{complaints:?}");
    let written = written(&path("out"));
    for (complaint, parts) in complaints.iter().zip([
        ["cut/manifest.json", ": "],
        ["future/manifest.json", "schema version 99"],
        ["unverified/samples.csv", "line 2 is not a sample: it has a time and is not verified"],
    ]) {
        assert!(complaint.starts_with("left out: "), "{complaint}");
        assert!(parts.iter().all(|part| complaint.contains(part)), "{complaint}");
        assert!(written.page.contains(parts[0]) && written.page.contains(parts[1]), "{parts:?}");
        assert!(stdout(&output).contains("note: Left out: "));
    }
    // What is whole is as if it were alone.
    let (alone, _) = made(&[&path("runs/whole")], &path("alone"));
    assert_eq!(written.claims, alone.claims);
}

/// Stopped before a worker had looked at the machine: there is no environment and no sample.
#[test]
fn a_run_without_a_sample_is_a_page_without_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let [run, beside, out] = ["run", "beside", "out"].map(|name| folder.path().join(name));
    copy(STRUCTURE, &run);
    copy(STRUCTURE, &beside);
    for file in ["samples.csv", "counts.csv"] {
        std::fs::remove_file(run.join(file)).unwrap();
    }
    edit_manifest(&run, |manifest| {
        (manifest["environment"], manifest["finished"]) = (Value::Null, Value::Null);
    });
    let (written, said) = made(&[&run], &out);
    let stopped = "run has not finished: it was stopped before its first sample.";
    assert!(said.contains(stopped) && written.page.contains(stopped), "{said}");
    assert!(said.contains("No run here was made on a GPU"), "{said}");
    assert!(written.machines().is_empty() && !written.rows().is_empty());
    assert!(written.rows().iter().all(|row| row["results"] == json!([])));
    // Beside one with numbers it takes nothing away.
    let (both, _) = made(&[&run, &beside], &out);
    let (alone, _) = made(&[&beside], &folder.path().join("alone"));
    assert_eq!(both.claims, alone.claims);
}

/// The page of the experiment of the run in `folder`, with what the front page begins with.
fn page_of(folder: &Path) -> (ExperimentPage, Vec<String>) {
    let mut report = assemble(&[StoredRun::open(folder).unwrap()], &[], Vec::new(), &[]);
    assert_eq!((report.experiments.len(), report.machines.len()), (1, 1));
    (report.experiments.remove(0), report.notices)
}

/// So that the front page does not begin with it.
#[test]
fn a_run_beside_the_papers_that_has_not_finished_says_so_on_its_own_page() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("peers");
    copy("h200/peers", &run);
    unfinish(&run);
    let (page, notices) = page_of(&run);
    let told = |lines: &[String]| lines.iter().any(|line| line.starts_with("peers has not finished: "));
    assert!(told(&page.notices) && !told(&notices), "{notices:?}");
}

#[test]
fn a_run_of_programs_alone_is_of_its_machine_and_not_counted_for_untimed() {
    let folder = tempfile::tempdir().unwrap();
    copy("../../tests/stored/programs", folder.path());
    edit_rows(&folder.path().join("samples.csv"), |row| row.get("implementation").starts_with("scipy"));
    std::fs::remove_file(folder.path().join("counts.csv")).unwrap();
    redigest(folder.path());
    let (page, _) = page_of(folder.path());
    // A row for each cell, below the header.
    let seconds = page.exhibits.iter().find(|one| one.id == "programs-seconds").unwrap();
    assert_eq!(seconds.csv.iter().filter(|byte| **byte == b'\n').count(), 4);
    assert_eq!((page.runs[0].cells, page.runs[0].samples), (3, 18));
}
