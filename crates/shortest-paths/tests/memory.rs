//! What reading and solving take at most, counted by the allocator. Each test has a process, since the allocator counts for all threads.

use repro_graph::DistanceMatrix;
use shortest_paths::ElementType;
use shortest_paths::read::{AnyGraph, ReadOptions, StoredGraph, read, read_typed};
use shortest_paths::write::NpyWriter;
use shortest_paths::{
    Algorithm, Control, Dense, Element, Options, PathSentinels, Paths, RetainedDistances, SinkError,
    Solution, WeightRange, solve, solve_in_place,
};
use std::fmt::Write;
use std::path::Path;

mod counting;
mod hostile;

use crate::Draw;
use crate::read::npy;
use counting::most;

/// Adds nothing up, so that a test of memory takes no time.
struct Nothing;

impl<T: Element> Dense<T> for Nothing {
    fn close(
        &self,
        _: &mut DistanceMatrix<T>,
        _: &WeightRange,
        _: bool,
        _: &Control,
    ) -> Result<Option<Box<dyn RetainedDistances<T> + '_>>, SinkError> {
        Ok(None)
    }

    fn seconds(&self, _: usize) -> Option<f64> {
        Some(0.0)
    }
}

/// What threads, buffers and names may take whatever the graph is.
const SMALL: usize = 3 << 19;

#[track_caller]
fn within(what: &str, found: usize, allowed: usize) {
    within_all(what, found, allowed + SMALL);
}

#[track_caller]
fn within_all(what: &str, found: usize, allowed: usize) {
    let (found, allowed) = (found as f64 / 1e6, allowed as f64 / 1e6);
    println!("{what}: {found:.1} MB of {allowed:.1} MB");
    assert!(found <= allowed, "{what} took {found:.1} MB, and may take {allowed:.1} MB");
}

fn write_matrix(path: &Path, n: usize, weights: &[f32]) {
    let file = NpyWriter::begin(path, n, n, ElementType::F32).unwrap();
    file.write_whole(weights).unwrap();
    file.finish_rows().unwrap();
}

fn read_matrix(path: &Path, undirected: bool) -> DistanceMatrix<f32> {
    let options = ReadOptions { undirected, ..ReadOptions::default() };
    let StoredGraph::Matrix(graph) = read(path, &options).unwrap().graph else { panic!() };
    graph
}

/// The input, a tenth more than the result, and no more.
#[test]
fn no_more_is_in_memory_than_the_graph_and_a_tenth_more_than_the_result() {
    if !crate::is_alone("memory::no_more_is_in_memory_than_the_graph_and_a_tenth_more_than_the_result") {
        return;
    }
    let folder = tempfile::TempDir::new().unwrap();
    rayon::ThreadPoolBuilder::new().num_threads(2).build_global().unwrap();
    dense(folder.path());
    sparse(folder.path());
}

fn dense(folder: &Path) {
    // Large enough that a byte for each entry is more than what is allowed to all.
    let n = 1400;
    let path = folder.join("x.npy");
    let matrix = DistanceMatrix::<f32>::from_rows(n, |row, weights| {
        let weight = |column: usize| 1.0 + ((row * 31) ^ (column * 17)) as f32 % 1000.0;
        weights.iter_mut().enumerate().for_each(|(column, entry)| *entry = weight(column));
        weights[row] = 0.0;
    });
    let matrix = matrix.unwrap();
    write_matrix(&path, n, matrix.as_slice());
    drop(matrix);
    let bytes = n * n * 4;
    let dense = Options { dense: Some(&Nothing as &dyn Dense<f32>), ..Options::default() };

    let run = || {
        let solution = solve_in_place(read_matrix(&path, false), &dense).unwrap();
        assert_eq!(solution.algorithm, Algorithm::FloydWarshall);
        write_matrix(&folder.join("y.npy"), n, &solution.distances);
    };
    let ((), found) = most(run);
    within("a matrix from file to file", found, bytes + bytes / 20);
    for (undirected, name) in [(false, "a matrix"), (true, "an undirected matrix")] {
        within(name, most(|| read_matrix(&path, undirected)).1, bytes);
    }
    let graph = read_matrix(&path, false);
    let (_, found) = most(|| solve(&graph, &dense).unwrap());
    within("distances beside their graph", found, bytes + bytes / 10);
    let paths = Options { paths: Paths::Predecessors(PathSentinels::PLAIN), ..Options::default() };
    // Searches of all vertices take long, and little else.
    let (k, little) = (350, 3 << 17);
    let cut = DistanceMatrix::from_rows(k, |row, to| to.copy_from_slice(&graph.row(row)[..k])).unwrap();
    let (solution, found) = most(|| solve(&cut, &paths).unwrap());
    within_all("distances and predecessors by searches", found, 2 * (k * k * 4) * 11 / 10 + little);
    let searches = shortest_paths::SearchContext::new(&cut, &Control::default()).unwrap();
    let distances = &solution.distances;
    let next = || searches.next_vertices(distances, PathSentinels::PLAIN, &Control::default()).unwrap();
    within_all("next vertices", most(next).1, (k * k * 4) * 11 / 10 + little);
    drop(graph);

    // Small integers become i32, and a file of f64 the type that holds it.
    for (descr, size, wanted) in [("|u1", 1, 4), ("<i2", 2, 4), ("<i4", 4, 4), ("<i8", 8, 4), ("<f8", 8, 4)] {
        let path = folder.join("z.npy");
        let number = |at: usize| {
            let weight = if at / n == at % n { 0 } else { (at % 100) as u64 };
            let bits = if descr == "<f8" { (weight as f64).to_bits() } else { weight };
            bits.to_le_bytes().into_iter().take(size)
        };
        let numbers: Vec<u8> = (0..n * n).flat_map(number).collect();
        std::fs::write(&path, npy(descr, &format!("({n}, {n})"), &numbers)).unwrap();
        drop(numbers);
        let ((typed, _), found) = most(|| read_typed(&path, None, &ReadOptions::default()).unwrap());
        assert!(matches!(typed, AnyGraph::I32(_)), "{descr}");
        within(descr, found, n * n * (size + wanted));
    }
}

fn sparse(folder: &Path) {
    let (n, m) = (20_000, 400_000);
    let path = folder.join("x.gr");
    let mut text = format!("p sp {n} {m}\n");
    let mut draw = Draw(1);
    for _ in 0..m {
        writeln!(text, "a {} {} {}", 1 + draw.below(n), 1 + draw.below(n), 1 + draw.below(1000)).unwrap();
    }
    std::fs::write(&path, text).unwrap();
    let input = std::fs::metadata(&path).unwrap().len() as usize;
    for (undirected, arcs) in [(false, m), (true, 2 * m)] {
        let options = ReadOptions { undirected, ..ReadOptions::default() };
        let (loaded, found) = most(|| read::<i32>(&path, &options).unwrap());
        // The list that is read has the tails as well, 12 bytes an arc, and grows by an eighth.
        within("a list of arcs", found, 24 * n + 12 * arcs + 12 * m / 8);
        let StoredGraph::Arcs(graph) = loaded.graph else { panic!() };
        // A graph of 4 + 4 bytes an arc, and the file.
        within("a list of arcs beside its file", found, input + (8 * graph.m() + 8 * n) * 11 / 10);
        let (offsets, heads, weights) =
            (graph.offsets().to_vec(), graph.heads().to_vec(), graph.weights().to_vec());
        let (again, found) =
            most(|| shortest_paths::Arcs::from_csr(offsets, heads, weights, false).unwrap().0);
        assert!(again == graph && found < SMALL);
        let sources: Vec<usize> = (0..50).collect();
        let some = Options { sources: Some(&sources), ..Options::default() };
        let (solution, found): (Solution<i32>, _) = most(|| solve(&graph, &some).unwrap());
        within("rows of distances", found, solution.distances.len() * 4 * 11 / 10);
        assert!(!solution.distances[0].is_absent());
    }
}
