//! What a run says of its host: to its user, in its manifest, and to whoever opens it later; and of its solves on the CPU beside their times.

use crate::common::place::Place;
use crate::common::script::{Script, answer_of, run_in};
use crate::common::{stderr, stdout};
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
    let only = Some(["cpu-naive", "cpu-parallel"].map(str::to_string).to_vec());
    let overrides = Overrides { only, sizes: Some(vec![1024]), ..Overrides::default() };
    let ran = run_in(&out, "table1", &overrides, &mut script);
    for told in [
        ": other processes use 25% of the cores that it needs",
        "under load: others used the host's CPU for up to 40% of the time of its cores",
    ] {
        let is_told = |note: &String| note.starts_with("cpu-naive n = 1024") && note.ends_with(told);
        assert!(ran.notes.iter().any(is_told), "{:?}", ran.notes);
    }
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
    // Of no more than 80 columns: a run that ends in a few lines has room for two remarks.
    let slower = "\nAll cores slower than one: cpu-parallel n = 1024 took 0.8000 s, one 0.5000 s.\n";
    assert!(text.contains(slower) && slower.trim().len() <= 80, "{text}");
    // Of one that was stopped before it looked for it.
    run.manifest.host_findings.clear();
    assert_eq!(run.host_findings(), expected[2..]);
}

#[test]
fn a_run_of_some_iterations_is_verified_as_such_and_marked_as_an_estimate() {
    let place = Place::new();
    let cells = "--device cpu --only cpu-naive,cpu-parallel --sizes 96 --param iterations=24 --samples 2";
    let output = place.succeed(&format!("run table1 {cells} --no-report --out run"));
    for (file, rows) in [("run/samples.csv", 8), ("run/summary.csv", 1)] {
        let of_cells = place.column(file, "implementation").into_iter().zip(place.column(file, "iterations"));
        let (naive, others): (Vec<_>, Vec<_>) = of_cells.partition(|(name, _)| name == "cpu-naive");
        assert!(naive.len() == rows && naive.iter().all(|(_, iterations)| iterations == "24"), "{naive:?}");
        assert!(
            !others.is_empty() && others.iter().all(|(_, iterations)| iterations.is_empty()),
            "{others:?}"
        );
    }
    assert!(place.column("run/samples.csv", "verification").contains(&"exact-rows:32".to_string()));
    let text = stdout(&output);
    assert!(text.contains("≈ is estimated from 24 of 96 iterations of k"), "{text}");
    assert!(stderr(&output).contains("(iterations=24)"), "{}", stderr(&output));
}

/// Its cells are over before half a second is, which a reading of the load takes.
#[test]
fn the_shortest_run_knows_what_others_used_of_the_cpu_and_which_cores_its_threads_were_pinned_to() {
    let place = Place::new();
    place
        .succeed("run table1 --device cpu --only cpu-parallel --sizes 300 --samples 1 --no-report --out run");
    let environment = &place.json("run/manifest.json")["environment"];
    for (threads, count) in [("one", 1), ("all", environment["host"]["threads"].as_u64().unwrap())] {
        let pinned = &environment["pinning"][threads];
        let cores = pinned["cores"].as_array().unwrap().len() as u64;
        assert!(cores == count || (cores == 0 && pinned["problem"].is_string()), "{pinned}");
    }
    let loads = place.column("run/samples.csv", "others_load");
    assert!(!loads.is_empty() && loads.iter().all(|load| !load.is_empty()), "{loads:?}");
}
