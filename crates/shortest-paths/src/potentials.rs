//! Bellman-Ford on any graph: potentials that make weights non-negative, or a negative cycle.

use crate::{Control, Facts, Graph, SolveError, Stage, Weight, room};
use repro_graph::{NO_PARENT, cycle_among, label_tolerance, negative_cycle};
use std::collections::VecDeque;

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
/// [`SolveError::NegativeCycle`] with its vertices, [`SolveError::OutOfRange`] when a path of negative arcs is longer than the element
/// type holds, [`SolveError::NotEnoughMemory`] and [`SolveError::Cancelled`].
pub fn potentials<T: Weight, G: Graph<T>>(
    graph: &G,
    control: &Control,
) -> Result<Option<Vec<f64>>, SolveError> {
    potentials_given(graph, &graph.facts(), control)
}

/// [`potentials`] where the facts are known.
pub(crate) fn potentials_given<T: Weight, G: Graph<T>>(
    graph: &G,
    facts: &Facts,
    control: &Control,
) -> Result<Option<Vec<f64>>, SolveError> {
    if facts.least >= 0.0 {
        return Ok(None);
    }
    if let Some((vertex, weight)) = graph.negative_loop() {
        return Err(negative_cycle(vec![vertex], |_, _| weight.to_f64()).into());
    }
    let n = graph.n();
    let tolerance = if T::TYPE.is_integer() { 0.0 } else { label_tolerance(n, facts.least) };
    let mut labels = room::filled("potentials", n, 0.0)?;
    let mut parents = room::filled("potentials", n, NO_PARENT)?;
    let mut is_waiting = room::filled("potentials", n, true)?;
    let mut waiting: VecDeque<u32> = room::reserved("potentials", n)?.into();
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
            control.check()?;
            control.report(Stage::Potentials, rounds, 0);
            if let Some(cycle) = cycle_among(&parents) {
                let weight = |u, v| graph.weight(u, v).map_or(f64::INFINITY, |weight| weight.to_f64());
                return Err(negative_cycle(cycle, weight).into());
            }
        }
    }
    let most = T::TYPE.most();
    if let Some(to) = (0..n).find(|&v| labels[v] < -most) {
        // It is the virtual source's path: from the vertex where that path enters the graph.
        let from = (0..n).fold(to, |v, _| if parents[v] == NO_PARENT { v } else { parents[v] as usize });
        return Err(SolveError::OutOfRange { element: T::TYPE, from, to, length: labels[to], most });
    }
    Ok(Some(labels))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arcs, ArcsBuilder};

    fn graph<T: Weight>(arcs: &[(usize, usize, T)]) -> Arcs<T> {
        let mut builder = ArcsBuilder::growing();
        arcs.iter().for_each(|&(u, v, weight)| builder.add(u, v, weight).unwrap());
        builder.build().unwrap().0
    }

    fn of<T: Weight>(arcs: &[(usize, usize, T)]) -> Result<Option<Vec<f64>>, SolveError> {
        potentials(&graph(arcs), &Control::default())
    }

    #[test]
    fn a_cycle_through_every_vertex_is_found() {
        let n = 3000;
        let mut arcs: Vec<_> = (1..n).map(|v| (v - 1, v, -1)).collect();
        assert_eq!(of(&arcs).unwrap().unwrap()[n - 1], -((n - 1) as f64));
        arcs.push((n - 1, 0, n as i32 - 2));
        assert!(matches!(of(&arcs), Err(SolveError::NegativeCycle(cycle)) if cycle.cycle.len() == n));
    }

    #[test]
    fn integers_that_leave_their_range_are_refused() {
        let most = (1 << 28) - 1;
        assert!(of(&[(0, 1, -most)]).is_ok());
        let error = of(&[(3, 1, -most), (1, 2, -1)]).unwrap_err();
        assert!(matches!(error, SolveError::OutOfRange { from: 3, to: 2, .. }), "{error}");
    }
}
