//! The textbook triple loop, the plainest statement of what the distances are, for tests of everything else.

use proptest::prelude::*;

use super::{DistanceMatrix, Element};

/// All distances as an implementation in `f32` finds them; the graph has no negative cycle.
pub(crate) fn in_f32(graph: &DistanceMatrix) -> Vec<f32> {
    let mut d = graph.as_slice().to_vec();
    solve(&mut d, graph.n());
    d
}

/// The textbook triple loop in place.
pub(crate) fn solve<T: Element>(d: &mut [T], n: usize) {
    solve_in_order(d, n, 0..n);
}

/// Solves with the outer loop in another order, which adds the weights of paths up in another order.
pub(crate) fn solve_in_order<T: Element>(d: &mut [T], n: usize, order: impl IntoIterator<Item = usize>) {
    for k in order {
        for i in 0..n {
            for j in 0..n {
                d[i * n + j] = d[i * n + k].plus(d[k * n + j]).shorter(d[i * n + j]);
            }
        }
    }
}

/// What right solvers find of a graph without a negative cycle: Floyd-Warshall in each of the orders, the same until nothing
/// changes, sums from the first edge on, and sums in `f64` that are rounded once.
pub(crate) fn right_results(graph: &DistanceMatrix, orders: &[Vec<usize>]) -> Vec<Vec<f32>> {
    let n = graph.n();
    let mut results = Vec::new();
    for order in orders {
        let mut d = graph.as_slice().to_vec();
        solve_in_order(&mut d, n, order.iter().copied());
        while results.last() != Some(&d) {
            results.push(d.clone());
            solve_in_order(&mut d, n, order.iter().copied());
        }
    }
    let mut from_the_start = graph.as_slice().to_vec();
    for _ in 0..n {
        for (i, k, j) in (0..n * n * n).map(|at| (at / n / n, at / n % n, at % n)) {
            let candidate = from_the_start[i * n + k] + graph.get(k, j);
            from_the_start[i * n + j] = from_the_start[i * n + j].min(candidate);
        }
    }
    results.push(from_the_start);
    let mut rounded_once: Vec<f64> = graph.as_slice().iter().map(|weight| f64::from(*weight)).collect();
    solve(&mut rounded_once, n);
    results.push(rounded_once.iter().map(|distance| *distance as f32).collect());
    results
}

/// Graphs of 1 to 40 vertices, empty to complete, with integer weights from `least` to 50.
pub(crate) fn graphs(least: i32) -> impl Strategy<Value = DistanceMatrix> {
    (1usize..=40, 0u32..=100).prop_flat_map(move |(n, percent)| {
        let edge = (0u32..100, least..=50)
            .prop_map(move |(dice, weight)| if dice < percent { weight as f32 } else { f32::INFINITY });
        prop::collection::vec(edge, n * n).prop_map(move |mut weights| {
            for i in 0..n {
                weights[i * n + i] = 0.0;
            }
            DistanceMatrix::from_row_major(n, weights).expect("finite weights or +infinity")
        })
    })
}
