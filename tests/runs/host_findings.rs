//! What a run says of its host: to its user, in its manifest, and to whoever opens it later.

use crate::common::script::{Script, answer_of, run_in};
use repro::device::telemetry::Telemetry;
use repro::measure::{Answer, Reply};
use repro::plan::Overrides;
use repro::results::StoredRun;
use repro::show::tables;
use repro::store::HostFinding;
use repro::timing::Seconds;
use repro_types::CellId;

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
        ran.notes.contains(&"other processes use 25% of as many cores as cpu-naive n = 1024 needs".into())
    );
    let told =
        |words: &str| ran.notes.iter().any(|note| note.starts_with("cpu-naive") && note.ends_with(words));
    assert!(
        told("under load: others used the host's CPU for up to 40% of the time of its cores"),
        "{:?}",
        ran.notes
    );
    assert_eq!(ran.of("cpu-naive").samples, 5);

    let before = |name| HostFinding::BusyBefore { cell: cell(name), others_load: 0.25 };
    let expected = vec![
        before("cpu-naive"),
        before("cpu-parallel"),
        HostFinding::UnderLoad { cell: cell("cpu-naive"), others_load: 0.4 },
        HostFinding::AllCoresSlower { cell: cell("cpu-parallel"), all_cores_s: 0.8, one_core_s: 0.5 },
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
