//! One cell's failure is that cell's: it becomes a row with its reason, and the rest goes on.

#![cfg(feature = "fault-injection")]

mod common;

use common::{column, repro, run, run_table1, stderr, stdout};
use std::path::Path;

/// The cells' statuses and messages in summary.csv, by implementation.
fn ends(out: &Path) -> Vec<(String, String, String)> {
    let file = out.join("summary.csv");
    let columns = ["implementation", "status", "message"].map(|name| column(&file, name));
    let [names, statuses, messages] = columns;
    names.into_iter().zip(statuses).zip(messages).map(|((a, b), c)| (a, b, c)).collect()
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
    for (fault, reason) in faults {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run");
        let only = format!("cpu-naive,{fault},cpu-parallel");
        let output = run_table1(&out, &["--device", "cpu", "--only", &only, "--sizes", "40"]);
        assert_eq!(output.status.code(), Some(1), "{fault}: {}", stderr(&output));
        let ends = ends(&out);
        assert_eq!(ends.len(), 3, "{fault}");
        for (name, status, message) in ends {
            if name == fault {
                assert_eq!(status, "failed", "{fault}");
                assert!(message.contains(reason), "{fault}: {message}");
            } else {
                assert_eq!(status, "ok", "{name} beside {fault}: {message}");
            }
        }
        let samples = out.join("samples.csv");
        let rows = column(&samples, "implementation").into_iter().zip(column(&samples, "seconds"));
        assert!(rows.into_iter().all(|(name, seconds)| name != fault || seconds.is_empty()), "{fault}");
        assert!(!stdout(&output).contains("G tasks/s, median"), "{fault}");
    }
}

#[test]
fn a_time_that_no_cpu_can_reach_is_impossible_and_never_used() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let only =
        ["--device", "cpu", "--only", "fault-remembering,cpu-parallel", "--sizes", "768", "--samples", "3"];
    let output = run_table1(&out, &only);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let ends = ends(&out);
    assert_eq!((ends[0].0.as_str(), ends[0].1.as_str()), ("fault-remembering", "impossible"));
    assert!(ends[0].2.contains("that the measured ceilings allow"), "{}", ends[0].2);
    assert_eq!((ends[1].0.as_str(), ends[1].1.as_str()), ("cpu-parallel", "ok"));
    let medians = column(&out.join("summary.csv"), "median_s");
    assert!(medians[0].is_empty() && !medians[1].is_empty(), "{medians:?}");
}

#[test]
fn a_result_that_becomes_wrong_later_takes_the_cells_time_away() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let experiment = folder.path().join("quick.toml");
    let table1 = include_str!("../experiments/table1.toml");
    std::fs::write(&experiment, table1.replace("warm_up_s = 0.1", "warm_up_s = 0")).unwrap();
    let output = repro()
        .args(["run", experiment.to_str().unwrap(), "--device", "cpu", "--only", "fault-wrong-later"])
        .args(["--sizes", "40", "--out"])
        .arg(&out)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let statuses = column(&out.join("samples.csv"), "status");
    assert_eq!(statuses, [vec!["ok"; 8], vec!["failed"]].concat());
    assert_eq!(column(&out.join("summary.csv"), "median_s"), [""]);
}

#[test]
fn a_solver_that_never_ends_is_stopped_at_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let experiment = folder.path().join("short.toml");
    let table1 = include_str!("../experiments/table1.toml");
    // It already hangs while it warms up.
    std::fs::write(&experiment, table1.replace("sample_s = 300", "sample_s = 0.5")).unwrap();
    let output = repro()
        .args(["run", experiment.to_str().unwrap(), "--device", "cpu"])
        .args(["--only", "fault-hang,cpu-naive", "--sizes", "40", "--out"])
        .arg(&out)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let ends = ends(&out);
    assert_eq!((ends[0].1.as_str(), ends[1].1.as_str()), ("timeout", "ok"));
    assert!(ends[0].2.contains("no result after"), "{}", ends[0].2);
}

#[test]
fn failures_are_tried_again_when_a_run_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let arguments = ["--device", "cpu", "--only", "fault-crash,cpu-naive", "--sizes", "40"];
    assert_eq!(run_table1(&out, &arguments).status.code(), Some(1));
    let naive = |out: &Path| {
        let names = column(&out.join("samples.csv"), "implementation");
        names.iter().filter(|name| *name == "cpu-naive").count()
    };
    let before = naive(&out);
    let output = run(&["run", "table1", "--resume", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert_eq!(naive(&out), before, "finished cells are not run again");
    let crashes = column(&out.join("samples.csv"), "status");
    assert_eq!(crashes.iter().filter(|status| *status == "failed").count(), 2);
}

#[test]
fn verify_names_what_is_wrong_and_exits_with_1() {
    let output = run(&["verify", "--device", "cpu", "--sizes", "40", "--only", "cpu-naive,fault-wrong"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("fault-wrong n = 40, dense: wrong result: "), "{text}");
    assert!(text.contains("5 of 10 checks failed"), "{text}");
}

/// One that is about to answer would notice by itself that nobody listens.
#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_hangs_ends_with_its_runner() {
    use std::time::{Duration, Instant};
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let arguments = ["run", "table1", "--device", "cpu", "--only", "fault-hang", "--sizes", "8", "--out"];
    let mut runner = repro().args(arguments).arg(&out).spawn().unwrap();
    let wait_until = |what: &str, holds: &dyn Fn() -> bool| {
        let deadline = Instant::now() + Duration::from_secs(10);
        while !holds() {
            assert!(Instant::now() < deadline, "not within 10 s: {what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    // The ceilings are the last that is written before the solver hangs.
    wait_until("the ceilings are measured", &|| {
        let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap_or_default();
        manifest.contains("\"cpu_tasks_per_s\": ") && !manifest.contains("\"cpu_tasks_per_s\": null")
    });
    std::thread::sleep(Duration::from_millis(300));
    let worker = *common::workers_of(runner.id()).first().expect("a worker runs");
    let status = || std::fs::read_to_string(format!("/proc/{worker}/status")).unwrap_or_default();
    runner.kill().unwrap();
    runner.wait().unwrap();
    wait_until("the worker is gone", &|| status().is_empty() || status().contains("State:\tZ"));
}

#[test]
fn faults_are_listed_nowhere() {
    assert!(!stdout(&run(&["list"])).contains("fault-"));
}
