//! Implementations from outside of the catalogue: one that a program registers, files that an experiment names, and programs that take a
//! GPU themselves.

use crate::common::script::{Script, created, run_journal, taking};
use crate::common::{assert_refused, column, repro, repro_with_compiler, stderr, stdout};
use repro::device::{DeviceError, Selection};
use repro::implementation::{
    Capabilities, Cost, Devices, Implementation, Parameters, PreparedSolve, Problem, Solver,
    register_unlisted,
};
use repro::plan::{ExperimentFile, Overrides, resolve};
use repro::results::StoredRun;
use repro::store::Status;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

#[test]
fn an_example_registers_an_implementation_and_has_it_run_verified_and_recorded() {
    let example =
        assert_cmd::cargo::cargo_bin!("repro").with_file_name("examples").join("own_implementation");
    assert!(example.exists(), "{} is missing: cargo build --examples", example.display());
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut command = Command::new(&example);
    command.args([
        "run",
        "examples/own_implementation.toml",
        "--sizes",
        "1,33,64",
        "--device",
        "cpu",
        "--out",
    ]);
    let output = command.arg(&out).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("min-plus-squaring"), "{}", stdout(&output));
    let samples = out.join("samples.csv");
    let (names, statuses) = (column(&samples, "implementation"), column(&samples, "status"));
    let verified = column(&samples, "verified");
    for own in (0..names.len()).filter(|&row| names[row] == "min-plus-squaring") {
        assert_eq!((statuses[own].as_str(), verified[own].as_str()), ("ok", "true"));
    }
    let graphs: std::collections::BTreeSet<String> = column(&samples, "graph").into_iter().collect();
    assert_eq!(graphs.into_iter().collect::<Vec<_>>(), ["", "i32", "u16"]);
    let listed = Command::new(&example).arg("list").output().unwrap();
    assert!(stdout(&listed).contains("min-plus-squaring"));
    let lines = fs::read_to_string("examples/own_implementation.rs").unwrap().lines().count();
    assert!(lines < 60, "{lines} lines");
}

const FLOOR_S: f64 = 1.0;

/// Says of itself that no solve takes less than a second.
struct Slow;

impl Solver for Slow {
    fn capabilities(&self, _: &Parameters) -> Capabilities {
        Capabilities::on_device()
    }

    fn cost(&self, problem: &Problem, _: &Parameters) -> Cost {
        Cost { floor_seconds: FLOOR_S, ..Cost::new(problem, problem.matrix_bytes() as u64) }
    }

    fn prepare(
        &self,
        _: &Problem,
        _: &Devices,
        _: &Parameters,
    ) -> Result<Box<dyn PreparedSolve>, DeviceError> {
        Err(DeviceError::other("a script answers for it"))
    }
}

#[test]
fn a_floor_of_its_own_makes_shorter_times_impossible_and_no_longer_ones() {
    let implementation = Implementation::new("slow", "with a floor of its own", "a test", Slow);
    register_unlisted(implementation).unwrap();
    let text = EXPERIMENT.replace("with =", "# with =").replace("\"copy\"", "\"slow\"");
    let file = ExperimentFile::parse("slow", "slow.toml", &text).unwrap();
    let overrides = Overrides { only: Some(vec!["slow".into()]), ..Overrides::default() };
    for (seconds, status) in [(0.5 * FLOOR_S, Status::Impossible), (1.5 * FLOOR_S, Status::Ok)] {
        let folder = tempfile::tempdir().unwrap();
        let experiment = resolve(&file, &overrides, Selection::Cuda(None)).unwrap();
        let mut script = Script::new(|_, _, _| taking(seconds));
        let samples = run_journal(created(&folder.path().join("run"), experiment), &mut script).samples;
        assert!(samples.iter().all(|row| row.status == status), "{seconds}: {:?}", samples[0]);
        let told = samples[0].message.contains("less than the 1.000e0 s");
        assert_eq!(told, status == Status::Impossible, "{}", samples[0].message);
    }
}

const EXPERIMENT: &str = r#"title = "a program of its own"
with = ["programs/copy.toml"]

[graph]
density = 1.0
max_weight = 1
seed = 1

[sampling]
min_samples = 1
max_samples = 1
precision = 0.1
budget_s = 0.0

[limits]
warm_up_s = 0.0
sample_s = 60
full_cell_s = 60
whole_reference_n = 64
reference_rows = 4

[[cells]]
implementation = "copy"
sizes = [1]

[[cells]]
implementation = "cpu-naive"
sizes = [4]
"#;

/// Right for one vertex: the graph is its own solution.
const PROGRAM: &str = r#"name = "copy"
summary = "copies the graph"
from = "a test"

[program]
command = ["cp", "{graph}", "{out}"]
"#;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("programs")).unwrap();
    fs::write(folder.path().join("own.toml"), EXPERIMENT).unwrap();
    fs::write(folder.path().join("programs/copy.toml"), PROGRAM).unwrap();
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = repro();
    command.current_dir(folder).args(["run", "own.toml", "--device", "cpu", "--quiet"]).args(arguments);
    command.output().unwrap()
}

#[test]
fn an_experiment_runs_what_it_names_beside_its_own_file_and_keeps_it() {
    let folder = folder();
    let output = run(folder.path(), &["--out", "run"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let stored = StoredRun::open(&folder.path().join("run")).unwrap();
    let given = &stored.manifest.experiment.given[0];
    let kept = (given.name.as_str(), given.file.as_str(), given.folder.as_path());
    // No folder of the machine that has nothing to do with the run.
    assert_eq!(kept, ("copy", "programs/copy.toml", Path::new("programs")));
    let is_right = |name: &str| stored.samples.iter().any(|row| row.implementation == name && row.verified);
    assert!(is_right("copy") && is_right("cpu-naive"));
}

#[test]
fn what_an_experiment_names_is_in_no_other() {
    let folder = folder();
    fs::write(
        folder.path().join("other.toml"),
        EXPERIMENT.replace("with =", "# with =").replace("\"copy\"", "\"cpu-parallel\""),
    )
    .unwrap();
    for only in ["copy", "cpu-naive,copy"] {
        let mut command = repro();
        command.current_dir(folder.path()).args(["run", "other.toml", "--device", "cpu", "--only", only]);
        assert_refused(&command.output().unwrap(), &["unknown implementation 'copy'"]);
    }
}

#[test]
fn a_file_that_an_experiment_names_is_held_against_its_line() {
    let folder = folder();
    fs::write(folder.path().join("programs/copy.toml"), PROGRAM.replace("summary", "sumary")).unwrap();
    let output = run(folder.path(), &["--out", "run"]);
    assert_refused(&output, &["own.toml:2: with: programs/copy.toml:2: unknown field `sumary`"]);
    fs::remove_file(folder.path().join("programs/copy.toml")).unwrap();
    assert_refused(&run(folder.path(), &["--out", "run"]), &["own.toml:2: with: "]);
    assert!(!folder.path().join("run").exists());
}

/// A file whose program would leave a trace were it run.
fn adapter() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("peer.toml");
    let trace = folder.path().join("was-run");
    let text = format!(
        r#"
name = "peer"
summary = "a program on a GPU"
from = "this test"
[program]
command = ["touch", "{}", "{{out}}"]
needs = {{ gpu = true }}
"#,
        trace.display()
    );
    fs::write(&file, text).unwrap();
    (folder, file)
}

fn repro_with(file: &Path, arguments: &[&str]) -> Output {
    repro_with_compiler().arg("--with").arg(file).args(arguments).output().unwrap()
}

#[test]
fn a_program_that_takes_a_gpu_is_left_out_with_the_reason_where_the_run_has_none() {
    let (folder, file) = adapter();
    let emulated = "it needs a GPU, which the emulated device is not";
    let names = ["--only", "cpu-naive,peer"];
    for (device, only, reason) in [
        ("cpu", &names[..], "it needs a GPU: --device cpu"),
        ("emulated", &names[..], emulated),
        // Those that are not named are the kernels alone, and this.
        ("emulated", &[], emulated),
    ] {
        let out = folder.path().join(format!("{device}-{}", only.len()));
        let sizes = ["--device", device, "--sizes", "8", "--samples", "1", "--out", out.to_str().unwrap()];
        let output = repro_with(&file, &[&["run", "table1"], &sizes[..], only].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let samples = out.join("samples.csv");
        let of_peer: Vec<usize> = (0..)
            .zip(column(&samples, "implementation"))
            .filter(|(_, name)| name == "peer")
            .map(|(at, _)| at)
            .collect();
        let [at] = of_peer[..] else { panic!("{of_peer:?}") };
        assert_eq!(column(&samples, "status")[at], "skipped");
        let message = &column(&samples, "message")[at];
        assert!(message.contains(reason), "{message}");
    }
    assert!(!folder.path().join("was-run").exists());
}

#[test]
fn verify_leaves_it_out_where_there_is_no_gpu_for_it_and_says_so() {
    let (_folder, file) = adapter();
    for device in ["cpu", "emulated"] {
        let verify =
            |only| repro_with(&file, &["verify", "--only", only, "--sizes", "8", "--device", device]);
        let beside = verify("peer,cpu-naive");
        assert_eq!(beside.status.code(), Some(0), "{}", stderr(&beside));
        // That it needs a GPU: with what is missing for it, where this machine has none.
        let is_told =
            |line: &str| line.starts_with("not run: ") && line.contains("GPU") && line.ends_with(": peer");
        assert!(stdout(&beside).lines().any(is_told), "{}", stdout(&beside));
        let alone = verify("peer");
        assert_eq!(alone.status.code(), Some(2), "{}", stdout(&alone));
        let told = stderr(&alone);
        assert!(
            told.contains("there is nothing to check: ") && told.contains("GPU") && told.contains(": peer;"),
            "{told}"
        );
    }
}
