//! `repro history` as a whole program: runs become rows, once each, whoever else writes at the same time.

use crate::common::stored::{STRUCTURE, TABLE1, copy, edit_manifest, reference};
use crate::common::{assert_refused, repro, stderr, stdout};
use repro::regression::history::read;
use std::path::{Path, PathBuf};
use std::process::Command;

fn history(runs: &[PathBuf], out: &Path) -> Command {
    let mut command = repro();
    command.arg("history").args(runs).arg("--out").arg(out);
    command
}

#[test]
fn a_run_is_added_once_and_one_without_times_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("history");
    let said = |runs: &[&str]| {
        let runs: Vec<PathBuf> = runs.iter().map(|run| reference(run)).collect();
        let output = history(&runs, &out).output().unwrap();
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
        stdout(&output)
    };
    assert!(said(&[STRUCTURE]).contains("structure: no cell has a median: nothing to add"));
    assert!(!out.exists());
    let file = out.join("nvidia-h200.csv");
    assert!(said(&[TABLE1]).ends_with(&format!(" cells added to {}\n", file.display())));
    let bytes = std::fs::read(&file).unwrap();
    let again = said(&[TABLE1]);
    assert!(
        again.starts_with("table1: 0 cells added to ") && again.ends_with(" were there already\n"),
        "{again}"
    );
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
    assert_refused(&repro().arg("history").output().unwrap(), &["<RUN>"]);
}

#[test]
fn processes_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("history");
    let runs: Vec<PathBuf> = (1..=6).map(|day| folder.path().join(format!("run-{day}"))).collect();
    for (day, run) in (1..).zip(&runs) {
        copy(TABLE1, run);
        edit_manifest(run, |manifest| manifest["started"] = format!("2026-03-0{day}T12:00:00Z").into());
    }
    let start = |run: &PathBuf| history(std::slice::from_ref(run), &out).spawn().unwrap();
    let started: Vec<_> = runs.iter().map(start).collect();
    for process in started {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let found = read(&out.join("nvidia-h200.csv")).unwrap();
    assert_eq!(found.notice, None);
    let of =
        |day: usize| found.rows.iter().filter(|row| row.time.starts_with(&format!("2026-03-0{day}"))).count();
    let each: Vec<usize> = (1..=6).map(of).collect();
    assert!(each[0] > 50 && each.iter().all(|count| *count == each[0]), "{each:?}");
}
