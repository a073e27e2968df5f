use super::*;
use crate::graphs_of_tests::arcs_of;
use crate::{Arcs, Control, PathSentinels, RetainedDistances, SearchError, SinkError, WeightRange};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The textbook triple loop.
struct Textbook {
    seconds: Option<f64>,
}

impl<T: Element> Dense<T> for Textbook {
    fn close(
        &self,
        matrix: &mut DistanceMatrix<T>,
        _: &WeightRange,
        _: bool,
        _: &Control,
    ) -> Result<Option<Box<dyn RetainedDistances<T> + '_>>, SinkError> {
        let n = matrix.n();
        let d = matrix.as_mut_slice();
        for (k, i, j) in (0..n * n * n).map(|at| (at / n / n, at / n % n, at % n)) {
            d[i * n + j] = d[i * n + k].plus(d[k * n + j]).shorter(d[i * n + j]);
        }
        Ok(None)
    }

    fn seconds(&self, _: usize) -> Option<f64> {
        self.seconds
    }
}

fn graph() -> Arcs<i32> {
    arcs_of(5, &[(0, 1, 4), (0, 2, 3), (2, 1, 0), (1, 3, 2), (2, 3, 2), (3, 0, -2)])
}

#[test]
fn the_dense_solver_and_searches_find_the_same_for_every_choice_of_rows_columns_and_paths() {
    let (graph, dense) = (graph(), Textbook { seconds: None });
    let plain = Paths::Predecessors(PathSentinels::PLAIN);
    for (sources, targets, paths) in [
        (None, None, Paths::No),
        (None, None, plain),
        (None, None, Paths::Next(PathSentinels::SCIPY)),
        (Some([3, 0].as_slice()), None, plain),
        (Some([3, 0, 3].as_slice()), Some([1, 4].as_slice()), Paths::No),
        (None, Some([2].as_slice()), Paths::No),
        // Vertex 1 is on no path from 2 to 3, and 3 is beyond the only target.
        (Some([2, 0].as_slice()), Some([3].as_slice()), plain),
        (None, Some([1].as_slice()), Paths::Predecessors(PathSentinels::SCIPY)),
        (None, Some([].as_slice()), Paths::No),
        (Some([].as_slice()), None, plain),
    ] {
        let options = Options { sources, targets, paths, dense: Some(&dense), ..Options::default() };
        let by = |algorithm| solve(&graph, &Options { algorithm: Some(algorithm), ..options }).unwrap();
        let (search, dense) = (by(Algorithm::Johnson), by(Algorithm::FloydWarshall));
        assert_eq!(search.choice, dense.choice);
        let same = Solution { algorithm: Algorithm::Johnson, ..dense };
        assert_eq!(search, same);
        let matrix = DistanceMatrix::from_rows(5, |tail, row| graph.fill_row(tail, row)).unwrap();
        for algorithm in [Algorithm::Johnson, Algorithm::FloydWarshall] {
            let chosen = Options { algorithm: Some(algorithm), ..options };
            assert_eq!(solve_in_place(matrix.clone(), &chosen).unwrap().distances, search.distances);
            assert_eq!(solve_in_place(matrix.clone(), &chosen).unwrap(), solve(&matrix, &chosen).unwrap());
        }
        let (rows, columns) = (sources.map_or(5, <[_]>::len), targets.map_or(5, <[_]>::len));
        assert_eq!(search.distances.len(), rows * columns);
    }
}

#[test]
fn what_cannot_be_done_is_refused_in_one_line() {
    let graph = graph();
    let refused = |options: Options<i32>| solve(&graph, &options).unwrap_err().to_string();
    let options = Options::default();
    assert!(refused(Options { sources: Some(&[5]), ..options }).contains("vertex 5 is not in a graph of 5"));
    let algorithm = |algorithm| Options { algorithm: Some(algorithm), ..options };
    assert!(refused(algorithm(Algorithm::Dijkstra)).contains("the least weight is -2"));
    assert!(refused(algorithm(Algorithm::FloydWarshall)).contains("no dense solver was given"));
    let next = Options { paths: Paths::Next(PathSentinels::PLAIN), targets: Some(&[1]), ..options };
    assert!(refused(next).contains("next vertices"));
    let flag = AtomicBool::new(true);
    assert_eq!(refused(Options { control: Control::default().cancelled_by(&flag), ..options }), "cancelled");
    let error = solve(&arcs_of(2_000_000, &[(0, 1, 1.0_f32)]), &Options::default()).unwrap_err().to_string();
    assert!(error.starts_with("the result needs 1600"), "{error}");
    // Marks that could be vertices.
    let searches = SearchContext::new(&graph, &Control::default()).unwrap();
    let dense = Textbook { seconds: None };
    for (diagonal, unreachable) in [(i32::MAX, -1), (-1, 0)] {
        let marks = PathSentinels { diagonal, unreachable };
        for algorithm in [Algorithm::Dijkstra, Algorithm::FloydWarshall] {
            let paths = Paths::Predecessors(marks);
            let algorithm = Some(algorithm);
            let options =
                Options { dense: Some(&dense), algorithm, targets: Some(&[1]), paths, ..Options::default() };
            let error = solve(&graph, &options).unwrap_err();
            assert!(matches!(error, SolveError::NotASentinel { sentinel } if sentinel >= 0), "{error}");
        }
        let refused = searches.next_vertices(&[0; 25], marks, &Control::default());
        assert!(matches!(refused, Err(SolveError::NotASentinel { .. })));
    }
}

#[test]
fn a_dense_solver_gets_no_graph_whose_sums_may_leave_the_range() {
    let dense = Textbook { seconds: Some(0.0) };
    let near = arcs_of(3, &[(0, 1, 20_000_u16)]);
    let options = Options { dense: Some(&dense), ..Options::default() };
    assert_eq!(solve(&near, &options).unwrap().algorithm, Algorithm::Dijkstra);
    let forced = Options { algorithm: Some(Algorithm::FloydWarshall), ..options };
    assert!(matches!(solve(&near, &forced), Err(SolveError::NoDense { .. })));
    // A distance that does leave it is named.
    let error = solve(&arcs_of(3, &[(0, 1, 20_000_u16), (1, 2, 20_000)]), &options).unwrap_err();
    assert!(
        matches!(error, SolveError::Search(SearchError::OutOfRange { from: 0, to: 2, length: 40_000.0, .. })),
        "{error}"
    );
    let refused = solve(&arcs_of(3, &[(0, 1, f32::MAX), (1, 2, f32::MAX)]), &Options::default());
    assert!(matches!(refused, Err(SolveError::Search(SearchError::OutOfRange { .. }))));
    let refused = solve(&arcs_of(3, &[(0, 1, f64::MAX), (1, 2, f64::MAX)]), &Options::default());
    assert!(matches!(refused, Err(SolveError::MayOverflow { .. })));
}

#[test]
fn a_loop_of_a_matrix_that_is_solved_in_place_shortens_nothing_and_a_negative_cycle_is_found() {
    let dense = Textbook { seconds: Some(0.0) };
    let options = Options { dense: Some(&dense), ..Options::default() };
    // A loop shortens nothing, and a negative cycle is found before anything is changed.
    let mut matrix = DistanceMatrix::<f32>::without_edges(2).unwrap();
    matrix.as_mut_slice()[3] = 5.0;
    assert_eq!(solve_in_place(matrix.clone(), &options).unwrap().distances[3], 0.0);
    matrix.add_edge(0, 1, -2.0);
    matrix.add_edge(1, 0, 1.5);
    let error = solve_in_place(matrix, &options).unwrap_err();
    assert!(matches!(error, SolveError::Search(SearchError::NegativeCycle(cycle)) if cycle.weight == -0.5));
}

/// A matrix that counts how often its rows are looked at.
struct Counted<T> {
    matrix: DistanceMatrix<T>,
    rows: AtomicUsize,
}

fn matrix_of<T: Element>(n: usize, arcs: &[(usize, usize, T)]) -> DistanceMatrix<T> {
    let mut matrix = DistanceMatrix::without_edges(n).unwrap();
    arcs.iter().for_each(|&(tail, head, weight)| matrix.as_mut_slice()[tail * n + head] = weight);
    matrix
}

impl<T: Element> Graph for Counted<T> {
    type Weight = T;

    fn n(&self) -> usize {
        self.matrix.n()
    }

    fn m(&self) -> usize {
        Graph::m(&self.matrix)
    }

    fn for_each_arc(&self, tail: usize, visit: impl FnMut(usize, T)) {
        self.rows.fetch_add(1, Ordering::Relaxed);
        self.matrix.for_each_arc(tail, visit);
    }

    fn weight(&self, tail: usize, head: usize) -> Option<T> {
        self.matrix.weight(tail, head)
    }

    fn negative_loop(&self) -> Option<(usize, T)> {
        self.matrix.negative_loop()
    }

    fn sparse(&self) -> Result<Option<Arcs<T>>, SearchError> {
        Arcs::of_sparse(self, Graph::m(self))
    }

    fn facts(&self) -> WeightSummary {
        self.matrix.facts()
    }
}

#[test]
fn each_row_of_a_matrix_with_few_arcs_is_read_twice_and_not_once_a_source() {
    let arcs: Vec<(usize, usize, i32)> = (0..200)
        .flat_map(|v| [(v, (v + 1) % 200, 2), (v, (v * 3 + 7) % 200, 5)])
        .filter(|a| a.0 != a.1)
        .collect();
    let graph = Counted { matrix: matrix_of(200, &arcs), rows: AtomicUsize::new(0) };
    for paths in [Paths::No, Paths::Predecessors(PathSentinels::PLAIN), Paths::Next(PathSentinels::PLAIN)] {
        graph.rows.store(0, Ordering::Relaxed);
        let algorithm = Some(Algorithm::Dijkstra);
        let options = Options { algorithm, paths, ..Options::default() };
        let found = solve(&graph, &options).unwrap();
        assert_eq!(graph.rows.load(Ordering::Relaxed), 400);
        let expected = solve(&Arcs::of_graph(&graph.matrix).unwrap(), &options).unwrap();
        assert_eq!(found.distances, expected.distances);
        assert_eq!((found.predecessors, found.next), (expected.predecessors, expected.next));
    }
    // By the dense solver its matrix is made of it, and arcs are for paths alone.
    let dense = Textbook { seconds: None };
    let algorithm = Some(Algorithm::FloydWarshall);
    let options = Options { algorithm, dense: Some(&dense), ..Options::default() };
    assert_eq!(solve(&graph, &options).unwrap().distances, solve(&graph.matrix, &options).unwrap().distances);
}

#[test]
fn a_matrix_is_searched_by_its_arcs_where_they_are_few_and_none_is_a_negative_cycle() {
    let few: Vec<(usize, usize, i32)> = (0..312).map(|at| (at / 99, at / 99 + 1 + at % 99 % 90, 1)).collect();
    assert!(matrix_of(100, &few).sparse().unwrap().is_some());
    let many: Vec<(usize, usize, i32)> = (0..400).map(|at| (at / 90, at / 90 + 1 + at % 90, 1)).collect();
    assert!(matrix_of(100, &many).sparse().unwrap().is_none());
    let cycle = matrix_of(100, &[(0, 1, 4), (7, 7, -1)]);
    assert!(cycle.sparse().unwrap().is_none());
    let error = solve(&cycle, &Options::default()).unwrap_err();
    assert!(matches!(error, SolveError::Search(SearchError::NegativeCycle(found)) if found.cycle == [7]));
}
