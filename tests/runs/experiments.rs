//! Table 1 and the four experiments beside it, at small sizes on a machine without a GPU: kernels run on the emulated device with its checker.

use crate::common::{
    self, assert_refused, column, csv, repro, repro_with_compiler, run_table1, stderr, stdout,
};
use repro::results::StoredRun;
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
    let cases: [(&str, &[&str], usize); 4] = [
        ("kappa-sweep", &["--sizes", "70", "--param", "kappa=3"], 1),
        ("occupancy", &["--sizes", "70"], 5),
        ("timers", &["--sizes", "48"], 3),
        ("ablation", &["--sizes", "64"], 9),
    ];
    for (experiment, arguments, implementations) in cases {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run");
        let text = emulate(experiment, &out, arguments);
        assert!(text.contains("launches ┆"), "{experiment}: {text}");
        // All that are planned, since the emulated device runs nothing else.
        let planned = StoredRun::open(&out).unwrap().manifest.experiment.columns;
        let planned = unique(planned.into_iter().map(|column| column.implementation).collect());
        assert_eq!(planned.len(), implementations, "{experiment}: {planned:?}");
        assert_eq!(unique(column(&out.join("counts.csv"), "implementation")), planned, "{experiment}");
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
fn values_beyond_a_size_are_left_out_with_one_reason_and_the_others_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let text = emulate("kappa-sweep", &out, &["--sizes", "64", "--param", "kappa=2,3,4"]);
    let reasons: Vec<&str> =
        text.lines().filter(|line| line.contains("not run: n = 64 is not for generalized-blocked")).collect();
    assert_eq!(reasons.len(), 1, "{text}");
    let counted: Vec<String> = unique(column(&out.join("counts.csv"), "params"));
    assert_eq!(counted, ["kappa=2", "kappa=2;spread-lead=1"]);
}

#[test]
fn graphs_of_one_experiment_are_cells_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let arguments = ["--all", "--device", "cpu", "--sizes", "40", "--samples", "3", "--only", "cpu-parallel"];
    let output = run("occupancy", &out, &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(unique(column(&out.join("summary.csv"), "graph")), ["m=600n", "m=60n", "m=6n"]);
    let digests = unique(column(&out.join("samples.csv"), "digest"));
    assert_eq!(digests.len(), 3, "three graphs have three results");
}

#[test]
fn what_is_of_no_run_is_never_replaced() {
    for name in ["table.md", "summary.csv", "scopes.csv"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, "mine").unwrap();
        let mut command = repro();
        command.args(["run", "timers", "--device", "cpu", "--sizes", "8", "--out"]).arg(folder.path());
        assert_refused(&command.output().unwrap(), &[name, "is not part of a run", "--out"]);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn without_a_gpu_the_cpu_columns_are_measured_and_one_line_says_why_the_others_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let output = run_table1(&out, &["--sizes", "64,100"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    let reasons: Vec<&str> = text.lines().filter(|line| line.contains("not run")).collect();
    assert_eq!(reasons.len(), 1, "{text}");
    assert!(reasons[0].starts_with("8 cells not run: "), "{}", reasons[0]);
    assert!(reasons[0].contains("install the NVIDIA driver"), "the remedy: {}", reasons[0]);

    let samples = out.join("samples.csv");
    let (header, _) = csv(&samples);
    let leading = "implementation,n,params,scope,sample,seconds,status,verified";
    assert_eq!(header[..8].join(","), leading);
    let (header, _) = csv(&out.join("summary.csv"));
    let leading =
        "implementation,n,params,samples,median_s,ci_low_s,ci_high_s,tasks_per_s,effective_gbs,published_s";
    assert_eq!(header[..10].join(","), leading);

    let (statuses, scopes) = (column(&samples, "status"), column(&samples, "scope"));
    let (verified, seconds) = (column(&samples, "verified"), column(&samples, "seconds"));
    let timed: Vec<usize> = (0..statuses.len()).filter(|&at| statuses[at] == "ok").collect();
    assert!(timed.iter().all(|&at| verified[at] == "true" && seconds[at].parse::<f64>().unwrap() > 0.0));
    for scope in ["kernel", "device", "total", "host"] {
        let count = timed.iter().filter(|&&at| scopes[at] == scope).count();
        assert_eq!(count * 4, timed.len(), "every sample has scope {scope} once");
    }
    assert_eq!(statuses.iter().filter(|status| *status == "skipped").count(), 8);
    assert!(std::fs::read_to_string(out.join("table.md")).unwrap().contains("| cpu-parallel |"));
}

#[test]
fn the_manifest_says_where_the_numbers_come_from() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    assert!(run_table1(&out, &["--sizes", "32", "--seed", "9"]).status.success());
    let manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["schema_version"], 3);
    assert_eq!(manifest["experiment"]["graphs"][0]["source"]["seed"], 9);
    assert_eq!(manifest["experiment"]["columns"][0]["sizes"][0], 32);
    assert!(manifest["command_line"].as_array().unwrap().iter().any(|word| word == "--seed"));
    assert!(manifest["build"]["commit"].as_str().unwrap().len() > 6);
    let environment = &manifest["environment"];
    assert!(environment["host"]["threads"].as_u64().unwrap() >= 1);
    assert!(environment["device_problem"].is_string() && environment["device"].is_null());
    assert!(environment["ceilings"]["cpu_core_tasks_per_s"].as_f64().unwrap() > 1e8);
    let hashes = environment["implementations"].as_array().unwrap();
    assert_eq!(hashes.iter().filter(|one| one["source_hash"].is_string()).count(), 4);
}

#[test]
fn verify_checks_what_can_run_and_says_what_cannot() {
    let output = common::run(&["verify", "--sizes", "1,33,100"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("all 193 checks passed"), "{text}");
    let needing: Vec<&str> = text.lines().filter(|line| line.starts_with("not run: needs")).collect();
    assert!(needing.len() == 1 && needing[0].starts_with("not run: needs a device ("), "{text}");
}
