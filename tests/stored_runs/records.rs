//! A run's folder: what is refused leaves it as it was, and what somebody damaged is told from what a kill tore off.

use crate::common::stored::{redigest, reference, unfinish};
use crate::common::{assert_refused, column, files, run, run_table1, stderr};
use repro::store::find_runs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A finished run of three samples of one cell: a header and twelve lines.
struct Finished {
    _folder: tempfile::TempDir,
    out: PathBuf,
    manifest: String,
    samples: String,
}

impl Finished {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run");
        let arguments = ["--device", "cpu", "--only", "cpu-naive", "--sizes", "8", "--samples", "3"];
        let output = run_table1(&out, &arguments);
        assert!(output.status.success(), "{}", stderr(&output));
        let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
        let (manifest, samples) = (read("manifest.json"), read("samples.csv"));
        assert_eq!(samples.lines().count(), 13);
        Self { _folder: folder, out, manifest, samples }
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.out.join(name), text).unwrap();
    }

    fn resume(&self) -> Output {
        run(&["run", "table1", "--resume", self.out.to_str().unwrap()])
    }

    /// Resuming with these two files says all of `parts` and changes neither.
    #[track_caller]
    fn refuses(&self, manifest: &str, samples: &str, parts: &[&str]) {
        self.write("manifest.json", manifest);
        self.write("samples.csv", samples);
        redigest(&self.out);
        let before = files(&self.out);
        assert_refused(&self.resume(), parts);
        assert!(files(&self.out) == before, "{parts:?} changed something");
    }
}

#[test]
fn a_finished_run_can_be_resumed_and_nothing_is_measured_again() {
    let finished = Finished::new();
    assert!(finished.resume().status.success());
    assert_eq!(std::fs::read_to_string(finished.out.join("samples.csv")).unwrap(), finished.samples);
}

#[test]
fn what_a_kill_cannot_leave_is_named_by_line_and_left_as_it_is() {
    let finished = Finished::new();
    let damages = [
        ("cpu-naive,8,,device,1,", "cpu-naive,eight,,device,1,", "line 7"),
        ("cpu-naive,8,,device,1,", "cpu-naive,8,device,1,", "line 7"),
        ("cpu-naive,8,,host,0,", "cpu-naive,8,,hose,0,", "line 5"),
        (",scope,sample,", ",scope,simple,", "line 2"),
        // Times that cannot be, and one whose result was never found right.
        ("cpu-naive,8,,kernel,1,", "cpu-naive,8,,kernel,1,-", "line 6"),
        (
            "cpu-naive,8,,kernel,1,",
            "cpu-naive,8,,kernel,1,NaN,ok,true,,,,,,,,,,\ncpu-naive,8,,kernel,1,",
            "line 6",
        ),
        (
            "cpu-naive,8,,kernel,1,",
            "cpu-naive,8,,kernel,1,,ok,true,,,,,,,,,,\ncpu-naive,8,,kernel,1,",
            "line 6",
        ),
        (",ok,true,", ",ok,false,", "line 2 is not a sample: it has a time and is not verified"),
        (",ok,true,", ",failed,true,", "line 2 is not a sample: it is failed and has seconds"),
    ];
    for (from, to, line) in damages {
        assert!(finished.samples.contains(from), "{from}");
        let damaged = finished.samples.replacen(from, to, 1);
        finished.refuses(&finished.manifest, &damaged, &["samples.csv: ", line, "start a new run"]);
    }
}

#[test]
fn a_sample_that_lacks_a_scope_or_comes_twice_is_named() {
    let finished = Finished::new();
    let with = |change: &dyn Fn(&mut Vec<&str>), part: &str| {
        let mut lines: Vec<&str> = finished.samples.lines().collect();
        change(&mut lines);
        let damaged = lines.join("\n") + "\n";
        finished.refuses(&finished.manifest, &damaged, &["samples.csv: line ", part]);
    };
    with(&|lines| _ = lines.remove(6), "sample 1 of cpu-naive n = 8 lacks scope device");
    with(&|lines| lines.insert(6, lines[5]), "sample 1 of cpu-naive n = 8 lacks scope device");
    with(&|lines| _ = lines.drain(7..9), "sample 1 of cpu-naive n = 8 is not whole");
    with(&|lines| lines.extend_from_within(5..9), "sample 1 of cpu-naive n = 8 comes twice");
}

#[test]
fn samples_that_are_gone_are_missed() {
    let finished = Finished::new();
    std::fs::remove_file(finished.out.join("samples.csv")).unwrap();
    assert_refused(&finished.resume(), &["samples.csv was removed"]);
}

/// The files as a kill at these moments leaves them.
#[test]
fn a_run_stopped_before_its_first_sample_can_be_resumed() {
    let finished = Finished::new();
    let mut early: serde_json::Value = serde_json::from_str(&finished.manifest).unwrap();
    (early["environment"], early["finished"]) = (serde_json::Value::Null, serde_json::Value::Null);
    for left in [None, Some(""), Some("implementation,n,par")] {
        finished.write("manifest.json", &early.to_string());
        std::fs::remove_file(finished.out.join("samples.csv")).unwrap();
        if let Some(left) = left {
            finished.write("samples.csv", left);
        }
        redigest(&finished.out);
        let output = finished.resume();
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(column(&finished.out.join("samples.csv"), "status"), ["ok"; 12]);
    }
}

#[test]
fn a_refused_continuation_leaves_the_manifest_as_it_was() {
    let finished = Finished::new();
    // One that is done is continued by nobody.
    unfinish(&finished.out);
    let stopped = std::fs::read_to_string(finished.out.join("manifest.json")).unwrap();
    let device = r#""device": {"info": {"ordinal": 0, "name": "GPU", "uuid": "GPU-1", "compute_capability": [9, 0],
        "multiprocessors": 132, "memory_bytes": 1, "l2_bytes": 1, "shared_bytes_per_multiprocessor": 1,
        "registers_per_multiprocessor": 1, "threads_per_multiprocessor": 1, "clock_mhz": 1, "driver_cuda": "13.0",
        "shared_bytes_per_block": 1, "emulated": false},
        "driver": "580", "compiler": "NVRTC", "compiler_problem": null, "telemetry_problem": null},
    "device_problem""#;
    for (from, to, part) in [
        ("\"cpu\": \"", "\"cpu\": \"Another ", "another host"),
        ("\"device\": null,\n    \"device_problem\"", device, "another device and another driver"),
        ("\"columns\": [", "\"columns\": [[", "manifest.json: "),
    ] {
        assert!(stopped.contains(from), "{from}");
        finished.refuses(&stopped.replacen(from, to, 1), &finished.samples, &[part]);
    }
}

fn entries(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn what_cannot_be_had_at_all_leaves_no_run_in_the_way_of_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let missing = ["--device", "cuda", "--sizes", "8", "--only", "cpu-naive"];
    assert_refused(&run_table1(&out, &missing), &["--device cuda", "--device cpu"]);
    assert!(!out.exists());
    // Somebody else's file is left alone.
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("notes"), "mine").unwrap();
    assert_refused(&run_table1(&out, &missing), &["--device cuda"]);
    assert_eq!(entries(&out), ["notes"]);
    assert!(run_table1(&out, &["--device", "cpu", "--sizes", "8", "--only", "cpu-naive"]).status.success());
}

#[test]
fn a_folder_without_a_run_gets_no_files_from_resuming() {
    let folder = tempfile::tempdir().unwrap();
    assert_refused(&run(&["run", "table1", "--resume", folder.path().to_str().unwrap()]), &["holds no run"]);
    assert_eq!(entries(folder.path()), [] as [&str; 0]);
}

#[test]
fn a_graph_that_changed_is_another_graph() {
    let folder = tempfile::tempdir().unwrap();
    let (graph, out) = (folder.path().join("net.gr"), folder.path().join("run"));
    std::fs::write(&graph, "p sp 3 2\na 1 2 5\na 2 3 1\n").unwrap();
    let arguments = ["--device", "cpu", "--only", "cpu-naive", "--samples", "3", "--graph"];
    let output = run_table1(&out, &[&arguments[..], &[graph.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    // One more sample to take.
    let samples = std::fs::read_to_string(out.join("samples.csv")).unwrap();
    let lines: Vec<&str> = samples.lines().collect();
    std::fs::write(out.join("samples.csv"), lines[..lines.len() - 4].join("\n") + "\n").unwrap();
    unfinish(&out);
    let before = files(&out);
    std::fs::write(&graph, "p sp 3 2\na 1 2 5\na 2 3 2\n").unwrap();
    let resumed = run(&["run", "table1", "--resume", out.to_str().unwrap()]);
    assert_refused(&resumed, &["net.gr", "has changed", "start a new one"]);
    assert_eq!(files(&out), before);
    std::fs::write(&graph, "p sp 3 2\na 1 2 5\na 2 3 1\n").unwrap();
    assert!(run(&["run", "table1", "--resume", out.to_str().unwrap()]).status.success());
    assert_eq!(std::fs::read_to_string(out.join("samples.csv")).unwrap().lines().count(), 13);
}

#[test]
fn every_committed_run_is_read_and_written_again_as_it_is() {
    let folders = find_runs(&reference("")).unwrap();
    assert!(folders.len() > 10);
    for folder in folders {
        let mut records = repro::store::read(&folder).unwrap_or_else(|error| panic!("{error}"));
        assert!(!records.samples.rows.is_empty());
        let samples = &records.samples;
        assert!(samples.torn().is_empty() && !samples.lacks_line_end(), "{}", folder.display());
        let text = repro::store::manifest_text(&folder, &mut records.manifest).unwrap();
        assert!(text == std::fs::read(folder.join("manifest.json")).unwrap(), "{}", folder.display());
    }
}
