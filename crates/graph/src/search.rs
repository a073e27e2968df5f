//! Shortest paths from one vertex on the original graph, by an algorithm that is not Floyd-Warshall, so that the two
//! do not share their mistakes.

use super::{DistanceMatrix, Element};
use std::convert::Infallible;

/// Columns whose minimum is tracked together; the nearest vertex is then looked for in one such block only.
const BLOCK: usize = 256;

/// Independent minima that are kept side by side, because one running minimum cannot be vectorised.
const LANES: usize = 8;

/// The distances from `source` to every vertex, [`Element::ABSENT`] where there is no path: Dijkstra's algorithm on the
/// dense matrix, O(n²) time, with sums in `f64` that are rounded once at the end.
///
/// `potentials` are those of [`super::potentials()`] for this graph, needed when a weight is negative. The result is exact
/// where [`super::Reference`] says that results are.
///
/// # Panics
/// When `source` is not a vertex, or there are not n potentials.
pub fn shortest_from<T: Element>(
    graph: &DistanceMatrix<T>,
    potentials: Option<&[f64]>,
    source: usize,
) -> Vec<T> {
    shortest_through(graph, potentials, source, graph.n())
}

/// Lengths of shortest paths whose intermediate vertices are all below `through`: what Floyd-Warshall has found once it has been through
/// that many vertices. Every vertex is the end of some path. O(n `through`) time.
///
/// # Panics
/// As [`shortest_from`].
pub fn shortest_through<T: Element>(
    graph: &DistanceMatrix<T>,
    potentials: Option<&[f64]>,
    source: usize,
    through: usize,
) -> Vec<T> {
    let SearchResult { lengths, .. } = search::<false, T>(graph, potentials, source, through);
    let height = |v: usize| potentials.map_or(0.0, |p| p[v]);
    let back = height(source);
    lengths.iter().enumerate().map(|(v, length)| T::from_f64(length + height(v) - back)).collect()
}

/// One shortest path from a source to each vertex, and what rounding can do to the sums on it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Paths {
    /// The sum of the path's weights, added in `f64` along the path; +infinity where there is no path.
    pub lengths: Vec<f64>,
    /// How many edges of the path have a weight other than 0.
    pub edges: Vec<u32>,
    /// At least the largest magnitude among the lengths of the path's parts, however it is cut.
    pub reach: Vec<f64>,
}

/// The paths behind [`shortest_from`].
pub(super) fn paths_from<T: Element>(
    graph: &DistanceMatrix<T>,
    potentials: Option<&[f64]>,
    source: usize,
) -> Paths {
    let n = graph.n();
    let SearchResult { settled, parents, .. } = search::<true, T>(graph, potentials, source, n);
    let parent = |v: usize| {
        let parent = parents[v] as usize;
        Ok::<_, Infallible>((parent, graph.get(parent, v).to_f64()))
    };
    let Ok(paths) = Paths::along(n, &settled, parent);
    paths
}

impl Paths {
    /// The paths in a graph of `n` vertices that a search found: the vertices that it `settled`, each after the one before it on its path,
    /// the source first, and the `parent` of each with the weight of the edge that leads from there.
    ///
    /// # Errors
    /// Those of `parent`.
    pub fn along<E>(
        n: usize,
        settled: &[usize],
        parent: impl Fn(usize) -> Result<(usize, f64), E>,
    ) -> Result<Self, E> {
        let mut paths =
            Self { lengths: vec![f64::INFINITY; n], edges: vec![0; n], reach: vec![f64::INFINITY; n] };
        // The least and the greatest length of the path's beginnings, the empty one included.
        let mut extremes = vec![(0.0_f64, 0.0_f64); n];
        if let Some(&source) = settled.first() {
            (paths.lengths[source], paths.reach[source]) = (0.0, 0.0);
        }
        for &v in settled.iter().skip(1) {
            let (parent, weight) = parent(v)?;
            let length = paths.lengths[parent] + weight;
            let (least, most) = extremes[parent];
            extremes[v] = (least.min(length), most.max(length));
            paths.lengths[v] = length;
            paths.edges[v] = paths.edges[parent] + u32::from(weight != 0.0);
            paths.reach[v] = extremes[v].1 - extremes[v].0;
        }
        Ok(paths)
    }
}

/// What a search found.
struct SearchResult {
    /// Reduced lengths of the shortest paths: of one to v, p(source) - p(v) more than its length.
    lengths: Vec<f64>,
    /// The vertices that paths were followed on from, nearest first: all with a path where all may be intermediate.
    settled: Vec<usize>,
    /// Whence each of them was reached, if the search kept track.
    parents: Vec<u64>,
}

fn search<const TRACK: bool, T: Element>(
    graph: &DistanceMatrix<T>,
    potentials: Option<&[f64]>,
    source: usize,
    through: usize,
) -> SearchResult {
    let n = graph.n();
    assert!(source < n, "vertex {source} is not in a graph of {n} vertices");
    assert!(potentials.is_none_or(|p| p.len() == n), "{n} vertices need as many potentials");
    let height = |v: usize| potentials.map_or(0.0, |p| p[v]);
    let mut found = SearchResult {
        lengths: vec![f64::INFINITY; n],
        settled: Vec::new(),
        parents: vec![0; if TRACK { n } else { 0 }],
    };
    let mut tentative = vec![f64::INFINITY; n];
    // Added to every candidate: -p(v), or +infinity once v is settled, which keeps v settled without a branch.
    let mut shift: Vec<f64> = (0..n).map(|v| 0.0 - height(v)).collect();

    let mut nearest = Some((source, 0.0));
    while let Some((u, length)) = nearest {
        found.lengths[u] = length;
        tentative[u] = f64::INFINITY;
        shift[u] = f64::INFINITY;
        if TRACK {
            found.settled.push(u);
        }
        let from = From { vertex: u as u64, base: length + height(u), row: graph.row(u) };
        nearest = relax::<TRACK, T>(from, &shift, &mut tentative, &mut found.parents);
        if through < n {
            nearest = nearest_of(&tentative[..through]);
        }
    }
    // Paths end at the others and lead nowhere from there, so what is known of them is final.
    for (v, known) in tentative.iter().enumerate().skip(through) {
        if v != source {
            found.lengths[v] = *known;
        }
    }
    found
}

/// A vertex whose edges are taken into account.
#[derive(Clone, Copy)]
pub(super) struct From<'a, T> {
    pub vertex: u64,
    /// Added to each of its weights.
    pub base: f64,
    pub row: &'a [T],
}

/// Takes the edges of one vertex into account and finds the nearest vertex that is not settled, if any is reachable.
pub(super) fn relax<const TRACK: bool, T: Element>(
    from: From<T>,
    shift: &[f64],
    tentative: &mut [f64],
    parents: &mut [u64],
) -> Option<(usize, f64)> {
    let mut nearest = f64::INFINITY;
    let mut start = 0;
    for at in (0..tentative.len()).step_by(BLOCK) {
        let block = at..(at + BLOCK).min(tentative.len());
        let parents = if TRACK { &mut parents[block.clone()] } else { &mut [] };
        let from = From { row: &from.row[block.clone()], ..from };
        let least = relax_block::<TRACK, T>(from, &shift[block.clone()], &mut tentative[block], parents);
        if least < nearest {
            nearest = least;
            start = at;
        }
    }
    if nearest == f64::INFINITY {
        return None;
    }
    let within = tentative[start..].iter().position(|d| *d == nearest)?;
    Some((start + within, nearest))
}

/// The vertex that is nearest by these tentative distances, if any is reachable.
pub(super) fn nearest_of(tentative: &[f64]) -> Option<(usize, f64)> {
    let nearest = tentative.iter().copied().fold(f64::INFINITY, lesser);
    let reachable = tentative.iter().position(|d| *d == nearest).filter(|_| nearest < f64::INFINITY)?;
    Some((reachable, nearest))
}

/// Lowers the tentative distances of a block and returns the least of them.
fn relax_block<const TRACK: bool, T: Element>(
    from: From<T>,
    shift: &[f64],
    tentative: &mut [f64],
    parents: &mut [u64],
) -> f64 {
    let mut least = [f64::INFINITY; LANES];
    let (rows, row_rest) = from.row.as_chunks::<LANES>();
    let (shifts, shift_rest) = shift.as_chunks::<LANES>();
    let (known, known_rest) = tentative.as_chunks_mut::<LANES>();
    let (parent, parent_rest) = parents.as_chunks_mut::<LANES>();
    let mut parent = parent.iter_mut();
    for ((row, shift), known) in rows.iter().zip(shifts).zip(known) {
        let mut parent = if TRACK { parent.next() } else { None };
        for lane in 0..LANES {
            let candidate = from.base + row[lane].to_f64() + shift[lane];
            if let Some(parent) = &mut parent {
                // Written whatever the comparison's result: selects vectorise, branches do not.
                parent[lane] = if candidate < known[lane] { from.vertex } else { parent[lane] };
            }
            known[lane] = lesser(candidate, known[lane]);
            least[lane] = lesser(known[lane], least[lane]);
        }
    }
    let mut least = least.into_iter().fold(f64::INFINITY, lesser);
    for (at, ((weight, shift), known)) in row_rest.iter().zip(shift_rest).zip(known_rest).enumerate() {
        let candidate = from.base + weight.to_f64() + shift;
        if TRACK && candidate < *known {
            parent_rest[at] = from.vertex;
        }
        *known = lesser(candidate, *known);
        least = lesser(*known, least);
    }
    least
}

/// One machine instruction, unlike `f64::min`, which has to look for NaN; there is none here.
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RandomGraph, generate, oracle, potentials};
    use proptest::prelude::*;

    fn check(graph: &DistanceMatrix) -> Result<(), TestCaseError> {
        let expected = oracle::distances(graph);
        let Ok(potentials) = potentials(graph) else {
            prop_assert!(expected.is_none(), "the cycle found is not negative");
            return Ok(());
        };
        let expected = expected.expect("potentials exist only without a negative cycle");
        for source in 0..graph.n() {
            let found = shortest_from(graph, potentials.as_deref(), source);
            for (v, distance) in found.iter().enumerate() {
                let expected = expected[source * graph.n() + v] as f32;
                prop_assert_eq!(distance.to_bits(), expected.to_bits(), "{} to {}", source, v);
            }
        }
        Ok(())
    }

    #[test]
    fn blocks_and_their_remainders_are_all_searched() {
        for n in [7, 8, 9, 255, 256, 257, 300] {
            for negative in [false, true] {
                let graph = RandomGraph { negative, density: 0.1, ..RandomGraph::complete(n as u64) };
                check(&generate::<f32>(&graph, n).unwrap()).unwrap();
            }
        }
    }

    /// Every row of every number of intermediate vertices, bit for bit.
    fn check_through(graph: &DistanceMatrix) -> Result<(), TestCaseError> {
        let n = graph.n();
        let Ok(potentials) = potentials(graph) else { return Ok(()) };
        let mut expected = graph.as_slice().to_vec();
        for through in 0..=n {
            for source in 0..n {
                let found = shortest_through(graph, potentials.as_deref(), source, through);
                for (v, distance) in found.iter().enumerate() {
                    let expected = expected[source * n + v];
                    prop_assert_eq!(distance.to_bits(), expected.to_bits(), "{} to {}", source, v);
                }
            }
            oracle::solve_in_order(&mut expected, n, through..n.min(through + 1));
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn paths_through_some_vertices_are_those_of_as_many_passes_of_the_triple_loop(
            plain in oracle::graphs(0), n in 1usize..40, density in 0.0..=1.0f64, seed: u64,
        ) {
            check_through(&plain)?;
            let negative = RandomGraph { density, negative: true, ..RandomGraph::complete(seed) };
            check_through(&generate::<f32>(&negative, n).unwrap())?;
        }

        #[test]
        fn distances_are_those_of_the_triple_loop(plain in oracle::graphs(0), negative in oracle::graphs(-4)) {
            check(&plain)?;
            check(&negative)?;
        }
    }
}
