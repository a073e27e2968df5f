//! What is refused gets one line that names the thing and the remedy, exit code 2, and writes nothing.

use super::{contents, made, report, written};
use crate::common::stored::{STRUCTURE, TABLE1, copy, edit_rows, redigest};
use crate::common::{assert_refused, repro, stdout};
use std::path::Path;

/// A report of the run in `folder` is refused with all of `parts`.
#[track_caller]
fn refused(run: &Path, parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    assert_refused(&report(&[run], &out), parts);
    assert!(!out.exists(), "nothing is left behind");
}

/// The run with one file of it changed by `change`.
#[track_caller]
fn refused_with(file: &str, change: impl FnOnce(String) -> String, parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    copy(STRUCTURE, folder.path());
    let path = folder.path().join(file);
    let before = std::fs::read_to_string(&path).unwrap();
    let after = change(before.clone());
    assert_ne!(before, after);
    std::fs::write(&path, &after).unwrap();
    if file != "manifest.json" {
        redigest(folder.path());
    }
    refused(folder.path(), parts);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), after, "a report changes no record");
}

#[test]
fn a_damaged_record_is_named() {
    refused_with("manifest.json", |text| text[..text.len() / 2].to_string(), &["manifest.json: "]);
    refused_with("manifest.json", |_| String::new(), &["manifest.json: "]);
    refused_with(
        "manifest.json",
        |text| text.replacen("\"schema_version\": 3", "\"schema_version\": 99", 1),
        &["manifest.json: ", "schema version 99", "use the repro that wrote it"],
    );
    refused_with(
        "samples.csv",
        |text| text.replacen(",counted,", ",kounted,", 1),
        &["samples.csv: line 2 is not a sample"],
    );
    refused_with("counts.csv", |text| text.replacen(",128,", ",many,", 1), &["counts.csv: "]);
}

#[test]
fn a_time_without_a_verified_result_is_named_by_its_line() {
    let folder = tempfile::tempdir().unwrap();
    copy(TABLE1, folder.path());
    let mut line = 1;
    edit_rows(&folder.path().join("samples.csv"), |row| {
        line += 1;
        if line == 1000 {
            row.set("verified", "false");
        }
        true
    });
    let problem = "samples.csv: line 1000 is not a sample: it has a time and is not verified";
    refused(folder.path(), &[problem]);
}

#[test]
fn folders_without_runs_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(path("empty/below")).unwrap();
    std::fs::write(path("file"), "").unwrap();
    refused(&path("empty"), &["empty", "holds a run", "check the path", "repro run"]);
    refused(&path("nothing"), &["cannot look for runs in", "nothing", "name the folder of a run"]);
    refused(&path("file"), &["cannot look for runs in", "file", "name the folder of a run"]);
    let output = repro().arg("report").current_dir(path("empty")).output().unwrap();
    assert_refused(&output, &["cannot look for runs in results", "name the folder of a run"]);
    assert_eq!(std::fs::read_dir(path("empty")).unwrap().count(), 1);
    for flag in [&["report", "--full"][..], &["report", "--out"]] {
        let output = repro().args(flag).current_dir(path("empty")).output().unwrap();
        assert_refused(&output, &[flag[1], "see --help"]);
    }
}

#[test]
fn what_is_no_report_is_never_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    copy(STRUCTURE, &path("run"));
    std::fs::write(path("file"), "mine").unwrap();
    std::fs::create_dir(path("notes")).unwrap();
    std::fs::write(path("notes/index.html"), "mine").unwrap();
    let before = contents(folder.path());
    for (out, part) in [
        ("file", "it is a file"),
        ("file/below", "it is a file"),
        ("notes", "no report"),
        ("run", "no report"),
    ] {
        assert_refused(&report(&[&path("run")], &path(out)), &[out, part, "--out"]);
        assert!(contents(folder.path()) == before, "{out}");
    }
}

#[test]
fn an_older_report_gives_way_and_what_else_lies_beside_it_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    copy(TABLE1, &path("timed"));
    copy(STRUCTURE, &path("counted"));
    made(&[&path("counted")], &path("clean"));
    made(&[&path("timed")], &path("out"));
    let figures = |out: &str| std::fs::read_dir(path(out).join("figures")).unwrap().count();
    assert!(figures("out") > figures("clean"));
    std::fs::write(path("out/figures/mine.txt"), "mine").unwrap();
    made(&[&path("counted")], &path("out"));
    std::fs::remove_file(path("out/figures/mine.txt")).unwrap();
    assert!(contents(&path("out")) == contents(&path("clean")));
}

#[test]
fn a_report_that_was_stopped_anywhere_gives_way_to_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    copy(STRUCTURE, &path("run"));
    made(&[&path("run")], &path("clean"));
    // Stopped while its first list was being written, and while a file was.
    std::fs::create_dir(path("early")).unwrap();
    std::fs::write(path("early/files.json.new"), "{").unwrap();
    made(&[&path("run")], &path("late"));
    let figure = contents(&path("late")).into_keys().find(|name| name.starts_with("figures")).unwrap();
    std::fs::write(path("late").join(format!("{}.new", figure.display())), "half").unwrap();
    std::fs::write(path("late/index.html.new"), "half").unwrap();
    for out in ["early", "late"] {
        made(&[&path("run")], &path(out));
        assert!(contents(&path(out)) == contents(&path("clean")), "{out}");
    }
}

#[test]
fn without_arguments_the_runs_in_results_are_taken_and_the_report_is_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    copy(STRUCTURE, &folder.path().join("results/runs/one"));
    for _ in 0..2 {
        let output = repro().arg("report").current_dir(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).ends_with("results/report/index.html\n"));
        assert!(!written(&folder.path().join("results/report")).rows().is_empty());
    }
}
