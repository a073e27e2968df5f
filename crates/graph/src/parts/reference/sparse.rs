//! The search on lists of edges.

use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::convert::Infallible;

use crate::parts::SparseRows;
use crate::potentials::{
    NO_PARENT, NegativeCycle, SWEEPS_BETWEEN_CYCLE_CHECKS, cycle_among, negative_cycle, tolerance,
};
use crate::search::Paths;
use crate::weights::{Extremes, Weights};

pub(super) fn weights(graph: &SparseRows) -> Weights {
    let n = graph.n();
    let row = |u| {
        let edges = graph.row(u).map(|(_, weight)| Extremes::of_weight(weight.into()));
        edges.fold(Extremes::none(), Extremes::or)
    };
    let edges = (0..n).into_par_iter().map(row).reduce(Extremes::none, Extremes::or);
    let all = edges.or(Extremes::of_weight(0.0));
    let complete = graph.len() == n * (n - 1);
    (if complete { all } else { all.or(Extremes::of_weight(f64::INFINITY)) }).weights()
}

/// The least weight above 0 that leads to each vertex.
pub(super) fn entering(graph: &SparseRows) -> Vec<f64> {
    let mut least = vec![f64::INFINITY; graph.n()];
    for (end, weight) in (0..graph.n()).flat_map(|u| graph.row(u)).filter(|(_, weight)| *weight > 0.0) {
        least[end] = least[end].min(weight.into());
    }
    least
}

/// As [`potentials`](crate::potentials()), a sweep over the edges at a time.
pub(super) fn potentials(graph: &SparseRows, weights: &Weights) -> Result<Option<Vec<f64>>, NegativeCycle> {
    if !weights.negative() {
        return Ok(None);
    }
    let n = graph.n();
    let tolerance = tolerance(n, weights);
    let mut labels = vec![0.0; n];
    let mut parents = vec![NO_PARENT; n];
    let mut changed = vec![true; n];
    // Ends: a label that is lowered in sweep n has at least as many ancestors, and so a cycle among the parents.
    for sweep in 1.. {
        let mut next = vec![false; n];
        let mut again = false;
        for u in (0..n).filter(|&u| changed[u]) {
            let label = labels[u];
            for (v, weight) in graph.row(u) {
                let candidate = label + f64::from(weight);
                if candidate < labels[v] - tolerance {
                    labels[v] = candidate;
                    parents[v] = u as u32;
                    next[v] = true;
                    again = true;
                }
            }
        }
        if !again {
            break;
        }
        changed = next;
        if sweep % SWEEPS_BETWEEN_CYCLE_CHECKS == 0
            && let Some(cycle) = cycle_among(&parents)
        {
            return Err(negative_cycle(cycle, |u, v| weight(graph, u, v)));
        }
    }
    Ok(Some(labels))
}

/// As of the dense matrix: Dijkstra's algorithm with a binary heap, of which a vertex may be in several times. Intermediate
/// vertices are all below `through`.
pub(super) fn paths_from(
    graph: &SparseRows,
    potentials: Option<&[f64]>,
    source: usize,
    through: usize,
) -> Paths {
    let n = graph.n();
    let height = |v: usize| potentials.map_or(0.0, |p| p[v]);
    let mut known = vec![f64::INFINITY; n];
    let mut is_settled = vec![false; n];
    let mut parents = vec![NO_PARENT; n];
    let mut settled = Vec::new();
    let mut open = BinaryHeap::from([Reverse((Ascending::of(0.0), source as u32))]);
    known[source] = 0.0;
    while let Some(Reverse((_, u))) = open.pop() {
        let u = u as usize;
        if std::mem::replace(&mut is_settled[u], true) {
            continue;
        }
        settled.push(u);
        if u >= through && u != source {
            continue;
        }
        let base = known[u] + height(u);
        for (v, weight) in graph.row(u) {
            let candidate = base + f64::from(weight) - height(v);
            if candidate < known[v] && !is_settled[v] {
                known[v] = candidate;
                parents[v] = u as u32;
                open.push(Reverse((Ascending::of(candidate), v as u32)));
            }
        }
    }
    let parent = |v: usize| {
        let parent = parents[v] as usize;
        Ok::<_, Infallible>((parent, weight(graph, parent, v)))
    };
    let Ok(paths) = Paths::along(n, &settled, parent);
    paths
}

/// Of an edge; +infinity where there is none.
fn weight(graph: &SparseRows, u: usize, v: usize) -> f64 {
    graph.weight(u, v).map_or(f64::INFINITY, f64::from)
}

/// A length as bits that have its order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Ascending(u64);

impl Ascending {
    fn of(length: f64) -> Self {
        let bits = length.to_bits();
        Self(if bits >> 63 == 1 { !bits } else { bits | 1 << 63 })
    }
}
