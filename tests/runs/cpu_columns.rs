//! What a run records of its solves on the CPU beside their times: where they are estimates, and which cores they ran on.

use crate::common::{assert_refused, column, run, run_table1, stderr, stdout};

#[test]
fn a_run_of_some_iterations_is_verified_as_such_and_marked_as_an_estimate() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let arguments = ["--device", "cpu", "--only", "cpu-naive,cpu-parallel", "--sizes", "96"];
    let output =
        run_table1(&out, &[&arguments[..], &["--param", "iterations=24", "--samples", "2"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let of = |file: &str, name: &str| column(&out.join(file), name);
    let naive = "cpu-naive";
    for (file, rows) in [("samples.csv", 8), ("summary.csv", 1)] {
        let iterations: Vec<String> = of(file, "implementation")
            .iter()
            .zip(of(file, "iterations"))
            .filter_map(|(name, iterations)| (name == naive).then_some(iterations))
            .collect();
        assert_eq!(iterations, vec!["24"; rows], "{file}");
        assert!(of(file, "iterations").iter().any(String::is_empty), "{file}");
    }
    assert!(of("samples.csv", "verification").contains(&"exact-rows:32".to_string()));
    let text = stdout(&output);
    assert!(text.contains("≈ is estimated from 24 of 96 iterations of k"), "{text}");
    assert!(stderr(&output).contains("(iterations=24)"), "{}", stderr(&output));
}

#[test]
fn more_iterations_than_there_are_are_refused() {
    let arguments = ["--device", "cpu", "--only", "cpu-naive", "--sizes", "8", "--param", "iterations=9"];
    let output = run(&[&["run", "table1"][..], &arguments].concat());
    assert_refused(&output, &["--param", "n = 8 has 8 iterations of k, not 9"]);
}

#[test]
fn a_manifest_names_the_cores_that_threads_were_pinned_to_or_why_they_were_not() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let output =
        run_table1(&out, &["--device", "cpu", "--only", "cpu-parallel", "--sizes", "300", "--samples", "1"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let environment = &manifest["environment"];
    for (threads, count) in [("one", 1), ("all", environment["host"]["threads"].as_u64().unwrap())] {
        let pinned = &environment["pinning"][threads];
        let cores = pinned["cores"].as_array().unwrap().len() as u64;
        assert!(cores == count || (cores == 0 && pinned["problem"].is_string()), "{pinned}");
    }
}
