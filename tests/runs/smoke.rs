//! `repro run --smoke`: every experiment in the small, within its time, and marked so that nothing is judged by it.

use crate::common::{assert_refused, files, repro, repro_with_compiler, stderr, stdout};
use repro::plan::available_experiments;
use repro::results::StoredRun;
use repro::store::{Purpose, Status};
use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};
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
    let output = smoke(&folder, &["--smoke=3600", "--device", "cpu", "--quiet"]);
    let text = stdout(&output);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{text}");
    for name in available_experiments() {
        let run = open(&folder, &name);
        assert!(run.manifest.finished.is_some(), "{name}");
        assert_eq!(run.manifest.purpose, Purpose::Smoke, "{name}");
        assert!(!run.folder.join("report").exists(), "{name}: nothing is judged by it");
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(&name));
        assert!(line.is_some_and(|line| line.ends_with(" s")), "{name}: {text}");
    }
    let table1 = open(&folder, "table1");
    let timed = |row: &&repro::results::SummaryRow| row.median_s.is_some();
    assert_eq!(table1.results.summary.iter().filter(timed).count(), 2);
    let samples = table1.samples.iter().filter(|row| row.status == Status::Ok);
    assert!(samples.clone().count() > 0 && samples.clone().all(|row| row.verified && row.n == 64));
    assert!(text.contains("table1               2 timed, 4 left out"), "{text}");
    // Programs of others start for seconds each: they come last, and have what time is left.
    let names: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let place = |name: &str| names.iter().position(|other| *other == name);
    assert!(place("timers") < place("paths") && place("paths") < place("peers"), "{text}");
    let count = available_experiments().len();
    assert!(text.contains(&format!("{count} experiments, ")) && text.contains("nothing failed"), "{text}");
}

#[test]
fn kernels_are_checked_and_counted_where_there_is_no_gpu() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = repro_with_compiler();
    command.args(["run", "table1", "--smoke=3600", "--quiet", "--out"]).arg(folder.path().join("small"));
    let output = command.output().unwrap();
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
    assert!(text.contains("table1               2 timed, 4 counted"), "{text}");
    assert!(text.contains("on the emulated device, which checks and counts and does not time"), "{text}");
    let run = open(&folder, "table1");
    let counted = run.samples.iter().filter(|row| row.status == Status::Counted);
    assert!(counted.clone().count() == 4 && counted.clone().all(|row| row.verified && row.n == 64));
}

#[test]
fn no_claim_is_judged_by_a_smoke_run() {
    let folder = tempfile::tempdir().unwrap();
    let output = smoke(&folder, &["table1", "--smoke=3600", "--device", "cpu"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let before = files(folder.path());
    for call in [
        &["report", "small/table1", "--out", "page"][..],
        &["compare", "small/table1", "small/table1"],
        &["compare", "small", "small"],
        &["history", "small/table1", "--out", "history"],
        &["run", "frontier", "--tuned", "small/table1", "--out", "new"],
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
fn what_is_not_done_in_time_is_stopped_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let output = smoke(&folder, &["--smoke=0.5", "--device", "cpu", "--quiet"]);
    // All of them take longer on any machine; how much of the time is over before the first, a busy machine decides.
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("stopped, since its time was over") && text.contains("not finished: "), "{text}");
    let last = open(&folder, "timers");
    assert_eq!((last.manifest.finished, last.manifest.purpose), (None, Purpose::Smoke));
}

#[test]
fn options_that_choose_cells_and_folders_that_hold_something_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine"), "mine").unwrap();
    let before = files(folder.path());
    let here = Path::new(".").display().to_string();
    for (call, says) in [
        (&["run", "--smoke", "--out", &here][..], &[". is no empty folder", "--out"][..]),
        (&["run", "--smoke", "--out", "mine"], &["mine is no empty folder"]),
        (&["run", "table9", "--smoke", "--out", "new"], &["'table9'"]),
        (&["run", "--smoke=0"], &["'0' is no time"]),
        (&["run", "--smoke", "--sizes", "64"], &["--smoke", "--sizes"]),
        (&["run", "--smoke", "--resume", "new"], &["--smoke", "--resume"]),
        (&["run", "--smoke", "--device", "cuda", "--out", "new"], &["--device cuda"]),
        (&["run"], &["<EXPERIMENT>"]),
    ] {
        assert_refused(&refused(&folder, call), says);
        assert_eq!(files(folder.path()), before, "{call:?}");
    }
}
