//! Runs with programs: their cells have clocks of their own, by which they are compared, and no others.

use super::compare::{Two, of};
use crate::common::stored::{edit_rows, fail};
use crate::common::{assert_refused, stdout};
use serde_json::Value;

/// Two copies of the stored run with programs, which also has a baseline on the CPU and counts of a kernel.
fn copied() -> Two {
    Two::of("../../tests/stored/programs")
}

/// Cells with their scopes, by name.
fn scopes(two: &Two, arguments: &[&str]) -> Vec<[String; 2]> {
    let verdicts = two.verdicts(arguments).into_iter();
    let mut all: Vec<[String; 2]> = verdicts.map(|[name, .., scope]| [name, scope]).collect();
    all.sort();
    all
}

#[test]
fn a_program_is_compared_by_its_own_clock_beside_what_the_others_are_compared_by() {
    let two = copied();
    let expected = [
        ["cpu-naive 16", "kernel"],
        ["cpu-naive 256", "kernel"],
        ["scipy-floyd-warshall 16", "program-solve"],
        ["scipy-floyd-warshall 256", "program-solve"],
        ["scipy-whole 256", "program"],
    ];
    assert_eq!(scopes(&two, &[]), expected);
    let output = two.compare(&["--all"]);
    assert_eq!(output.status.code(), Some(0), "a run beside itself");
    let shown = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "each is compared only with itself, by the host's clock, scope program-solve or program.",
        "scipy-whole n = 256 ┆ program ┆ SAME",
        "25% for programs on the CPU, scope program, n below 2048",
    ] {
        assert!(shown.contains(part), "no '{part}' in: {shown}");
    }
    let tracked: Value =
        serde_json::from_slice(&two.compare(&["--format", "google-benchmark"]).stdout).unwrap();
    let names: Vec<&str> =
        tracked["benchmarks"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"programs/scipy-whole/n=256/program"), "{names:?}");
    assert!(names.contains(&"programs/cpu-naive/n=256"), "{names:?}");
}

#[test]
fn a_program_that_takes_ten_times_as_long_or_fails_now_is_found() {
    let two = copied();
    two.edit(|row| match row.get("implementation") {
        "scipy-whole" => {
            row.scale(10.0);
            true
        }
        "scipy-floyd-warshall" if row.n() == 256 => {
            row.get("scope") == "program" && {
                let _ = fail(row, "no answer");
                row.set("scope", "kernel");
                true
            }
        }
        _ => true,
    });
    let output = two.compare(&[]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    let verdicts = two.verdicts(&[]);
    let names = ["scipy-whole 256", "scipy-floyd-warshall 256", "cpu-naive 256"];
    assert_eq!(names.map(|name| of(&verdicts, name)[0]), ["SLOWER", "FAILED", "SAME"]);
    assert!(stdout(&output).contains("FAILED: failed in NEW: no answer: scipy-floyd-warshall n = 256"));
}

#[test]
fn what_has_no_time_of_the_scope_is_named_and_a_program_has_a_clock_that_both_runs_have() {
    let two = copied();
    let of_programs = ["scipy-floyd-warshall 16", "scipy-floyd-warshall 256", "scipy-whole 256"];
    assert_eq!(scopes(&two, &["--scope", "program"]), of_programs.map(|name| [name, "program"]));
    let shown = stdout(&two.compare(&["--scope", "program"]));
    let left_out = |count: usize, scope: &str| {
        format!("Left out: {count} cells that both runs timed have no time of scope {scope}.")
    };
    assert!(shown.contains(&left_out(2, "program")), "{shown}");
    let shown = stdout(&two.compare(&["--scope", "program-own"]));
    assert!(shown.contains(&left_out(3, "program-own")), "{shown}");
    let shown = stdout(&two.compare(&["--scope", "cuda-graph"]));
    assert!(shown.contains(&left_out(2, "cuda-graph")), "{shown}");
    // As of an adapter that answered no requests yet.
    edit_rows(&two.base().join("samples.csv"), |row| {
        row.get("implementation") != "scipy-floyd-warshall" || row.get("scope") == "program"
    });
    let expected = of_programs.map(|name| [name.to_string(), "program".to_string()]);
    assert_eq!(scopes(&two, &[])[2..], expected);
    edit_rows(&two.base().join("samples.csv"), |row| !row.get("implementation").starts_with("scipy"));
    let none = two.compare(&["--scope", "program"]);
    assert_refused(&none, &["base has no time of scope program", "it has kernel, device, total, host"]);
}
