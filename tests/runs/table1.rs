//! The main job on a machine without a GPU.

use crate::common::{column, csv, run, run_table1, stderr, stdout};

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
fn the_same_seed_gives_the_same_results_and_another_seed_others() {
    let folder = tempfile::tempdir().unwrap();
    let digests = |name: &str, seed: &str| {
        let out = folder.path().join(name);
        let arguments = ["--device", "cpu", "--sizes", "70", "--samples", "2", "--seed", seed];
        assert!(run_table1(&out, &arguments).status.success());
        let mut digests = column(&out.join("samples.csv"), "digest");
        digests.retain(|digest| !digest.is_empty());
        digests.dedup();
        digests
    };
    let first = digests("a", "5");
    assert_eq!(first.len(), 1, "implementations agree in every bit");
    assert_eq!(digests("b", "5"), first);
    assert_ne!(digests("c", "6"), first);
}

#[test]
fn graphs_from_files_are_run_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let dimacs = folder.path().join("net.gr");
    std::fs::write(&dimacs, "c a net\np sp 4 5\na 1 2 3\na 2 3 4\na 3 4 -2\na 4 1 1\na 1 3 9\n").unwrap();
    let market = folder.path().join("net.mtx");
    let text = "%%MatrixMarket matrix coordinate real general\n4 4 4\n1 2 0.1\n2 3 0.3\n3 4 0.7\n4 1 7\n";
    std::fs::write(&market, text).unwrap();
    for (file, name, verification) in [(&dimacs, "integers", "exact"), (&market, "fractions", "bounds:")] {
        let out = folder.path().join(name);
        let file = file.to_str().unwrap();
        let output = run_table1(&out, &["--graph", file, "--samples", "3", "--device", "cpu"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let samples = out.join("samples.csv");
        assert!(column(&samples, "n").iter().all(|found| found == "4"));
        let verifications = column(&samples, "verification");
        assert_eq!(verifications.iter().filter(|how| how.starts_with(verification)).count(), 2 * 3 * 4);
    }
}

#[test]
fn a_demanded_gpu_that_is_missing_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for device in ["cuda", "cuda:0"] {
        let output = run_table1(&folder.path().join("run"), &["--device", device, "--sizes", "32"]);
        crate::common::assert_refused(&output, &[&format!("--device {device}: "), "--device cpu"]);
    }
}

#[test]
fn verify_checks_what_can_run_and_says_what_cannot() {
    let output = run(&["verify", "--sizes", "1,33,100"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("all 193 checks passed"), "{text}");
    assert!(text.contains("implementations on a device were not checked: "), "{text}");
    assert!(!text.contains("not run: needs"), "{text}");
}
