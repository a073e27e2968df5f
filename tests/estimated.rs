//! Times of whole solves on one core that are estimated from some iterations.

mod common;

use common::{assert_refused, column, run, run_table1, stderr, stdout};

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
