//! One cell's failure is that cell's: it becomes a row with its reason, and the rest goes on.

#![cfg(feature = "fault-injection")]

use crate::common::place::{Place, small_experiment, wait_until};
use crate::common::{stderr, stdout};

/// How the cells of the run in `run` ended: implementation, status and message.
fn ends(place: &Place) -> Vec<(String, String, String)> {
    let [names, statuses, messages] =
        ["implementation", "status", "message"].map(|title| place.column("run/summary.csv", title));
    names.into_iter().zip(statuses).zip(messages).map(|((a, b), c)| (a, b, c)).collect()
}

/// Runs Table 1 on the CPU into `run`, where something fails.
fn fail(words: &str) -> Place {
    let place = Place::new();
    place.end_with(1, &format!("run table1 --device cpu --no-report --out run {words}"));
    place
}

#[test]
fn every_fault_is_a_row_with_its_reason_and_the_others_go_on() {
    let faults = [
        ("fault-wrong", "wrong result: the distance from vertex 39 to vertex 39"),
        ("fault-unwritten", "wrong result: "),
        ("fault-nan", "is NaN"),
        ("fault-crash", "the worker process ended with signal: 6"),
        ("fault-panic", "a panic on purpose at n = 40"),
        ("fault-lost", "the device has vanished"),
        ("fault-out-of-memory", "choose a smaller n"),
    ];
    let only = faults.map(|(fault, _)| fault).join(",");
    let place = fail(&format!("--sizes 40 --only cpu-naive,{only},cpu-parallel"));
    let ends = ends(&place);
    assert_eq!(ends.len(), faults.len() + 2, "{ends:?}");
    for (name, status, message) in ends {
        let reason = faults.iter().find(|(fault, _)| *fault == name).map(|(_, reason)| *reason);
        assert_eq!(status, if reason.is_some() { "failed" } else { "ok" }, "{name}: {message}");
        assert!(message.contains(reason.unwrap_or("")), "{name}: {message}");
    }
    let [names, seconds] = ["implementation", "seconds"].map(|title| place.column("run/samples.csv", title));
    let mut rows = names.iter().zip(&seconds);
    assert!(rows.all(|(name, seconds)| name.starts_with("fault") == seconds.is_empty()));
}

#[test]
fn a_time_that_no_cpu_can_reach_is_impossible_and_never_used() {
    let place = fail("--only fault-remembering,cpu-parallel --sizes 768 --samples 3");
    let [(remembering, status, message), (_, other, _)] = &ends(&place)[..] else { panic!("two cells") };
    assert_eq!(
        (remembering.as_str(), status.as_str(), other.as_str()),
        ("fault-remembering", "impossible", "ok")
    );
    assert!(message.contains("that the measured ceilings allow"), "{message}");
    let medians = place.column("run/summary.csv", "median_s");
    assert!(medians[0].is_empty() && !medians[1].is_empty(), "{medians:?}");
}

#[test]
fn a_result_that_becomes_wrong_later_takes_its_cells_time_away() {
    let place = Place::new();
    place.write("x.toml", &small_experiment(3, &[("fault-wrong-later", &[40])]));
    place.end_with(1, "run x.toml --device cpu --no-report --out run");
    // Two samples were right before.
    assert_eq!(place.column("run/samples.csv", "status"), [vec!["ok"; 8], vec!["failed"]].concat());
    assert_eq!(place.column("run/summary.csv", "median_s"), [""]);
}

#[test]
fn verify_names_what_is_wrong_and_exits_with_1() {
    let place = Place::new();
    let text = stdout(&place.end_with(1, "verify --device cpu --sizes 40 --only cpu-naive,fault-wrong"));
    assert!(text.contains("fault-wrong n = 40, dense: wrong result: "), "{text}");
    assert!(text.contains("8 of 40 checks failed"), "{text}");
}

/// One that is about to answer would notice by itself that nobody listens.
#[test]
fn a_worker_that_hangs_ends_with_its_runner() {
    use crate::common::{is_alive, workers_of};
    let place = Place::new();
    let run = "run table1 --device cpu --only fault-hang --sizes 8 --out run";
    let mut runner = place.command(run).spawn().unwrap();
    // The ceilings are the last that is written before the solver hangs.
    wait_until("the ceilings are measured", || {
        let manifest = std::fs::read_to_string(place.path("run/manifest.json")).unwrap_or_default();
        manifest.contains("\"cpu_tasks_per_s\": ") && !manifest.contains("\"cpu_tasks_per_s\": null")
    });
    std::thread::sleep(std::time::Duration::from_millis(300));
    let worker = *workers_of(runner.id()).first().expect("a worker runs");
    runner.kill().unwrap();
    let output = runner.wait_with_output().unwrap();
    wait_until(&format!("the worker is gone: {}", stderr(&output)), || !is_alive(worker));
}

mod long {
    use super::*;

    /// It has some seconds beyond its limit.
    #[test]
    #[ignore = "long"]
    fn a_solver_that_never_ends_is_stopped_at_its_limit_and_the_others_go_on() {
        let place = Place::new();
        let cells: [(&str, &[usize]); 2] = [("fault-hang", &[8]), ("cpu-naive", &[8])];
        place.write("x.toml", &small_experiment(3, &cells).replace("sample_s = 60", "sample_s = 0.5"));
        place.end_with(1, "run x.toml --device cpu --no-report --out run");
        let [hang, naive] = &ends(&place)[..] else { panic!("two cells") };
        assert_eq!((hang.1.as_str(), naive.1.as_str()), ("timeout", "ok"));
        assert!(hang.2.contains("no result after"), "{}", hang.2);
    }
}
