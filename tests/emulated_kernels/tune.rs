//! `repro tune` on the emulated device: a kernel of two parameters that is wrong at one point, stopped, continued, and its best used.

use crate::common::{assert_refused, column, repro, repro_with_compiler, signal, stderr, stdout};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Blocks of 2048 threads are refused. With columns of 32 and 4 rows a thread it is wrong.
const TABLE: &str = r#"
name = "two"
summary = "one launch a k, several rows a thread"
from = "a test"
source = "two.cu"
elements = ["f32"]

[parameters.width]
meaning = "columns a block"
values = [16, 32, 2048]
default = 16

[parameters.rows]
meaning = "rows a thread"
values = [1, 4]
default = 1

[kernels.step]
threads = "width"

[solve]
script = """
for k in 0..n {
    launch("step", [(n + width - 1) / width, (n + rows - 1) / rows], [matrix, n, pitch, k]);
}
"""
"#;
const KERNEL: &str = r#"
#include "repro.cuh"

KERNEL void step(distance *d, int n, int pitch, int k) {
    const int j = blockIdx.x * WIDTH + threadIdx.x;
    if (j >= n) return;
    const distance from_k = d[k * pitch + j];
    for (int row = 0; row < ROWS; ++row) {
        const int i = blockIdx.y * ROWS + row;
        if (i >= n || (WIDTH == 32 && ROWS == 4 && i == 3)) return;
        relax_in_place(&d[i * pitch + j], d[i * pitch + k], from_k);
    }
}
"#;

const OPTIONS: [&str; 9] =
    ["two.toml", "--device", "emulated", "--n", "40", "--seed", "5", "--json", "--out"];

fn written(folder: &Path) {
    std::fs::write(folder.join("two.toml"), TABLE).unwrap();
    std::fs::write(folder.join("two.cu"), KERNEL).unwrap();
}

fn tune(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = repro_with_compiler();
    command.arg("tune").args(arguments).current_dir(folder);
    command
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(output)))
}

/// The points in their order, with what they cost.
fn points(shown: &Value) -> Vec<(String, Option<f64>)> {
    let all = shown["points"].as_array().unwrap().iter();
    all.map(|point| (point["parameters"].to_string(), point["cost"].as_f64())).collect()
}

/// Stops a search after its first point, and has it go on. It has the same points as one that was never stopped.
#[cfg(target_os = "linux")]
fn stopped_and_resumed(folder: &Path, whole: &[(String, Option<f64>)]) {
    let child = tune(folder, &[&OPTIONS[..], &["stopped"]].concat()).spawn().unwrap();
    let samples = folder.join("stopped/samples.csv");
    let begun = || std::fs::read_to_string(&samples).is_ok_and(|text| text.lines().count() > 1);
    while !begun() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(signal(child.id(), rustix::process::Signal::INT));
    let stopped = child.wait_with_output().unwrap();
    assert_eq!(stopped.status.code(), Some(130), "{}", stderr(&stopped));
    assert!(stderr(&stopped).contains("continue with: repro tune --resume stopped"), "{}", stderr(&stopped));
    let shown = json(&stopped);
    assert!(points(&shown).len() < whole.len(), "{shown}");
    assert!(shown["ended"] == false && shown["command"].is_null(), "{shown}");
    let mut too_soon = repro_with_compiler();
    too_soon.args(["run", "table1", "--device", "emulated", "--tuned", "stopped"]).current_dir(folder);
    let message = "this search has not ended: repro tune --resume stopped";
    assert_refused(&too_soon.output().unwrap(), &[message]);
    let resumed = tune(folder, &["--resume", "stopped", "--json"]).output().unwrap();
    assert_eq!(points(&json(&resumed)), whole, "{}", stderr(&resumed));
    // What was counted before was not counted again.
    let rows = |out: &str| column(&folder.join(out).join("samples.csv"), "params");
    assert_eq!(rows("stopped"), rows("found"));
}

#[test]
fn what_cannot_be_searched_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let refused = |arguments: &[&str], parts: &[&str]| {
        let output = repro().arg("tune").args(arguments).current_dir(folder).output().unwrap();
        assert_refused(&output, parts);
    };
    refused(&["katz-kiderr"], &["unknown implementation 'katz-kiderr': did you mean katz-kider"]);
    refused(&["no.toml"], &["no.toml"]);
    refused(&["cpu-parallel", "--device", "cpu"], &["cpu-parallel has no parameter with a second value"]);
    refused(&["two-phase", "--n", "0"], &["--n 0: a graph has at least 1 vertex"]);
    refused(&["--resume", "nowhere"], &["nowhere holds no run"]);
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn a_search_lists_what_is_wrong_chooses_the_best_of_the_rest_and_goes_on_when_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        written(folder);
        let output = tune(folder, &[&OPTIONS[..], &["found"]].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let shown = json(&output);
        let points = points(&shown);
        // Those with blocks of 2048 threads were not tried, and cost none of the budget.
        assert_eq!(points.len(), 4, "{shown}");
        assert_eq!(points[0].0, "{}");
        let wrong: Vec<&str> =
            points.iter().filter(|(_, cost)| cost.is_none()).map(|(name, _)| &**name).collect();
        assert_eq!(wrong, [r#"{"rows":4,"width":32}"#]);
        let reason = |point: &Value| point["reason"].as_str().map(String::from);
        let reasons: Vec<String> = shown["points"].as_array().unwrap().iter().filter_map(reason).collect();
        assert!(reasons.len() == 1 && reasons[0].starts_with("failed: "), "{reasons:?}");
        let least = points.iter().filter_map(|(_, cost)| *cost).fold(f64::INFINITY, f64::min);
        assert_eq!(
            (shown["by"].as_str(), shown["best"]["cost"].as_f64()),
            (Some("sector-bytes-a-task"), Some(least))
        );
        assert!(stderr(&output).contains("1 of 4 points was wrong or failed"), "{}", stderr(&output));

        let best = &shown["best"]["parameters"];
        assert_ne!(best.to_string(), "{}", "the defaults have the most bytes");
        let command = shown["command"].as_str().unwrap();
        let mut words = command.split_whitespace().skip(1);
        let mut run = repro_with_compiler();
        run.arg(words.next().unwrap()).args(words).args(["--quiet", "--out", "run"]).current_dir(folder);
        let ran = run.output().unwrap();
        assert_eq!(ran.status.code(), Some(0), "{command}: {}", stderr(&ran));
        let params = &column(&folder.join("run/samples.csv"), "params")[0];
        let set = |(name, value): (&String, &Value)| format!("{name}={value}");
        assert_eq!(*params, best.as_object().unwrap().iter().map(set).collect::<Vec<_>>().join(";"));

        #[cfg(target_os = "linux")]
        stopped_and_resumed(folder, &points);

        // Printed again, as a table, and nothing is changed.
        let before = crate::common::files(&folder.join("found"));
        let again = tune(folder, &["--resume", "found"]).output().unwrap();
        assert_eq!(again.status.code(), Some(1));
        let text = stdout(&again);
        assert!(text.contains("counted, not timed") && text.contains("rows=4, width=32: failed: "), "{text}");
        assert!(text.contains("--tuned found"), "{text}");
        assert!(crate::common::files(&folder.join("found")) == before);
        // A search is no plain run.
        let plain = repro().args(["run", "--resume", "found"]).current_dir(folder).output().unwrap();
        assert_refused(&plain, &["found holds a search: continue it with repro tune --resume found"]);
    }
}
