//! `repro history` as a whole program: runs become rows, once each, and steps are named until somebody acknowledges them.

use crate::common::place::Place;
use crate::common::stored::{STRUCTURE, TABLE1, reference};
use crate::common::{assert_refused, stderr, stdout};
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

/// Nights of Table 1 in the history of `folder`, in each of which cells on the GPU take so many times as long as `factor` says.
fn plant(folder: &Path, nights: u32, factor: impl Fn(u32, &HistoryRow) -> f64) {
    let rows = rows_of(&StoredRun::open(&reference(TABLE1)).unwrap());
    let on_gpu = || rows.iter().filter(|row| row.is_on_gpu());
    let entries = (1..=nights).flat_map(|night| {
        let factor = &factor;
        on_gpu().map(move |row| {
            let (time, commit) = (format!("2026-03-{night:02}T12:00:00Z"), format!("{night:x}").repeat(40));
            HistoryRow { time, commit, seconds: row.seconds.times(factor(night, row)), ..row.clone() }
        })
    });
    append_rows(&folder.join("nvidia-h200.csv"), &entries.collect::<Vec<_>>()).unwrap();
}

fn is_planted(row: &HistoryRow) -> bool {
    (row.cell.implementation.as_str(), row.cell.n) == ("staged-load", 8192)
}

/// Ten nights, from the ninth on one cell takes so many times as long.
fn plant_step(folder: &Path, ratio: f64) {
    plant(folder, 10, |night, row| if night > 8 && is_planted(row) { ratio } else { 1.0 });
}

const NONE: &str = "no step that nobody acknowledged in 1 file\n";

#[test]
fn a_step_to_slower_is_named_with_exit_1_until_somebody_accepts_it() {
    let place = Place::new();
    plant_step(&place.path("history"), 1.1);
    let run = stored(STRUCTURE);
    let named = "since 2026-03-09 staged-load n = 8192 is slower, 1.100 times as long (nvidia-h200.csv); \
                 with it changed: commit 8888888 → 9999999\n";
    let (code, said) = history(&place, &[&run]);
    assert!(code == Some(1) && said.ends_with(named), "{said}");
    assert_eq!(history(&place, &[]), (Some(1), named.to_string()));
    let none = "no such step: nothing was accepted\n";
    let of_others = history(&place, &["--accept", "not this one", "--only", "katz-kider"]);
    assert_eq!(of_others, (Some(1), format!("{none}{named}")));
    assert!(!place.path("history/accepted.csv").exists());
    let (code, said) = history(&place, &["--accept", "more precise, and meant", "--only", "staged-load"]);
    assert!(code == Some(0) && said.starts_with("1 step accepted by "), "{said}");
    let accepted = place.read("history/accepted.csv");
    let row = ",\"more precise, and meant\",nvidia-h200.csv,staged-load,8192,";
    assert!(accepted.contains(row) && accepted.ends_with(",2026-03-09T12:00:00Z\n"), "{accepted}");
    assert_eq!(history(&place, &["--accept", "again"]), (Some(0), none.to_string()));
    assert_eq!(history(&place, &[]), (Some(0), NONE.into()));
    assert_eq!(place.read("history/accepted.csv"), accepted);
    // The file lies beside histories, and is none.
    assert_eq!(stderr(&place.call(&format!("report {run} --history history --out r"))), "");
    // One that is broken is refused before anything is added.
    place.edit("history/accepted.csv", |text| text.to_string() + "me\n");
    let parts = ["accepted.csv line 3 is not a row of this file"];
    place.refuse(&format!("history {} --out history", stored(TABLE1)), &parts);
}

#[test]
fn one_cause_is_one_line_and_a_level_that_came_back_ends_its_alarm() {
    // By 4% and a little more with n, for four nights.
    let driver = |night: u32, row: &HistoryRow| match night {
        9..=12 => 1.04 + row.cell.n as f64 * 1e-6,
        _ => 1.0,
    };
    let line = "since 2026-03-09 51 cells of staged-load, katz-kider, optimized-blocked and harish-narayanan are slower, \
                1.041 to 1.057 times as long (nvidia-h200.csv); with it changed: commit 8888888 → 9999999\n";
    for (nights, expected) in [(12, (Some(1), line)), (14, (Some(0), NONE))] {
        let place = Place::new();
        plant(&place.path("history"), nights, driver);
        let (code, said) = history(&place, &[]);
        assert_eq!((code, said.as_str()), expected);
    }
}

#[test]
fn what_a_record_holds_neither_ends_a_line_nor_fills_it_and_neither_does_a_name() {
    let place = Place::new();
    plant(&place.path("history"), 10, |night, row| if night > 8 && is_planted(row) { 1e300 } else { 1.0 });
    let hostile = "\"5\r::error::\u{1b}[2J\u{2028}::error::\"";
    place.edit("history/nvidia-h200.csv", |text| {
        let is_after = |line: &&str| line.starts_with("2026-03-09") || line.starts_with("2026-03-10");
        let line =
            |line: &str| if is_after(&line) { line.replace("580.159.04", hostile) } else { line.into() };
        text.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
    });
    let (code, said) = history(&place, &[]);
    assert!(code == Some(1) && said.lines().count() == 1 && said.len() < 400, "{said:?}");
    assert!(!said.trim_end().contains(|one: char| one.is_control() || one == '\u{2028}'), "{said:?}");
    assert!(said.contains("driver 580.159.04 → 5 / ::error::") && said.contains(" × 10"), "{said:?}");
    let mut command = place.command("history --out history --accept meant");
    command.env("USER", "").env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    assert_refused(&command.output().unwrap(), &["--accept: in whose name?", "git config", "USER=NAME"]);
    command.env("USER", "A,\nB\u{7}");
    assert_eq!(stdout(&command.output().unwrap()), "1 step accepted by A / B\n");
    assert!(place.read("history/accepted.csv").lines().nth(1).unwrap().contains(",A / B,meant,"));
}

#[test]
fn eight_who_accept_at_once_leave_one_row_a_step() {
    let place = Place::new();
    plant(&place.path("history"), 10, |night, _| if night > 8 { 1.1 } else { 1.0 });
    let accept =
        |why: usize| place.command(&format!("history --out history --accept {why}")).output().unwrap();
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|why| scope.spawn(move || accept(why))).collect();
        assert!(all.into_iter().all(|one| one.join().unwrap().status.success()));
    });
    assert_eq!(place.read("history/accepted.csv").lines().count(), 1 + 51);
    assert_eq!(history(&place, &[]), (Some(0), NONE.into()));
}

#[test]
fn tracking_names_the_steps_of_its_machine_and_ends_with_1_until_they_are_accepted() {
    let place = Place::new();
    let cells =
        "track table1 --device cpu --only cpu-naive --sizes 16 --samples 3 --quiet --history history --out";
    let track = |name: &str| place.call(&format!("{cells} {name}"));
    let first = track("first");
    assert_eq!(first.status.code(), Some(0));
    let is_csv = |path: &PathBuf| path.extension().is_some_and(|is| is == "csv");
    let file = place.path("history").join(place.files("history").into_keys().find(is_csv).unwrap());
    let known = read(&file).unwrap().rows.remove(0);
    let entry = |night: u32| {
        let mut row = HistoryRow { time: format!("2026-03-{night:02}T12:00:00Z"), ..known.clone() };
        row.cell.implementation = "cpu-planted".into();
        row.others_load = None;
        row.seconds = repro::timing::Estimate::exact(if night > 8 { 2.5 } else { 1.0 });
        row
    };
    append_rows(&file, &(1..=10).map(entry).collect::<Vec<_>>()).unwrap();
    // Those of another machine are not this run's.
    plant_step(&place.path("history"), 1.1);
    let second = track("second");
    let told = "since 2026-03-09 cpu-planted n = 16 is slower, 2.500 times as long";
    assert!(second.status.code() == Some(1) && stderr(&second).contains(told), "{}", stderr(&second));
    let said = (stderr(&second), stdout(&second));
    assert!(!said.0.contains("staged-load") && said.1.contains("1 cell measured in second/new"), "{said:?}");
    assert_eq!(history(&place, &["--accept", "planted"]).0, Some(0));
    assert_eq!(track("third").status.code(), Some(0));
}
