//! `repro history` as a whole program: runs become rows, once each, whoever else writes at the same time.

use crate::common::place::Place;
use crate::common::stored::{STRUCTURE, TABLE1, copy, edit_manifest, edit_rows, reference};
use crate::common::{stderr, stdout};
use repro::regression::history::{HistoryRow, append_rows, read, rows_of};
use repro::results::StoredRun;
use std::path::{Path, PathBuf};

/// What `repro history WORDS` ends with and says, where the histories are in `history` and `WORDS` may have arguments with blanks.
fn history(place: &Place, words: &[&str]) -> (Option<i32>, String) {
    let output = place.command("history --out history").args(words).output().unwrap();
    assert_eq!(stderr(&output), "");
    (output.status.code(), stdout(&output))
}

fn stored(run: &str) -> String {
    reference(run).display().to_string()
}

#[test]
fn a_run_is_added_once_and_one_without_times_not_at_all() {
    let place = Place::new();
    let said = |run: &str| {
        let (code, said) = history(&place, &[&stored(run)]);
        assert_eq!(code, Some(0));
        said
    };
    assert!(said(STRUCTURE).contains("structure: no cell has a median: nothing to add"));
    assert!(!place.path("history").exists());
    assert!(said(TABLE1).contains(" cells added to history/nvidia-h200.csv; "));
    let before = place.files("history");
    let again = said(TABLE1);
    assert!(
        again.starts_with("table1: 0 cells added to ") && again.contains(" were there already; "),
        "{again}"
    );
    assert!(place.files("history") == before);
}

/// Four days of Table 1 in the history of `folder`, on the last two of which one cell on the GPU takes so many times as long.
fn plant_step(folder: &Path, factor: f64) {
    let path = folder.join("nvidia-h200.csv");
    let rows = rows_of(&StoredRun::open(&reference(TABLE1)).unwrap());
    for day in 1..=4 {
        let entry = |row: &HistoryRow| {
            let (time, commit) = (format!("2026-03-{day:02}T12:00:00Z"), format!("{day}").repeat(40));
            let mut row = HistoryRow { time, commit, ..row.clone() };
            if day > 2 && (row.cell.implementation.as_str(), row.cell.n) == ("staged-load", 8192) {
                row.seconds = row.seconds.times(factor);
            }
            row
        };
        append_rows(&path, &rows.iter().map(entry).collect::<Vec<_>>()).unwrap();
    }
}

#[test]
fn a_step_to_slower_is_named_with_exit_1_until_somebody_accepts_it() {
    let place = Place::new();
    plant_step(&place.path("history"), 1.1);
    let run = stored(STRUCTURE);
    let named = "nvidia-h200.csv: staged-load n = 8192 is slower: 1.100 times as long since 2026-03-03, commit 3333333; \
                 with it changed: commit 2222222 → 3333333\n";
    let (code, said) = history(&place, &[&run]);
    assert!(code == Some(1) && said.ends_with(named), "{said}");
    assert_eq!(history(&place, &[]), (Some(1), named.to_string()));
    let (code, said) = history(&place, &["--accept", "not this one", "--only", "katz-kider"]);
    assert_eq!(code, Some(1));
    assert_eq!(said, format!("no step of katz-kider is open: nothing was accepted\n{named}"));
    assert!(!place.path("history/accepted.csv").exists());
    let (code, said) = history(&place, &["--accept", "more precise, and meant", "--only", "staged-load"]);
    assert!(code == Some(0) && said.starts_with("1 step accepted by "), "{said}");
    let accepted = place.read("history/accepted.csv");
    for part in [",\"more precise, and meant\",nvidia-h200.csv,staged-load,8192,", ",2026-03-03T12:00:00Z\n"]
    {
        assert!(accepted.contains(part), "{accepted}");
    }
    let none = (Some(0), "no step is open: nothing was accepted\n".to_string());
    assert_eq!(history(&place, &["--accept", "again"]), none);
    assert_eq!(history(&place, &[&run]).0, Some(0));
    assert_eq!(history(&place, &[]), (Some(0), "no step is open\n".into()));
    assert_eq!(place.read("history/accepted.csv"), accepted);
    // The file lies beside histories, and is none.
    let report = place.call(&format!("report {run} --history history --out r"));
    assert_eq!(stderr(&report), "");
    // One that is broken is refused before anything is added.
    place.edit("history/accepted.csv", |text| text.to_string() + "me\n");
    let parts = ["accepted.csv line 3 is not a row of this file", "1 columns instead of 11"];
    place.refuse(&format!("history {} --out history", stored(TABLE1)), &parts);
}

#[test]
fn a_faster_step_is_named_and_ends_with_0() {
    let place = Place::new();
    plant_step(&place.path("history"), 0.55);
    let (code, said) = history(&place, &[&stored(STRUCTURE)]);
    let named = "staged-load n = 8192 is faster: 0.550 times as long";
    assert!(code == Some(0) && said.contains(named), "{said}");
}

#[test]
fn a_run_says_how_many_of_its_cells_begin_no_step_for_load_or_throttling() {
    let place = Place::new();
    let run = place.path("run");
    copy(TABLE1, &run);
    let count = || {
        let said = history(&place, &["run"]).1;
        let (before, _) =
            said.split_once(" under load or throttled, which begin no step").unwrap_or(("0", ""));
        before.rsplit(' ').next().unwrap().parse::<usize>().unwrap()
    };
    let first = count();
    edit_rows(&run.join("samples.csv"), |row| {
        if (row.get("implementation"), row.n()) == ("staged-load", 8192) {
            row.set("throttled_by", "power");
        }
        true
    });
    edit_manifest(&run, |manifest| manifest["started"] = "2026-03-01T12:00:00Z".into());
    assert_eq!([count(), count()], [first + 1; 2]);
}

#[test]
fn an_unfinished_run_is_left_out_until_it_is_finished() {
    let place = Place::new();
    copy(TABLE1, &place.path("runs/run"));
    edit_manifest(&place.path("runs/run"), |manifest| manifest["finished"] = serde_json::Value::Null);
    let told = "run is not finished: repro run --resume runs/run goes on with it";
    place.refuse("history runs/run --out history", &[told]);
    let output = place.succeed("history runs --out history");
    assert_eq!(stderr(&output), format!("left out: {told}\n"));
    assert!(!place.path("history").exists());
}

#[test]
fn tracking_names_the_steps_of_its_machine_and_ends_with_1_until_they_are_accepted() {
    let place = Place::new();
    let cells =
        "track table1 --device cpu --only cpu-naive --sizes 16 --samples 3 --quiet --history history --out";
    let track = |name: &str| place.call(&format!("{cells} {name}"));
    // But for what others do on the cores meanwhile.
    let said =
        |output| stderr(output).lines().filter(|line| !line.contains(" under load ")).collect::<String>();
    let first = track("first");
    assert_eq!((first.status.code(), said(&first)), (Some(0), String::new()));
    let is_csv = |path: &PathBuf| path.extension().is_some_and(|is| is == "csv");
    let file = place.path("history").join(place.files("history").into_keys().find(is_csv).unwrap());
    let known = read(&file).unwrap().rows.remove(0);
    let entry = |day: u32| {
        let mut row = HistoryRow { time: format!("2026-03-{day:02}T12:00:00Z"), ..known.clone() };
        row.cell.implementation = "cpu-planted".into();
        (row.samples, row.ci_confidence, row.others_load) = (9, 0.96, None);
        row.seconds = repro::timing::Estimate::exact(if day > 2 { 2.5 } else { 1.0 });
        row
    };
    append_rows(&file, &[1, 2, 3, 4].map(entry)).unwrap();
    // Those of another machine are not this run's.
    plant_step(&place.path("history"), 1.1);
    let second = track("second");
    let told = "cpu-planted n = 16 is slower: 2.500 times as long since 2026-03-03, commit ";
    assert!(second.status.code() == Some(1) && stderr(&second).contains(told), "{}", stderr(&second));
    assert!(
        !stderr(&second).contains("staged-load") && stdout(&second).contains("1 cell measured in second/new")
    );
    assert_eq!(history(&place, &["--accept", "planted"]).0, Some(0));
    // Beside other tests two runs of the measured cell may lie a factor of two apart, and a third would confirm that as a step.
    let text = std::fs::read_to_string(&file).unwrap();
    let kept = text.lines().filter(|row| !row.contains("cpu-naive")).map(|row| format!("{row}\n"));
    std::fs::write(&file, kept.collect::<String>()).unwrap();
    let third = track("third");
    assert_eq!((third.status.code(), said(&third)), (Some(0), String::new()));
}
