//! Experiments whose matrix is in parts: planned, solved, verified by rows and by a number for the whole.

mod common;

#[path = "common/double.rs"]
mod double;

use common::column;
use common::script::Script;
use repro::device::Selection;
use repro::device::emulated::Instruments;
use repro::experiment::{
    Answer, DeviceSample, Executor, ExperimentFile, Failure, FailureCause, Journal, Observer, Outcome,
    Overrides, Reply, Request, Runner, Sampled, Session, StoredRun, resolve,
};
use repro::implementation::{DeviceTimes, Scope};
use repro::record::{Manifest, SampleRow, SealCheck, Status, Verification};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn experiment(parameters: &str) -> String {
    format!(
        "title = \"In parts\"
in_parts = true
graph = {{ edges_per_vertex = [4], max_weight = 100, seed = 1 }}
sampling = {{ min_samples = 3, max_samples = 3, precision = 0.1, budget_s = 9.0 }}
limits = {{ warm_up_s = 0.0, sample_s = 60.0, full_cell_s = 60.0, whole_reference_n = 512, reference_rows = 8 }}
emulated = {{ sizes = [5, 33, 70] }}

[[cells]]
implementation = \"double-in-parts\"
parameters = {parameters}
sizes = [512]
"
    )
}

struct Silent;

impl Observer for Silent {
    fn note(&mut self, _: &str) {}
    fn progress(&mut self, _: &str, _: usize, _: usize, _: Option<f64>) {}
}

/// A worker in this process.
#[derive(Default)]
struct Here(Session);

impl Executor for Here {
    fn ask(&mut self, request: &Request, _: Duration) -> Answer {
        Answer::Reply(self.0.answer(request))
    }
}

fn run(parameters: &str, folder: &Path) -> (Outcome, Vec<SampleRow>) {
    common::emulated(Instruments::NONE);
    double::register_double();
    run_with(&mut Here::default(), parameters, Selection::Emulated(None), folder)
}

fn run_with(
    executor: &mut dyn Executor,
    parameters: &str,
    device: Selection,
    folder: &Path,
) -> (Outcome, Vec<SampleRow>) {
    let file = ExperimentFile::parse("parts", "parts.toml", &experiment(parameters)).unwrap();
    let experiment = resolve(&file, &Overrides::default(), device).unwrap();
    let manifest = Manifest::new(experiment, Vec::new(), "2026-01-01T00:00:00Z".into());
    let mut journal = Journal::create(folder, manifest).unwrap();
    let runner = Runner {
        executor,
        journal: &mut journal,
        observer: &mut Silent,
        interrupted: &AtomicBool::new(false),
    };
    let outcome = runner.run().unwrap();
    (outcome, journal.samples().to_vec())
}

#[test]
fn a_graph_has_one_digest_on_any_number_of_devices() {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    let (outcome, samples) = run("{ devices = [1, 2, 3] }", &run_folder);
    assert_eq!(outcome, Outcome::Finished { failed: 0 }, "{samples:?}");
    assert_eq!(samples.len(), 9);
    assert!(samples.iter().all(|row| row.status == Status::Counted && row.verified));
    for of_size in samples.chunks(3) {
        assert_eq!(of_size[0].digest.len(), 16);
        assert!(of_size.iter().all(|row| row.digest == of_size[0].digest), "{of_size:?}");
    }
    let ways = column(&run_folder.join("samples.csv"), "verification");
    assert_eq!((ways[0].as_str(), ways[8].as_str()), ("exact-rows:5", "exact-rows:11"));
    // Cells of several devices open them, and the manifest names each.
    let manifest = std::fs::read_to_string(run_folder.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["environment"]["further_devices"].as_array().unwrap().len(), 2);
    assert_eq!(manifest["environment"]["further_devices"][1]["info"]["ordinal"], 2);
    assert_eq!(manifest["experiment"]["in_parts"], true);
}

#[test]
fn what_is_wrong_or_lacking_in_a_part_is_found_and_fails_the_cell() {
    for (fault, told) in [
        (double::WRONG_ROW, "wrong result: the distance from vertex 0 to vertex"),
        (double::LACKING, "are on no device"),
        (double::TOO_LARGE, "MiB on each device, and device 0 has"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let parameters = format!("{{ devices = 2, fault = {fault} }}");
        let (outcome, samples) = run(&parameters, &folder.path().join("run"));
        assert_eq!(outcome, Outcome::Finished { failed: 3 }, "{fault}");
        assert!(
            samples.iter().all(|row| row.status == Status::Failed && row.message.contains(told)),
            "{samples:?}"
        );
    }
}

#[test]
fn a_result_that_differs_where_no_row_is_compared_is_wrong() {
    // The second cell of a graph is wrong where nobody looks.
    let folder = tempfile::tempdir().unwrap();
    let (outcome, samples) = run("{ devices = 1, fault = [0, 2] }", &folder.path().join("run"));
    assert_eq!(outcome, Outcome::Finished { failed: 3 }, "{samples:?}");
    let wrong: Vec<&SampleRow> = samples.iter().filter(|row| row.status == Status::Failed).collect();
    assert!(wrong.iter().all(|row| row.message.contains("the rest differs")), "{wrong:?}");
}

#[test]
fn where_the_time_went_on_each_device_is_recorded_sealed_and_read_back() {
    double::register_double();
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    let mut script = Script::new(|_, n, sample| {
        assert_eq!(n, 512);
        let seconds = [(Scope::HostSynced, 2.0), (Scope::Kernel, 1.0 + sample as f64)];
        let times = |device| DeviceTimes {
            device,
            solve: 1.0,
            compute: 0.75,
            waiting: 0.25,
            communication: 0.125 * device as f64,
        };
        let devices =
            (0..2).map(|device| DeviceSample { host: format!("node{device}"), times: times(device) });
        Answer::Reply(Reply::Sampled(Box::new(Sampled {
            seconds: seconds.into_iter().collect(),
            iterations: None,
            verification: Verification::EXACT,
            digest: "0123456789abcdef".into(),
            telemetry: None,
            others_load: None,
            devices: devices.collect(),
        })))
    });
    let (outcome, samples) = run_with(&mut script, "{ devices = 2 }", Selection::CudaAll, &run_folder);
    assert_eq!((outcome, samples.len()), (Outcome::Finished { failed: 0 }, 6), "{samples:?}");
    let devices = run_folder.join("devices.csv");
    assert_eq!(column(&devices, "sample"), ["0", "0", "1", "1", "2", "2"]);
    assert_eq!(column(&devices, "host")[..2], ["node0", "node1"]);
    assert_eq!(column(&devices, "communication_s")[..2], ["0.0", "0.125"]);
    let stored = StoredRun::open(&run_folder).unwrap();
    assert_eq!((stored.seal, stored.results.devices.len()), (SealCheck::Sound, 6));
    assert_eq!(stored.results.summary[0].median_s, Some(2.0));
    let text = std::fs::read_to_string(&devices).unwrap();
    std::fs::write(&devices, text.replace("0.75", "0.85")).unwrap();
    let edited = StoredRun::open(&run_folder).unwrap().seal.to_string();
    assert!(edited.contains("devices.csv was edited"), "{edited}");
}

#[test]
fn a_cell_that_needs_more_devices_than_there_are_is_left_out_and_the_run_finishes() {
    double::register_double();
    let folder = tempfile::tempdir().unwrap();
    let mut script = Few;
    let (outcome, samples) =
        run_with(&mut script, "{ devices = 2 }", Selection::CudaAll, &folder.path().join("run"));
    assert_eq!(outcome, Outcome::Finished { failed: 0 });
    assert_eq!((samples.len(), samples[0].status), (1, Status::Skipped));
    assert_eq!(samples[0].message, "needs 2 devices, and the CUDA driver sees 1");
}

/// Has one device.
struct Few;

impl Executor for Few {
    fn ask(&mut self, request: &Request, limit: Duration) -> Answer {
        let Request::Prepare { .. } = request else {
            return Script::new(|_, _, _| panic!("it is sampled")).ask(request, limit);
        };
        let message = "needs 2 devices, and the CUDA driver sees 1";
        Answer::Reply(Reply::Failed(Failure::new(FailureCause::TooFewDevices, message)))
    }
}
