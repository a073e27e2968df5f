//! What became of a machine's times, on the page: steps are marked, noise is not, damage is told.

use super::written;
use crate::common::stored::{ABLATION, STRUCTURE, copy, reference};
use crate::common::{repro, stderr, stdout};
use repro::regression::history::{HistoryRow, append_rows, rows_of};
use repro::results::StoredRun;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A small run, of which reports are quick.
const RUN: &str = STRUCTURE;
const CELL: (&str, usize) = ("staged-load", 8192);

/// Eleven entries of the run on as many days, each a little off; `change` is done to every row.
fn plant(folder: &Path, change: impl Fn(u32, &mut HistoryRow)) -> PathBuf {
    let rows = rows_of(&StoredRun::open(&reference(ABLATION)).unwrap());
    let path = folder.join("nvidia-h200.csv");
    for day in 1..=11 {
        let noise = [1.0, 1.005, 0.995, 0.997, 1.004, 1.001][day as usize % 6];
        let entry = |row: &HistoryRow| {
            let time = format!("2026-03-{day:02}T12:00:00Z");
            let mut row = HistoryRow { time, commit: format!("{day:x}").repeat(40), ..row.clone() };
            scale(&mut row, noise);
            change(day, &mut row);
            row
        };
        append_rows(&path, &rows.iter().map(entry).collect::<Vec<_>>()).unwrap();
    }
    path
}

fn scale(row: &mut HistoryRow, factor: f64) {
    row.seconds = row.seconds.times(factor);
}

/// One cell takes 10% longer from the ninth day on, with another driver.
fn step(day: u32, row: &mut HistoryRow) {
    if day >= 9 && (row.cell.implementation.as_str(), row.cell.n) == CELL {
        scale(row, 1.1);
    }
    if day >= 9 && !row.device.is_empty() {
        row.driver = "590.2".into();
    }
}

fn report(history: &Path, out: &Path) -> Output {
    let mut command = repro();
    command.arg("report").arg(reference(RUN)).arg("--history").arg(history).arg("--out").arg(out);
    command.output().unwrap()
}

/// The page of the histories, where there is one.
fn history_page(out: &Path) -> Option<String> {
    std::fs::read_to_string(out.join("history.html")).ok()
}

#[test]
fn one_step_of_ten_percent_is_one_marked_step_and_no_verdict_follows_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let [history, out, without] = ["history", "out", "without"].map(|name| folder.path().join(name));
    plant(&history, step);
    let output = report(&history, &out);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    assert!(written(&out).page.contains("href=\"history.html\""));
    let page = history_page(&out).unwrap();
    assert!(page.contains("The history of NVIDIA H200") && page.contains("nvidia-h200.csv"));
    // The step is a mark of the figure and the only row of the table behind it.
    assert_eq!(page.matches(" cell at 9999999</title>").count(), 1);
    let table = page.split("<tbody>").nth(1).unwrap().split("</tbody>").next().unwrap();
    assert_eq!(table.matches("<tr>").count(), 1, "{table}");
    for part in ["staged-load n = 8192", "2026-03-09", "8888888 → 9999999", ">1.10", " → 590.2"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    // Beside it are all times.
    let times = std::fs::read_to_string(out.join("figures/history-nvidia-h200.csv")).unwrap();
    let cells = rows_of(&StoredRun::open(&reference(ABLATION)).unwrap()).len();
    assert_eq!(times.lines().count(), 1 + 11 * cells);
    // The claims are those of the runs alone.
    let runs = [reference(RUN)];
    super::made(&[&runs[0]], &without);
    assert_eq!(written(&out).claims, written(&without).claims);
    assert!(!written(&without).page.contains("history.html") && history_page(&without).is_none());
}

#[test]
fn a_torn_history_is_told_and_a_damaged_one_is_left_out_with_exit_1() {
    let folder = tempfile::tempdir().unwrap();
    let [history, torn, damaged] = ["history", "torn", "damaged"].map(|name| folder.path().join(name));
    let file = plant(&history, step);
    let text = std::fs::read(&file).unwrap();
    std::fs::write(&file, &text[..text.len() - 30]).unwrap();
    let output = report(&history, &torn);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let notice = "nvidia-h200.csv: the last line, ";
    assert!(stdout(&output).contains(notice) && written(&torn).page.contains(notice), "{}", stdout(&output));
    std::fs::write(&file, String::from_utf8(text).unwrap().replacen("2026-03-02T", "today", 1)).unwrap();
    let output = report(&history, &damaged);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("left out: ") && stderr(&output).contains("is not of RFC 3339"));
    let page = written(&damaged).page;
    assert!(page.contains("is not of RFC 3339") && history_page(&damaged).is_none());
}

#[test]
fn a_folder_of_histories_inside_or_beside_a_folder_of_runs_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    copy(RUN, &folder.path().join("results/runs/one"));
    plant(&folder.path().join("results/history"), step);
    let page = |arguments: &[&str]| {
        let output = repro().current_dir(folder.path()).arg("report").args(arguments).output().unwrap();
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
        assert!(stdout(&output).ends_with("results/report/index.html\n"), "beside the runs");
        history_page(&folder.path().join("results/report")).is_some()
    };
    assert!(page(&[]), "inside ./results");
    assert!(page(&["results/runs"]), "beside a folder of runs");
    assert!(
        !page(&["results/runs/one"]),
        "who names a run gets that one alone, and no page of an older report is left"
    );
}
