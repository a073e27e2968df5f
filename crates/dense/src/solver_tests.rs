use super::*;
use shortest_paths::{
    Algorithm, Arcs, ArcsBuilder, Graph, Options, Paths, SearchContext, SearchError, SolveError, solve,
};
use std::sync::atomic::{AtomicBool, Ordering};

/// A graph with these arcs from most vertices, but for loops and for arcs to vertices that there are not. Every eleventh vertex leads nowhere.
fn with_arcs<T: Element, const M: usize>(
    n: usize,
    undirected: bool,
    arcs: impl Fn(usize) -> [(usize, f64); M],
) -> Arcs<T> {
    let mut builder = ArcsBuilder::with_vertices(n).unwrap().undirected(undirected);
    for (tail, (head, weight)) in (0..n).flat_map(|tail| arcs(tail).map(|arc| (tail, arc))) {
        let is_left = tail % 11 != 7 && (head % 11 != 7 || !undirected);
        if is_left && head != tail && head < n {
            builder.add(tail, head, T::from_f64(weight)).unwrap();
        }
    }
    builder.build().unwrap().0
}

/// A graph with a few arcs from each vertex, negative ones among them if wanted, and no negative cycle.
fn graph<T: Element>(n: usize, negative: bool) -> Arcs<T> {
    // A weight w + p(u) - p(v) with w >= 0 closes no negative cycle.
    let potential = |v: usize| if negative { (v * 7919 % 40) as f64 } else { 0.0 };
    with_arcs(n, false, |tail| {
        [1, 5, 17, 40].map(|step| {
            let head = (tail * 3 + step) % n;
            (head, ((tail * 31 + step * 17) % 23) as f64 + potential(tail) - potential(head))
        })
    })
}

/// A road with ways across, which lead both ways if wanted.
fn roads<T: Element>(n: usize, both_ways: bool) -> Arcs<T> {
    with_arcs(n, both_ways, |tail| {
        [tail + 1, tail * 5 % n, tail * 3 % n].map(|head| (head, ((tail * 7 + head) % 5) as f64))
    })
}

/// `solver` finds by Floyd-Warshall what searches find.
fn agrees<T: Element>(solver: &DenseSolver, arcs: &Arcs<T>, paths: Paths) {
    let options = Options { paths, algorithm: Some(Algorithm::Johnson), ..Options::default() };
    let searched = solve(arcs, &options).unwrap();
    let algorithm = Some(Algorithm::FloydWarshall);
    let found = solve(arcs, &Options { dense: Some(solver), algorithm, ..options }).unwrap();
    assert!(found.distances == searched.distances, "{} of n = {}", T::TYPE, arcs.n());
    assert!(found.predecessors == searched.predecessors, "{} of n = {}", T::TYPE, arcs.n());
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
    // Each type and each kind of sign is a compiled kernel of its own, and takes seconds.
    agrees(&solver, &graph::<f32>(70, false), Paths::No);
    agrees(&solver, &graph::<i32>(33, true), Paths::No);
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
    let device = DenseSolver::open(Selection::Emulated(None)).unwrap();
    halves::<f32>(&device, 66);
    agrees(&cpu, &roads::<f32>(66, false), PLAIN);
    assert!(!cpu.last_used_symmetry());
    // One arc more makes a graph directed.
    let mut matrix =
        DistanceMatrix::<i32>::from_rows(70, |tail, row| roads(70, true).fill_row(tail, row)).unwrap();
    matrix.add_edge(69, 3, 1);
    let weights = matrix.survey().weights.range;
    cpu.close(&mut matrix, &weights, false, &Control::default()).unwrap();
    assert!(!cpu.last_used_symmetry());
}

#[test]
fn a_device_finds_the_predecessors_that_searches_find() {
    let solver = DenseSolver::open(Selection::Emulated(None)).unwrap();
    // Many paths of one length, so that arcs and then vertices decide, and cycles of weight 0.
    let ties = |n: usize| {
        with_arcs::<i32, 4>(n, false, |tail| {
            [(tail + 1) % n, (tail * 5 + 2) % n, (tail * 11 + 3) % n, tail ^ 1]
                .map(|head| (head, (head * 7 % 4) as f64))
        })
    };
    agrees(&solver, &ties(75), PLAIN);
    agrees(&solver, &ties(1), Paths::Predecessors(PathSentinels::SCIPY));
    agrees(&solver, &graph::<i32>(70, true), Paths::Predecessors(PathSentinels::SCIPY));
    agrees(&solver, &graph::<f32>(64, false), PLAIN);
    // The longest path that there is.
    let mut ring = ArcsBuilder::with_vertices(97).unwrap();
    (0..97).for_each(|tail| ring.add(tail, (tail + 1) % 97, 0_i32).unwrap());
    agrees(&solver, &ring.build().unwrap().0, PLAIN);
}

#[test]
fn where_sums_are_rounded_predecessors_are_found_without_the_device_which_has_kept_nothing() {
    let solver = DenseSolver::open(Selection::Emulated(None)).unwrap();
    let arcs: Arcs<f32> = with_arcs(50, false, |tail| {
        [1, 3, 20].map(|step| ((tail + step) % 50, 0.1 + (tail * step % 7) as f64 / 3.0))
    });
    let algorithm = Some(Algorithm::FloydWarshall);
    let options = Options { dense: Some(&solver), algorithm, paths: PLAIN, ..Options::default() };
    let found = solve(&arcs, &options).unwrap();
    let control = Control::default();
    let searches = SearchContext::new(&arcs, &control).unwrap();
    let (every, predecessors) = ((0..50).collect::<Vec<_>>(), found.predecessors.unwrap());
    let walked =
        searches.check_predecessors(&every, None, &found.distances, &predecessors, &control).unwrap();
    assert_eq!(walked.paths as usize, found.distances.iter().filter(|length| length.is_finite()).count());
    assert!(!solver.device.as_ref().unwrap().has_kept());
}
