//! Records that somebody changed are named, used only when that is asked for, and marked then.

use crate::common::stored;
use crate::common::stored::{STRUCTURE, copy, edit_rows, reference};
use crate::common::{assert_refused, files, missing_tool, repro, stderr, stdout};
use repro::experiment::StoredRun;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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
    let runs = repro::experiment::find_runs(&reference).unwrap();
    assert!(runs.len() > 10);
    for run in runs {
        let seal = StoredRun::open(&run).unwrap().seal;
        assert!(seal.is_sound(), "{} {seal}", run.display());
    }
}

#[test]
fn what_was_edited_removed_or_added_is_named_by_every_command_that_reads_it() {
    type Change = fn(&Path);
    let cases: [(Change, &str); 6] = [
        (
            |run| keep(run, |row| row.get("implementation") != "cpu-parallel"),
            "cpu-parallel n = 8192 m=600n has 0 samples in place of 5",
        ),
        (
            |run| keep(run, |row| row.get("sample") == "0"),
            "two-phase n = 8192 m=600n has 1 samples in place of 10",
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
            "sample 3 of two-phase n = 8192 m=600n was edited",
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
        ("index.html", "run (UNSEALED)"),
        ("claims.json", "run (UNSEALED)"),
        ("claims.csv", "run (UNSEALED)"),
    ] {
        let text = std::fs::read_to_string(folder.path().join("out").join(file)).unwrap();
        assert!(text.contains(mark), "{file} does not say {mark}");
    }
}

#[test]
fn an_unsealed_run_is_marked_in_every_form_of_a_comparison_and_told_by_history() {
    let (folder, _run) =
        changed(OVER_CPU, |run| keep(run, |row| row.get("implementation") != "cpu-parallel"));
    let reference = reference(OVER_CPU).display().to_string();
    for (format, marks) in [
        (
            "terminal",
            [
                "UNSEALED)",
                "UNSEALED: run is not as it was written: cpu-parallel n = 8192 m=600n has 0 samples",
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

/// A repository with a run without a seal in its first commit.
struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    fn new() -> Self {
        let repository = Self { folder: tempfile::tempdir().unwrap() };
        copy(STRUCTURE, &repository.run());
        std::fs::remove_file(repository.run().join("seal.json")).unwrap();
        repository.git(&["init", "--quiet"]);
        repository.commit();
        repository
    }

    fn run(&self) -> PathBuf {
        self.folder.path().join("runs/one")
    }

    fn git(&self, arguments: &[&str]) -> String {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
        let output = Command::new("git")
            .current_dir(self.folder.path())
            .args(identity)
            .args(arguments)
            .output()
            .unwrap_or_else(|error| missing_tool(format!("git: {error}")));
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        stdout(&output)
    }

    /// Commits everything. Gives the commit as errors name it.
    fn commit(&self) -> String {
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "-m", "runs"]);
        self.git(&["rev-parse", "HEAD"])[..12].to_string()
    }

    fn replace(&self, file: &str, from: &str, to: &str) {
        let path = self.run().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
    }

    fn seal(&self) -> Output {
        repro_in(self.folder.path(), &["seal", "runs/one"])
    }
}

#[test]
fn a_committed_run_is_sealed_once_and_nothing_else_of_it_changes() {
    let repository = Repository::new();
    let before = files(&repository.run());
    let output = repository.seal();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("runs/one: sealed, 11 samples as commit "), "{}", stdout(&output));
    assert!(StoredRun::open(&repository.run()).unwrap().seal.is_sound());
    let mut after = files(&repository.run());
    assert!(after.remove(&repository.run().join("seal.json")).is_some());
    assert!(after == before);
    assert!(stdout(&repository.seal()).contains("has a seal"));
}

#[test]
fn a_run_whose_samples_a_later_commit_changed_is_not_sealed_and_the_commit_is_named() {
    let repository = Repository::new();
    repository.replace("samples.csv", ",counted,", ",skipped,");
    let commit = repository.commit();
    repository.replace("table.md", "\n", "\n\n");
    repository.commit();
    // A row that is put back was still changed.
    assert_refused(&repository.seal(), &["runs/one", &commit, "line 2 of samples.csv"]);
    assert!(!repository.run().join("seal.json").exists());
}

#[test]
fn columns_behind_the_others_a_new_place_and_another_run_in_the_place_are_no_changed_samples() {
    let repository = Repository::new();
    let path = repository.run().join("samples.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(at, line)| match at {
            0 => format!("{line},more\n"),
            _ => format!("{line},\n"),
        })
        .collect();
    std::fs::write(&path, lines.concat()).unwrap();
    repository.commit();
    repository.git(&["mv", "runs/one", "runs/two"]);
    repository.git(&["commit", "--quiet", "-m", "moved"]);
    repository.git(&["mv", "runs/two", "runs/one"]);
    repository.git(&["commit", "--quiet", "-m", "moved back"]);
    assert!(repository.seal().status.success(), "{}", stderr(&repository.seal()));
    // Another run: other samples, and another time at which it was begun.
    std::fs::remove_file(repository.run().join("seal.json")).unwrap();
    repository.replace("samples.csv", ",counted,", ",skipped,");
    repository.replace("manifest.json", "\"started\": \"2026", "\"started\": \"2027");
    let commit = repository.commit();
    let output = repository.seal();
    assert!(stdout(&output).contains(&commit), "{}{}", stdout(&output), stderr(&output));
}

#[test]
fn what_git_does_not_vouch_for_is_not_sealed() {
    let repository = Repository::new();
    repository.replace("counts.csv", "128", "127");
    assert_refused(&repository.seal(), &["counts.csv is not as it was committed"]);
    repository.git(&["checkout", "--quiet", "."]);
    std::fs::write(repository.run().join("kernels.csv"), "").unwrap();
    assert_refused(&repository.seal(), &["kernels.csv is not as it was committed"]);
    let folder = tempfile::tempdir().unwrap();
    copy(STRUCTURE, &folder.path().join("run"));
    std::fs::remove_file(folder.path().join("run/seal.json")).unwrap();
    assert_refused(&repro_in(folder.path(), &["seal", "run"]), &["git knows nothing of it"]);
    assert!(!folder.path().join("run/seal.json").exists());
}
