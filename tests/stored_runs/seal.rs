//! Records that somebody changed are named, used only when that is asked for, and marked then.

use crate::common::stored;
use crate::common::stored::{STRUCTURE, copy, edit_rows, reference};
use crate::common::{assert_refused, files, repro, stderr, stdout};
use repro::store::SEAL;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A run of few samples.
const OVER_CPU: &str = "h200/over-cpu";

/// `repro ARGUMENTS` where there are no results.
fn repro_in(folder: &Path, arguments: &[&str]) -> Output {
    repro().current_dir(folder).args(arguments).output().unwrap()
}

/// A copy of a committed run, changed without making its seal anew.
fn changed(run: &str, change: impl FnOnce(&Path)) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    copy(run, &path);
    let seal = std::fs::read(path.join("seal.json")).unwrap();
    change(&path);
    if path.join("seal.json").exists() {
        std::fs::write(path.join("seal.json"), seal).unwrap();
    }
    (folder, path)
}

fn keep(run: &Path, is_kept: impl Fn(&stored::Row) -> bool) {
    edit_rows(&run.join("samples.csv"), |row| is_kept(row));
}

#[test]
fn every_committed_run_is_as_its_seal_says() {
    let reference = reference("");
    let runs = repro::store::find_runs(&reference).unwrap();
    assert!(runs.len() > 10);
    for run in runs {
        let records = repro::store::read(&run).unwrap();
        assert!(records.check.is_sound(), "{} {}", run.display(), records.check);
        // This build writes it as the build of then did.
        let text = stored::sealed::text_of(&records.seal.unwrap());
        assert!(text == std::fs::read(run.join(SEAL)).unwrap(), "{}", run.display());
    }
}

#[test]
fn what_was_edited_removed_or_added_is_named_by_every_command_that_reads_it() {
    type Change = fn(&Path);
    let cases: [(Change, &str); 6] = [
        (
            |run| keep(run, |row| row.get("implementation") != "cpu-naive"),
            "cpu-naive n = 8192 m=600n (iterations=32;vectorized=0) has 0 samples in place of 5",
        ),
        (
            |run| keep(run, |row| row.get("sample") == "0"),
            "cpu-naive n = 8192 m=600n (iterations=32;vectorized=0) has 1 samples in place of 5",
        ),
        (
            |run| {
                edit_rows(&run.join("samples.csv"), |row| {
                    if row.get("implementation") == "two-phase" && row.get("sample") == "3" {
                        row.scale(0.5);
                    }
                    true
                });
            },
            "sample 3 of two-phase n = 8192 m=600n (element-loop=1;tile-place=1;unrolled=0) was edited",
        ),
        (
            |run| stored::edit_manifest(run, |run| run["build"]["dirty"] = true.into()),
            "manifest.json was edited",
        ),
        (|run| std::fs::write(run.join("kernels.csv"), "implementation\n").unwrap(), "kernels.csv was added"),
        (|run| std::fs::remove_file(run.join("seal.json")).unwrap(), "has no seal.json"),
    ];
    for (change, part) in cases {
        let (folder, run) = changed(OVER_CPU, change);
        let before = files(folder.path());
        let parts = ["run ", part, "--unsealed"];
        assert_refused(&repro_in(folder.path(), &["report", "run", "--out", "out"]), &parts);
        assert_refused(&repro_in(folder.path(), &["history", "run", "--out", "out"]), &parts);
        assert_refused(&repro_in(folder.path(), &["compare", "run", "run"]), &parts);
        let reference = reference(OVER_CPU).display().to_string();
        assert_refused(&repro_in(folder.path(), &["compare", &reference, "run"]), &parts);
        // What is wrong with a folder of runs does not keep the others from being read.
        assert_refused(
            &repro_in(
                folder.path(),
                &["track", "table1", "--device", "cpu", "--sizes", "8", "--against", "run"],
            ),
            &parts,
        );
        let resumed = repro_in(folder.path(), &["run", "table1", "--resume", "run"]);
        assert_refused(&resumed, &[part, "start a new run"]);
        assert!(!stderr(&resumed).contains("--unsealed"));
        assert!(files(folder.path()) == before, "{part}: something was written");
        assert!(run.exists());
    }
}

#[test]
fn an_unsealed_run_is_marked_wherever_it_is_used() {
    let (folder, _run) = changed(STRUCTURE, |run| {
        let path = run.join("counts.csv");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen("128", "127", 1)).unwrap();
    });
    let output = repro_in(folder.path(), &["report", "run", "--unsealed", "--out", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let note = "UNSEALED: run is not as it was written: counts.csv was edited";
    assert!(stdout(&output).contains(note), "{}", stdout(&output));
    for (file, mark) in [
        ("index.html", note),
        ("claims.html", "run (UNSEALED)"),
        ("claims.json", "run (UNSEALED)"),
        ("claims.csv", "run (UNSEALED)"),
    ] {
        let text = std::fs::read_to_string(folder.path().join("out").join(file)).unwrap();
        assert!(text.contains(mark), "{file} does not say {mark}");
    }
}

#[test]
fn an_unsealed_run_is_marked_in_every_form_of_a_comparison_and_told_by_history() {
    let (folder, _run) = changed(OVER_CPU, |run| keep(run, |row| row.get("implementation") != "cpu-naive"));
    let reference = reference(OVER_CPU).display().to_string();
    for (format, marks) in [
        (
            "terminal",
            [
                "UNSEALED)",
                "UNSEALED: run is not as it was written: cpu-naive n = 8192 m=600n (iterations=32;vectorized=0) has 0 samples",
            ],
        ),
        ("markdown", ["UNSEALED)", "UNSEALED: run is not as it was written"]),
        ("json", ["\"unsealed\": \"is not as it was written: ", "UNSEALED: run "]),
    ] {
        let arguments = ["compare", &reference, "run", "--unsealed", "--format", format];
        let output = repro_in(folder.path(), &arguments);
        assert!(marks.iter().all(|mark| stdout(&output).contains(mark)), "{format}: {}", stdout(&output));
    }
    let output = repro_in(folder.path(), &["history", "run", "--unsealed", "--out", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("note: run is not as it was written: "), "{}", stdout(&output));
}

#[test]
fn of_several_runs_an_unsealed_one_is_left_out_and_told() {
    let (folder, run) = changed(STRUCTURE, |run| std::fs::remove_file(run.join("seal.json")).unwrap());
    copy(OVER_CPU, &folder.path().join("whole"));
    let output = repro_in(folder.path(), &["report", ".", "--out", "out"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("left out: ./run has no seal.json"), "{}", stderr(&output));
    let output = repro_in(folder.path(), &["history", ".", "--out", "histories"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("left out: ./run has no seal.json"), "{}", stderr(&output));
    assert!(run.exists());
}
