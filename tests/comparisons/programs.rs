//! Runs with programs: their cells have clocks of their own, by which they are compared, and no others.

use crate::common::stored::{edit_rows, fail};
use crate::common::{assert_refused, repro, stdout};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;

/// Two copies of the stored run with programs, which also has a baseline on the CPU and counts of a kernel.
struct Two(TempDir);

impl Two {
    fn copied() -> Self {
        let two = Self(tempfile::tempdir().unwrap());
        let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stored/programs");
        for side in ["base", "new"] {
            std::fs::create_dir(two.0.path().join(side)).unwrap();
            for file in std::fs::read_dir(&stored).unwrap().map(Result::unwrap) {
                std::fs::copy(file.path(), two.0.path().join(side).join(file.file_name())).unwrap();
            }
        }
        two
    }

    fn samples(&self, side: &str) -> PathBuf {
        self.0.path().join(side).join("samples.csv")
    }

    fn compare(&self, arguments: &[&str]) -> Output {
        let mut command = repro();
        command.current_dir(self.0.path()).args(["compare", "base", "new"]);
        command.args(arguments).output().unwrap()
    }

    /// Cells with their scopes and verdicts, by name.
    fn cells(&self, arguments: &[&str]) -> Vec<[String; 3]> {
        let output = self.compare(&[arguments, &["--format", "json"]].concat());
        let comparison: Value = serde_json::from_str(&stdout(&output)).unwrap();
        let text = |of: &Value| of.as_str().map_or_else(|| of.to_string(), str::to_string);
        let cells = comparison["cells"].as_array().unwrap().iter();
        let named = |cell: &Value| format!("{} {}", text(&cell["implementation"]), cell["n"]);
        let mut all: Vec<[String; 3]> =
            cells.map(|cell| [named(cell), text(&cell["scope"]), text(&cell["verdict"])]).collect();
        all.sort();
        all
    }

    fn scopes(&self, arguments: &[&str]) -> Vec<[String; 2]> {
        self.cells(arguments).into_iter().map(|[name, scope, _]| [name, scope]).collect()
    }
}

#[test]
fn a_program_is_compared_by_its_own_clock_beside_what_the_others_are_compared_by() {
    let two = Two::copied();
    let expected = [
        ["cpu-naive 16", "kernel"],
        ["cpu-naive 256", "kernel"],
        ["scipy-floyd-warshall 16", "program-solve"],
        ["scipy-floyd-warshall 256", "program-solve"],
        ["scipy-whole 256", "program"],
    ];
    assert_eq!(two.scopes(&[]), expected);
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
    let two = Two::copied();
    edit_rows(&two.samples("new"), |row| match row.get("implementation") {
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
    let cells = two.cells(&[]);
    let verdict = |name: &str| cells.iter().find(|[of, ..]| of == name).map(|[.., verdict]| verdict.as_str());
    assert_eq!(verdict("scipy-whole 256"), Some("SLOWER"));
    assert_eq!(verdict("scipy-floyd-warshall 256"), Some("FAILED"));
    assert_eq!(verdict("cpu-naive 256"), Some("SAME"));
    assert!(stdout(&output).contains("FAILED: failed in NEW: no answer: scipy-floyd-warshall n = 256"));
}

#[test]
fn what_has_no_time_of_the_scope_is_named_and_a_program_has_a_clock_that_both_runs_have() {
    let two = Two::copied();
    let of_programs = ["scipy-floyd-warshall 16", "scipy-floyd-warshall 256", "scipy-whole 256"];
    assert_eq!(two.scopes(&["--scope", "program"]), of_programs.map(|name| [name, "program"]));
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
    edit_rows(&two.samples("base"), |row| {
        row.get("implementation") != "scipy-floyd-warshall" || row.get("scope") == "program"
    });
    let expected = of_programs.map(|name| [name.to_string(), "program".to_string()]);
    assert_eq!(two.scopes(&[])[2..], expected);
    edit_rows(&two.samples("base"), |row| !row.get("implementation").starts_with("scipy"));
    let none = two.compare(&["--scope", "program"]);
    assert_refused(&none, &["base has no time of scope program", "it has kernel, device, total, host"]);
}
