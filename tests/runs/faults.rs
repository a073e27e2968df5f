//! One cell's failure is that cell's: it becomes a row with its reason, and the rest goes on.

#![cfg(feature = "fault-injection")]

use crate::common::{column, repro, run, run_table1, stderr, stdout};
use std::path::{Path, PathBuf};

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
        assert!(!stderr(&output).contains(&format!("{fault} n = 40: 0.")), "{fault}");
    }
}

/// 120 vertices, edges of 0.5 to 10.5 and one of -0.25, and all edges of vertex 1 a million times longer.
fn graph_with_one_far_vertex() -> String {
    let n = 120;
    let mut text = format!("p sp {n} {}\n", n * (n - 1) + 1);
    for (u, v) in (1..=n).flat_map(|u| (1..=n).map(move |v| (u, v))).filter(|(u, v)| u != v) {
        let far = if u == 1 || v == 1 { 999_999.0 } else { 0.0 };
        // Numbers that look random, with fractions that f32 rounds.
        let near = 0.5 + f64::from((u * 7919 + v * 104_729) % 1000) / 100.0;
        text += &format!("a {u} {v} {:.2}\n", far + near);
    }
    text + "a 18 24 -0.25\n"
}

#[test]
fn faults_are_found_however_different_the_weights_are() {
    let folder = tempfile::tempdir().unwrap();
    let (graph, out) = (folder.path().join("far.gr"), folder.path().join("run"));
    std::fs::write(&graph, graph_with_one_far_vertex()).unwrap();
    let only = "fault-wrong,fault-unwritten,fault-nan,cpu-naive,cpu-parallel";
    let output = run_table1(&out, &["--device", "cpu", "--only", only, "--graph", graph.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    for (name, status, message) in ends(&out) {
        let expected = if name.starts_with("fault") { "failed" } else { "ok" };
        assert_eq!(status, expected, "{name}: {message}");
    }
    let samples = out.join("samples.csv");
    let ways = column(&samples, "verification");
    assert!(ways.iter().all(|way| way.is_empty() || way.starts_with("bounds:")), "{ways:?}");
}

#[test]
fn a_graph_of_which_right_and_wrong_cannot_be_told_is_refused_before_anything_is_run() {
    let folder = tempfile::tempdir().unwrap();
    let (graph, out) = (folder.path().join("long.gr"), folder.path().join("run"));
    for (arcs, why) in [
        ("p sp 3 2\na 1 2 2e38\na 2 3 2e38\n", "may exceed the largest f32"),
        // 16,777,216 + 1 is 16,777,216 in f32: a cycle of 0.25 rounds to -0.75.
        ("p sp 4 4\na 1 2 16777216\na 2 3 1\na 3 4 -16777216\na 4 1 -0.75\n", "a cycle through vertex"),
    ] {
        std::fs::write(&graph, arcs).unwrap();
        let output = run_table1(&out, &["--device", "cpu", "--graph", graph.to_str().unwrap()]);
        crate::common::assert_refused(&output, &["results cannot be verified", why]);
        assert!(!out.exists(), "{why}");
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

/// Runs Table 1 with one text replaced, of n = 40; its folder.
fn run_changed(from: &str, to: &str, only: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (out, experiment) = (folder.path().join("run"), folder.path().join("changed.toml"));
    let table1 = include_str!("../../experiments/table1.toml");
    std::fs::write(&experiment, table1.replace(from, to)).unwrap();
    let mut command = repro();
    command.arg("run").arg(experiment).args(["--device", "cpu", "--only", only, "--sizes", "40", "--out"]);
    let output = command.arg(&out).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    (folder, out)
}

#[test]
fn a_result_that_becomes_wrong_later_takes_the_cells_time_away() {
    let (_folder, out) = run_changed("warm_up_s = 0.1", "warm_up_s = 0", "fault-wrong-later");
    let statuses = column(&out.join("samples.csv"), "status");
    assert_eq!(statuses, [vec!["ok"; 8], vec!["failed"]].concat());
    assert_eq!(column(&out.join("summary.csv"), "median_s"), [""]);
}

#[test]
fn a_solver_that_never_ends_is_stopped_at_its_limit() {
    // It already hangs while it warms up.
    let (_folder, out) = run_changed("sample_s = 300", "sample_s = 0.5", "fault-hang,cpu-naive");
    let ends = ends(&out);
    assert_eq!((ends[0].1.as_str(), ends[1].1.as_str()), ("timeout", "ok"));
    assert!(ends[0].2.contains("no result after"), "{}", ends[0].2);
}

#[test]
fn verify_names_what_is_wrong_and_exits_with_1() {
    let output = run(&["verify", "--device", "cpu", "--sizes", "40", "--only", "cpu-naive,fault-wrong"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("fault-wrong n = 40, dense: wrong result: "), "{text}");
    assert!(text.contains("8 of 40 checks failed"), "{text}");
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
    let worker = *crate::common::workers_of(runner.id()).first().expect("a worker runs");
    let status = || std::fs::read_to_string(format!("/proc/{worker}/status")).unwrap_or_default();
    runner.kill().unwrap();
    runner.wait().unwrap();
    wait_until("the worker is gone", &|| status().is_empty() || status().contains("State:\tZ"));
}
