//! A run that is stopped at any moment continues where it was and loses nothing.

#![cfg(unix)]

use crate::common::stored::unfinish;
#[cfg(target_os = "linux")]
use crate::common::{signal, workers_of};
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const ARGUMENTS: [&str; 10] =
    ["run", "table1", "--device", "cpu", "--sizes", "64,100,160", "--samples", "12", "--seed", "3"];

fn repro() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("repro"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn start(out: &Path) -> Child {
    repro().args(ARGUMENTS).arg("--out").arg(out).spawn().unwrap()
}

fn resume(out: &Path) -> Command {
    let mut command = repro();
    command.args(["run", "table1", "--resume"]).arg(out);
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The whole lines of samples.csv, without the header.
fn lines(out: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(out.join("samples.csv")).unwrap_or_default();
    text.split_inclusive('\n').filter(|line| line.ends_with('\n')).skip(1).map(str::to_string).collect()
}

/// The whole samples of samples.csv: four lines each, or one where nothing was timed.
fn whole_samples(out: &Path) -> Vec<String> {
    let lines = lines(out);
    let timed = lines.iter().filter(|line| line.contains(",ok,")).count();
    lines[..lines.len() - timed % 4].to_vec()
}

/// Implementation, n and sample number of every line, with the scope.
fn keys(out: &Path) -> Vec<String> {
    lines(out).iter().map(|line| line.split(',').take(5).collect::<Vec<_>>().join(",")).collect()
}

fn cells(out: &Path) -> BTreeSet<String> {
    let summary = std::fs::read_to_string(out.join("summary.csv")).unwrap();
    summary.lines().skip(1).map(|line| line.split(',').take(4).collect::<Vec<_>>().join(",")).collect()
}

fn undisturbed() -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let output = start(&out).wait_with_output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    cells(&out)
}

#[test]
fn a_run_killed_twice_still_ends_with_the_same_cells() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut run = start(&out);
    while !out.join("samples.csv").exists() || lines(&out).len() < 8 {
        std::thread::sleep(Duration::from_millis(2));
    }
    signal(run.id(), Signal::KILL);
    run.wait().unwrap();
    let mut second = resume(&out).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(60));
    signal(second.id(), Signal::KILL);
    second.wait().unwrap();
    assert!(resume(&out).output().unwrap().status.success());
    assert_eq!(cells(&out), undisturbed());
    let manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("manifest.json")).unwrap()).unwrap();
    assert!(!manifest["resumed"].as_array().unwrap().is_empty());
    assert!(manifest["finished"].is_string());
}

#[test]
fn a_sample_torn_in_the_middle_of_a_line_is_taken_again() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    assert!(start(&out).wait_with_output().unwrap().status.success());
    let whole = std::fs::read(out.join("samples.csv")).unwrap();
    std::fs::write(out.join("samples.csv"), &whole[..whole.len() - 70]).unwrap();
    unfinish(&out);
    let before = whole_samples(&out);
    let output = resume(&out).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(lines(&out)[..before.len()], before[..]);
    assert_eq!(lines(&out).len(), String::from_utf8(whole).unwrap().lines().count() - 1);
    assert!(stderr(&output).contains("samples.csv.torn-"), "{}", stderr(&output));
    assert_eq!(cells(&out), undisturbed());
}

#[test]
fn ctrl_c_exits_with_130_says_how_to_resume_and_resuming_finishes() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let run = start(&out);
    while !out.join("samples.csv").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(signal(run.id(), Signal::INT));
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(!out.join("report").exists(), "there is more to come");
    let how = format!("repro run table1 --resume {}", out.display());
    assert!(stderr(&output).lines().last().unwrap().contains(&how), "{}", stderr(&output));
    // The folder knows the experiment, and one that is named must be that.
    let other = repro().args(["run", "frontier", "--resume"]).arg(&out).output().unwrap();
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr(&other).contains("holds a run of table1, not of frontier"), "{}", stderr(&other));
    let alone = repro().args(["run", "--resume"]).arg(&out).output().unwrap();
    assert!(alone.status.success(), "{}", stderr(&alone));
    assert_eq!(cells(&out), undisturbed());
    assert!(out.join("report/index.html").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_runner_leaves_no_worker_behind() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    // One sample that takes many seconds: the worker is deep in a solve when its runner goes.
    let mut run = repro()
        .args(["run", "table1", "--device", "cpu", "--only", "cpu-naive", "--sizes", "2500"])
        .arg("--out")
        .arg(&out)
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    let workers = loop {
        let workers = workers_of(run.id());
        if !workers.is_empty() {
            break workers;
        }
        assert!(Instant::now() < deadline, "no worker was started");
        std::thread::sleep(Duration::from_millis(5));
    };
    std::thread::sleep(Duration::from_millis(800));
    signal(run.id(), Signal::KILL);
    run.wait().unwrap();
    let deadline = Instant::now() + Duration::from_secs(2);
    let alive = |pid: &u32| {
        let state = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        !state.is_empty() && !state.contains("State:\tZ")
    };
    while workers.iter().any(alive) {
        assert!(Instant::now() < deadline, "worker {workers:?} outlived its runner");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_worker_costs_one_cell_and_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let run = start(&out);
    while !out.join("samples.csv").exists() || lines(&out).len() < 4 {
        std::thread::sleep(Duration::from_millis(2));
    }
    let worker = *workers_of(run.id()).first().expect("a worker runs");
    signal(worker, Signal::KILL);
    let output = run.wait_with_output().unwrap();
    // Most kills hit a cell, which is then a row with its reason; one between two cells hits none.
    let failed = lines(&out).iter().filter(|line| line.contains(",failed,")).count();
    assert!(failed <= 1, "{:?}", lines(&out));
    assert_eq!(output.status.code(), Some(failed as i32), "{}", stderr(&output));
    assert!(resume(&out).output().unwrap().status.success());
    assert_eq!(cells(&out).len(), undisturbed().len());
}

#[test]
fn two_runs_cannot_write_to_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let first = start(&out);
    while !out.join("manifest.json").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let second = resume(&out).output().unwrap();
    let again = start(&out).wait_with_output().unwrap();
    let finished = first.wait_with_output().unwrap();
    assert!(finished.status.success());
    assert_eq!(second.status.code(), Some(2));
    assert!(stderr(&second).contains("another repro is writing"), "{}", stderr(&second));
    assert_eq!(again.status.code(), Some(2));
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn a_run_killed_at_any_moment_resumes_to_the_same_cells_and_keeps_every_finished_sample() {
        let expected = undisturbed();
        for round in 0..12u64 {
            let folder = tempfile::tempdir().unwrap();
            let out = folder.path().join("run");
            let mut run = start(&out);
            // From before the first record to well into the samples.
            std::thread::sleep(Duration::from_millis(3 + round * round * 4));
            signal(run.id(), Signal::KILL);
            run.wait().unwrap();
            let before = whole_samples(&out);
            let mut output = resume(&out).output().unwrap();
            if !out.join("manifest.json").exists() {
                // Killed before there was a run: said, with what to do.
                assert_eq!(output.status.code(), Some(2));
                assert!(stderr(&output).contains("holds no run"), "{}", stderr(&output));
                output = start(&out).wait_with_output().unwrap();
            }
            assert!(output.status.success(), "round {round}: {}", stderr(&output));
            assert_eq!(lines(&out)[..before.len()], before[..], "round {round}");
            assert_eq!(cells(&out), expected, "round {round}");
            let keys = keys(&out);
            assert_eq!(
                keys.iter().collect::<BTreeSet<_>>().len(),
                keys.len(),
                "a sample twice in round {round}"
            );
        }
    }
}
