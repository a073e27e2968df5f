//! Whole matrices of distances compared with petgraph's Johnson and Dijkstra, which get the list of arcs as it is: with duplicates, self loops, zero
//! weights, cycles of weight 0, and edges that are undirected.
//!
//! All 2,000 graphs of up to 300 vertices, by `cargo test --release -p repro-shortest-paths --test all -- --ignored petgraph::`.

use petgraph::EdgeType;
use petgraph::algo::{dijkstra, johnson};
use petgraph::graph::{DiGraph, Graph, NodeIndex, UnGraph};
use shortest_paths::{ArcsBuilder, ElementType, GraphError, Options, Solution, SolveError, Weight, solve};

/// Numbers by a linear congruence, the same on every machine.
struct Draw(u64);

impl Draw {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below.max(1)
    }
}

/// What weights are like.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Every other one 0.
    Zeros,
    /// Up to a thousand.
    Large,
    /// Differences of heights, and every other arc nothing more: negative arcs, and cycles of weight 0, but none below.
    Heights,
    /// From below 0: often a negative cycle.
    Negative,
}

const KINDS: [Kind; 4] = [Kind::Zeros, Kind::Large, Kind::Heights, Kind::Negative];

type Listed = (usize, usize, i64);

fn list(draw: &mut Draw, n: u64, kind: Kind) -> Vec<Listed> {
    let heights: Vec<i64> = (0..n).map(|_| draw.below(20) as i64).collect();
    let count = [n / 2, 2 * n, 5 * n, n * n / 3][draw.below(4) as usize];
    let mut arc = |_| {
        let (u, v) = (draw.below(n) as usize, draw.below(n) as usize);
        let weight = match kind {
            Kind::Zeros => (draw.below(2) * draw.below(9)) as i64,
            Kind::Large => draw.below(1000) as i64,
            Kind::Heights => (draw.below(2) * draw.below(4)) as i64 + heights[u] - heights[v],
            Kind::Negative => draw.below(60) as i64 - 2,
        };
        (u, v, weight)
    };
    (0..count).map(&mut arc).collect()
}

/// The distance from each vertex to each that it reaches; nothing where a cycle is negative.
fn by_petgraph<D: EdgeType>(
    mut graph: Graph<(), i64, D>,
    n: usize,
    list: &[Listed],
) -> Option<Vec<Option<i64>>> {
    for _ in 0..n {
        graph.add_node(());
    }
    for &(u, v, weight) in list {
        graph.add_edge(NodeIndex::new(u), NodeIndex::new(v), weight);
    }
    let mut distances = vec![None; n * n];
    if list.iter().all(|(_, _, weight)| *weight >= 0) {
        for source in 0..n {
            for (target, length) in dijkstra(&graph, NodeIndex::new(source), None, |edge| *edge.weight()) {
                distances[source * n + target.index()] = Some(length);
            }
        }
        return Some(distances);
    }
    for ((source, target), length) in johnson(&graph, |edge| *edge.weight()).ok()? {
        // A pair without a path has the largest number, moved by potentials.
        let is_path = length < i64::MAX / 2;
        distances[source.index() * n + target.index()] = is_path.then_some(length);
    }
    Some(distances)
}

fn solved<T: Weight>(n: usize, list: &[Listed], undirected: bool) -> Option<Solution<T>> {
    let mut builder = ArcsBuilder::with_vertices(n).unwrap().undirected(undirected);
    for &(u, v, weight) in list {
        match builder.add(u, v, T::from_f64(weight as f64)) {
            Ok(()) => {}
            Err(GraphError::NegativeCycle(_)) if u == v && weight < 0 => return None,
            Err(other) => panic!("{other}"),
        }
    }
    match solve(&builder.build().unwrap().0, &Options::default()) {
        Ok(solution) => Some(solution),
        Err(SolveError::NegativeCycle(cycle)) if cycle.weight < 0.0 => None,
        Err(other) => panic!("{other}"),
    }
}

fn compare<T: Weight>(
    n: usize,
    list: &[Listed],
    undirected: bool,
    expected: &Option<Vec<Option<i64>>>,
    about: &str,
) {
    let found = solved::<T>(n, list, undirected);
    let found = found.map(|solution| {
        let number = |d: &T| if d.is_absent() { None } else { Some(d.to_f64() as i64) };
        solution.distances.iter().map(number).collect::<Vec<_>>()
    });
    assert!(found == *expected, "{about} in {}: {found:?} and not {expected:?}", T::TYPE);
}

/// Compares so many graphs of up to so many vertices, and returns how many had distances.
fn compare_many(graphs: u64, most: u64) -> u64 {
    let mut solved = 0;
    for seed in 0..graphs {
        let mut draw = Draw(seed);
        let n = 1 + draw.below(most);
        let kind = KINDS[seed as usize % KINDS.len()];
        let element = ElementType::ALL[seed as usize / 4 % 4];
        let undirected = seed / 16 % 2 == 1;
        let list = list(&mut draw, n, kind);
        let n = n as usize;
        let expected = if undirected {
            by_petgraph(UnGraph::default(), n, &list)
        } else {
            by_petgraph(DiGraph::default(), n, &list)
        };
        let about = format!("seed {seed}, {kind:?}, {n} vertices, undirected: {undirected}");
        match element {
            ElementType::F32 => compare::<f32>(n, &list, undirected, &expected, &about),
            ElementType::F64 => compare::<f64>(n, &list, undirected, &expected, &about),
            ElementType::U16 if matches!(kind, Kind::Zeros | Kind::Large) => {
                compare::<u16>(n, &list, undirected, &expected, &about);
            }
            ElementType::I32 | ElementType::U16 => compare::<i32>(n, &list, undirected, &expected, &about),
        }
        solved += u64::from(expected.is_some());
    }
    solved
}

#[test]
fn three_hundred_lists_of_arcs_have_the_distances_that_petgraph_finds() {
    let solved = compare_many(300, 30);
    assert!((180..300).contains(&solved), "{solved} of 300 graphs have distances");
}

mod minutes {
    use super::compare_many;

    #[test]
    #[ignore = "takes minutes: 2,000 graphs of up to 300 vertices"]
    fn two_thousand_lists_of_arcs_have_the_distances_that_petgraph_finds() {
        let solved = compare_many(2000, 300);
        assert!((1000..2000).contains(&solved), "{solved} of 2,000 graphs have distances");
    }
}
