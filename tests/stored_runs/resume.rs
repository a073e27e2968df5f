//! A run that is stopped at any moment continues where it was and loses nothing, and one that has finished is never altered. Random
//! moments are in `kills`; who is refused is in `refusals`.

#![cfg(unix)]

use crate::common::place::Place;
use crate::common::stored::{edit_manifest, edit_rows, fail, tear, unfinish};
use crate::common::{files, signal, stderr, stdout, workers_of};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::process::Child;
use std::time::{Duration, Instant};

/// Two cells of three samples: a header and 24 lines.
const SMALL: &str = "run table1 --device cpu --only cpu-naive --sizes 8,12 --samples 3 --no-report --out run";
const LARGER: &str = "run table1 --device cpu --sizes 64,100,160 --samples 12 --seed 3 --out run";
const RESUME: &str = "run table1 --resume run";

/// With a finished run in the folder `run`.
fn finished() -> Place {
    let place = Place::new();
    place.succeed(SMALL);
    place
}

fn lines(place: &Place) -> usize {
    std::fs::read_to_string(place.path("run/samples.csv")).map_or(0, |text| text.lines().count())
}

/// How each cell ended: 18, of which those on a GPU did not run.
fn cells(place: &Place) -> Vec<(String, String)> {
    let column = |name: &str| crate::common::column(&place.path("run/summary.csv"), name);
    column("implementation").into_iter().zip(column("status")).collect()
}

/// Starts the larger run and waits until it has so many lines of samples.
fn started(place: &Place, until: usize) -> Child {
    let run = place.command(LARGER).spawn().unwrap();
    while lines(place) < until {
        std::thread::sleep(Duration::from_millis(2));
    }
    run
}

#[track_caller]
fn assert_whole(place: &Place) {
    let cells = cells(place);
    let ran = cells.iter().filter(|(implementation, _)| implementation.starts_with("cpu-"));
    assert!(ran.clone().count() >= 6 && ran.clone().all(|(_, status)| status == "ok"), "{cells:?}");
}

#[test]
fn ctrl_c_exits_with_130_says_how_to_resume_and_resuming_finishes() {
    let place = Place::new();
    let run = started(&place, 1);
    assert!(signal(run.id(), Signal::INT));
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(!place.path("run/report").exists(), "there is more to come");
    let last = stderr(&output).lines().last().unwrap().to_string();
    assert!(last.contains("repro run table1 --resume run"), "{last}");
    // The folder knows the experiment, and one that is named must be that.
    place.refuse("run frontier --resume run", &["holds a run of table1, not of frontier"]);
    place.succeed("run --resume run");
    assert_whole(&place);
    assert!(place.path("run/report/index.html").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_runner_leaves_no_worker_behind() {
    let place = Place::new();
    // One sample that takes many seconds: the worker is deep in a solve when its runner goes.
    let call = "run table1 --device cpu --only cpu-naive --sizes 2500 --out run";
    let mut run = place.command(call).spawn().unwrap();
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
    let place = Place::new();
    let run = started(&place, 5);
    let worker = *workers_of(run.id()).first().expect("a worker runs");
    signal(worker, Signal::KILL);
    let output = run.wait_with_output().unwrap();
    // Most kills hit a cell, which is then a row with its reason; one between two cells hits none.
    let samples = place.read("run/samples.csv");
    let failed = samples.lines().filter(|line| line.contains(",failed,")).count();
    assert!(failed <= 1, "{samples}");
    assert_eq!(output.status.code(), Some(failed as i32), "{}", stderr(&output));
    place.succeed(RESUME);
    assert_whole(&place);
}

#[test]
fn a_repair_loses_no_sample_and_what_it_cuts_off_is_kept_beside_the_file_and_named() {
    let place = finished();
    place.edit("run/samples.csv", |text| text.split_inclusive('\n').take(9).collect());
    unfinish(&place.path("run"));
    let before = place.read("run/samples.csv");
    tear(&place.path("run/samples.csv"));
    let torn = place.read("run/samples.csv")[before.len()..].to_string();
    let output = place.succeed(RESUME);
    let after = place.read("run/samples.csv");
    assert!(after.starts_with(&before) && after.lines().count() == 25, "{after}");
    let names = files(&place.path("run")).into_keys().map(|path| path.display().to_string());
    let kept: Vec<String> = names.filter(|path| path.contains("samples.csv.torn-")).collect();
    let [kept] = &kept[..] else { panic!("{kept:?}") };
    assert_eq!(std::fs::read_to_string(kept).unwrap(), torn);
    let name = kept.rsplit('/').next().unwrap();
    assert!(stderr(&output).contains(&format!("run/{name}")), "{}", stderr(&output));
}

/// The states that a kill leaves while a run is begun.
#[test]
fn a_run_that_was_killed_while_it_was_begun_is_continued_or_begun_again() {
    let whole = finished();
    let header = whole.read("run/samples.csv").split_inclusive('\n').next().unwrap().to_string();
    for left in [None, Some(""), Some("implementation,n,par"), Some(header.as_str())] {
        let place = Place::new();
        place.write("run/manifest.json", &whole.read("run/manifest.json"));
        // As at the start: no sample, and a manifest that knows no environment.
        edit_manifest(&place.path("run"), |run| {
            (run["finished"], run["environment"]) = (json!(null), json!(null))
        });
        if let Some(left) = left {
            place.write("run/samples.csv", left);
        }
        place.succeed(RESUME);
        assert_eq!(lines(&place), 25, "{left:?}");
    }
}

/// A graph that a run was begun with, and that is another one when it goes on.
#[test]
fn a_graph_that_changed_is_another_graph() {
    let place = Place::new();
    place.write("net.gr", "p sp 3 2\na 1 2 5\na 2 3 1\n");
    place
        .succeed("run table1 --device cpu --only cpu-naive --samples 3 --graph net.gr --no-report --out run");
    // One more sample to take.
    place.edit("run/samples.csv", |text| text.split_inclusive('\n').take(9).collect());
    unfinish(&place.path("run"));
    place.replace("net.gr", "2 3 1", "2 3 2");
    place.refuse("run table1 --resume run", &["net.gr", "has changed", "start a new one"]);
    place.replace("net.gr", "2 3 2", "2 3 1");
    place.succeed("run table1 --resume run --no-report");
    assert_eq!(place.read("run/samples.csv").lines().count(), 13);
}

/// Ceilings that any machine exceeds: who measures them again raises them.
fn lower_ceilings(place: &Place) {
    edit_manifest(&place.path("run"), |manifest| {
        let ceilings = &mut manifest["environment"]["ceilings"];
        (ceilings["cpu_core_tasks_per_s"], ceilings["cpu_tasks_per_s"]) = (json!(1.0), json!(1.0));
    });
}

/// Makes the samples at n = 12 one that failed.
fn fail_one_cell(place: &Place) {
    edit_rows(&place.path("run/samples.csv"), |row| {
        let is_first = row.get("sample") == "0" && row.get("scope") == "kernel";
        row.n() != 12 || (is_first && fail(row, "it failed"))
    });
}

#[test]
fn no_command_changes_a_byte_of_a_finished_run_or_its_ceilings() {
    let place = finished();
    lower_ceilings(&place);
    let track = "track table1 --device cpu --only cpu-naive --sizes 8 --samples 3 --against run --out tracked --no-history";
    let calls =
        [RESUME, "report run --out page", "history run --out histories", track, "compare run tracked/new"];
    for is_of_this_build in [true, false] {
        let before = place.files("run");
        for call in calls.iter().take(if is_of_this_build { calls.len() } else { 1 }) {
            let output = place.call(call);
            assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{call}: {}", stderr(&output));
            assert!(place.files("run") == before, "{call} changed the run");
        }
        edit_manifest(&place.path("run"), |run| run["build"]["commit"] = json!("f00"));
    }
}

/// Older builds noted that a run had finished also where a cell had failed.
#[test]
fn a_run_that_finished_with_a_failure_is_not_altered_either_and_says_how_to_measure_what_failed() {
    let place = finished();
    lower_ceilings(&place);
    fail_one_cell(&place);
    let before = place.files("run");
    let output = place.call(RESUME);
    assert!(place.files("run") == before, "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(1));
    for part in ["1 of 2 cells", "has finished", "a new run"] {
        assert!(stderr(&output).contains(part), "no '{part}' in {}", stderr(&output));
    }
    assert!(stdout(&output).contains("it failed"), "{}", stdout(&output));
    // One that has not finished has it measured by a resume.
    edit_manifest(&place.path("run"), |manifest| manifest["finished"] = Value::Null);
    place.succeed(RESUME);
    let manifest: Value = serde_json::from_str(&place.read("run/manifest.json")).unwrap();
    assert!(manifest["finished"].is_string());
}
