//! A graph whose arcs lead both ways.

use crate::{Arcs, Element, Graph, GraphError, SolveError};
use repro_graph::memory_check;

/// The arcs of any graph and their reverses; of two with the same ends the lesser. O(n + m), or O(n²) of a matrix.
///
/// ```
/// use shortest_paths::{ArcsBuilder, Graph, both_ways};
///
/// let mut builder = ArcsBuilder::growing();
/// [(0, 1, 4), (1, 0, 3), (1, 2, 5)].into_iter().try_for_each(|(tail, head, weight)| builder.add(tail, head, weight))?;
/// let both = both_ways(&builder.build()?.0)?;
/// assert_eq!((both.m(), both.weight(0, 1), both.weight(2, 1)), (4, Some(3), Some(5)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SearchError::NotEnoughMemory`](crate::SearchError::NotEnoughMemory).
pub fn both_ways<T: Element, G: Graph<T>>(graph: &G) -> Result<Arcs<T>, SolveError> {
    let n = graph.n();
    let back = Arcs::transposed(graph)?;
    let mut offsets = memory_check::reserved("the graph", n + 1)?;
    let mut heads: Vec<u32> = memory_check::reserved("the graph", 2 * back.m())?;
    let mut weights: Vec<T> = memory_check::reserved("the graph", 2 * back.m())?;
    offsets.push(0);
    for vertex in 0..n {
        let range = back.offsets()[vertex]..back.offsets()[vertex + 1];
        let tails = back.heads()[range.clone()].iter().copied();
        let mut waiting = tails.zip(back.weights()[range].iter().copied()).peekable();
        let mut push = |head: u32, weight: T| {
            heads.push(head);
            weights.push(weight);
        };
        graph.for_each_arc(vertex, |head, weight| {
            let head = head as u32;
            while let Some((before, weight)) = waiting.next_if(|(before, _)| *before < head) {
                push(before, weight);
            }
            let same = waiting.next_if(|(before, _)| *before == head);
            push(head, same.map_or(weight, |(_, other)| weight.shorter(other)));
        });
        waiting.for_each(|(head, weight)| push(head, weight));
        offsets.push(heads.len());
    }
    heads.shrink_to_fit();
    weights.shrink_to_fit();
    match Arcs::from_csr(offsets, heads, weights) {
        Ok((arcs, _)) => Ok(arcs),
        Err(GraphError::NoRoom(error)) => Err(error.into()),
        // It was a graph before.
        Err(other) => Err(SolveError::Sink(other.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ArcsBuilder;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_ways_are_those_of_an_undirected_builder(
            arcs in prop::collection::vec((0..8_usize, 0..8_usize, 0..9_i32), 0..50),
        ) {
            let build = |undirected| {
                let mut builder = ArcsBuilder::with_vertices(8).unwrap().undirected(undirected);
                arcs.iter().for_each(|(tail, head, weight)| builder.add(*tail, *head, *weight).unwrap());
                builder.build().unwrap().0
            };
            let (found, expected) = (both_ways(&build(false)).unwrap(), build(true));
            prop_assert_eq!(found.offsets(), expected.offsets());
            prop_assert_eq!(found.heads(), expected.heads());
            prop_assert_eq!(found.weights(), expected.weights());
            prop_assert_eq!(found.facts().range.complete, expected.facts().range.complete);
            prop_assert!(found.facts().range.largest >= expected.facts().range.largest);
        }
    }
}
