//! Continuing a run: who is refused leaves every byte as it was, and a repair loses no sample.

use crate::common::stored::{edit_manifest, tear, unfinish};
use crate::common::{assert_refused, files, repro, run, run_table1, stderr, stdout};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Three samples of one cell.
const ARGUMENTS: [&str; 8] = ["--device", "cpu", "--only", "cpu-naive", "--sizes", "8", "--samples", "3"];

fn finished() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let output = run_table1(&out, &ARGUMENTS);
    assert!(output.status.success(), "{}", stderr(&output));
    (folder, out)
}

/// One that was stopped after its first two samples.
fn stopped() -> (tempfile::TempDir, PathBuf) {
    let (folder, out) = finished();
    let samples = text(&out);
    let lines: Vec<&str> = samples.split_inclusive('\n').collect();
    std::fs::write(out.join("samples.csv"), lines[..9].concat()).unwrap();
    unfinish(&out);
    (folder, out)
}

fn resume(out: &Path) -> Output {
    run(&["run", "table1", "--resume", out.to_str().unwrap()])
}

fn text(out: &Path) -> String {
    std::fs::read_to_string(out.join("samples.csv")).unwrap()
}

#[track_caller]
fn refused_unchanged(out: &Path, output: impl FnOnce() -> Output, parts: &[&str]) {
    let before = files(out.parent().unwrap());
    assert_refused(&output(), parts);
    assert!(files(out.parent().unwrap()) == before, "{parts:?} changed something");
}

#[test]
fn whoever_is_refused_leaves_every_byte_even_where_there_is_something_to_repair() {
    type Change = fn(&Path);
    let cases: [(Change, &str); 6] = [
        (|out| edit_manifest(out, |run| run["build"]["commit"] = json!("f00")), "another build"),
        (
            |out| edit_manifest(out, |run| run["environment"]["host"]["cpu"] = json!("Abacus 3")),
            "another host",
        ),
        (|out| edit_manifest(out, |run| run["experiment"]["name"] = json!("timers")), "a run of timers"),
        (
            |out| edit_manifest(out, |run| run["pair"] = json!({"id": "1", "side": "new"})),
            "is the new run of pair 1",
        ),
        (|out| std::fs::write(out.join("counts.csv"), "a\nb\n").unwrap(), "counts.csv"),
        (
            |out| {
                std::fs::write(out.join("samples.csv"), text(out).replacen(",exact,", ",tolerance,", 1))
                    .unwrap()
            },
            "'tolerance' is no verification",
        ),
    ];
    for (change, part) in cases {
        let (_folder, out) = stopped();
        change(&out);
        tear(&out.join("samples.csv"));
        refused_unchanged(&out, || resume(&out), &[part]);
    }
}

#[test]
fn line_ends_of_another_system_are_refused_with_the_remedy_and_nothing_is_lost() {
    for ends in ["\r", "\r\n"] {
        let (_folder, out) = stopped();
        std::fs::write(out.join("samples.csv"), text(&out).replace('\n', ends)).unwrap();
        refused_unchanged(&out, || resume(&out), &["samples.csv: ", "carriage returns", "plain newlines"]);
    }
}

#[test]
fn a_finished_run_is_printed_and_no_byte_of_it_changes() {
    let (folder, out) = finished();
    for change in
        [|_: &Path| {}, |out: &Path| edit_manifest(out, |run| run["build"]["commit"] = json!("f00"))]
    {
        change(&out);
        let before = files(folder.path());
        let output = resume(&out);
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(stdout(&output).contains("cpu-naive") || !stdout(&output).is_empty());
        assert!(files(folder.path()) == before);
        assert!(!out.join(".lock").exists());
    }
}

#[test]
fn a_sample_that_lacks_only_its_line_end_is_kept() {
    let (_folder, out) = stopped();
    let before = text(&out);
    std::fs::write(out.join("samples.csv"), before.trim_end()).unwrap();
    let output = resume(&out);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(text(&out).starts_with(&before));
    assert_eq!(text(&out).lines().count(), 13);
    assert!(files(&out).keys().all(|path| !path.to_string_lossy().contains("torn")));
}

#[test]
fn what_a_repair_cuts_off_is_kept_beside_the_file_and_named() {
    let (_folder, out) = stopped();
    let before = text(&out);
    tear(&out.join("samples.csv"));
    let torn = text(&out)[before.len()..].to_string();
    let output = resume(&out);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(text(&out).starts_with(&before));
    let kept: Vec<PathBuf> =
        files(&out).into_keys().filter(|path| path.to_string_lossy().contains("samples.csv.torn-")).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(std::fs::read_to_string(&kept[0]).unwrap(), torn);
    assert!(stderr(&output).contains(kept[0].to_str().unwrap()), "{}", stderr(&output));
}

#[test]
fn a_refused_fresh_run_leaves_no_folder_that_was_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str]| {
        let output = repro().current_dir(folder.path()).args(arguments).output().unwrap();
        assert_refused(&output, &["--device cuda"]);
        assert!(files(folder.path()).is_empty(), "{arguments:?}: {:?}", files(folder.path()).keys());
    };
    let cells = ["--device", "cuda", "--sizes", "8", "--only", "cpu-naive"];
    refused(&[&["run", "table1"], &cells[..]].concat());
    refused(&[&["run", "table1", "--out", "a/b/c"], &cells[..]].concat());
    refused(&[&["track", "table1", "--quiet"], &cells[..]].concat());
    refused(&[&["track", "table1", "--quiet", "--out", "a/b/c"], &cells[..]].concat());
    // A folder that was there stays, with what is in it.
    std::fs::create_dir_all(folder.path().join("mine/empty")).unwrap();
    let before = files(folder.path());
    let mut command = repro();
    command.current_dir(folder.path()).args(["run", "table1", "--out", "mine/empty"]).args(cells);
    assert_refused(&command.output().unwrap(), &["--device cuda"]);
    assert_eq!(files(folder.path()), before);
}

/// The states that a kill leaves while a run is begun.
#[test]
fn a_run_that_was_killed_while_it_was_begun_is_continued_or_begun_again() {
    let (folder, out) = finished();
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    let header = text(&out).split_inclusive('\n').next().unwrap().to_string();
    for left in [None, Some(""), Some("implementation,n,par"), Some(header.as_str())] {
        let begun = folder.path().join("begun");
        std::fs::create_dir(&begun).unwrap();
        std::fs::write(begun.join("manifest.json"), &manifest).unwrap();
        // As at the start: no sample, and a manifest that knows no environment.
        edit_manifest(&begun, |run| (run["finished"], run["environment"]) = (json!(null), json!(null)));
        if let Some(left) = left {
            std::fs::write(begun.join("samples.csv"), left).unwrap();
        }
        let output = resume(&begun);
        assert!(output.status.success(), "{left:?}: {}", stderr(&output));
        assert_eq!(text(&begun).lines().count(), 13);
        std::fs::remove_dir_all(begun).unwrap();
    }
}
