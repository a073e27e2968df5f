//! Bellman-Ford: vertex potentials that make all weights non-negative, or a negative cycle.

use rayon::prelude::*;
use thiserror::Error;

use super::{DistanceMatrix, Element, weights::Weights};

/// Columns that one task relaxes: their labels (12 KiB) stay in the first-level cache while rows stream past.
pub(super) const COLUMNS: usize = 1024;

/// Following all parents costs as much as relaxing a few rows, so it is not done in every sweep.
pub(super) const SWEEPS_BETWEEN_CYCLE_CHECKS: usize = 8;

/// In the place of a parent: the label was never lowered.
pub const NO_PARENT: u32 = u32::MAX;

/// A cycle of negative total weight: going round it once more is always shorter, so distances do not exist.
#[derive(Clone, Debug, Error, PartialEq)]
#[error(
    "vertex {vertex} (counted from 0) lies on a negative cycle of {} edge{} and total weight {weight}: \
     shortest paths do not exist, raise or remove one of its weights",
    cycle.len(),
    if cycle.len() == 1 { "" } else { "s" }
)]
pub struct NegativeCycle {
    /// The smallest vertex on the cycle, counted from 0.
    pub vertex: usize,
    /// The vertices in the order of the edges, from `vertex` on; an edge leads from the last back to the first.
    pub cycle: Vec<usize>,
    /// The sum of the cycle's edge weights.
    pub weight: f64,
}

/// Potentials p with w(u, v) + p(u) - p(v) >= 0 for every edge (u, v), or `None` when no weight is negative and
/// none are needed.
///
/// p(v) is the length of the shortest path to v from a virtual source with an edge of weight 0 to every vertex, so
/// no potential is positive. Integer weights give exact potentials. Otherwise a label is lowered only by more than
/// the rounding of `f64` could explain, so that a cycle of weight 0 is never taken for a negative one; a reduced
/// weight may then be below 0 by 2^-52 n |w|, where w is the least weight.
///
/// Takes as many sweeps of O(n²) as the shortest path with most edges has edges: about ten on random graphs, but n
/// on a graph made for it.
///
/// # Errors
/// The negative cycle found, when there is one.
pub fn potentials<T: Element>(graph: &DistanceMatrix<T>) -> Result<Option<Vec<f64>>, NegativeCycle> {
    potentials_given(graph, &Weights::of(graph))
}

/// [`potentials`] where the weights have been looked at already.
pub(super) fn potentials_given<T: Element>(
    graph: &DistanceMatrix<T>,
    weights: &Weights,
) -> Result<Option<Vec<f64>>, NegativeCycle> {
    if !weights.negative() {
        return Ok(None);
    }
    let n = graph.n();
    let tolerance = tolerance(n, weights);
    let mut labels = vec![0.0; n];
    let mut parents = vec![NO_PARENT; n];
    let mut changed: Vec<usize> = (0..n).collect();
    // Ends: a label that still changes in sweep n has a chain of n + 1 parents, and so a cycle among the parents.
    for sweep in 1.. {
        let sources: Vec<(usize, f64)> = changed.iter().map(|&u| (u, labels[u])).collect();
        let before = labels.clone();
        labels.par_chunks_mut(COLUMNS).zip(parents.par_chunks_mut(COLUMNS)).enumerate().for_each(
            |(block, (labels, parents))| {
                let columns = block * COLUMNS..block * COLUMNS + labels.len();
                for &(u, label) in &sources {
                    relax(label, u as u32, &graph.row(u)[columns.clone()], tolerance, labels, parents);
                }
            },
        );
        changed = (0..n).filter(|&v| labels[v] != before[v]).collect();
        if changed.is_empty() {
            break;
        }
        if sweep % SWEEPS_BETWEEN_CYCLE_CHECKS == 0
            && let Some(cycle) = cycle_among(&parents)
        {
            return Err(negative_cycle(cycle, |u, v| graph.get(u, v).to_f64()));
        }
    }
    Ok(Some(labels))
}

/// By how much a label must be lowered to be lowered at all, in a graph of `n` vertices.
pub(super) fn tolerance(n: usize, weights: &Weights) -> f64 {
    label_tolerance(n, weights.least)
}

/// How far a label may be off, by the least weight of the graph, which is at most 0.
pub fn label_tolerance(n: usize, least: f64) -> f64 {
    // No label is above 0 or below n times the least weight, so one addition to a label that is lowered is wrong by at most
    // half of this. Large positive weights lower nothing.
    f64::EPSILON * n as f64 * -least
}

/// Lowers the labels of a block of columns with the edges that leave `u`.
pub(super) fn relax<T: Element>(
    label: f64,
    u: u32,
    row: &[T],
    tolerance: f64,
    labels: &mut [f64],
    parents: &mut [u32],
) {
    for ((weight, known), parent) in row.iter().zip(labels).zip(parents) {
        let candidate = label + weight.to_f64();
        // Both are written whatever the comparison's result: selects vectorise, branches do not.
        let shorter = candidate < *known - tolerance;
        *known = if shorter { candidate } else { *known };
        *parent = if shorter { u } else { *parent };
    }
}

/// A cycle in the graph of parents, in the order of the edges. O(n); every parent is a vertex or [`NO_PARENT`].
pub fn cycle_among(parents: &[u32]) -> Option<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut walk_of = vec![UNSEEN; parents.len()];
    for start in 0..parents.len() {
        let mut at = start;
        while walk_of[at] == UNSEEN {
            walk_of[at] = start;
            if parents[at] == NO_PARENT {
                break;
            }
            at = parents[at] as usize;
        }
        if walk_of[at] == start && parents[at] != NO_PARENT {
            let mut cycle = vec![at];
            let mut next = parents[at] as usize;
            while next != at {
                cycle.push(next);
                next = parents[next] as usize;
            }
            cycle.reverse(); // parents lead against the edges
            return Some(cycle);
        }
    }
    None
}

/// The cycle through these vertices, in the order of the edges, with the weight of each of its edges. It has at least one.
pub fn negative_cycle(mut cycle: Vec<usize>, weight_of: impl Fn(usize, usize) -> f64) -> NegativeCycle {
    let first = (0..cycle.len()).min_by_key(|&at| cycle[at]).unwrap_or(0);
    cycle.rotate_left(first);
    let next = cycle.iter().cycle().skip(1);
    let weight = cycle.iter().zip(next).map(|(&u, &v)| weight_of(u, v)).sum();
    NegativeCycle { vertex: cycle[0], weight, cycle }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle;
    use proptest::prelude::*;

    fn with_edges(n: usize, edges: &[(usize, usize, f32)]) -> DistanceMatrix {
        let mut graph = DistanceMatrix::<f32>::without_edges(n).unwrap();
        for &(u, v, weight) in edges {
            graph.add_edge(u, v, weight);
        }
        graph
    }

    #[test]
    fn a_negative_cycle_is_named_with_its_vertices_and_weight() {
        let graph = with_edges(5, &[(0, 3, 1.0), (3, 1, 2.0), (1, 4, -5.0), (4, 3, 1.0), (4, 2, 9.0)]);
        let found = potentials(&graph).unwrap_err();
        assert_eq!(found, NegativeCycle { vertex: 1, cycle: vec![1, 4, 3], weight: -2.0 });
        assert_eq!(
            found.to_string(),
            "vertex 1 (counted from 0) lies on a negative cycle of 3 edges and total weight -2: \
             shortest paths do not exist, raise or remove one of its weights"
        );
    }

    #[test]
    fn a_negative_self_loop_is_a_cycle_of_one_vertex() {
        let found = potentials(&with_edges(3, &[(2, 2, -1.0)])).unwrap_err();
        assert_eq!(found.cycle, [2]);
        assert!(found.to_string().contains("negative cycle of 1 edge and"), "{found}");
    }

    #[test]
    fn a_cycle_of_weight_zero_is_no_negative_cycle_even_with_rounding() {
        for third in [0.1_f32, 1.0 / 3.0, 1e-3, 1e7 / 3.0] {
            let graph = with_edges(3, &[(0, 1, third), (1, 2, third), (2, 0, -2.0 * third)]);
            assert!(potentials(&graph).is_ok());
        }
    }

    mod long {
        use super::*;

        #[test]
        #[ignore = "long"]
        fn paths_and_cycles_may_have_as_many_edges_as_there_are_vertices() {
            let n = COLUMNS + 100;
            let mut edges: Vec<_> = (1..n).map(|v| (v - 1, v, -1.0)).collect();
            let graph = with_edges(n, &edges);
            assert_eq!(potentials(&graph).unwrap().unwrap()[n - 1], -((n - 1) as f64));
            edges.push((n - 1, 0, (n - 2) as f32));
            assert_eq!(potentials(&with_edges(n, &edges)).unwrap_err().cycle.len(), n);
        }
    }

    proptest! {
        #[test]
        fn reduced_weights_are_never_negative_and_cycles_found_are_negative(graph in oracle::graphs(-8)) {
            match potentials(&graph) {
                Ok(p) => {
                    prop_assert!(oracle::distances(&graph).is_some(), "a negative cycle was overlooked");
                    let p = p.unwrap_or(vec![0.0; graph.n()]);
                    for u in 0..graph.n() {
                        for v in 0..graph.n() {
                            prop_assert!(f64::from(graph.get(u, v)) + p[u] - p[v] >= 0.0);
                        }
                    }
                }
                Err(NegativeCycle { vertex, cycle, weight }) => {
                    prop_assert!(weight < 0.0 && cycle[0] == vertex);
                    let total: f32 =
                        (0..cycle.len()).map(|at| graph.get(cycle[at], cycle[(at + 1) % cycle.len()])).sum();
                    prop_assert_eq!(f64::from(total), weight);
                }
            }
        }
    }
}
