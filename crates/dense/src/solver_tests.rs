use super::*;
use shortest_paths::{
    Algorithm, Arcs, ArcsBuilder, Graph, Options, Paths, SearchContext, SearchError, SolveError, solve,
};
use std::sync::atomic::{AtomicBool, Ordering};

/// A graph of n vertices with a few arcs each, negative ones among them if wanted, and no negative cycle.
fn graph<T: Element>(n: usize, negative: bool) -> Arcs<T> {
    let mut builder = ArcsBuilder::with_vertices(n).unwrap();
    // A weight w + p(u) - p(v) with w >= 0 closes no negative cycle.
    let potential = |v: usize| if negative { (v * 7919 % 40) as f64 } else { 0.0 };
    for tail in 0..n {
        for step in [1, 5, 17, 40] {
            let head = (tail * 3 + step) % n;
            let weight = (tail * 31 + step * 17) % 23;
            let weight = weight as f64 + potential(tail) - potential(head);
            // Not every vertex reaches every other.
            if tail % 11 != 0 && (tail != head || weight >= 0.0) {
                builder.add(tail, head, T::from_f64(weight)).unwrap();
            }
        }
    }
    builder.build().unwrap().0
}

fn by<T: Element>(arcs: &Arcs<T>, dense: &dyn Dense<T>) -> Vec<T> {
    let options =
        Options { dense: Some(dense), algorithm: Some(Algorithm::FloydWarshall), ..Options::default() };
    solve(arcs, &options).unwrap().distances
}

fn agrees<T: Element + Vectorized>(solver: &DenseSolver, n: usize, negative: bool) {
    let arcs = graph::<T>(n, negative);
    let algorithm = if negative { Algorithm::Johnson } else { Algorithm::Dijkstra };
    let searched = solve(&arcs, &Options { algorithm: Some(algorithm), ..Options::default() }).unwrap();
    assert!(by(&arcs, solver) == searched.distances, "{} of n = {n}, negative: {negative}", T::TYPE);
}

#[test]
fn the_cpu_finds_what_searches_find_in_all_types() {
    let solver = DenseSolver::cpu();
    for n in [1, 2, 65, 200] {
        for negative in [false, true] {
            agrees::<f32>(&solver, n, negative);
            agrees::<f64>(&solver, n, negative);
            agrees::<i32>(&solver, n, negative);
        }
        agrees::<u16>(&solver, n, false);
    }
    assert_eq!(solver.last_parts(), None);
}

#[test]
fn the_emulated_device_finds_what_searches_find_and_says_so() {
    let solver = DenseSolver::open(Selection::Emulated(None)).unwrap();
    // Each type and each kind of sign is a compiled kernel of its own, and takes seconds.
    agrees::<f32>(&solver, 70, false);
    agrees::<i32>(&solver, 33, true);
    assert!(solver.place(ElementType::F32).emulated);
    assert!(solver.last_parts().is_some());
    assert_eq!(<dyn Dense<f32>>::seconds(&solver, 100), None);
    // The CPU stands in for the type that the device lacks.
    agrees::<f64>(&solver, 20, true);
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

#[test]
fn a_flag_ends_a_solve_on_the_cpu_and_on_a_device() {
    let arcs = graph::<i32>(70, false);
    for solver in [DenseSolver::cpu(), DenseSolver::open(Selection::Emulated(None)).unwrap()] {
        let flag = AtomicBool::new(false);
        // Set when the dense solver begins: the library itself looks at the flag before.
        let late = SetsFlag { solver: &solver, flag: &flag };
        let options = Options {
            dense: Some(&late),
            algorithm: Some(Algorithm::FloydWarshall),
            control: Control::default().cancelled_by(&flag),
            ..Options::default()
        };
        assert!(matches!(solve(&arcs, &options), Err(SolveError::Search(SearchError::Cancelled))));
    }
}

struct SetsFlag<'a> {
    solver: &'a DenseSolver,
    flag: &'a AtomicBool,
}

impl Dense<i32> for SetsFlag<'_> {
    fn close(
        &self,
        matrix: &mut DistanceMatrix<i32>,
        weights: &WeightRange,
        keep: bool,
        control: &Control,
    ) -> Result<Option<Box<dyn RetainedDistances<i32> + '_>>, SinkError> {
        self.flag.store(true, Ordering::Relaxed);
        let ended = self.solver.close(matrix, weights, keep, control);
        assert!(ended.is_err());
        ended
    }

    fn seconds(&self, _: usize) -> Option<f64> {
        None
    }
}

/// A road of n vertices with ways across, each of which leads both ways, and vertices that none leads to.
fn undirected<T: Element>(n: usize, both_ways: bool) -> Arcs<T> {
    let mut builder = ArcsBuilder::with_vertices(n).unwrap().undirected(both_ways);
    for tail in (0..n).filter(|tail| tail % 11 != 7) {
        for head in [tail + 1, tail * 5 % n, tail * 3 % n] {
            if head != tail && head < n && head % 11 != 7 {
                builder.add(tail, head, T::from_f64((tail * 7 + head) as f64 % 5.0)).unwrap();
            }
        }
    }
    builder.build().unwrap().0
}

fn halves<T: Element + Vectorized>(solver: &DenseSolver, n: usize) {
    trees_agree(solver, &undirected::<T>(n, true), PathSentinels::PLAIN);
    assert!(solver.last_halved(), "{} of n = {n}", T::TYPE);
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
    let device = DenseSolver::open(Selection::Emulated(None)).unwrap();
    halves::<f32>(&device, 66);
    trees_agree(&cpu, &undirected::<f32>(66, false), PathSentinels::PLAIN);
    assert!(!cpu.last_halved());
    // One arc more makes a graph directed.
    let mut matrix =
        DistanceMatrix::<i32>::from_rows(70, |tail, row| undirected(70, true).fill_row(tail, row)).unwrap();
    matrix.add_edge(69, 3, 1);
    let weights = matrix.survey().weights.range;
    cpu.close(&mut matrix, &weights, false, &Control::default()).unwrap();
    assert!(!cpu.last_halved());
}

/// The predecessors that `solver` finds by Floyd-Warshall, and those of searches.
fn trees_agree<T: Element + Vectorized>(solver: &DenseSolver, arcs: &Arcs<T>, marks: PathSentinels) {
    let paths = Paths::Predecessors(marks);
    let algorithm = Some(Algorithm::FloydWarshall);
    let found =
        solve(arcs, &Options { dense: Some(solver), algorithm, paths, ..Options::default() }).unwrap();
    let algorithm = Some(Algorithm::Johnson);
    let searched = solve(arcs, &Options { algorithm, paths, ..Options::default() }).unwrap();
    assert!(found.distances == searched.distances);
    let differ = |(at, (one, two)): (usize, (i32, i32))| (one != two).then_some((at, one, two));
    let pairs = found.predecessors.unwrap().into_iter().zip(searched.predecessors.unwrap());
    assert_eq!(pairs.enumerate().find_map(differ), None, "{} of n = {}", T::TYPE, arcs.n());
}

#[test]
fn a_device_finds_the_predecessors_that_searches_find() {
    let solver = DenseSolver::open(Selection::Emulated(None)).unwrap();
    // Many paths of one length, so that arcs and then vertices decide, and cycles of weight 0.
    let ties = |n: usize| {
        let mut builder = ArcsBuilder::with_vertices(n).unwrap();
        for tail in 0..n {
            for head in [(tail + 1) % n, (tail * 5 + 2) % n, (tail * 11 + 3) % n, tail ^ 1] {
                if head != tail && head < n && tail % 13 != 5 {
                    builder.add(tail, head, (head * 7 % 4) as i32).unwrap();
                }
            }
        }
        builder.build().unwrap().0
    };
    trees_agree(&solver, &ties(75), PathSentinels::PLAIN);
    trees_agree(&solver, &ties(1), PathSentinels::SCIPY);
    trees_agree(&solver, &graph::<i32>(70, true), PathSentinels::SCIPY);
    trees_agree(&solver, &graph::<f32>(64, false), PathSentinels::PLAIN);
    // The longest path that there is.
    let ring = {
        let mut builder = ArcsBuilder::with_vertices(97).unwrap();
        (0..97).for_each(|tail| builder.add(tail, (tail + 1) % 97, 0_i32).unwrap());
        builder.build().unwrap().0
    };
    trees_agree(&solver, &ring, PathSentinels::PLAIN);
}

#[test]
fn where_sums_are_rounded_predecessors_are_found_without_the_device_which_has_kept_nothing() {
    let solver = DenseSolver::open(Selection::Emulated(None)).unwrap();
    let mut builder = ArcsBuilder::with_vertices(50).unwrap();
    for tail in 0..50 {
        for step in [1, 3, 20] {
            builder.add(tail, (tail + step) % 50, 0.1 + (tail * step % 7) as f32 / 3.0).unwrap();
        }
    }
    let arcs = builder.build().unwrap().0;
    let paths = Paths::Predecessors(PathSentinels::PLAIN);
    let algorithm = Some(Algorithm::FloydWarshall);
    let found =
        solve(&arcs, &Options { dense: Some(&solver), algorithm, paths, ..Options::default() }).unwrap();
    let searches = SearchContext::new(&arcs, &Control::default()).unwrap();
    let every: Vec<usize> = (0..50).collect();
    let predecessors = found.predecessors.unwrap();
    let walked = searches
        .check_predecessors(&every, None, &found.distances, &predecessors, &Control::default())
        .unwrap();
    assert_eq!(walked.paths, 2500);
    assert!(!solver.device.as_ref().unwrap().has_kept());
}
