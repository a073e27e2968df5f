//! Arcs there and back for one search, which has no need of a list of both.

use crate::error::Failure;
use shortest_paths::{Element, Graph, SearchError, SolveError, WeightSummary, available_memory};

/// A graph, and beside it the tails of its arcs by heads. Other than [`Graph`] asks, the heads of a vertex do not ascend, and one may come
/// twice: a search and its tree are the same without, and to merge the two lists takes longer than the search.
pub struct BothWays<'a, G, T> {
    graph: &'a G,
    offsets: Vec<u32>,
    tails: Vec<u32>,
    weights: Vec<T>,
}

impl<'a, T: Element, G: Graph<T>> BothWays<'a, G, T> {
    /// O(n + m).
    ///
    /// # Errors
    /// When there is no room, or there are 2^32 arcs.
    pub fn of(graph: &'a G) -> Result<Self, Failure> {
        let (n, m) = (graph.n(), graph.m());
        let no_room = || {
            let bytes = (4 * n as u128).saturating_add((4 + size_of::<T>() as u128) * m as u128);
            SolveError::Search(SearchError::NotEnoughMemory {
                what: "the graph",
                bytes,
                available: available_memory().unwrap_or(0),
            })
        };
        if u32::try_from(m).is_err() {
            return Err(no_room().into());
        }
        // Entry v + 2 counts the arcs that end at v, then entry v + 1 is where the next of them goes, and in the end where they end.
        let mut offsets = vec![0_u32; n + 2];
        for tail in 0..n {
            graph.for_each_arc(tail, |head, _| offsets[head + 2] += 1);
        }
        for at in 2..n + 2 {
            offsets[at] += offsets[at - 1];
        }
        let m = offsets[n + 1] as usize;
        let (mut tails, mut weights) = (vec![0_u32; m], vec![T::ZERO; m]);
        for tail in 0..n {
            graph.for_each_arc(tail, |head, weight| {
                let next = &mut offsets[head + 1];
                (tails[*next as usize], weights[*next as usize]) = (tail as u32, weight);
                *next += 1;
            });
        }
        Ok(Self { graph, offsets, tails, weights })
    }
}

impl<T: Element, G: Graph<T>> Graph<T> for BothWays<'_, G, T> {
    fn n(&self) -> usize {
        self.graph.n()
    }

    fn m(&self) -> usize {
        2 * self.tails.len()
    }

    #[inline]
    fn for_each_arc(&self, tail: usize, mut visit: impl FnMut(usize, T)) {
        self.graph.for_each_arc(tail, &mut visit);
        let back = self.offsets[tail] as usize..self.offsets[tail + 1] as usize;
        for (head, weight) in self.tails[back.clone()].iter().zip(&self.weights[back]) {
            visit(*head as usize, *weight);
        }
    }

    fn weight(&self, tail: usize, head: usize) -> Option<T> {
        let (there, back) = (self.graph.weight(tail, head), self.graph.weight(head, tail));
        there.zip(back).map(|(there, back)| there.shorter(back)).or(there).or(back)
    }

    fn facts(&self) -> WeightSummary {
        self.graph.facts()
    }
}
