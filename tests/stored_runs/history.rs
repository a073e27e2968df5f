//! `repro history` as a whole program: runs become rows, once each, whoever else writes at the same time.

use crate::common::stored::{STRUCTURE, TABLE1, copy, edit_manifest, edit_rows, reference};
use crate::common::{assert_refused, repro, stderr, stdout};
use repro::regression::history::{HistoryRow, append_rows, read, rows_of};
use repro::results::StoredRun;
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
    assert!(said(&[TABLE1]).contains(&format!(" cells added to {}; ", file.display())));
    let bytes = std::fs::read(&file).unwrap();
    let again = said(&[TABLE1]);
    assert!(
        again.starts_with("table1: 0 cells added to ") && again.contains(" were there already; "),
        "{again}"
    );
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
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

/// Four days of Table 1 in the history of `folder`, on the last two of which one cell on the GPU takes 10% longer.
fn plant_step(folder: &Path, change: impl Fn(u32, &mut HistoryRow)) -> PathBuf {
    let path = folder.join("nvidia-h200.csv");
    let rows = rows_of(&StoredRun::open(&reference(TABLE1)).unwrap());
    for day in 1..=4 {
        let entry = |row: &HistoryRow| {
            let (time, commit) = (format!("2026-03-{day:02}T12:00:00Z"), format!("{day}").repeat(40));
            let mut row = HistoryRow { time, commit, ..row.clone() };
            if day > 2 && (row.cell.implementation.as_str(), row.cell.n) == ("staged-load", 8192) {
                row.seconds = row.seconds.times(1.1);
                change(day, &mut row);
            }
            row
        };
        append_rows(&path, &rows.iter().map(entry).collect::<Vec<_>>()).unwrap();
    }
    path
}

/// What `repro history --out OUT ARGUMENTS` ends with and says.
fn history_in(out: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = repro().arg("history").arg("--out").arg(out).args(arguments).output().unwrap();
    assert_eq!(stderr(&output), "");
    (output.status.code(), stdout(&output))
}

#[test]
fn a_step_to_slower_is_named_with_exit_1_until_somebody_accepts_it() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("history");
    plant_step(&out, |_, _| ());
    let run = reference(STRUCTURE).display().to_string();
    let named = "nvidia-h200.csv: staged-load n = 8192 is slower: 1.100 times as long since 2026-03-03, commit 3333333; \
                 with it changed: commit 2222222 → 3333333\n";
    let (code, said) = history_in(&out, &[&run]);
    assert!(code == Some(1) && said.ends_with(named), "{said}");
    assert_eq!(history_in(&out, &[]), (Some(1), named.to_string()));
    let (code, said) = history_in(&out, &["--accept", "not this one", "--only", "katz-kider"]);
    assert_eq!(code, Some(1));
    assert_eq!(said, format!("no step of katz-kider is open: nothing was accepted\n{named}"));
    assert!(!out.join("accepted.csv").exists());
    let (code, said) = history_in(&out, &["--accept", "more precise, and meant", "--only", "staged-load"]);
    assert!(code == Some(0) && said.starts_with("1 step accepted by "), "{said}");
    let accepted = std::fs::read_to_string(out.join("accepted.csv")).unwrap();
    for part in [",\"more precise, and meant\",nvidia-h200.csv,staged-load,8192,", ",2026-03-03T12:00:00Z\n"]
    {
        assert!(accepted.contains(part), "{accepted}");
    }
    assert_eq!(
        history_in(&out, &["--accept", "again"]),
        (Some(0), "no step is open: nothing was accepted\n".into())
    );
    assert_eq!(history_in(&out, &[&run]).0, Some(0));
    assert_eq!(history_in(&out, &[]), (Some(0), "no step is open\n".into()));
    assert_eq!(std::fs::read_to_string(out.join("accepted.csv")).unwrap(), accepted);
    // The file lies beside histories, and is none.
    let mut report = repro();
    report
        .arg("report")
        .arg(reference(STRUCTURE))
        .arg("--history")
        .arg(&out)
        .arg("--out")
        .arg(folder.path().join("r"));
    assert_eq!(stderr(&report.output().unwrap()), "");
}

#[test]
fn a_faster_step_is_named_and_ends_with_0() {
    let out = tempfile::tempdir().unwrap();
    plant_step(out.path(), |_, row| row.seconds = row.seconds.times(0.5));
    let (code, said) = history_in(out.path(), &[&reference(STRUCTURE).display().to_string()]);
    assert!(
        code == Some(0) && said.contains("staged-load n = 8192 is faster: 0.550 times as long"),
        "{said}"
    );
}

#[test]
fn what_ran_under_load_or_throttled_is_no_step() {
    let disturb: [fn(u32, &mut HistoryRow); 2] =
        [|day, row| row.throttled = Some(day == 3), |_, row| row.others_load = Some(0.3)];
    for change in disturb {
        let out = tempfile::tempdir().unwrap();
        plant_step(out.path(), change);
        let (code, said) = history_in(out.path(), &[&reference(STRUCTURE).display().to_string()]);
        assert!(code == Some(0) && !said.contains("slower"), "{said}");
    }
}

#[test]
fn a_run_says_how_many_of_its_cells_begin_no_step_for_load_or_throttling() {
    let folder = tempfile::tempdir().unwrap();
    let (run, out) = (folder.path().join("run"), folder.path().join("history"));
    copy(TABLE1, &run);
    let count = |said: String| {
        let (before, _) =
            said.split_once(" under load or throttled, which begin no step").unwrap_or(("0", ""));
        before.rsplit(' ').next().unwrap().parse::<usize>().unwrap()
    };
    let first = count(history_in(&out, &[run.to_str().unwrap()]).1);
    edit_rows(&run.join("samples.csv"), |row| {
        if (row.get("implementation"), row.n()) == ("staged-load", 8192) {
            row.set("throttled_by", "power");
        }
        true
    });
    edit_manifest(&run, |manifest| manifest["started"] = "2026-03-01T12:00:00Z".into());
    for _ in 0..2 {
        assert_eq!(count(history_in(&out, &[run.to_str().unwrap()]).1), first + 1);
    }
}

#[test]
fn an_unfinished_run_is_left_out_until_it_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    let (run, out) = (folder.path().join("runs/run"), folder.path().join("history"));
    copy(TABLE1, &run);
    edit_manifest(&run, |manifest| manifest["finished"] = serde_json::Value::Null);
    let told = format!("run is not finished: repro run --resume {} goes on with it", run.display());
    assert_refused(&history(std::slice::from_ref(&run), &out).output().unwrap(), &[&told]);
    let output = history(&[folder.path().join("runs")], &out).output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), format!("left out: {told}\n")));
    assert!(!out.exists());
}

#[test]
fn a_broken_file_of_accepted_steps_is_refused_with_its_line_before_anything_is_added() {
    let out = tempfile::tempdir().unwrap();
    let file = plant_step(out.path(), |_, _| ());
    history_in(out.path(), &["--accept", "meant"]);
    let accepted = out.path().join("accepted.csv");
    let text = std::fs::read_to_string(&accepted).unwrap() + "me\n";
    std::fs::write(&accepted, text).unwrap();
    let before = std::fs::read(&file).unwrap();
    let output = history(&[reference(TABLE1)], out.path()).output().unwrap();
    assert_refused(&output, &["accepted.csv line 3 is not a row of this file", "1 columns instead of 11"]);
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn tracking_names_the_steps_of_its_machine_and_ends_with_1_until_they_are_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results/history");
    let track = |name: &str| {
        let cells = "table1 --device cpu --only cpu-naive --sizes 16 --samples 3 --quiet --out";
        let mut command = repro();
        command.current_dir(&folder).arg("track").args(cells.split(' ')).arg(name).output().unwrap()
    };
    // But for what others do on the cores meanwhile.
    let said =
        |output| stderr(output).lines().filter(|line| !line.contains(" under load ")).collect::<String>();
    let first = track("first");
    assert_eq!((first.status.code(), said(&first)), (Some(0), String::new()));
    let files = std::fs::read_dir(&out).unwrap().map(|file| file.unwrap().path());
    let file = files.into_iter().find(|path| path.extension().is_some_and(|is| is == "csv")).unwrap();
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
    plant_step(&out, |_, _| ());
    let second = track("second");
    let told = "cpu-planted n = 16 is slower: 2.500 times as long since 2026-03-03, commit ";
    assert!(second.status.code() == Some(1) && stderr(&second).contains(told), "{}", stderr(&second));
    assert!(
        !stderr(&second).contains("staged-load") && stdout(&second).contains("1 cell measured in second/new")
    );
    assert_eq!(history_in(&out, &["--accept", "planted"]).0, Some(0));
    // Beside other tests two runs of the measured cell may lie a factor of two apart, and a third would confirm that as a step.
    let text = std::fs::read_to_string(&file).unwrap();
    let kept = text.lines().filter(|row| !row.contains("cpu-naive")).map(|row| format!("{row}\n"));
    std::fs::write(&file, kept.collect::<String>()).unwrap();
    let third = track("third");
    assert_eq!((third.status.code(), said(&third)), (Some(0), String::new()));
}
