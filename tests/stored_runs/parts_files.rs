//! Sharded matrices that come from a file and go into one: `--graph` and `--distances` on emulated devices, in one process and in two.

use crate::common::{assert_refused, column, repro_with_compiler, stderr};
use crate::several_processes::place::{Launcher, nccl};
use repro::graph::{Block, ElementType, NpyWriter, read_graph, shortest_from};
use std::path::Path;
use std::process::{Child, Command, Output};

const EXPERIMENT: &str = "title = \"In parts\"
sharded = true
graph = { edges_per_vertex = [4], max_weight = 100, seed = 1 }
sampling = { min_samples = 1, max_samples = 1, precision = 0.1, budget_s = 9.0 }
limits = { warm_up_s = 0.0, sample_s = 60.0, full_cell_s = 60.0, whole_reference_n = 512, reference_rows = 8 }
emulated = { sizes = [70] }

[[cells]]
implementation = \"distributed-blocked\"
parameters = { devices = 2 }
sizes = [512]
";

const N: usize = 150;
const STORED: &str = "distributed-blocked-n=150-devices=2.npy";

/// The ends and the weight of each edge; a few vertices reach nothing.
fn edges() -> Vec<(usize, usize, usize)> {
    let of = |u: usize| [1, 7, 31].map(|step| (u, (u * 3 + step) % N, 1 + (u * 37 + step * 11) % 90));
    (0..N - 4).flat_map(of).filter(|(u, v, _)| u != v).collect()
}

/// The graph in all formats, in a new folder with the experiment.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines = |head: String, of: &dyn Fn(usize, usize, usize) -> String| {
        edges().iter().fold(head, |text, &(u, v, weight)| text + &*of(u + 1, v + 1, weight))
    };
    let count = edges().len();
    let dimacs = lines(format!("p sp {N} {count}\n"), &|u, v, weight| format!("a {u} {v} {weight}\n"));
    std::fs::write(folder.path().join("x.gr"), dimacs).unwrap();
    let head = format!("%%MatrixMarket matrix coordinate integer general\n{N} {N} {count}\n");
    let market = lines(head, &|u, v, weight| format!("{u} {v} {weight}\n"));
    std::fs::write(folder.path().join("x.mtx"), market).unwrap();
    let matrix = read_graph(&folder.path().join("x.gr")).unwrap();
    write_npy(&folder.path().join("x.npy"), matrix.as_slice());
    std::fs::write(folder.path().join("parts.toml"), EXPERIMENT).unwrap();
    folder
}

fn write_npy(path: &Path, numbers: &[f32]) {
    let writer = NpyWriter::begin(path, N, ElementType::F32).unwrap();
    writer.write_block(&Block { rows: 0..N, columns: 0..N }, bytemuck::cast_slice(numbers)).unwrap();
    writer.finish().unwrap();
}

fn command(folder: &Path, graph: &str, name: &str) -> Command {
    let mut command = repro_with_compiler();
    command.current_dir(folder).args(["run", "parts.toml", "--device", "emulated", "--graph", graph]);
    command.args(["--quiet", "--out", &format!("{name}-run"), "--distances", &format!("{name}-distances")]);
    command
}

fn stored(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(format!("{name}-distances")).join(STORED)).unwrap()
}

fn assert_done(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
}

/// The start of this process and one more, as torchrun does it.
fn in_two_processes(folder: &Path, graph: &str, name: &str) -> Vec<Output> {
    let start = |rank: usize| -> Child {
        let variables = Launcher::Torchrun.variables(rank, 2);
        command(folder, graph, name).envs(variables).env("REPRO_NCCL", nccl()).spawn().unwrap()
    };
    let processes: Vec<Child> = (0..2).map(start).collect();
    processes.into_iter().map(|process| process.wait_with_output().unwrap()).collect()
}

#[test]
fn a_graph_of_any_format_is_sharded_and_its_distances_are_one_file_however_many_processes_wrote_it() {
    let folder = folder();
    let folder = folder.path();
    for graph in ["x.gr", "x.mtx", "x.npy"] {
        assert_done(&command(folder, graph, graph).output().unwrap());
        assert_eq!(column(&folder.join(format!("{graph}-run/summary.csv")), "status"), ["counted"]);
    }
    let matrix = read_graph(&folder.join("x.gr")).unwrap();
    let right: Vec<f32> = (0..N).flat_map(|source| shortest_from(&matrix, None, source)).collect();
    write_npy(&folder.join("right.npy"), &right);
    let right = std::fs::read(folder.join("right.npy")).unwrap();
    for graph in ["x.gr", "x.mtx", "x.npy"] {
        assert!(stored(folder, graph) == right, "{graph}");
    }
    let outputs = in_two_processes(folder, "x.npy", "two");
    outputs.iter().for_each(assert_done);
    assert!(stored(folder, "two") == right);
    assert_eq!(std::fs::read_dir(folder.join("two-distances")).unwrap().count(), 1);
    let manifest = std::fs::read(folder.join("two-run/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    let hash = blake3::hash(&std::fs::read(folder.join("x.npy")).unwrap()).to_hex();
    assert_eq!(manifest["experiment"]["graphs"][0]["source"]["digest"], hash.as_str());
    let together = &manifest["environment"]["together"];
    assert_eq!((&together["processes"], &together["launcher"]), (&2.into(), &"torchrun".into()));
    // What is there is not written over, and nothing is measured before that is found.
    std::fs::remove_dir_all(folder.join("two-run")).unwrap();
    let again = command(folder, "x.npy", "two").output().unwrap();
    assert_refused(&again, &["--distances", "two-distances", STORED, "remove it, or choose another folder"]);
    assert!(!folder.join("two-run").exists() && stored(folder, "two") == right);
}

#[test]
fn what_is_no_file_or_no_graph_or_has_no_parts_is_refused_with_the_reason() {
    let folder = folder();
    let run = |arguments: &[&str]| {
        let mut command = repro_with_compiler();
        command.current_dir(folder.path()).args(["run", "--out", "run"]).args(arguments).output().unwrap()
    };
    let refused = |arguments: &[&str], parts: &[&str]| assert_refused(&run(arguments), parts);
    refused(&["parts.toml", "--graph", "-"], &["read more than once", "give the path of a file"]);
    refused(
        &["parts.toml", "--graph", "/dev/stdin"],
        &["/dev/stdin: a sharded graph", "give the path of a file"],
    );
    refused(&["parts.toml", "--graph", "none.npy"], &["none.npy"]);
    let mut torn = std::fs::read(folder.path().join("x.npy")).unwrap();
    torn.pop();
    std::fs::write(folder.path().join("torn.npy"), torn).unwrap();
    refused(&["parts.toml", "--graph", "torn.npy"], &["torn.npy: has ", "is it truncated?"]);
    refused(&["table1", "--distances", "d"], &["--distances: table1 has no `sharded = true`"]);
    assert!(!folder.path().join("run").exists() && !folder.path().join("d").exists());
}
