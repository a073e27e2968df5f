//! From a list of arcs in any order to a graph.

use crate::arcs::by_tails;
use crate::{Arcs, Element, ElementType, Graph, NegativeCycle, SearchError, WeightSummary, memory_check};
use rayon::prelude::*;
use serde::Serialize;
use thiserror::Error;

/// Vertices are numbered in `u32`, whose greatest number is no vertex.
const MOST_VERTICES: usize = u32::MAX as usize;

/// Why a list of arcs is no graph. Arcs are counted from 0 in the order in which they were added.
#[derive(Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum GraphError {
    /// There are no vertices.
    #[error("a graph of 0 vertices has no paths: give at least one vertex")]
    Empty,
    /// More vertices than can be numbered.
    #[error("a graph has at most {MOST_VERTICES} vertices: {n} is too many")]
    TooManyVertices { n: usize },
    /// An end of an arc is not in the graph.
    #[error(
        "arc {arc} has vertex {vertex} (counted from 0) at an end, but the graph has {n} vertices: raise their number or mend the arc"
    )]
    NotAVertex { arc: u64, vertex: usize, n: usize },
    /// A weight is NaN or -infinity.
    #[error(
        "the weight of arc {arc}, from vertex {tail} to vertex {head} (counted from 0), is {weight}: weights must be numbers above -infinity"
    )]
    NotAWeight { arc: u64, tail: usize, head: usize, weight: f64 },
    /// A weight is too large for the element type.
    #[error(
        "the weight of arc {arc}, from vertex {tail} to vertex {head} (counted from 0), is {weight}, and this library uses {element} \
         up to {most}: choose smaller weights or another element type"
    )]
    OutOfRange { arc: u64, tail: usize, head: usize, weight: String, element: ElementType, most: f64 },
    /// An arc from a vertex to itself is negative.
    #[error(transparent)]
    NegativeCycle(#[from] NegativeCycle),
    /// Compressed sparse rows do not fit together.
    #[error(
        "{problem}: give n + 1 ascending numbers from 0 to the number of arcs, and as many heads and weights as arcs"
    )]
    NotRows { problem: String },
    /// There is no room for the graph.
    #[error(transparent)]
    NoRoom(#[from] SearchError),
}

/// Arcs that were given and are not in the graph, because no shortest path needs them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DroppedArcs {
    /// Arcs between the same two vertices in the same direction as one that is not longer. Of an undirected edge both directions count.
    pub duplicates: u64,
    /// Arcs from a vertex to itself.
    pub self_loops: u64,
    /// Arcs of weight +infinity, in integers [`Element::ABSENT`](crate::Element::ABSENT): no arcs at all.
    pub absent: u64,
}

/// Collects arcs in any order and makes a graph of them.
///
/// While it collects it keeps 8 bytes and a weight for each arc. [`ArcsBuilder::build`] takes as much again where edges are undirected,
/// sorts arcs where they are, and needs 16 bytes a vertex more.
///
/// ```
/// use repro_graph::ArcsBuilder;
///
/// let mut builder = ArcsBuilder::growing();
/// for (tail, head, weight) in [(0, 1, 4.0_f32), (0, 1, 3.0), (1, 2, 0.0), (2, 2, 1.0)] {
///     builder.add(tail, head, weight)?;
/// }
/// let (graph, dropped) = builder.build()?;
/// assert_eq!((graph.n(), graph.m()), (3, 2));
/// assert_eq!((dropped.duplicates, dropped.self_loops), (1, 1));
/// # Ok::<(), repro_graph::GraphError>(())
/// ```
#[derive(Debug)]
pub struct ArcsBuilder<T> {
    /// The number of vertices, where it was given.
    given: Option<usize>,
    /// One more than the greatest vertex seen.
    seen: usize,
    undirected: bool,
    tails: Vec<u32>,
    heads: Vec<u32>,
    weights: Vec<T>,
    added: u64,
    dropped: DroppedArcs,
}

impl<T: Element> ArcsBuilder<T> {
    /// A builder of a graph of `n` vertices.
    ///
    /// # Errors
    /// When `n` is 0 or at least 2^32.
    pub fn with_vertices(n: usize) -> Result<Self, GraphError> {
        match n {
            0 => Err(GraphError::Empty),
            1..=MOST_VERTICES => Ok(Self { given: Some(n), ..Self::growing() }),
            _ => Err(GraphError::TooManyVertices { n }),
        }
    }

    /// A builder of a graph of as many vertices as the arcs name: one more than the greatest, whatever the arc's weight.
    pub fn growing() -> Self {
        Self {
            given: None,
            seen: 0,
            undirected: false,
            tails: Vec::new(),
            heads: Vec::new(),
            weights: Vec::new(),
            added: 0,
            dropped: DroppedArcs::default(),
        }
    }

    /// Every arc added, before or after, stands for two: there and back with the same weight. A negative one is then a negative
    /// cycle, which the solver finds.
    #[must_use]
    pub fn undirected(self, undirected: bool) -> Self {
        Self { undirected, ..self }
    }

    /// Makes room for exactly this many more arcs at once, so that no memory stays unused.
    ///
    /// # Errors
    /// When there is none.
    pub fn reserve(&mut self, arcs: usize) -> Result<(), GraphError> {
        let bytes = (arcs as u128).saturating_mul(8 + size_of::<T>() as u128);
        memory_check::check("the list of arcs", bytes)?;
        let refused = |_| memory_check::refused("the list of arcs", bytes);
        self.tails.try_reserve_exact(arcs).map_err(refused)?;
        self.heads.try_reserve_exact(arcs).map_err(refused)?;
        self.weights.try_reserve_exact(arcs).map_err(refused)?;
        Ok(())
    }

    /// Adds an arc between vertices counted from 0. A weight of 0 is an arc; +infinity, or the integer that stands for it, is none. An
    /// arc from a vertex to itself shortens nothing and is dropped, unless it is negative.
    ///
    /// # Errors
    /// When the arc cannot be in a graph; the builder stays as it was and may be used further.
    pub fn add(&mut self, tail: usize, head: usize, weight: T) -> Result<(), GraphError> {
        let arc = self.added;
        for vertex in [tail, head] {
            match self.given {
                Some(n) if vertex >= n => return Err(GraphError::NotAVertex { arc, vertex, n }),
                _ if vertex >= MOST_VERTICES => {
                    return Err(GraphError::TooManyVertices { n: vertex.saturating_add(1) });
                }
                _ => {}
            }
        }
        let absent = weight.bitwise_eq(T::ABSENT);
        let number = weight.to_f64();
        if number.is_nan() || number == f64::NEG_INFINITY {
            return Err(GraphError::NotAWeight { arc, tail, head, weight: number });
        }
        let most = T::TYPE.most();
        if !absent && number.abs() > most {
            let weight = weight.to_string();
            return Err(GraphError::OutOfRange { arc, tail, head, weight, element: T::TYPE, most });
        }
        if tail == head && number < 0.0 {
            return Err(NegativeCycle { vertex: tail, cycle: vec![tail], weight: number }.into());
        }
        if absent {
            self.dropped.absent += 1;
        } else if tail == head {
            self.dropped.self_loops += 1;
        } else {
            if self.tails.len() == self.tails.capacity() {
                // An eighth more at a time: a list that doubles leaves half of it unused.
                self.reserve((self.tails.len() / 8).max(1024))?;
            }
            self.tails.push(tail as u32);
            self.heads.push(head as u32);
            // -0.0 + 0.0 is +0.0.
            self.weights.push(weight.plus(T::ZERO));
        }
        self.added += 1;
        self.seen = self.seen.max(tail.max(head) + 1);
        Ok(())
    }

    /// Gives each vertex v added so far the number `numbers[v]`, for readers that know the numbers only at the end. Vertices that have no
    /// entry keep theirs.
    pub(crate) fn renumber(&mut self, numbers: &[u32]) {
        for end in self.tails.iter_mut().chain(&mut self.heads) {
            *end = numbers.get(*end as usize).copied().unwrap_or(*end);
        }
        self.seen = numbers.iter().max().map_or(self.seen, |greatest| *greatest as usize + 1);
    }

    /// The graph, and how many arcs it does without. Of several arcs from one vertex to another the least weight stays. O(n + m log d) where
    /// no vertex has more than d arcs.
    ///
    /// # Errors
    /// When there is no vertex, or no room.
    pub fn build(mut self) -> Result<(Arcs<T>, DroppedArcs), GraphError> {
        let n = self.given.unwrap_or(self.seen);
        if n == 0 {
            return Err(GraphError::Empty);
        }
        if self.undirected {
            let count = self.tails.len();
            self.reserve(count)?;
            self.tails.extend_from_slice(&self.heads);
            self.heads.extend_from_slice(&self.tails[..count]);
            self.weights.extend_from_within(..);
        }
        let Self { mut tails, mut heads, mut weights, mut dropped, .. } = self;
        let mut offsets = by_tails(n, &mut tails, &mut heads, &mut weights)?;
        drop(tails);
        // Frees what the lists had in reserve.
        heads.shrink_to_fit();
        weights.shrink_to_fit();
        dropped.duplicates = keep_least(&mut offsets, &mut heads, &mut weights) as u64;
        let complete = heads.len() == n.saturating_mul(n - 1);
        let facts = WeightSummary::of_arcs(&weights, complete);
        Ok((Arcs { offsets, heads, weights, facts }, dropped))
    }
}

/// Leaves the least of each run of equal heads, and returns how many went.
fn keep_least<T: Element>(offsets: &mut [usize], heads: &mut Vec<u32>, weights: &mut Vec<T>) -> usize {
    let (given, mut kept, mut start) = (heads.len(), 0, 0);
    for end in offsets.iter_mut().skip(1) {
        let first = kept;
        for at in start..*end {
            if kept > first && heads[kept - 1] == heads[at] {
                weights[kept - 1] = weights[at].shorter(weights[kept - 1]);
            } else {
                (heads[kept], weights[kept]) = (heads[at], weights[at]);
                kept += 1;
            }
        }
        start = std::mem::replace(end, kept);
    }
    heads.truncate(kept);
    weights.truncate(kept);
    if kept < given {
        heads.shrink_to_fit();
        weights.shrink_to_fit();
    }
    given - kept
}

/// Rows whose arcs are collected at a time.
const ROWS: usize = 1 << 10;

/// The graph of the arcs that `is_kept` accepts, by their tail, head and weight; `counts[tail]` of them leave each vertex. On all threads
/// of the rayon pool.
pub fn filter_arcs<T: Element>(
    graph: &impl Graph<Weight = T>,
    counts: &[usize],
    is_kept: impl Fn(usize, usize, T) -> bool + Sync,
) -> Result<Arcs<T>, SearchError> {
    let (n, m) = (graph.n(), counts.iter().sum());
    let mut offsets = memory_check::reserved("the graph", n + 1)?;
    let mut heads = memory_check::reserved("the graph", m)?;
    let mut weights = memory_check::reserved("the graph", m)?;
    offsets.push(0);
    let arcs_of = |tail: usize| {
        let mut arcs = Vec::with_capacity(counts[tail]);
        graph.for_each_arc(tail, |head, weight| {
            if is_kept(tail, head, weight) {
                arcs.push((head as u32, weight));
            }
        });
        arcs
    };
    // A few rows at a time, so that hardly any arc is in memory twice.
    for first in (0..n).step_by(ROWS) {
        let rows: Vec<_> = (first..n.min(first + ROWS)).into_par_iter().map(arcs_of).collect();
        for row in rows {
            heads.extend(row.iter().map(|(head, _)| head));
            weights.extend(row.iter().map(|(_, weight)| weight));
            offsets.push(heads.len());
        }
    }
    Ok(Arcs { offsets, heads, weights, facts: graph.facts() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_graph_has_the_greatest_vertex_of_any_arc() {
        let mut builder = ArcsBuilder::growing();
        builder.add(0, 7, f64::INFINITY).unwrap();
        assert_eq!(builder.build().unwrap().0.n(), 8);
        assert!(matches!(ArcsBuilder::<f32>::growing().build(), Err(GraphError::Empty)));
        assert!(matches!(ArcsBuilder::<f32>::with_vertices(0), Err(GraphError::Empty)));
        let n = 1 << 32;
        assert!(matches!(ArcsBuilder::<f32>::with_vertices(n), Err(GraphError::TooManyVertices { .. })));
        let mut builder = ArcsBuilder::growing();
        assert!(matches!(builder.add(n, 0, 1.0_f32), Err(GraphError::TooManyVertices { .. })));
        assert!(matches!(builder.add(usize::MAX, 0, 1.0), Err(GraphError::TooManyVertices { .. })));
    }

    #[test]
    fn arcs_that_cannot_be_are_refused_with_their_place_and_leave_nothing_behind() {
        let mut builder = ArcsBuilder::with_vertices(2).unwrap();
        builder.add(0, 1, -0.0_f32).unwrap();
        assert!(matches!(builder.add(0, 2, 1.0), Err(GraphError::NotAVertex { arc: 1, vertex: 2, n: 2 })));
        assert!(matches!(builder.add(0, 1, f32::NAN), Err(GraphError::NotAWeight { arc: 1, .. })));
        assert!(matches!(builder.add(1, 0, f32::NEG_INFINITY), Err(GraphError::NotAWeight { tail: 1, .. })));
        let Err(GraphError::NegativeCycle(cycle)) = builder.add(1, 1, -2.0) else { panic!() };
        assert_eq!((cycle.cycle, cycle.weight), (vec![1], -2.0));
        let (graph, dropped) = builder.build().unwrap();
        assert_eq!((graph.m(), graph.weights()[0].to_bits()), (1, 0), "negative zero is zero");
        assert_eq!(dropped, DroppedArcs::default());
    }

    #[test]
    fn integers_beyond_the_range_of_their_type_are_refused_and_not_taken_for_absent() {
        let mut builder = ArcsBuilder::growing();
        for weight in [1 << 28, 1 << 29, i32::MAX, i32::MIN, i32::ABSENT - 1] {
            let message = builder.add(0, 1, weight).unwrap_err().to_string();
            assert!(
                message.contains(&format!("is {weight}, and this library uses i32 up to 268435455")),
                "{message}"
            );
        }
        builder.add(0, 1, (1 << 28) - 1).unwrap();
        assert!(ArcsBuilder::growing().add(0, 1, u16::MAX).is_err());
    }
}
