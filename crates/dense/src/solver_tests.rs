use super::*;
use repro_graph::{RandomGraph, generate};
use shortest_paths::{Algorithm, ArcsBuilder, Graph, Options, Paths, SearchContext, solve};

/// A graph with a few arcs from each vertex, negative ones among them if wanted, and no negative cycle.
fn graph<T: Element>(n: usize, negative: bool) -> DistanceMatrix<T> {
    generate(&RandomGraph { negative, ..random(n, 40) }, n).unwrap()
}

/// Many paths of one length, so that arcs and then vertices decide; whether all arcs lead both ways.
fn roads<T: Element>(n: usize, undirected: bool) -> DistanceMatrix<T> {
    generate(&RandomGraph { undirected, ..random(n, 4) }, n).unwrap()
}

fn random(n: usize, max_weight: u32) -> RandomGraph {
    RandomGraph { density: (4.0 / n as f64).min(1.0), max_weight, ..RandomGraph::complete(n as u64) }
}

/// `solver` finds by Floyd-Warshall what searches find.
fn agrees<T: Element>(solver: &DenseSolver, graph: &impl Graph<Weight = T>, paths: Paths) {
    let options = Options { paths, algorithm: Some(Algorithm::Johnson), ..Options::default() };
    let searched = solve(graph, &options).unwrap();
    let algorithm = Some(Algorithm::FloydWarshall);
    let found = solve(graph, &Options { dense: Some(solver), algorithm, ..options }).unwrap();
    assert!(found.distances == searched.distances, "{} of n = {}", T::TYPE, graph.n());
    assert!(found.predecessors == searched.predecessors, "{} of n = {}", T::TYPE, graph.n());
}

const PLAIN: Paths = Paths::Predecessors(PathSentinels::PLAIN);

#[test]
fn the_cpu_finds_what_searches_find_in_all_types() {
    let solver = DenseSolver::cpu();
    for n in [1, 2, 65, 200] {
        for negative in [false, true] {
            agrees(&solver, &graph::<f32>(n, negative), Paths::No);
            agrees(&solver, &graph::<f64>(n, negative), Paths::No);
            agrees(&solver, &graph::<i32>(n, negative), Paths::No);
        }
        agrees(&solver, &graph::<u16>(n, false), Paths::No);
    }
    assert_eq!(solver.last_parts(), None);
}

#[test]
fn the_emulated_device_finds_what_searches_find_and_says_so() {
    let solver = DenseSolver::open(Selection::Emulated(None)).unwrap();
    agrees(&solver, &graph::<f32>(70, false), Paths::No);
    assert!(solver.place(ElementType::F32).emulated);
    assert!(solver.last_parts().is_some());
    assert_eq!(<dyn Dense<f32>>::seconds(&solver, 100), None);
    // The CPU stands in for the type that the device lacks.
    agrees(&solver, &graph::<f64>(20, true), Paths::No);
    let place = solver.place(ElementType::F64).to_string();
    assert!(
        place.starts_with("the CPU, ") && place.ends_with("(emulated CUDA device does not take this type)")
    );
}

#[test]
fn a_matrix_that_cannot_fit_is_refused_with_its_size_and_not_allocated() {
    let solver = DenseSolver::open(Selection::Emulated(None)).unwrap();
    let error = solver.check_room::<f32>(5_000_000).unwrap_err().to_string();
    assert!(error.starts_with("a matrix of 5000000 vertices in f32 needs 1"), "{error}");
    assert!(error.contains("bytes are free there: choose --device cpu"), "{error}");
    assert!(DenseSolver::cpu().check_room::<f32>(100).is_ok());
}

fn halves<T: Element>(solver: &DenseSolver, n: usize) {
    agrees(solver, &roads::<T>(n, true), PLAIN);
    assert!(solver.last_used_symmetry(), "{} of n = {n}", T::TYPE);
}

#[test]
fn half_of_the_tasks_are_done_where_a_graph_is_found_to_be_undirected_and_predecessors_come_of_it() {
    let cpu = DenseSolver::cpu();
    for n in [2, 130] {
        halves::<f32>(&cpu, n);
        halves::<f64>(&cpu, n);
        halves::<i32>(&cpu, n);
        halves::<u16>(&cpu, n);
    }
    agrees(&cpu, &roads::<f32>(66, false), PLAIN);
    assert!(!cpu.last_used_symmetry());
    // One arc more makes a graph directed.
    let mut matrix = roads::<i32>(70, true);
    matrix.add_edge(69, 3, 1);
    let weights = matrix.survey().weights.range;
    cpu.close(&mut matrix, &weights, false, &Control::default()).unwrap();
    assert!(!cpu.last_used_symmetry());
}

#[test]
fn a_device_finds_the_predecessors_that_searches_find() {
    let solver = DenseSolver::open(Selection::Emulated(None)).unwrap();
    agrees(&solver, &roads::<f32>(75, false), PLAIN);
    agrees(&solver, &roads::<f32>(1, false), Paths::Predecessors(PathSentinels::SCIPY));
    // The longest path that there is.
    let mut ring = ArcsBuilder::with_vertices(97).unwrap();
    (0..97).for_each(|tail| ring.add(tail, (tail + 1) % 97, 0.0_f32).unwrap());
    agrees(&solver, &ring.build().unwrap().0, PLAIN);
}

#[test]
fn where_sums_are_rounded_predecessors_are_found_without_the_device_which_has_kept_nothing() {
    let solver = DenseSolver::open(Selection::Emulated(None)).unwrap();
    let thirds = graph::<f32>(50, false).as_slice().iter().map(|weight| weight / 3.0).collect();
    let graph = DistanceMatrix::from_row_major(50, thirds).unwrap();
    let algorithm = Some(Algorithm::FloydWarshall);
    let options = Options { dense: Some(&solver), algorithm, paths: PLAIN, ..Options::default() };
    let found = solve(&graph, &options).unwrap();
    let control = Control::default();
    let searches = SearchContext::new(&graph, &control).unwrap();
    let (every, predecessors) = ((0..50).collect::<Vec<_>>(), found.predecessors.unwrap());
    let walked =
        searches.check_predecessors(&every, None, &found.distances, &predecessors, &control).unwrap();
    assert_eq!(walked.paths as usize, found.distances.iter().filter(|length| length.is_finite()).count());
    assert!(!solver.device.as_ref().unwrap().has_kept());
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn a_device_finds_predecessors_in_other_types_and_among_negative_weights_and_does_half_of_the_tasks() {
        let solver = DenseSolver::open(Selection::Emulated(None)).unwrap();
        agrees(&solver, &graph::<i32>(70, true), Paths::Predecessors(PathSentinels::SCIPY));
        agrees(&solver, &roads::<i32>(75, false), PLAIN);
        agrees(&solver, &graph::<f32>(64, false), PLAIN);
        halves::<f32>(&solver, 66);
    }
}
