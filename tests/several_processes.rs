//! `repro run` in several processes, started as torchrun, srun and mpirun start them, on emulated devices.

mod common;

use common::{column, repro_with_compiler, stderr};
use std::path::Path;
use std::process::{Child, Output};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

const EXPERIMENT: &str = "title = \"In parts\"
in_parts = true
graph = { edges_per_vertex = [4], max_weight = 100, seed = 1 }
sampling = { min_samples = 1, max_samples = 1, precision = 0.1, budget_s = 9.0 }
limits = { warm_up_s = 0.0, sample_s = 60.0, full_cell_s = 60.0, whole_reference_n = 512, reference_rows = 8 }
emulated = { sizes = [SIZES] }

[[cells]]
implementation = \"distributed-blocked\"
parameters = { devices = [DEVICES] }
sizes = [512]
";

/// As many processes as there are names of variables for, each with the arguments.
fn start(
    folder: &Path,
    variables: &dyn Fn(usize) -> Vec<(&'static str, String)>,
    arguments: &[&str],
) -> Vec<Child> {
    let of = |rank: usize| {
        let mut command = repro_with_compiler();
        command
            .current_dir(folder)
            .envs(variables(rank))
            .arg("run")
            .args(arguments)
            .arg("--quiet")
            .spawn()
            .unwrap()
    };
    (0..2).map(of).collect()
}

/// A place to meet that no other test has.
fn port() -> String {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Sixteen are tried from each on.
    let own = 20_000 + (std::process::id() % 500) as u16 * 32 + NEXT.fetch_add(16, Ordering::Relaxed) % 32;
    own.to_string()
}

fn torchrun(port: &str) -> impl Fn(usize) -> Vec<(&'static str, String)> {
    move |rank| {
        vec![
            ("RANK", rank.to_string()),
            ("WORLD_SIZE", "2".into()),
            ("LOCAL_RANK", rank.to_string()),
            ("LOCAL_WORLD_SIZE", "2".into()),
            ("MASTER_ADDR", "127.0.0.1".into()),
            ("MASTER_PORT", port.to_string()),
        ]
    }
}

fn outputs(processes: Vec<Child>) -> Vec<Output> {
    processes.into_iter().map(|process| process.wait_with_output().unwrap()).collect()
}

fn experiment_in(folder: &Path, sizes: &str, devices: &str) {
    let text = EXPERIMENT.replace("SIZES", sizes).replace("DEVICES", devices);
    std::fs::write(folder.join("parts.toml"), text).unwrap();
}

#[test]
fn two_processes_solve_and_verify_together_and_the_first_has_the_records() {
    let folder = tempfile::tempdir().unwrap();
    experiment_in(folder.path(), "100", "1, 2, 3");
    let port = port();
    let arguments = ["parts.toml", "--device", "emulated", "--out", "run"];
    let outputs = outputs(start(folder.path(), &torchrun(&port), &arguments));
    for output in &outputs {
        assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    }
    assert!(outputs[1].stdout.is_empty(), "{}", common::stdout(&outputs[1]));
    let samples = folder.path().join("run/samples.csv");
    assert_eq!(column(&samples, "status"), ["skipped", "counted", "counted"]);
    let digests = column(&samples, "digest");
    assert!(digests[1].len() == 16 && digests[1] == digests[2], "{digests:?}");
    assert!(column(&samples, "message")[0].contains("needs 3 devices, and the 2 processes have 2 in all"));
    let manifest = std::fs::read_to_string(folder.path().join("run/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["environment"]["further_devices"].as_array().unwrap().len(), 1);
}

#[test]
fn a_process_that_dies_ends_the_run_with_a_line_that_names_it_and_the_run_can_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    experiment_in(folder.path(), "100, 257", "2");
    let first = port();
    let arguments = ["parts.toml", "--device", "emulated", "--out", "run"];
    let mut processes = start(folder.path(), &torchrun(&first), &arguments);
    let samples = folder.path().join("run/samples.csv");
    let begun = Instant::now();
    // Its first cell is done: the second is being solved.
    while std::fs::read_to_string(&samples).map_or(0, |text| text.lines().count()) < 2 {
        assert!(begun.elapsed() < Duration::from_secs(120), "nothing is measured");
        std::thread::sleep(Duration::from_millis(5));
    }
    processes[1].kill().unwrap();
    let killed = Instant::now();
    let ended = outputs(processes);
    assert!(killed.elapsed() < Duration::from_secs(30), "{:?}", killed.elapsed());
    let told = stderr(&ended[0]);
    assert_eq!(ended[0].status.code(), Some(1), "{told}");
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("rank 1")).collect();
    assert!(
        lines.len() == 1 && lines[0].contains("continue with: repro run parts.toml --resume run"),
        "{told}"
    );
    let second = port();
    let resumed = outputs(start(folder.path(), &torchrun(&second), &["--resume", "run"]));
    for output in &resumed {
        assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    }
    assert_eq!(column(&samples, "status"), ["counted", "counted"]);
}
