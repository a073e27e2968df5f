//! Sharded matrices that come from a file and go into one: `--graph` and `--distances` on emulated devices, in one process and in two.

use crate::common::place::Place;
use crate::common::{assert_refused, column, repro_with_compiler, stderr};
use crate::several_processes::place::{Launcher, nccl};
use repro::graph::read::{ReadOptions, read};
use repro::graph::write::NpyWriter;
use repro::graph::{Block, DistanceMatrix, ElementType, shortest_from};
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

const N: usize = 100;
const STORED: &str = "distributed-blocked-n=100-devices=2.npy";

/// The ends and the weight of each edge; a few vertices reach nothing.
fn edges() -> Vec<(usize, usize, usize)> {
    let of = |u: usize| [1, 7, 31].map(|step| (u, (u * 3 + step) % N, 1 + (u * 37 + step * 11) % 90));
    (0..N - 4).flat_map(of).filter(|(u, v, _)| u != v).collect()
}

/// The graph in all formats, in a new folder with the experiment.
fn place() -> Place {
    let place = Place::new();
    let lines = |head: String, of: &dyn Fn(usize, usize, usize) -> String| {
        edges().iter().fold(head, |text, &(u, v, weight)| text + &*of(u + 1, v + 1, weight))
    };
    let count = edges().len();
    let dimacs = lines(format!("p sp {N} {count}\n"), &|u, v, weight| format!("a {u} {v} {weight}\n"));
    place.write("x.gr", &dimacs);
    let head = format!("%%MatrixMarket matrix coordinate integer general\n{N} {N} {count}\n");
    let market = lines(head, &|u, v, weight| format!("{u} {v} {weight}\n"));
    place.write("x.mtx", &market);
    let matrix = matrix(&place);
    write_npy(&place.path("x.npy"), matrix.as_slice());
    place.write("parts.toml", EXPERIMENT);
    place
}

fn matrix(place: &Place) -> DistanceMatrix<f32> {
    let loaded = read(&place.path("x.gr"), &ReadOptions::default()).unwrap();
    loaded.graph.into_matrix().unwrap()
}

fn write_npy(path: &Path, numbers: &[f32]) {
    let writer = NpyWriter::begin(path, N, N, ElementType::F32).unwrap();
    writer.write_block(&Block { rows: 0..N, columns: 0..N }, bytemuck::cast_slice(numbers)).unwrap();
    writer.finish().unwrap();
}

fn command(place: &Place, graph: &str, name: &str) -> Command {
    let call = format!(
        "run parts.toml --device emulated --graph {graph} --quiet --out {name}-run --distances {name}-distances"
    );
    place.with(repro_with_compiler(), &call)
}

fn stored(place: &Place, name: &str) -> Vec<u8> {
    std::fs::read(place.path(&format!("{name}-distances/{STORED}"))).unwrap()
}

fn assert_done(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
}

/// The start of this process and one more, as torchrun does it.
fn in_two_processes(place: &Place, graph: &str, name: &str) -> Vec<Output> {
    let start = |rank: usize| -> Child {
        let variables = Launcher::Torchrun.variables(rank, 2);
        command(place, graph, name).envs(variables).env("REPRO_NCCL", nccl()).spawn().unwrap()
    };
    let processes: Vec<Child> = (0..2).map(start).collect();
    processes.into_iter().map(|process| process.wait_with_output().unwrap()).collect()
}

#[test]
fn a_graph_of_any_format_is_sharded_and_its_distances_are_one_file_however_many_processes_wrote_it() {
    let place = place();
    for graph in ["x.gr", "x.mtx", "x.npy"] {
        assert_done(&command(&place, graph, graph).output().unwrap());
        assert_eq!(column(&place.path(&format!("{graph}-run/summary.csv")), "status"), ["counted"]);
    }
    let matrix = matrix(&place);
    let right: Vec<f32> = (0..N).flat_map(|source| shortest_from(&matrix, source).unwrap()).collect();
    write_npy(&place.path("right.npy"), &right);
    let right = std::fs::read(place.path("right.npy")).unwrap();
    for graph in ["x.gr", "x.mtx", "x.npy"] {
        assert!(stored(&place, graph) == right, "{graph}");
    }
    let outputs = in_two_processes(&place, "x.npy", "two");
    outputs.iter().for_each(assert_done);
    assert!(stored(&place, "two") == right);
    assert_eq!(std::fs::read_dir(place.path("two-distances")).unwrap().count(), 1);
    let manifest = std::fs::read(place.path("two-run/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    let hash = blake3::hash(&std::fs::read(place.path("x.npy")).unwrap()).to_hex();
    assert_eq!(manifest["experiment"]["graphs"][0]["source"]["digest"], hash.as_str());
    let together = &manifest["environment"]["together"];
    assert_eq!((&together["processes"], &together["launcher"]), (&2.into(), &"torchrun".into()));
    // What is there is not written over, and nothing is measured before that is found.
    std::fs::remove_dir_all(place.path("two-run")).unwrap();
    let again = command(&place, "x.npy", "two").output().unwrap();
    assert_refused(&again, &["--distances", "two-distances", STORED, "remove it, or choose another folder"]);
    assert!(!place.path("two-run").exists() && stored(&place, "two") == right);
}

#[test]
fn what_is_no_file_or_no_graph_or_has_no_parts_is_refused_with_the_reason() {
    let place = place();
    let mut torn = std::fs::read(place.path("x.npy")).unwrap();
    torn.pop();
    std::fs::write(place.path("torn.npy"), torn).unwrap();
    for (call, parts) in [
        ("parts.toml --graph -", &["read more than once", "give the path of a file"][..]),
        ("parts.toml --graph /dev/stdin", &["/dev/stdin: a sharded graph", "give the path of a file"]),
        ("parts.toml --graph none.npy", &["none.npy"]),
        ("parts.toml --graph torn.npy", &["torn.npy: the array: has ", "is it truncated?"]),
        ("table1 --distances d", &["--distances: table1 has no `sharded = true`"]),
    ] {
        let mut command = place.with(repro_with_compiler(), &format!("run --out run {call}"));
        assert_refused(&command.output().unwrap(), parts);
    }
    assert!(!place.path("run").exists() && !place.path("d").exists());
}
