//! Records of every layout that there was are read, and mean what they meant. `tests/formats/` has a stored run of each, from this
//! project's own history: `docs/record-formats.md` says which. Whoever adds a column or a version adds one.

use crate::common::{column, repro, stderr, stdout};
use repro::graph::ElementType;
use repro::regression::history::read_folder;
use repro::results::{StoredRun, scope_rows};
use repro::store::{ImplementationRecord, Purpose, SCHEMA_VERSION, SampleRow, SealCheck, Side, write_rows};
use repro::timing::{Scope, SolvedOn};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats")
}

/// The stored run of a layout, with the seconds of its samples by the clock of kernels.
fn open(name: &str) -> (StoredRun, Vec<f64>) {
    let run = StoredRun::open(&folder().join(name)).unwrap();
    let samples: Vec<f64> =
        run.results.times.by(Scope::Kernel).flat_map(|(_, timed)| timed.samples.clone()).collect();
    (run, samples)
}

/// Folders of all of them.
fn all() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_dir()).collect()
}

#[test]
fn one_graph_without_a_name_is_read_as_the_only_one() {
    let (run, samples) = open("one-graph");
    assert_eq!((run.manifest.schema_version, run.manifest.purpose), (1, Purpose::Measurement));
    assert_eq!(run.seal, SealCheck::Missing);
    let experiment = &run.manifest.experiment;
    assert_eq!((experiment.graphs.len(), experiment.graphs[0].name.as_str()), (1, ""));
    assert_eq!(experiment.element_of(""), ElementType::F32);
    assert_eq!((run.is_emulated(), experiment.counted_beside_gpu), (false, false));
    assert_eq!(samples, [0.0006132799983024597, 0.0006139199733734131, 0.0006146559715270996]);
    assert!(run.samples.iter().all(|row| row.graph.is_empty() && row.iterations.is_none()));
}

#[test]
fn named_graphs_counts_kernels_and_clocks_are_read() {
    let (run, samples) = open("named-graphs");
    assert!(run.manifest.experiment.clocks.cuda_graph && run.manifest.experiment.clocks.by_kernel);
    assert!(!samples.is_empty());
    let results = &run.results;
    let files = [("counts.csv", results.counts.len()), ("kernels.csv", results.kernel_times.len())];
    for (file, read) in files {
        assert_eq!(column(&run.folder.join(file), "kernel").len(), read, "{file}");
    }
    assert!(results.times.by(Scope::CudaGraph).next().is_some());
}

#[test]
fn a_run_of_a_pair_is_told_from_one_alone() {
    let (run, samples) = open("pair");
    assert_eq!(run.manifest.pair.map(|pair| pair.side), Some(Side::Base));
    assert!(!samples.is_empty());
}

#[test]
fn graphs_in_several_element_types_are_read_with_their_ceilings() {
    let (run, _) = open("element-types");
    assert_eq!(run.manifest.experiment.elements(), [ElementType::F32, ElementType::I32, ElementType::U16]);
    let ceilings = run.environment().unwrap().ceilings.device.unwrap();
    assert!(ceilings.arithmetic.get(ElementType::U16).is_some());
    let graphs: BTreeSet<&str> = run.results.summary.iter().map(|row| row.graph.as_str()).collect();
    assert_eq!(graphs, BTreeSet::from(["", "i32", "u16"]));
}

#[test]
fn a_sealed_run_with_repeats_is_sound() {
    let (run, samples) = open("repeats");
    assert_eq!((run.seal, samples.len()), (SealCheck::Sound, 5));
    assert_eq!(run.results.repeats[0].different, 0);
    assert!(run.results.repeats[0].joules.is_some());
}

#[test]
fn estimates_pinned_cores_and_the_load_of_others_are_read() {
    let (run, samples) = open("estimates");
    assert!(run.environment().unwrap().pinning.is_some());
    assert!(!samples.is_empty() && run.samples.iter().all(|row| row.iterations == Some(128)));
    assert!(run.samples.iter().all(|row| row.others_load.is_some()));
}

#[test]
fn what_solved_together_and_the_times_of_each_device_are_read() {
    let (run, samples) = open("parts");
    assert_eq!((&run.seal, samples.len()), (&SealCheck::Sound, 6));
    assert!(run.manifest.experiment.sharded);
    let environment = run.environment().unwrap();
    let together = environment.together.as_ref().unwrap();
    assert_eq!((together.processes, environment.further_devices.len()), (2, 1));
    let devices = &run.results.devices;
    assert_eq!(column(&run.folder.join("devices.csv"), "solve_s").len(), devices.len());
    assert!(devices.iter().all(|row| row.waiting_s < row.compute_s), "{devices:?}");
}

#[test]
fn programs_a_kernel_from_a_file_and_their_files_are_read() {
    let (run, samples) = open("programs");
    // Those of the implementation that is part of this program.
    assert_eq!((&run.seal, samples.len()), (&SealCheck::Sound, 12));
    let given = &run.manifest.experiment.given;
    let names: Vec<&str> = given.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["own", "scipy-floyd-warshall", "scipy-whole"]);
    // What runs, whatever lies in the folder by now.
    assert!(given[0].sources[0].1.contains("extern \"C\" __global__ void relax"));
    let environment = run.environment().unwrap();
    assert!(environment.protections.is_some());
    for file in given {
        let of_file = |one: &&ImplementationRecord| one.implementation == file.name;
        let record = environment.implementations.iter().find(of_file).unwrap();
        assert_eq!(record.external.as_ref().map(|external| external.hash.as_str()), Some(&*file.hash()));
    }
    let scopes = |name: &str| -> BTreeSet<Scope> {
        let cells = run.results.summary.iter().filter(|row| row.implementation == name);
        cells
            .flat_map(|row| run.cell(&row.cell()).clocks().map(|clock| clock.scope).collect::<Vec<_>>())
            .collect()
    };
    assert_eq!(scopes("scipy-floyd-warshall"), BTreeSet::from(Scope::PROGRAM));
    assert_eq!(scopes("scipy-whole"), BTreeSet::from([Scope::Program]));
    assert_eq!(run.results.times.by(Scope::ProgramSolve).count(), 2);
    assert_eq!(
        run.results.times.by(Scope::Program).map(|(_, timed)| timed.samples.len()).collect::<Vec<_>>(),
        [6, 6, 6]
    );
    let of_program: Vec<_> = run.results.summary.iter().filter(|row| row.program_s.is_some()).collect();
    assert!(of_program.len() == 3 && of_program.iter().all(|row| row.median_s.is_none() && row.samples == 6));
    assert!(run.results.counts.iter().any(|row| row.cell.implementation == "own"));
}

#[test]
fn a_smoke_run_has_a_version_that_older_readers_refuse() {
    let (run, _) = open("smoke");
    assert_eq!((run.manifest.schema_version, run.manifest.purpose), (2, Purpose::Smoke));
    assert_eq!(run.seal, SealCheck::Sound);
}

#[test]
fn what_records_say_of_implementations_is_read_and_what_those_of_before_left_out_is_known() {
    let (run, _) = open("self-describing");
    let kernels = &run.environment().unwrap().implementations[0];
    assert_eq!((kernels.solved_on, kernels.devices), (Some(SolvedOn::Device), Some(1)));
    assert_eq!(kernels.defaults, Some([("padding-kib", 0)].into()));
    let text = std::fs::read_to_string(folder().join("self-describing/counts.csv")).unwrap();
    let stored: Vec<&str> = text.lines().skip(1).filter_map(|line| line.rsplit(',').next()).collect();
    let read: Vec<String> = run.results.counts.iter().map(|row| row.tasks.unwrap().to_string()).collect();
    assert_eq!(read, stored);
    let (before, _) = open("named-graphs");
    assert!(before.environment().unwrap().implementations.iter().all(|record| record.solved_on.is_none()));
    assert!(before.is_on_device("generalized-blocked") && !before.is_on_device("cpu-naive"));
    assert!(before.results.counts.iter().any(|row| row.tasks.is_some_and(|tasks| tasks > 0)));
}

#[test]
fn orders_and_what_was_seen_between_launches_are_read_and_before_there_was_the_usual_order_alone() {
    let (run, _) = open("orders");
    assert_eq!((run.manifest.experiment.orders, run.manifest.experiment.between_launches), (4, true));
    let unlike: Vec<Option<u64>> = run.results.counts.iter().map(|row| row.unlike_plain).collect();
    assert_eq!(unlike, [Some(2), Some(2), Some(0)]);
    assert_eq!(run.judged().filter(|(_, is_right)| *is_right).count(), 4);
    let (before, _) = open("self-describing");
    assert_eq!((before.manifest.experiment.orders, before.manifest.experiment.between_launches), (1, false));
    assert!(before.results.counts.iter().all(|row| row.unlike_plain.is_none()));
}

#[test]
fn a_stored_run_has_the_newest_version_and_the_newest_columns_of_each_file() {
    let versions: BTreeSet<u32> =
        all().iter().map(|path| StoredRun::open(path).unwrap().manifest.schema_version).collect();
    assert_eq!(versions, (1..=SCHEMA_VERSION).collect());
    let header = |rows: Vec<u8>| String::from_utf8(rows).unwrap().lines().next().unwrap().to_string();
    let (named, repeats, estimates) =
        (open("named-graphs").0.results, open("repeats").0.results, open("estimates").0);
    let sample: &[SampleRow] = &estimates.samples[..1];
    let cells: Vec<_> = named.summary.iter().map(|row| row.cell()).collect();
    let scopes = scope_rows(&cells, &named.times);
    for (file, written) in [
        ("estimates/samples.csv", header(write_rows(sample, true))),
        ("estimates/summary.csv", header(write_rows(&estimates.results.summary, true))),
        ("orders/counts.csv", header(write_rows(&open("orders").0.results.counts, true))),
        ("named-graphs/kernels.csv", header(write_rows(&named.kernel_times, true))),
        ("named-graphs/scopes.csv", header(write_rows(&scopes, true))),
        ("repeats/repeats.csv", header(write_rows(&repeats.repeats, true))),
        ("parts/devices.csv", header(write_rows(&open("parts").0.results.devices, true))),
    ] {
        let stored = std::fs::read(folder().join(file)).unwrap();
        assert_eq!(
            header(stored),
            written,
            "{file}: store a run with the new columns in a folder of its own"
        );
    }
}

#[test]
fn a_report_takes_all_of_them_but_smoke_runs() {
    let out = tempfile::tempdir().unwrap();
    let output = repro()
        .args(["report", "--unsealed", "--out"])
        .arg(out.path().join("page"))
        .arg(folder())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("note: Left out: 1 smoke run, "), "{}", stdout(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn histories_are_read_and_one_from_before_its_first_release_is_refused_by_name() {
    let place = tempfile::tempdir().unwrap();
    for (name, load) in [("history.csv", Some(0.02)), ("history-without-telemetry.csv", None)] {
        std::fs::copy(folder().join(name), place.path().join("gpu.csv")).unwrap();
        let (read, damaged) = read_folder(place.path()).unwrap();
        let loads: Vec<Option<f64>> = read[0].rows.iter().map(|row| row.others_load).collect();
        assert_eq!((loads, damaged.len()), (vec![load], 0));
    }
    std::fs::copy(folder().join("history-without-beside.csv"), place.path().join("gpu.csv")).unwrap();
    let (read, damaged) = read_folder(place.path()).unwrap();
    assert!(read.is_empty());
    let problem = damaged[0].to_string();
    assert!(
        problem.contains("gpu.csv line 1 is not the header")
            && problem.contains("use the repro that wrote it")
    );
}
