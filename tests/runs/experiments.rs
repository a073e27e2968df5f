//! Table 1 and the experiments beside it, at small sizes on a machine without a GPU: the CPU is timed, and kernels run on the emulated device
//! with its checker, where results are verified, accesses counted, and seconds never taken.
//! And `--smoke`: every experiment at one small size, and marked so that nothing is judged by it.

use crate::common::place::Place;
use crate::common::{csv, repro, stderr, stdout};
use repro::plan::available_experiments;
use repro::results::{StoredRun, SummaryRow};
use repro::store::{Purpose, Status};
use std::collections::BTreeSet;

/// Runs on the emulated device alone, into `run`.
fn emulate(experiment: &str, words: &str) -> (Place, String) {
    let place = Place::new();
    let call = format!("run {experiment} --device emulated --all --quiet --no-report --out run {words}");
    let text = stdout(&place.emulate(&call));
    (place, text)
}

/// All that stand in a column.
fn unique(place: &Place, name: &str, title: &str) -> Vec<String> {
    BTreeSet::from_iter(place.column(name, title)).into_iter().collect()
}

/// Runs an experiment that has so many implementations, and so many rows of counts: one a kernel of a cell.
fn runs_right_and_times_nothing(experiment: &str, words: &str, implementations: usize, counts: usize) {
    let (place, text) = emulate(experiment, words);
    assert!(text.contains("launches ┆") && !text.contains("Seconds"), "{text}");
    // All that are planned, since the emulated device runs nothing else.
    let planned = StoredRun::open(&place.path("run")).unwrap().manifest.experiment.columns;
    let planned: BTreeSet<String> = planned.into_iter().map(|column| column.implementation).collect();
    let counted = unique(&place, "run/counts.csv", "implementation");
    assert_eq!(counted, Vec::from_iter(planned), "{experiment}");
    let rows = csv(&place.path("run/counts.csv")).1.len();
    assert_eq!((counted.len(), rows), (implementations, counts), "{experiment}");
    assert!(place.column("run/counts.csv", "launches").iter().all(|launches| launches != "0"));
    for (title, only) in
        [("status", "counted"), ("verified", "true"), ("verification", "exact"), ("seconds", "")]
    {
        assert_eq!(unique(&place, "run/samples.csv", title), [only], "{experiment}: {title}");
    }
    assert_eq!(unique(&place, "run/summary.csv", "median_s"), [""], "{experiment}");
}

#[test]
fn table_1_runs_its_kernels_right_and_checked_on_the_emulated_device_and_times_nothing() {
    runs_right_and_times_nothing("table1", "--sizes 33", 4, 10);
}

#[test]
fn without_a_gpu_the_cpu_is_measured_one_line_says_why_the_others_are_not_and_the_manifest_says_where() {
    let place = Place::new();
    let text = stdout(&place.succeed("run table1 --sizes 64,100 --seed 9 --no-report --out run"));
    let reasons: Vec<&str> = text.lines().filter(|line| line.contains("not run")).collect();
    let [reason] = reasons[..] else { panic!("{text}") };
    assert!(
        reason.starts_with("8 cells not run: ") && reason.contains("install the NVIDIA driver"),
        "{reason}"
    );
    let column = |title| place.column("run/samples.csv", title);
    let (statuses, scopes, verified, seconds) =
        (column("status"), column("scope"), column("verified"), column("seconds"));
    let timed: Vec<usize> = (0..statuses.len()).filter(|&at| statuses[at] == "ok").collect();
    assert!(timed.iter().all(|&at| verified[at] == "true" && seconds[at].parse::<f64>().unwrap() > 0.0));
    for scope in ["kernel", "device", "total", "host"] {
        let count = timed.iter().filter(|&&at| scopes[at] == scope).count();
        assert_eq!(count * 4, timed.len(), "every sample has scope {scope} once");
    }
    assert_eq!(statuses.iter().filter(|status| *status == "skipped").count(), 8);
    assert!(place.read("run/table.md").contains("| cpu-parallel |"));
    let manifest = place.json("run/manifest.json");
    assert_eq!(manifest["schema_version"], 3);
    assert_eq!(manifest["experiment"]["graphs"][0]["source"]["seed"], 9);
    assert_eq!(manifest["experiment"]["columns"][0]["sizes"][0], 64);
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
fn verify_checks_what_can_run_and_says_what_cannot() {
    let text = stdout(&Place::new().succeed("verify --sizes 1,33"));
    assert!(text.contains("all 110 checks passed"), "{text}");
    let needing: Vec<&str> = text.lines().filter(|line| line.starts_with("not run: needs")).collect();
    assert!(needing.len() == 1 && needing[0].starts_with("not run: needs a device ("), "{text}");
}

fn open(place: &Place, name: &str) -> StoredRun {
    StoredRun::open(&place.path("small").join(name)).unwrap()
}

#[test]
fn kernels_are_checked_and_counted_without_a_gpu_and_no_claim_is_judged_by_what_came_of_it() {
    let place = Place::new();
    let text = stdout(&place.emulate("run table1 --smoke --quiet --out small"));
    assert!(text.contains("table1               2 timed, 4 counted"), "{text}");
    let run = open(&place, "table1");
    let counted = run.samples.iter().filter(|row| row.status == Status::Counted);
    assert!(counted.clone().count() == 4 && counted.clone().all(|row| row.verified && row.n == 64));
    let not_judged = ["small/table1 is a smoke run", "without --smoke"];
    place.refuse("report small/table1 --out page", &not_judged);
    place.refuse("compare small/table1 small/table1", &not_judged);
    place.refuse("history small/table1 --out history", &not_judged);
    // A folder of nothing else is refused for what it is.
    let nothing = ["nothing to report: all that was given is 1 smoke run, ", "without --smoke"];
    place.refuse("report small --out page", &nothing);
    // Among others it is left out with a notice, and nothing is wrong.
    let other = concat!(env!("CARGO_MANIFEST_DIR"), "/results/reference/emulated/structure");
    let text = stdout(&place.succeed(&format!("report small {other} --out page")));
    assert!(text.contains("note: Left out: 1 smoke run, "), "{text}");
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn every_experiment_runs_its_kernels_right_and_checked_on_the_emulated_device_and_times_nothing() {
        runs_right_and_times_nothing("kappa-sweep", "--sizes 70 --param kappa=3", 1, 7);
        runs_right_and_times_nothing("occupancy", "--sizes 70", 5, 14);
        runs_right_and_times_nothing("timers", "--sizes 48", 3, 5);
        runs_right_and_times_nothing("ablation", "--sizes 64", 9, 27);
    }

    #[test]
    #[ignore = "long"]
    fn without_a_name_every_experiment_runs_into_a_folder_of_its_own() {
        let place = Place::new();
        // In the clone, where programs beside an experiment are found.
        let mut command = repro();
        command.args(["run", "--smoke", "--device", "cpu", "--quiet", "--out"]).arg(place.path("small"));
        let output = command.output().unwrap();
        let text = stdout(&output);
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{text}");
        for name in available_experiments() {
            let run = open(&place, &name);
            assert!(run.manifest.finished.is_some() && run.manifest.purpose == Purpose::Smoke, "{name}");
            assert!(!run.folder.join("report").exists(), "{name}: nothing is judged by it");
            assert!(text.lines().any(|line| line.split_whitespace().next() == Some(&name)), "{name}: {text}");
        }
        let table1 = open(&place, "table1");
        let timed = |row: &&SummaryRow| row.median_s.is_some();
        assert_eq!(table1.results.summary.iter().filter(timed).count(), 2);
        let samples = table1.samples.iter().filter(|row| row.status == Status::Ok);
        assert!(samples.clone().count() > 0 && samples.clone().all(|row| row.verified && row.n == 64));
        assert!(text.contains("table1               2 timed, 4 left out"), "{text}");
        let reasons = text.lines().filter(|line| line.starts_with("  left out: "));
        assert_eq!(reasons.clone().count(), reasons.collect::<BTreeSet<_>>().len(), "{text}");
    }
}
