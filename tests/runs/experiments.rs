//! The four experiments beside Table 1, at small sizes on a machine without a GPU: kernels run on the emulated device with
//! its checker.

use crate::common::{assert_refused, column, repro, repro_with_compiler, stderr, stdout};
use std::path::Path;
use std::process::Output;

fn run(experiment: &str, out: &Path, arguments: &[&str]) -> Output {
    repro_with_compiler()
        .args(["run", experiment, "--quiet", "--no-report", "--out"])
        .arg(out)
        .args(arguments)
        .output()
        .unwrap()
}

/// Runs on the emulated device.
fn emulate(experiment: &str, out: &Path, arguments: &[&str]) -> String {
    let all: Vec<&str> = ["--device", "emulated", "--all"].iter().chain(arguments).copied().collect();
    let output = run(experiment, out, &all);
    assert!(output.status.success(), "{experiment}: {} {}", stderr(&output), stdout(&output));
    stdout(&output)
}

fn unique(mut all: Vec<String>) -> Vec<String> {
    all.sort();
    all.dedup();
    all
}

#[test]
fn every_experiment_runs_its_kernels_right_and_checked_on_the_emulated_device() {
    let cases: [(&str, &[&str], &[&str]); 4] = [
        ("kappa-sweep", &["--sizes", "70", "--param", "kappa=1,2,3"], &["generalized-blocked"]),
        (
            "occupancy",
            &["--sizes", "70"],
            &["generalized-blocked", "harish-narayanan", "katz-kider", "katz-kider-1024", "two-phase"],
        ),
        ("timers", &["--sizes", "48"], &["global-memory", "shared-buffer", "staged-load"]),
        (
            "ablation",
            &["--sizes", "64"],
            &[
                "katz-kider",
                "katz-kider-shifts",
                "optimized-blocked",
                "staged-load",
                "staged-load-256",
                "staged-plain-order",
                "staged-row-major",
                "tile-in-registers",
                "tile-in-registers-256",
            ],
        ),
    ];
    for (experiment, arguments, implementations) in cases {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run");
        let text = emulate(experiment, &out, arguments);
        assert!(text.contains("Counted on the emulated device"), "{experiment}: {text}");
        assert_eq!(
            unique(column(&out.join("counts.csv"), "implementation")),
            implementations,
            "{experiment}"
        );
        let samples = out.join("samples.csv");
        assert_eq!(unique(column(&samples, "status")), ["counted"], "{experiment}");
        assert_eq!(unique(column(&samples, "verified")), ["true"], "{experiment}");
        assert_eq!(
            unique(column(&samples, "seconds")),
            [""],
            "{experiment}: emulated seconds are never stored"
        );
    }
}

#[test]
fn without_a_gpu_each_experiment_measures_its_cpu_part_and_says_what_it_did_not_do_or_that_there_is_none() {
    for (experiment, measures) in
        [("kappa-sweep", false), ("occupancy", true), ("timers", true), ("ablation", false)]
    {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run");
        let mut command = repro();
        command
            .args(["run", experiment, "--quiet", "--all", "--sizes", "32", "--samples", "2", "--out"])
            .arg(&out);
        let output = command.output().unwrap();
        if !measures {
            assert_refused(&output, &["nothing was measured: no CUDA driver"]);
            assert!(!out.exists(), "{experiment}");
            continue;
        }
        assert!(output.status.success(), "{experiment}: {}", stderr(&output));
        let statuses = unique(column(&out.join("samples.csv"), "status"));
        assert!(statuses.contains(&"ok".to_string()), "{experiment}");
        assert!(statuses.contains(&"skipped".to_string()), "{experiment}");
        assert!(stdout(&output).contains("not run: "), "{experiment}: {}", stdout(&output));
    }
}

#[test]
fn parameters_that_cannot_be_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let refused = |arguments: &[&str], parts: &[&str]| {
        let mut command = repro();
        command.args(["run", "kappa-sweep", "--out"]).arg(&out).args(arguments);
        assert_refused(&command.output().unwrap(), parts);
    };
    refused(&["--param", "kappa=0"], &["--param", "kappa = 0", "1 to 65535"]);
    refused(&["--param", "kappa=9", "--sizes", "64"], &["--param", "n = 64 has 2 tiles of 32 a side"]);
    refused(&["--param", "tile=24"], &["--param", "tile = 24", "8, 16 and 32"]);
    refused(&["--param", "width=8"], &["--param", "no implementation of this run has a parameter 'width'"]);
    let unreadable = repro().args(["run", "kappa-sweep", "--param", "kappa"]).output().unwrap();
    assert_eq!(unreadable.status.code(), Some(2));
    assert!(stderr(&unreadable).contains("expected NAME=VALUE"), "{}", stderr(&unreadable));
}

#[test]
fn values_beyond_a_size_are_left_out_with_one_reason_and_the_others_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let text = emulate("kappa-sweep", &out, &["--sizes", "64", "--param", "kappa=2,3,4"]);
    let reasons: Vec<&str> =
        text.lines().filter(|line| line.contains("not run: n = 64 has 2 tiles")).collect();
    assert_eq!(reasons.len(), 1, "{text}");
    let counted: Vec<String> = unique(column(&out.join("counts.csv"), "params"));
    assert_eq!(counted, ["kappa=2", "kappa=2;spread-lead=1"]);
}

#[test]
fn graphs_of_one_experiment_are_cells_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut command = repro();
    command.args([
        "run",
        "occupancy",
        "--quiet",
        "--all",
        "--device",
        "cpu",
        "--sizes",
        "40",
        "--samples",
        "3",
    ]);
    command.args(["--only", "cpu-parallel", "--out"]).arg(&out);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(unique(column(&out.join("summary.csv"), "graph")), ["m=600n", "m=60n", "m=6n"]);
    let digests = unique(column(&out.join("samples.csv"), "digest"));
    assert_eq!(digests.len(), 3, "three graphs have three results");
    assert!(stdout(&output).contains("mean of means / mean of medians"), "{}", stdout(&output));
}

#[test]
fn what_is_of_no_run_is_never_replaced() {
    for name in ["table.md", "summary.csv", "scopes.csv"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, "mine").unwrap();
        let mut command = repro();
        command.args(["run", "timers", "--device", "cpu", "--sizes", "8", "--out"]).arg(folder.path());
        assert_refused(&command.output().unwrap(), &[name, "is of no run", "--out"]);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
