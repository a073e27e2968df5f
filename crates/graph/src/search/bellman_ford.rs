//! Bellman-Ford on any graph: potentials that make weights non-negative, or a negative cycle.

use super::Checkpoint;
use crate::{Element, Graph, SearchError, WeightSummary, memory_check};
use std::collections::VecDeque;
use thiserror::Error;

/// Stands for no parent: the label was never lowered.
const NO_PARENT: u32 = u32::MAX;

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

/// Potentials p with w(u, v) + p(u) - p(v) >= 0 for every arc (u, v), in the unit of the weights; none where no weight is negative.
///
/// p(v) is the length of the shortest path to v from a virtual source with an arc of weight 0 to every vertex, so no potential is
/// positive. Those of integers are exact. In floating point a label is lowered only by more than rounding could explain, so a cycle of
/// weight 0 is never taken for a negative one. A reduced weight may then be below 0 by 2^-52 n |w|, where w is the least weight.
///
/// Vertices wait in a queue and each is looked at again only when its label was lowered: O(n m) at worst, usually a few times O(m).
/// Parents are searched for a cycle once for every n vertices looked at, so a negative cycle ends this early.
///
/// # Errors
/// [`SearchError::NegativeCycle`] with its vertices, [`SearchError::OutOfRange`] when a path of negative arcs is longer than the element
/// type holds, [`SearchError::NotEnoughMemory`], and those of `checkpoint`, which is called with the number of rounds of n vertices.
pub fn potentials(graph: &impl Graph, checkpoint: Checkpoint) -> Result<Option<Vec<f64>>, SearchError> {
    potentials_given(graph, &graph.facts(), checkpoint)
}

/// [`potentials`] where the facts are known.
pub fn potentials_given<T: Element>(
    graph: &impl Graph<Weight = T>,
    facts: &WeightSummary,
    checkpoint: Checkpoint,
) -> Result<Option<Vec<f64>>, SearchError> {
    if facts.least >= 0.0 {
        return Ok(None);
    }
    if let Some((vertex, weight)) = graph.negative_loop() {
        return Err(negative_cycle(vec![vertex], |_, _| weight.to_f64()).into());
    }
    let n = graph.n();
    // No label is above 0 or below n times the least weight, so one addition to a label that is lowered is wrong by at most
    // half of this. Large positive weights lower nothing.
    let tolerance = if T::TYPE.is_integer() { 0.0 } else { f64::EPSILON * n as f64 * -facts.least };
    let mut labels = memory_check::filled("potentials", n, 0.0)?;
    let mut parents = memory_check::filled("potentials", n, NO_PARENT)?;
    let mut is_waiting = memory_check::filled("potentials", n, true)?;
    let mut waiting: VecDeque<u32> = memory_check::reserved("potentials", n)?.into();
    waiting.extend(0..n as u32);
    let (mut seen, mut rounds) = (0, 0);
    // Ends: labels cannot fall for ever without a cycle among the parents, which is found at the end of the round.
    while let Some(tail) = waiting.pop_front() {
        let tail = tail as usize;
        is_waiting[tail] = false;
        let label = labels[tail];
        graph.for_each_arc(tail, |head, weight| {
            let candidate = label + weight.to_f64();
            if candidate < labels[head] - tolerance {
                labels[head] = candidate;
                parents[head] = tail as u32;
                if !std::mem::replace(&mut is_waiting[head], true) {
                    waiting.push_back(head as u32);
                }
            }
        });
        seen += 1;
        if seen == n {
            (seen, rounds) = (0, rounds + 1);
            checkpoint(rounds)?;
            if let Some(cycle) = cycle_among(&parents) {
                let weight = |u, v| graph.weight(u, v).map_or(f64::INFINITY, |weight| weight.to_f64());
                return Err(negative_cycle(cycle, weight).into());
            }
        }
    }
    let most = T::TYPE.most();
    if let Some(to) = (0..n).find(|&v| labels[v] < -most) {
        // The label belongs to the virtual source's path; the error names the vertex where that path enters the graph.
        let from = (0..n).fold(to, |v, _| if parents[v] == NO_PARENT { v } else { parents[v] as usize });
        return Err(SearchError::OutOfRange { element: T::TYPE, from, to, length: labels[to], most });
    }
    Ok(Some(labels))
}

/// A cycle in the graph of parents, in the order of the edges. O(n); every parent is a vertex or [`NO_PARENT`].
fn cycle_among(parents: &[u32]) -> Option<Vec<usize>> {
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
fn negative_cycle(mut cycle: Vec<usize>, weight_of: impl Fn(usize, usize) -> f64) -> NegativeCycle {
    let first = (0..cycle.len()).min_by_key(|&at| cycle[at]).unwrap_or(0);
    cycle.rotate_left(first);
    let next = cycle.iter().cycle().skip(1);
    let weight = cycle.iter().zip(next).map(|(&u, &v)| weight_of(u, v)).sum();
    NegativeCycle { vertex: cycle[0], weight, cycle }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arcs, ArcsBuilder};

    fn graph<T: Element>(arcs: &[(usize, usize, T)]) -> Arcs<T> {
        let mut builder = ArcsBuilder::growing();
        arcs.iter().for_each(|&(u, v, weight)| builder.add(u, v, weight).unwrap());
        builder.build().unwrap().0
    }

    fn of<T: Element>(arcs: &[(usize, usize, T)]) -> Result<Option<Vec<f64>>, SearchError> {
        potentials(&graph(arcs), &|_| Ok(()))
    }

    #[test]
    fn a_negative_cycle_is_named_with_its_vertices_and_weight() {
        let found = of(&[(0, 3, 1), (3, 1, 2), (1, 4, -5), (4, 3, 1), (4, 2, 9)]).unwrap_err();
        let cycle = NegativeCycle { vertex: 1, cycle: vec![1, 4, 3], weight: -2.0 };
        assert_eq!(found, SearchError::NegativeCycle(cycle));
        assert_eq!(
            found.to_string(),
            "vertex 1 (counted from 0) lies on a negative cycle of 3 edges and total weight -2: \
             shortest paths do not exist, raise or remove one of its weights"
        );
    }

    #[test]
    fn a_cycle_of_weight_zero_is_no_negative_cycle_even_with_rounding() {
        for third in [0.1_f32, 1.0 / 3.0, 1e-3, 1e7 / 3.0] {
            assert!(of(&[(0, 1, third), (1, 2, third), (2, 0, -2.0 * third)]).is_ok());
        }
    }

    #[test]
    fn a_cycle_through_every_vertex_is_found() {
        let n = 3000;
        let mut arcs: Vec<_> = (1..n).map(|v| (v - 1, v, -1)).collect();
        assert_eq!(of(&arcs).unwrap().unwrap()[n - 1], -((n - 1) as f64));
        arcs.push((n - 1, 0, n as i32 - 2));
        assert!(matches!(of(&arcs), Err(SearchError::NegativeCycle(cycle)) if cycle.cycle.len() == n));
    }

    #[test]
    fn integers_that_leave_their_range_are_refused() {
        let most = (1 << 28) - 1;
        assert!(of(&[(0, 1, -most)]).is_ok());
        let error = of(&[(3, 1, -most), (1, 2, -1)]).unwrap_err();
        assert!(matches!(error, SearchError::OutOfRange { from: 3, to: 2, .. }), "{error}");
    }
}
