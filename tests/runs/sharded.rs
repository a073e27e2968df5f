//! Experiments with a sharded matrix: planned, solved, verified by rows and by a number for the whole.

use super::double;
use crate::common::script::{Ran, Script, created, environment, run_journal};
use crate::common::{assert_refused, column, emulated, repro};
use repro::device::Selection;
use repro::device::emulated::Instruments;
use repro::graph::ElementType;
use repro::implementation::{DeviceTimes, Scope};
use repro::measure::{
    Answer, DeviceSample, Executor, Failure, FailureCause, GraphRequest, OpenReply, Outcome, Reply, Request,
    ResultProof, SampleReply, Session, probe_machine,
};
use repro::plan::{Experiment, ExperimentFile, GraphSource, Overrides, UserGraph, resolve};
use repro::results::StoredRun;
use repro::store::Journal;
use repro::store::{DeviceLinks, Environment, Manifest, SampleRow, Status, Verification};
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

/// A worker in this process.
#[derive(Default)]
struct Here(Session);

impl Executor for Here {
    fn ask(&mut self, request: &Request, _: Duration) -> Answer {
        self.0.answer(request)
    }
}

fn run(parameters: &str, folder: &Path) -> (Outcome, Vec<SampleRow>) {
    let ran = run_journal(created(folder, emulated_experiment(parameters)), &mut Here::default());
    (ran.outcome, ran.samples)
}

fn run_script(executor: &mut dyn Executor, folder: &Path) -> (Outcome, Vec<SampleRow>) {
    let ran = run_journal(created(folder, experiment("{ devices = 2 }", Selection::CudaAll)), executor);
    (ran.outcome, ran.samples)
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
    assert_eq!(manifest["experiment"]["sharded"], true);
    let together = serde_json::json!({ "processes": 1, "transports": ["nothing"] });
    assert_eq!(manifest["environment"]["together"], together);
    let table = std::fs::read_to_string(run_folder.join("table.md")).unwrap();
    assert!(table.contains("Together: processes: 1; panels brought by: nothing."), "{table}");
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

/// A graph whose sums are rounded, in the file that it is read from.
fn rounded_graph(folder: &Path, n: usize) -> (GraphSource, usize) {
    let weight = |from: usize| 0.1 + (from * 7 % 13) as f64 / 3.0;
    let edge = |from: usize, step: usize| format!("{from} {} {}\n", (from - 1 + step) % n + 1, weight(from));
    let edges: String = (1..=n).flat_map(|from| [edge(from, 1), edge(from, 5)]).collect();
    let path = folder.join("rounded.mtx");
    let head = format!("%%MatrixMarket matrix coordinate real general\n{n} {n} {}\n", 2 * n);
    std::fs::write(&path, head + edges.as_str()).unwrap();
    let given = UserGraph::open_sharded(&path, ElementType::F32).unwrap();
    (given.source, given.n)
}

#[test]
fn a_rounded_result_that_differs_on_other_devices_where_no_row_is_compared_is_wrong() {
    emulated(Instruments::NONE);
    let folder = tempfile::tempdir().unwrap();
    let graph = rounded_graph(folder.path(), 70);
    let run = |parameters: &str, name: &str| {
        let overrides = Overrides { graph: Some(graph.clone()), ..Overrides::default() };
        let experiment = resolve(&file(parameters), &overrides, Selection::Emulated(None)).unwrap();
        let ran = run_journal(created(&folder.path().join(name), experiment), &mut Here::default());
        (ran.outcome, ran.samples)
    };
    let (outcome, samples) = run("{ devices = [1, 2, 3] }", "right");
    assert_eq!((outcome, samples.len()), (Outcome::Finished { failed: 0 }, 3), "{samples:?}");
    assert!(samples.iter().all(|row| row.digest == samples[0].digest), "{samples:?}");
    let ways = column(&folder.path().join("right/samples.csv"), "verification");
    assert!(ways.iter().all(|way| way.starts_with("bounds-rows:")), "{ways:?}");
    let faulty = format!("{{ devices = [1, 2], fault = {} }}", double::WRONG_ON_SEVERAL);
    let (outcome, samples) = run(&faulty, "wrong");
    assert_eq!(outcome, Outcome::Finished { failed: 1 }, "{samples:?}");
    assert!(samples[1].message.contains("the rest differs"), "{samples:?}");
    // Other parameters may round elsewhere.
    let (outcome, _) = run("{ devices = 1, fault = [0, 2] }", "others");
    assert_eq!(outcome, Outcome::Finished { failed: 0 });
}

#[test]
fn where_the_time_went_on_each_device_is_recorded_and_read_back() {
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
        let result = ResultProof { verification: Verification::EXACT, digest: "0123456789abcdef".into() };
        Ok(Reply::Sampled(Box::new(SampleReply {
            devices: devices.collect(),
            seconds: seconds.into_iter().collect(),
            result,
            ..SampleReply::default()
        })))
    });
    let (outcome, samples) = run_script(&mut script, &run_folder);
    assert_eq!((outcome, samples.len()), (Outcome::Finished { failed: 0 }, 6), "{samples:?}");
    let devices = run_folder.join("devices.csv");
    assert_eq!(column(&devices, "sample"), ["0", "0", "1", "1", "2", "2"]);
    assert_eq!(column(&devices, "host")[..2], ["node0", "node1"]);
    assert_eq!(column(&devices, "communication_s")[..2], ["0.0", "0.125"]);
    let stored = StoredRun::open(&run_folder).unwrap();
    assert_eq!(stored.results.extra.devices.len(), 6);
    assert_eq!(stored.results.summary[0].median_s, Some(2.0));
}

#[test]
fn a_cell_that_needs_more_devices_than_there_are_is_left_out_and_the_run_finishes() {
    let folder = tempfile::tempdir().unwrap();
    let (outcome, samples) = run_script(&mut Few, &folder.path().join("run"));
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
        Err(Failure::new(FailureCause::TooFewDevices, message))
    }
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
    let Ran { outcome, samples, .. } = run_journal(created(&run_folder, experiment), &mut Here::default());
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
    let Ran { outcome, notes, .. } = run_journal(journal, &mut Here::default());
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
    probe_machine(&mut NoGpu, &mut emulated).unwrap().unwrap();
    assert_eq!(emulated.device, "auto");
}

/// Has no GPU.
struct NoGpu;

impl Executor for NoGpu {
    fn ask(&mut self, _: &Request, _: Duration) -> Answer {
        let environment = Environment { device: None, ..environment() };
        Ok(Reply::Opened(Box::new(OpenReply { environment, unusable: None })))
    }
}

/// Those of `n = 0` say that nothing else was wrong.
#[test]
fn what_a_sharded_experiment_cannot_do_is_refused_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let of_devices = "--param devices: --grid sets it to something else";
    let of_rows = "--param rows: --grid sets it to something else";
    for (arguments, parts) in [
        ("table1 --device cpu --distances kept", &["--distances: table1 has no `sharded = true`"][..]),
        (
            "scaling --device cpu --out run",
            &["--device cpu: no implementation of scaling runs on the CPU", "--device emulated"],
        ),
        ("scaling --device cuda:all --out run", &["--device cuda:all: ", "--device emulated"]),
        // Parameters that go together are taken in any order.
        ("scaling --sizes 0 --param rows=2 --param devices=4", &["n = 0"]),
        ("scaling --sizes 0 --param devices=4 --param rows=2", &["n = 0"]),
        (
            "scaling --sizes 0 --param rows=3 --param devices=4",
            &["--param: a grid of 3 rows cannot have 4 devices"],
        ),
        (
            "scaling --sizes 0 --param devices=4 --param rows=3",
            &["--param: a grid of 3 rows cannot have 4 devices"],
        ),
        ("scaling --sizes 0 --grid 2x2 --param devices=3", &[of_devices, "leave one of both out"]),
        ("scaling --sizes 0 --grid 2x2 --param rows=4", &[of_rows, "leave one of both out"]),
        ("scaling --sizes 0 --grid 2x2 --param devices=4,8", &[of_devices, "leave one of both out"]),
        // What says the same again is no contradiction, nor is another parameter.
        ("scaling --sizes 0 --grid 2x2 --param devices=4", &["n = 0"]),
        ("scaling --sizes 0 --grid 2x2 --param rows=2", &["n = 0"]),
        ("scaling --sizes 0 --grid 2x2 --param depth=3", &["n = 0"]),
    ] {
        let mut command = repro();
        command.arg("run").args(arguments.split(' ')).current_dir(folder.path());
        assert_refused(&command.output().unwrap(), parts);
    }
    assert!(files_in(folder.path()).is_empty());
}
