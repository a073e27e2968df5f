//! Implementations from outside of the catalogue: one that a program registers, files that an experiment names, and programs that take a
//! GPU themselves. A new one of the catalogue is two files of `kernels/`, or a file in `crates/solvers/src` and a line in `built_in`, as
//! docs/adding-an-implementation.md describes; no other file may have to know its name.

use crate::common::place::Place;
use crate::common::{assert_refused, stderr, stdout};
use repro::implementation::{Parameters, Target};
use repro::results::StoredRun;
use repro::store::Status;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn an_example_registers_an_implementation_and_has_it_run_verified_and_recorded() {
    let example =
        assert_cmd::cargo::cargo_bin!("repro").with_file_name("examples").join("own_implementation");
    assert!(example.exists(), "{} is missing: cargo build --examples", example.display());
    let place = Place::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let experiment = root.join("examples/own_implementation.toml");
    let call = format!("run {} --sizes 1,33 --device cpu --no-report --out run", experiment.display());
    let output = place.with(Command::new(&example), &call).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("min-plus-squaring"), "{}", stdout(&output));
    let samples = StoredRun::open(&place.path("run")).unwrap().samples;
    let own = samples.iter().filter(|row| row.implementation == "min-plus-squaring");
    assert!(own.clone().all(|row| row.status == Status::Ok && row.verified));
    for graph in ["", "i32", "u16"] {
        assert!(own.clone().any(|row| row.graph == graph), "{graph}");
    }
}

const EXPERIMENT: &str = r#"title = "a program of its own"
with = ["programs/copy.toml"]
graph = { density = 1.0, max_weight = 1, seed = 1 }
sampling = { min_samples = 1, max_samples = 1, precision = 0.1, budget_s = 0.0 }
limits = { warm_up_s = 0.0, sample_s = 60, full_cell_s = 60, whole_reference_n = 64, reference_rows = 4 }

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

#[test]
fn an_experiment_runs_what_it_names_beside_its_own_file_keeps_it_and_has_it_for_itself() {
    let place = Place::new();
    place.write("own.toml", EXPERIMENT);
    place.write("programs/copy.toml", PROGRAM);
    place.succeed("run own.toml --device cpu --quiet --out run");
    let stored = StoredRun::open(&place.path("run")).unwrap();
    let given = &stored.manifest.experiment.given[0];
    let kept = (given.name.as_str(), given.file.as_str(), given.folder.as_path());
    // No folder of the machine that has nothing to do with the run.
    assert_eq!(kept, ("copy", "programs/copy.toml", Path::new("programs")));
    let is_right = |name: &str| stored.samples.iter().any(|row| row.implementation == name && row.verified);
    assert!(is_right("copy") && is_right("cpu-naive"));
    let other = EXPERIMENT.replace("with =", "# with =").replace("\"copy\"", "\"cpu-parallel\"");
    place.write("other.toml", &other);
    for only in ["copy", "cpu-naive,copy"] {
        let call = format!("run other.toml --device cpu --only {only}");
        place.refuse(&call, &["unknown implementation 'copy'"]);
    }
    // What is wrong in it is held against the line that names it.
    place.replace("programs/copy.toml", "summary", "sumary");
    let call = "run own.toml --device cpu --out new";
    place.refuse(call, &["own.toml:2: with: programs/copy.toml:2: unknown field `sumary`"]);
    place.remove("programs/copy.toml");
    place.refuse(call, &["own.toml:2: with: "]);
}

/// With a file whose program would leave a trace were it run.
fn with_gpu_program() -> Place {
    let place = Place::new();
    let trace = place.path("was-run");
    let program = PROGRAM.replace("\"cp\", \"{graph}\"", &format!("\"touch\", \"{}\"", trace.display()));
    place.write("peer.toml", &(program.replace("\"copy\"", "\"peer\"") + "needs = { gpu = true }\n"));
    place
}

#[test]
fn a_program_that_takes_a_gpu_is_left_out_with_the_reason_where_the_run_has_none() {
    let place = with_gpu_program();
    let emulated = "it needs a GPU, which the emulated device is not";
    for (device, only, reason) in [
        ("cpu", " --only cpu-naive,peer", "it needs a GPU: --device cpu"),
        ("emulated", " --only cpu-naive,peer", emulated),
        // Those that are not named are the kernels alone, and this.
        ("emulated", "", emulated),
    ] {
        let out = format!("{device}{}", only.len());
        let call = "run table1 --with peer.toml --sizes 8 --samples 1 --no-report --device";
        place.emulate(&format!("{call} {device} --out {out}{only}"));
        let samples = StoredRun::open(&place.path(&out)).unwrap().samples;
        let of_peer: Vec<_> = samples.iter().filter(|row| row.implementation == "peer").collect();
        let [row] = of_peer[..] else { panic!("{of_peer:?}") };
        assert!(row.status == Status::Skipped && row.message.contains(reason), "{row:?}");
    }
    assert!(!place.path("was-run").exists());
}

#[test]
fn verify_leaves_it_out_where_there_is_no_gpu_for_it_and_says_so() {
    let place = with_gpu_program();
    for device in ["cpu", "emulated"] {
        let verify = format!("verify --with peer.toml --sizes 8 --device {device} --only");
        let beside = stdout(&place.emulate(&format!("{verify} peer,cpu-naive")));
        // That it needs a GPU: with what is missing for it, where this machine has none.
        let is_told =
            |line: &str| line.starts_with("not run: ") && line.contains("GPU") && line.ends_with(": peer");
        assert!(beside.lines().any(is_told), "{beside}");
        let alone = place.emulating(&format!("{verify} peer")).output().unwrap();
        assert_refused(&alone, &["there is nothing to check: ", "GPU", ": peer;"]);
    }
}

/// Who names those of the CPU for a reason of its own: every comparison with the CPU begins with them.
const ABOUT_CPU: &str = "crates/records/src/results/summary.rs";

/// The crate of implementations.
const OWN: &str = "crates/solvers/src";

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| {
        if path.is_dir() { rust_files(&path) } else { vec![path] }
    };
    entries.flat_map(of).filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
}

/// What is no comment and comes before the tests at a file's foot. Tests in files of their own are declared among the modules.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let has_body = |at: &usize| text[*at..].lines().nth(1).is_some_and(|line| line.ends_with('{'));
    let foot = text.match_indices("#[cfg(test)]").map(|(at, _)| at).find(has_body);
    let code = &text[..foot.unwrap_or(text.len())];
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn no_further_place_knows_the_name_of_an_implementation() {
    let is_test = |path: &Path| {
        path.components().any(|part| part.as_os_str() == "tests")
            || path.to_string_lossy().ends_with("tests.rs")
    };
    let files = ["src", "crates"].into_iter().flat_map(|room| rust_files(Path::new(room)));
    let codes = files.filter(|path| !is_test(path)).map(|path| (path.display().to_string(), code(&path)));
    let (own, others): (Vec<_>, Vec<_>) = codes.partition(|(file, _)| file.starts_with(OWN));
    let mut wrong = Vec::new();
    repro::distributed::register();
    for implementation in repro::implementation::catalogue() {
        let (name, module) = (&*implementation.name, implementation.name.replace('-', "_"));
        let kernels = implementation.kernels(Target::default(), &Parameters::default());
        let kernels = kernels.iter().flat_map(|set| set.names()).map(|kernel| format!("\"{kernel}\""));
        let mut words = Vec::from_iter(kernels);
        // Solvers of the CPU are used as such: the reference is one.
        if !module.starts_with("cpu_") {
            words.push(format!("{module}::"));
        }
        let quoted = format!("\"{name}\"");
        for (file, code) in &others {
            let is_named = code.contains(&quoted) && !(file == ABOUT_CPU && module.starts_with("cpu_"));
            let word = words.iter().find(|word| code.contains(*word)).or(is_named.then_some(&quoted));
            wrong.extend(word.map(|word| format!("{file} names {word} of {name}")));
        }
        // In its own file, from which the list has it, or in its description.
        let description = std::fs::read_to_string(format!("kernels/{module}.toml")).unwrap_or_default();
        let is_described = description.contains(&format!("name = {quoted}\n"));
        let own = own.iter().filter(|(_, code)| code.contains(&quoted)).count();
        if own + usize::from(is_described) != 1 {
            wrong
                .push(format!("{own} files of solvers name {name}, which has a description: {is_described}"));
        }
    }
    assert_eq!(wrong, [""; 0], "a new implementation would have to be added there too");
}
