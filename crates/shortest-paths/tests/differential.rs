//! The library against a plain triple loop, over seeded graphs of every awkward kind. The loop gets the list of arcs as it is: with
//! duplicates, self loops, and both arcs of an edge where the graph is undirected.

use crate::Draw;
use proptest::prelude::*;
use repro_graph::{DistanceMatrix, ElementType, Reference};
use shortest_paths::{
    Algorithm, Arcs, ArcsBuilder, Control, Dense, Element, Graph, Options, PathSentinels, Paths,
    RetainedDistances, SearchContext, SearchError, SinkError, Solution, SolveError, WeightRange, solve,
    weights_along,
};

/// Tail, head and weight.
type Listed = (usize, usize, f64);

/// What weights are like.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// From 0, every third of them 0.
    ZeroPolicy,
    /// From 1.
    Positive,
    /// Thirds and other numbers whose sums are rounded, in floating point.
    Fractions,
    /// Differences of heights on top: negative arcs, and many cycles of weight 0, but none below.
    Heights,
    /// Fractions with heights.
    Rough,
    /// From below 0: often a negative cycle.
    Negative,
}

const KINDS: [Kind; 6] =
    [Kind::ZeroPolicy, Kind::Positive, Kind::Fractions, Kind::Heights, Kind::Rough, Kind::Negative];

/// A list of arcs with duplicates and self loops, of a graph that is often in several parts.
fn list(draw: &mut Draw, n: usize, kind: Kind, element: ElementType) -> Vec<Listed> {
    let heights: Vec<f64> = (0..n).map(|_| draw.below(20) as f64).collect();
    let is_float = !element.is_integer();
    let arcs = match draw.below(4) {
        0 => draw.below(n + 1),
        1 => 3 * n,
        2 => draw.below(12 * n),
        _ => n * n / 2,
    };
    let mut arc = |_| {
        let (u, v) = (draw.below(n), draw.below(n));
        let whole = draw.below(50) as f64;
        let height = if element.is_signed() { heights[u] - heights[v] } else { 0.0 };
        let rough = if is_float { (1.0 + whole) / 3.0 } else { whole };
        let weight = match kind {
            Kind::ZeroPolicy if draw.below(3) == 0 => 0.0,
            Kind::ZeroPolicy => whole,
            Kind::Positive => whole + 1.0,
            Kind::Fractions => rough,
            Kind::Heights => draw.below(3) as f64 + height,
            Kind::Rough => rough + height * if is_float { 0.1 } else { 1.0 },
            Kind::Negative if element.is_signed() => whole - 3.0,
            Kind::Negative => whole,
        };
        // A negative self loop is refused by the builder, which is tested there.
        (u, v, if u == v { weight.abs() } else { weight })
    };
    (0..arcs).map(&mut arc).collect()
}

/// The plain triple loop in `f64` for weights of this type; `None` where some cycle is negative.
fn triple_loop<T: Element>(n: usize, arcs: &[Listed], undirected: bool) -> Option<Vec<f64>> {
    let mut d = vec![f64::INFINITY; n * n];
    (0..n).for_each(|v| d[v * n + v] = 0.0);
    for &(u, v, weight) in arcs {
        for at in [u * n + v, if undirected { v * n + u } else { u * n + v }] {
            d[at] = d[at].min(T::from_f64(weight).to_f64());
        }
    }
    for k in 0..n {
        for i in 0..n {
            let first = d[i * n + k];
            if first < f64::INFINITY {
                for j in 0..n {
                    d[i * n + j] = d[i * n + j].min(first + d[k * n + j]);
                }
            }
        }
    }
    let tolerance = if arcs.iter().all(|arc| arc.2.fract() == 0.0) { 0.0 } else { 1e-9 };
    (0..n).all(|v| d[v * n + v] >= -tolerance).then_some(d)
}

/// Floyd-Warshall in the element type, as a dense solver may be.
struct Textbook;

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
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    d[i * n + j] = d[i * n + k].plus(d[k * n + j]).shorter(d[i * n + j]);
                }
            }
        }
        Ok(None)
    }

    fn seconds(&self, _: usize) -> Option<f64> {
        None
    }
}

/// Everything about one graph, and whether it has distances.
fn compare<T: Element>(n: usize, arcs: &[Listed], undirected: bool, [u, v]: [usize; 2], about: &str) -> bool {
    let mut builder = ArcsBuilder::with_vertices(n).unwrap().undirected(undirected);
    for &(u, v, weight) in arcs {
        builder.add(u, v, T::from_f64(weight)).unwrap();
    }
    let (graph, dropped) = builder.build().unwrap();
    assert!(dropped.absent == 0 && graph.m() <= n * n);
    let control = Control::default();

    let Some(expected) = triple_loop::<T>(n, arcs, undirected) else {
        let Err(SolveError::Search(SearchError::NegativeCycle(found))) = solve(&graph, &Options::default())
        else {
            panic!("{about}: a negative cycle was overlooked")
        };
        let next = |at: usize| found.cycle[(at + 1) % found.cycle.len()];
        let weight = |at: usize| graph.weight(found.cycle[at], next(at)).unwrap().to_f64();
        let total: f64 = (0..found.cycle.len()).map(weight).sum();
        assert!(total < 0.0 && (total - found.weight).abs() <= 1e-9, "{about}: {found}");
        return false;
    };
    let paths = Paths::Predecessors(PathSentinels::PLAIN);
    let solution = solve(&graph, &Options { paths, ..Options::default() }).unwrap();
    let predecessors = solution.predecessors.as_deref().unwrap();

    let exact = T::TYPE.is_integer() || graph.facts().range.grain >= 1.0;
    let half = if T::TYPE == ElementType::F32 { f64::from(f32::EPSILON) / 2.0 } else { 0.0 };
    let agrees = |found: f64, expected: f64, size: f64| {
        if exact {
            found == expected
        } else {
            found == expected || (found - expected).abs() <= expected.abs() * half + size
        }
    };
    let largest = expected.iter().filter(|d| d.is_finite()).fold(0.0, |most: f64, d| most.max(d.abs()));
    let noise = f64::EPSILON * n as f64 * 4.0 * (largest + 4.0);
    for (at, (found, expected)) in solution.distances.iter().zip(&expected).enumerate() {
        assert!(agrees(found.to_f64(), *expected, noise), "{about} {at}: {found} and not {expected}");
    }

    let searches = SearchContext::new(&graph, &control).unwrap();
    let every: Vec<usize> = (0..n).collect();
    let walked =
        searches.check_predecessors(&every, None, &solution.distances, predecessors, &control).unwrap();
    assert_eq!(walked.paths as usize, expected.iter().filter(|d| d.is_finite()).count());
    let after = searches.predecessors(&every, &solution.distances, PathSentinels::PLAIN, &control).unwrap();
    assert_eq!(after, predecessors, "{about}: paths depend on when they are made");
    let next = searches.next_vertices(&solution.distances, PathSentinels::SCIPY, &control).unwrap();
    assert_eq!(
        searches.check_next(&solution.distances, &next, &control).unwrap().paths,
        walked.paths,
        "{about}"
    );

    // A path for the caller, with its arcs.
    if let Some(path) = solution.path(u, v).unwrap() {
        let length: f64 = weights_along(&graph, &path).unwrap().iter().map(|w| w.to_f64()).sum();
        assert!(agrees(solution.distance(u, v).unwrap().to_f64(), length, noise), "{about}");
    }

    // Chosen sources and targets have the same entries; and so have their predecessors as far as the targets.
    let (sources, targets) = ([v, u, v], [u, n - 1, v]);
    let chosen = Options { sources: Some(&sources), targets: Some(&targets), paths, ..Options::default() };
    let chosen = solve(&graph, &chosen).unwrap();
    for (row, &source) in sources.iter().enumerate() {
        for (column, &target) in targets.iter().enumerate() {
            let whole = solution.distances[source * n + target];
            assert!(chosen.distances[row * targets.len() + column].bitwise_eq(whole), "{about}");
            assert_eq!(chosen.path(source, target), solution.path(source, target), "{about}");
        }
    }

    // A dense solver, and the same graph as a matrix.
    let dense = Options {
        dense: Some(&Textbook),
        algorithm: Some(Algorithm::FloydWarshall),
        paths,
        ..Options::default()
    };
    match solve(&graph, &dense) {
        // The textbook's order of sums may round a cycle of no weight to less, and then there are no paths by these distances.
        Err(SolveError::NotDistances { from, to, found })
            if !exact && from == to && -noise <= found && found < 0.0 => {}
        dense => {
            let dense = dense.unwrap();
            let by_dense = dense.predecessors.as_deref().unwrap();
            assert_eq!(by_dense, predecessors, "{about}: paths depend on the solver");
            searches.check_predecessors(&every, None, &dense.distances, by_dense, &control).unwrap();
            if exact {
                assert_eq!(dense.distances, solution.distances, "{about}");
            }
        }
    }
    let mut matrix = DistanceMatrix::without_edges(n).unwrap();
    every.iter().for_each(|&u| graph.for_each_arc(u, |v, weight| matrix.add_edge(u, v, weight)));
    assert_eq!(Arcs::of_graph(&matrix).unwrap(), graph);
    assert_eq!(graph.facts(), Graph::facts(&matrix), "{about}");
    assert_eq!(graph.weight(u, v), Graph::weight(&matrix, u, v), "{about}");
    // The verifier of dense graphs, which searches on its own, accepts the distances and the lengths of the paths. It refuses
    // some graphs, for example because their bounds are too wide.
    if let Ok(reference) = Reference::of_rows(&matrix, 4, 1) {
        reference.check(&solution.distances).unwrap();
        for &source in reference.sources() {
            let lengths: Vec<T> =
                every.iter().map(|&target| walked_length(&graph, &solution, source, target)).collect();
            reference.check_piece(source, 0, &lengths).unwrap();
        }
    } else {
        assert!(!exact || n == 1, "{about}: nothing to verify with");
    }
    let of_matrix = solve(&matrix, &Options { paths, ..Options::default() }).unwrap();
    assert_eq!(of_matrix.distances, solution.distances, "{about}");
    assert_eq!(of_matrix.predecessors, solution.predecessors, "{about}");
    true
}

/// The sum of the weights on the path, rounded once.
fn walked_length<T: Element>(graph: &Arcs<T>, solution: &Solution<T>, source: usize, target: usize) -> T {
    let path = solution.path(source, target).unwrap();
    path.map_or(T::ABSENT, |path| {
        T::from_f64(
            weights_along(graph, &path).unwrap().iter().fold(0.0, |sum, weight| sum + weight.to_f64()),
        )
    })
}

fn compare_in(
    element: ElementType,
    n: usize,
    arcs: &[Listed],
    undirected: bool,
    ends: [usize; 2],
    about: &str,
) -> bool {
    match element {
        ElementType::F32 => compare::<f32>(n, arcs, undirected, ends, about),
        ElementType::F64 => compare::<f64>(n, arcs, undirected, ends, about),
        ElementType::I32 => compare::<i32>(n, arcs, undirected, ends, about),
        ElementType::U16 => compare::<u16>(n, arcs, undirected, ends, about),
    }
}

/// Compares so many graphs of up to so many vertices, and returns how many had distances.
fn compare_many(graphs: usize, most: usize) -> usize {
    let mut solved = 0;
    for seed in 0..graphs {
        let mut draw = Draw(seed as u64);
        let n = 1 + draw.below(most);
        let kind = KINDS[seed % KINDS.len()];
        let element = ElementType::ALL[seed / KINDS.len() % 4];
        let arcs = list(&mut draw, n, kind, element);
        let ends = [(); 2].map(|()| draw.below(n));
        let undirected = seed / 24 % 4 == 3;
        let about = format!("seed {seed}, {kind:?} {element}, {n} vertices, undirected: {undirected}");
        solved += usize::from(compare_in(element, n, &arcs, undirected, ends, &about));
    }
    solved
}

/// Of few vertices and weights, so that ties, cycles of weight 0 and negative cycles are common.
fn small() -> impl Strategy<Value = (ElementType, usize, Vec<Listed>, [usize; 2])> {
    (prop::sample::select(ElementType::ALL.to_vec()), 1_usize..10).prop_flat_map(|(element, n)| {
        let least = if element.is_signed() { -2 } else { 0 };
        let parts = if element.is_integer() { 1.0 } else { 3.0 };
        let weight =
            prop_oneof![4 => 0_i32..4, 1 => least..3].prop_map(move |weight| f64::from(weight) / parts);
        let arc = (0..n, 0..n, weight)
            .prop_map(|(u, v, weight)| (u, v, if u == v { weight.abs() } else { weight }));
        (Just(element), Just(n), prop::collection::vec(arc, 0..30), [0..n, 0..n])
    })
}

proptest! {
    // A list of failures beside this file would be taken for a source.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn small_graphs_of_few_weights_have_the_distances_of_others_and_paths_that_lead_there(
        (element, n, arcs, ends) in small(), undirected: bool,
    ) {
        compare_in(element, n, &arcs, undirected, ends, "small");
    }
}

#[test]
fn two_hundred_graphs_have_the_distances_of_others_and_paths_that_lead_there() {
    let solved = compare_many(200, 40);
    assert!((130..200).contains(&solved), "{solved} of 200 graphs have distances");
}
