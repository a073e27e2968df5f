//! Experiments with a sharded matrix: planned, solved, verified by rows and by a number for the whole.

use super::double;
use crate::common::emulated;
use crate::common::place::Place;
use crate::common::script::{Answerer, Ran, Script, answer_of, created, environment, run_journal};
use repro::device::Selection;
use repro::device::emulated::Instruments;
use repro::device::telemetry::Telemetry;
use repro::graph::ElementType;
use repro::implementation::{DeviceTimes, Scope};
use repro::measure::{
    Answer, DeviceSample, Executor, Failure, FailureCause, GraphRequest, OpenReply, Outcome, Reply, Request,
    Session, probe_machine,
};
use repro::plan::{Experiment, ExperimentFile, Overrides, UserGraph, resolve};
use repro::results::StoredRun;
use repro::store::{DeviceLinks, Environment, Journal, Manifest, SampleRow, Status};
use std::path::Path;
use std::time::Duration;

fn file(parameters: &str) -> ExperimentFile {
    let text = format!(
        "title = \"In parts\"
sharded = true
graph = {{ edges_per_vertex = [4], max_weight = 100, seed = 1 }}
sampling = {{ min_samples = 3, max_samples = 3, precision = 0.1, budget_s = 9.0 }}
limits = {{ warm_up_s = 0.0, sample_s = 60.0, full_cell_s = 60.0, whole_reference_n = 512, reference_rows = 8 }}
emulated = {{ sizes = [5, 33, 70] }}

[[cells]]
implementation = \"double-sharded\"
parameters = {parameters}
sizes = [512]
"
    );
    double::register_double();
    ExperimentFile::parse("parts", "parts.toml", &text).unwrap()
}

fn experiment(parameters: &str, device: Selection) -> Experiment {
    resolve(&file(parameters), &Overrides::default(), device).unwrap()
}

/// On emulated devices, of which there are as many as it takes.
fn emulated_experiment(parameters: &str) -> Experiment {
    emulated(Instruments::NONE);
    experiment(parameters, Selection::Emulated(None))
}

/// Runs what a journal lacks by a worker in this process.
fn run_here(journal: Journal) -> Ran {
    let mut session = Session::default();
    run_journal(journal, &mut Answerer(|request: &Request| session.answer(request)))
}

/// Runs on emulated devices, into `run`.
fn run(parameters: &str) -> (Place, Ran) {
    let place = Place::new();
    let ran = run_here(created(&place.path("run"), emulated_experiment(parameters)));
    (place, ran)
}

/// Runs on two GPUs that somebody answers for, into `run`; so many cells fail.
fn answered(executor: &mut dyn Executor, failed: usize) -> (Place, Vec<SampleRow>) {
    let place = Place::new();
    let experiment = experiment("{ devices = 2 }", Selection::CudaAll);
    let ran = run_journal(created(&place.path("run"), experiment), executor);
    assert_eq!(ran.outcome, Outcome::Finished { failed });
    (place, ran.samples)
}

#[test]
fn a_graph_has_one_digest_on_any_number_of_devices() {
    let (place, Ran { outcome, samples, .. }) = run("{ devices = [1, 2, 3] }");
    assert_eq!((outcome, samples.len()), (Outcome::Finished { failed: 0 }, 9), "{samples:?}");
    assert!(samples.iter().all(|row| row.status == Status::Counted && row.verified));
    for of_size in samples.chunks(3) {
        assert_eq!(of_size[0].digest.len(), 16);
        assert!(of_size.iter().all(|row| row.digest == of_size[0].digest), "{of_size:?}");
    }
    let ways = place.column("run/samples.csv", "verification");
    assert_eq!((ways[0].as_str(), ways[8].as_str()), ("exact-rows:5", "exact-rows:10"));
    // Cells of several devices open them, and the manifest names each.
    let manifest = place.json("run/manifest.json");
    assert_eq!(manifest["environment"]["further_devices"].as_array().unwrap().len(), 2);
    assert_eq!(manifest["environment"]["further_devices"][1]["info"]["ordinal"], 2);
    assert_eq!(manifest["experiment"]["sharded"], true);
    let together = serde_json::json!({ "processes": 1, "transports": ["nothing"] });
    assert_eq!(manifest["environment"]["together"], together);
    let table = place.read("run/table.md");
    assert!(table.contains("Together: processes: 1; panels brought by: nothing."), "{table}");
}

#[test]
fn what_is_wrong_or_lacking_in_a_part_is_found_and_fails_the_cell() {
    for (parameters, told) in [
        ("devices = 2, fault = 1", "wrong result: the distance from vertex 0 to vertex"),
        // The second cell of a graph is wrong where nobody looks.
        ("devices = 1, fault = [0, 2]", "the rest differs"),
        ("devices = 2, fault = 3", "are on no device"),
        ("devices = 2, fault = 4", "MiB on each device, and device 0 has"),
    ] {
        let (_, Ran { outcome, samples, .. }) = run(&format!("{{ {parameters} }}"));
        assert_eq!(outcome, Outcome::Finished { failed: 3 }, "{parameters}");
        let mut failed = samples.iter().filter(|row| row.status == Status::Failed);
        assert!(failed.all(|row| row.message.contains(told)), "{samples:?}");
    }
}

/// What a GPU each would answer whose solve took so long.
fn on_two_hosts(seconds: f64) -> Answer {
    let clocks = [(Scope::HostSynced, seconds), (Scope::Kernel, seconds)];
    let Ok(Reply::Sampled(mut reply)) = answer_of(clocks.into_iter().collect(), Telemetry::default()) else {
        unreachable!()
    };
    let of_device = |device| {
        let communication = 0.125 * device as f64;
        let times = DeviceTimes { device, solve: 1.0, compute: 0.75, waiting: 0.25, communication };
        DeviceSample { host: format!("node{device}"), times }
    };
    reply.devices = [0, 1].map(of_device).into();
    reply.result.digest = "0123456789abcdef".into();
    Ok(Reply::Sampled(reply))
}

#[test]
fn where_the_time_went_on_each_device_is_recorded_and_read_back() {
    let (place, samples) = answered(&mut Script::new(|_, _, _| on_two_hosts(2.0)), 0);
    let column = |title| place.column("run/devices.csv", title);
    assert_eq!((samples.len(), column("sample").concat()), (6, "001122".to_string()));
    assert_eq!(column("host")[..2], ["node0", "node1"]);
    assert_eq!(column("communication_s")[..2], ["0.0", "0.125"]);
    let stored = StoredRun::open(&place.path("run")).unwrap();
    assert_eq!(stored.results.extra.devices.len(), 6);
    assert_eq!(stored.results.summary[0].median_s, Some(2.0));
}

#[test]
fn a_time_below_the_floor_that_an_implementation_has_of_its_own_is_impossible() {
    let (_, samples) = answered(&mut Script::new(|_, _, _| on_two_hosts(0.5 * double::FLOOR_S)), 1);
    assert!(samples.iter().all(|row| row.status == Status::Impossible), "{samples:?}");
    assert!(samples[0].message.contains("less than the 1.000e0 s"), "{}", samples[0].message);
}

#[test]
fn a_cell_that_needs_more_devices_than_there_are_is_left_out_and_the_run_finishes() {
    let message = "needs 2 devices, and the CUDA driver sees 1";
    let mut script = Script::new(|_, _, _| panic!("it is sampled"));
    let mut few = Answerer(|request: &Request| match request {
        Request::Prepare { .. } => Err(Failure::new(FailureCause::TooFewDevices, message)),
        other => script.ask(other, Duration::MAX),
    });
    let (_, samples) = answered(&mut few, 0);
    let [row] = &samples[..] else { panic!("{samples:?}") };
    assert_eq!((row.status, row.message.as_str()), (Status::Skipped, message));
}

fn files_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn distances_that_cannot_be_stored_fail_their_cell_and_leave_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let distances = folder.path().join("distances");
    let experiment =
        Experiment { distances: Some(distances.clone()), ..emulated_experiment("{ devices = 2 }") };
    // Where one of the files is to be begun, nothing can be.
    let in_the_way = distances.join("double-sharded-n=33-devices=2-m=4n.npy.new");
    std::fs::create_dir_all(&in_the_way).unwrap();
    let run_folder = folder.path().join("run");
    let Ran { outcome, samples, .. } = run_here(created(&run_folder, experiment));
    assert_eq!(outcome, Outcome::Finished { failed: 1 });
    let statuses: Vec<Status> = samples.iter().map(|row| row.status).collect();
    assert_eq!(statuses, [Status::Counted, Status::Failed, Status::Counted]);
    assert!(samples[1].message.contains("n=33-devices=2-m=4n.npy: cannot be written"), "{samples:?}");
    let [of_33, of_5, of_70] = [33, 5, 70].map(|n| format!("double-sharded-n={n}-devices=2-m=4n.npy"));
    assert_eq!(files_in(&distances), [format!("{of_33}.new"), of_5.clone(), of_70.clone()]);
    // Once there is room, a run that is continued stores what it lacks, and leaves the rest as it is.
    std::fs::remove_dir(&in_the_way).unwrap();
    std::fs::write(distances.join(&of_5), "kept").unwrap();
    let mut journal = Journal::resume(&run_folder).unwrap();
    let resume = |manifest: &mut Manifest| {
        manifest.resumed.push("2026-01-02T00:00:00Z".into());
        manifest.experiment.distances = Some(distances.clone());
    };
    journal.change_manifest(resume).unwrap();
    let Ran { outcome, notes, .. } = run_here(journal);
    assert_eq!(outcome, Outcome::Finished { failed: 0 });
    assert_eq!(files_in(&distances), [of_33.clone(), of_5.clone(), of_70]);
    assert_eq!(std::fs::read(distances.join(&of_5)).unwrap(), b"kept");
    assert_eq!(std::fs::metadata(distances.join(&of_33)).unwrap().len(), 128 + 33 * 33 * 4);
    assert!(notes.iter().any(|note| note.contains(&of_5) && note.ends_with("is left as it is")), "{notes:?}");
}

#[test]
fn a_continued_run_keeps_the_transports_of_cells_that_were_done_before() {
    let folder = tempfile::tempdir().unwrap();
    let of = |transports: &[&str]| {
        let transports = transports.iter().map(ToString::to_string).collect();
        let together = Some(DeviceLinks { processes: 2, transports, ..DeviceLinks::default() });
        Environment { together, ..environment() }
    };
    let run_folder = folder.path().join("run");
    let mut journal = created(&run_folder, experiment("{ devices = 2 }", Selection::CudaAll));
    journal.set_environment(of(&["NCCL 2.28.3"])).unwrap();
    drop(journal);
    let mut journal = Journal::resume(&run_folder).unwrap();
    journal.set_environment(of(&[])).unwrap();
    assert_eq!(journal.manifest().environment, Some(of(&["NCCL 2.28.3"])));
}

#[test]
fn a_process_that_finds_another_file_than_the_run_was_started_with_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.gr");
    std::fs::write(&path, "p sp 3 1\na 1 2 5\n").unwrap();
    let given = UserGraph::open_sharded(&path, ElementType::F32).unwrap();
    assert_eq!(given.n, 3);
    let limits = file("{ devices = 1 }").limits;
    let graph = GraphRequest { source: given.source, element: ElementType::F32, n: 3, limits, sharded: true };
    let load = || Session::default().answer(&Request::LoadGraph(graph.clone()));
    assert_eq!(load(), Ok(Reply::GraphReady));
    std::fs::write(&path, "p sp 3 1\na 1 2 6\n").unwrap();
    let Err(failure) = load() else { panic!("it was changed") };
    assert_eq!(failure.cause, FailureCause::Graph);
    assert!(failure.message.contains("x.gr: is another file than the one"), "{}", failure.message);
}

#[test]
fn where_nobody_chose_a_device_sharded_matrices_are_on_all_gpus() {
    let looked = |device, sharded| {
        let mut experiment = Experiment { sharded, ..experiment("{ devices = 2 }", device) };
        let mut script = Script::new(|_, _, _| panic!("it is sampled"));
        probe_machine(&mut script, &mut experiment).unwrap().unwrap();
        experiment.device
    };
    assert_eq!(looked(Selection::Auto, true), "cuda:all");
    assert_eq!(looked(Selection::Auto, false), "auto");
    assert_eq!(looked(Selection::Cuda(Some(1)), true), "cuda:1");
    let mut emulated = experiment("{ devices = 2 }", Selection::Auto);
    let mut without_gpu = Answerer(|_: &Request| {
        let environment = Environment { device: None, ..environment() };
        Ok(Reply::Opened(Box::new(OpenReply { environment, unusable: None })))
    });
    probe_machine(&mut without_gpu, &mut emulated).unwrap().unwrap();
    assert_eq!(emulated.device, "auto");
}
