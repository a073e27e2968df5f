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

mod hostile;

use crate::Draw;
use crate::read::npy;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the bytes that are in use, and the most that were at once.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

fn took(bytes: usize) {
    MOST.fetch_max(IN_USE.fetch_add(bytes, Ordering::Relaxed) + bytes, Ordering::Relaxed);
}

// SAFETY: every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(place, layout) }
    }

    // Of a large block the system moves pages and copies nothing.
    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        took(size);
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The most bytes that were in use during `run`, in addition to those before it.
fn most<R>(run: impl FnOnce() -> R) -> (R, usize) {
    let before = IN_USE.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let result = run();
    (result, MOST.load(Ordering::Relaxed) - before)
}

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

/// In a process of this test alone: the input, a tenth more than the result, and no more.
fn in_memory(test: &str, of: &[fn(&Path)]) {
    if crate::is_alone(test) {
        let folder = tempfile::TempDir::new().unwrap();
        rayon::ThreadPoolBuilder::new().num_threads(2).build_global().unwrap();
        of.iter().for_each(|one| one(folder.path()));
    }
}

#[test]
fn a_tenth_more_than_a_matrix_is_in_memory_at_most() {
    in_memory("memory::a_tenth_more_than_a_matrix_is_in_memory_at_most", &[dense]);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn a_tenth_more_than_paths_and_rows_is_in_memory() {
        in_memory("memory::long::a_tenth_more_than_paths_and_rows_is_in_memory", &[paths, types, sparse]);
    }
}

fn dense(folder: &Path) {
    // Large enough that a byte for each entry is more than what is allowed to all.
    let n = 1400;
    let path = folder.join("x.npy");
    write_matrix(&path, n, matrix(n).as_slice());
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
}

fn matrix(n: usize) -> DistanceMatrix<f32> {
    let rows = DistanceMatrix::from_rows(n, |row, weights| {
        let weight = |column: usize| 1.0 + ((row * 31) ^ (column * 17)) as f32 % 1000.0;
        weights.iter_mut().enumerate().for_each(|(column, entry)| *entry = weight(column));
        weights[row] = 0.0;
    });
    rows.unwrap()
}

fn paths(_: &Path) {
    let paths = Options { paths: Paths::Predecessors(PathSentinels::PLAIN), ..Options::default() };
    // Searches of all vertices take long, and little else.
    let (k, little) = (350, 3 << 17);
    let graph = matrix(k);
    let (solution, found) = most(|| solve(&graph, &paths).unwrap());
    within_all("distances and predecessors by searches", found, 2 * (k * k * 4) * 11 / 10 + little);
    let searches = shortest_paths::SearchContext::new(&graph, &Control::default()).unwrap();
    let distances = &solution.distances;
    let next = || searches.next_vertices(distances, PathSentinels::PLAIN, &Control::default()).unwrap();
    within_all("next vertices", most(next).1, (k * k * 4) * 11 / 10 + little);
}

fn types(folder: &Path) {
    let n = 1400;
    // Small integers become i32, and a file of f64 the type that holds it.
    for (descr, size, wanted) in [("<i2", 2, 4), ("<f8", 8, 4)] {
        let path = folder.join("z.npy");
        let mut numbers = Vec::new();
        for at in 0..n * n {
            let weight = if at / n == at % n { 0 } else { (at % 100) as u64 };
            let bits = if descr == "<f8" { (weight as f64).to_bits() } else { weight };
            numbers.extend_from_slice(&bits.to_le_bytes()[..size]);
        }
        std::fs::write(&path, npy(descr, &format!("({n}, {n})"), &numbers)).unwrap();
        drop(numbers);
        let ((typed, _), found) = most(|| read_typed(&path, None, &ReadOptions::default()).unwrap());
        assert!(matches!(typed, AnyGraph::I32(_)), "{descr}");
        within(descr, found, n * n * (size + wanted));
    }
}

fn sparse(folder: &Path) {
    let (n, m) = (10_000, 200_000);
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
