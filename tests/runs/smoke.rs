//! `repro run --smoke`: every experiment at one small size, and marked so that nothing is judged by it.

use crate::common::{assert_refused, files, repro, repro_with_compiler, stderr, stdout};
use repro::plan::available_experiments;
use repro::results::StoredRun;
use repro::store::{Purpose, Status};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// `repro run ARGUMENTS --out FOLDER/small`, without a GPU and without a compiler.
fn smoke(folder: &TempDir, arguments: &[&str]) -> Output {
    repro().arg("run").args(arguments).arg("--out").arg(folder.path().join("small")).output().unwrap()
}

fn open(folder: &TempDir, name: &str) -> StoredRun {
    StoredRun::open(&folder.path().join("small").join(name)).unwrap()
}

fn refused(folder: &TempDir, call: &[&str]) -> Output {
    repro().current_dir(folder.path()).args(call).output().unwrap()
}

#[test]
fn without_a_name_every_experiment_runs_into_a_folder_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let output = smoke(&folder, &["--smoke", "--device", "cpu", "--quiet"]);
    let text = stdout(&output);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{text}");
    for name in available_experiments() {
        let run = open(&folder, &name);
        assert!(run.manifest.finished.is_some(), "{name}");
        assert_eq!(run.manifest.purpose, Purpose::Smoke, "{name}");
        assert!(!run.folder.join("report").exists(), "{name}: nothing is judged by it");
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(&name));
        assert!(line.is_some(), "{name}: {text}");
    }
    let table1 = open(&folder, "table1");
    let timed = |row: &&repro::results::SummaryRow| row.median_s.is_some();
    assert_eq!(table1.results.summary.iter().filter(timed).count(), 2);
    let samples = table1.samples.iter().filter(|row| row.status == Status::Ok);
    assert!(samples.clone().count() > 0 && samples.clone().all(|row| row.verified && row.n == 64));
    assert!(text.contains("table1               2 timed, 4 left out"), "{text}");
    let reasons = text.lines().filter(|line| line.starts_with("  left out: "));
    assert_eq!(reasons.clone().count(), reasons.collect::<BTreeSet<_>>().len(), "{text}");
}

#[test]
fn kernels_are_checked_and_counted_where_there_is_no_gpu() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = repro_with_compiler();
    command.args(["run", "table1", "--smoke", "--quiet", "--out"]).arg(folder.path().join("small"));
    let output = command.output().unwrap();
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
    assert!(text.contains("table1               2 timed, 4 counted"), "{text}");
    let run = open(&folder, "table1");
    let counted = run.samples.iter().filter(|row| row.status == Status::Counted);
    assert!(counted.clone().count() == 4 && counted.clone().all(|row| row.verified && row.n == 64));
}

#[test]
fn no_claim_is_judged_by_a_smoke_run() {
    let folder = tempfile::tempdir().unwrap();
    let output = smoke(&folder, &["table1", "--smoke", "--device", "cpu"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let before = files(folder.path());
    for call in [
        &["report", "small/table1", "--out", "page"][..],
        &["compare", "small/table1", "small/table1"],
        &["history", "small/table1", "--out", "history"],
    ] {
        assert_refused(&refused(&folder, call), &["small/table1 is a smoke run", "without --smoke"]);
    }
    assert_eq!(files(folder.path()), before);
    // A folder of nothing else is refused for what it is.
    let report = refused(&folder, &["report", "small", "--out", "page"]);
    assert_refused(&report, &["nothing to report: all that was given is 1 smoke run, ", "without --smoke"]);
    assert_eq!(files(folder.path()), before);
    // Among others it is left out with a notice, and nothing is wrong.
    let table1 = concat!(env!("CARGO_MANIFEST_DIR"), "/results/reference/emulated/structure");
    let report = refused(&folder, &["report", "small", table1, "--out", "page"]);
    assert_eq!(report.status.code(), Some(0), "{}", stderr(&report));
    assert!(stdout(&report).contains("note: Left out: 1 smoke run, "), "{}", stdout(&report));
}

#[test]
fn options_that_choose_cells_and_folders_that_hold_something_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine"), "mine").unwrap();
    let before = files(folder.path());
    let here = Path::new(".").display().to_string();
    for (call, says) in [
        (&["run", "--smoke", "--out", &here][..], &[". is no empty folder", "--out"][..]),
        (&["run", "--smoke", "--out", "mine"], &["cannot make mine", "--out"]),
        (&["run", "table9", "--smoke", "--out", "new"], &["'table9'"]),
        (&["run", "--smoke=60"], &["--smoke"]),
        (&["run", "--smoke", "--sizes", "64"], &["--smoke", "--sizes"]),
        (&["run", "--smoke", "--resume", "new"], &["--smoke", "--resume"]),
        (&["run", "--smoke", "--device", "cuda", "--out", "new"], &["--device cuda"]),
        (&["run"], &["<EXPERIMENT>"]),
    ] {
        assert_refused(&refused(&folder, call), says);
        assert_eq!(files(folder.path()), before, "{call:?}");
    }
}
