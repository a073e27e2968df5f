//! What a run says of its host: to its user, in its manifest, and to whoever opens it later; and of its solves on the CPU beside their times.

use crate::common::script::{Script, answer_of, run_in};
use crate::common::{assert_refused, column, run, run_table1, stderr, stdout};
use repro::device::telemetry::Telemetry;
use repro::measure::{Answer, Reply};
use repro::plan::Overrides;
use repro::report::tables;
use repro::results::StoredRun;
use repro::store::HostWarning;
use repro::timing::Seconds;
use repro_base::CellId;

/// An answer that took so long, under this load.
fn under(seconds: f64, others_load: Option<f64>) -> Answer {
    let Ok(Reply::Sampled(mut sampled)) = answer_of(Seconds::same(seconds), Telemetry::default()) else {
        unreachable!()
    };
    sampled.others_load = others_load;
    Ok(Reply::Sampled(sampled))
}

fn cpu_columns() -> Overrides {
    let only = Some(["cpu-naive", "cpu-parallel"].map(str::to_string).to_vec());
    Overrides { only, sizes: Some(vec![1024]), ..Overrides::default() }
}

fn cell(implementation: &str) -> CellId {
    CellId::new(implementation, 1024, "", "")
}

#[test]
fn others_on_the_host_and_cores_that_are_none_are_said_recorded_and_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut script = Script::new(|name, _, sample| match (name, sample) {
        ("cpu-naive", 2) => under(0.5, Some(0.4)),
        ("cpu-naive", _) => under(0.5, Some(0.02)),
        _ => under(0.8, Some(0.0)),
    });
    script.load_before = Some(0.25);
    let ran = run_in(&out, "table1", &cpu_columns(), &mut script);
    assert!(
        ran.notes.contains(&"cpu-naive n = 1024: other processes use 25% of the cores that it needs".into())
    );
    let told =
        |words: &str| ran.notes.iter().any(|note| note.starts_with("cpu-naive") && note.ends_with(words));
    assert!(
        told("under load: others used the host's CPU for up to 40% of the time of its cores"),
        "{:?}",
        ran.notes
    );
    assert_eq!(ran.of("cpu-naive").samples, 5);

    let before = |name| HostWarning::BusyBefore { cell: cell(name), others_load: 0.25 };
    let expected = vec![
        before("cpu-parallel"),
        before("cpu-naive"),
        HostWarning::UnderLoad { cell: cell("cpu-naive"), others_load: 0.4 },
        HostWarning::AllCoresSlower { cell: cell("cpu-parallel"), all_cores_s: 0.8, one_core_s: 0.5 },
    ];
    let mut run = StoredRun::open(&out).unwrap();
    assert_eq!(run.manifest.host_findings, expected);
    let text = tables(&run).terminal(None);
    assert!(text.contains("All cores of this host were slower than one: cpu-parallel n = 1024"), "{text}");
    // Of one that was stopped before it looked for it.
    run.manifest.host_findings.clear();
    assert_eq!(run.host_findings(), expected[2..]);
}

#[test]
fn a_quiet_host_with_cores_that_help_is_no_finding() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut script = Script::new(|name, _, _| under(if name == "cpu-naive" { 0.5 } else { 0.1 }, Some(0.05)));
    script.load_before = Some(0.05);
    run_in(&out, "table1", &cpu_columns(), &mut script);
    let run = StoredRun::open(&out).unwrap();
    assert!(run.manifest.host_findings.is_empty() && run.host_findings().is_empty());
    assert!(!std::fs::read_to_string(out.join("manifest.json")).unwrap().contains("host_findings"));
}

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

/// Its cells are over before half a second is, which a reading takes.
#[cfg(target_os = "linux")]
#[test]
fn the_shortest_run_knows_what_others_used_of_the_cpu() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let output =
        run_table1(&out, &["--device", "cpu", "--only", "cpu-parallel", "--sizes", "8", "--samples", "1"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let loads = column(&out.join("samples.csv"), "others_load");
    assert!(!loads.is_empty() && loads.iter().all(|load| !load.is_empty()), "{loads:?}");
}
