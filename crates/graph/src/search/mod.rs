//! Dijkstra's algorithm, by which every graph is searched.

mod bellman_ford;
mod heap;

pub use bellman_ford::{NegativeCycle, potentials, potentials_given};
pub use heap::Label;

use crate::{Element, Graph, SearchError, memory_check};
use heap::{Heap, HeapEntry};

/// How many vertices are settled between two calls of the checkpoint.
const STEPS_BETWEEN_CHECKS: u32 = 1 << 14;

/// Called from time to time with the number of steps or rounds so far. Its error ends the search.
pub type Checkpoint<'a> = &'a dyn Fn(u64) -> Result<(), SearchError>;

/// The memory of a search, used again for the next.
#[derive(Debug)]
pub struct Workspace<L: Label> {
    /// The length of the best known path to each vertex, reduced by potentials if there are any. Final when the search has ended,
    /// [`Label::FAR`] for vertices that it did not settle.
    pub labels: Vec<L>,
    heap: Heap<L>,
}

impl<L: Label> Workspace<L> {
    /// A workspace for graphs of `n` vertices.
    ///
    /// # Errors
    /// When there is no room.
    pub fn new(n: usize) -> Result<Self, SearchError> {
        Ok(Self { labels: memory_check::filled("the workspace of a search", n, L::FAR)?, heap: Heap::new() })
    }
}

/// The vertices whose distances are wanted.
#[derive(Debug)]
pub struct TargetSet {
    is_target: Vec<bool>,
    /// How many different targets there are.
    count: usize,
}

impl TargetSet {
    /// A set of `targets`, which are vertices of a graph of `n`.
    ///
    /// # Errors
    /// When there is no room.
    pub fn new(n: usize, targets: &[usize]) -> Result<Self, SearchError> {
        let mut is_target = memory_check::filled("the list of targets", n, false)?;
        let mut count = 0;
        for &target in targets {
            count += usize::from(!std::mem::replace(&mut is_target[target], true));
        }
        Ok(Self { is_target, count })
    }
}

/// Where a search may end.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits<'a> {
    /// Vertices farther away count as unreachable; +infinity for no limit, which it has to be with potentials.
    pub distance: f64,
    /// The search ends once it has reached these.
    pub targets: Option<&'a TargetSet>,
}

impl SearchLimits<'_> {
    /// No limit: all vertices are searched for.
    pub const NONE: Self = Self { distance: f64::INFINITY, targets: None };
}

/// What a search does with a vertex whose label is final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Looks at its arcs.
    Follow,
    /// Leaves its arcs out.
    Skip,
    /// Ends the search, since all labels are final.
    End,
}

/// Follows a search on its way, and may steer it.
pub trait SearchVisitor<L> {
    /// The label of a vertex is final.
    #[inline]
    fn settle(&mut self, _vertex: usize, _labels: &[L]) -> NextStep {
        NextStep::Follow
    }

    /// The best known path to `head` comes from `tail` now.
    fn lower(&mut self, tail: usize, head: usize);

    /// An arc has lowered no label. Says whether its path is as short as the best known one.
    #[inline]
    fn compare(&mut self, _is_as_short: bool) {}
}

/// Ignores what a search does.
impl<L> SearchVisitor<L> for () {
    #[inline]
    fn lower(&mut self, _: usize, _: usize) {}
}

/// A graph whose arcs are not negative, or are not once potentials have reduced them.
#[derive(Debug)]
pub struct ReweightedGraph<'a, G> {
    /// The graph itself.
    pub graph: &'a G,
    /// What [`potentials()`] finds for the graph.
    pub potentials: Option<&'a [f64]>,
}

impl<T: Element, G: Graph<Weight = T>> ReweightedGraph<'_, G> {
    /// The reduced weight of an arc: w + p(tail) - p(head). Exact for integers.
    #[inline]
    pub fn weight(potentials: &[f64], tail: usize, head: usize, weight: T) -> T::Label {
        T::Label::from_f64(weight.to_f64() + potentials[tail] - potentials[head])
    }

    /// Searches from `sources`, which are in the graph, all at once: a label is the length from the nearest of them. With potentials there is
    /// one source. O((n + m) log n).
    ///
    /// # Errors
    /// When a distance is out of range, and those of `checkpoint`.
    pub fn search(
        &self,
        sources: &[usize],
        limits: SearchLimits,
        workspace: &mut Workspace<T::Label>,
        visitor: &mut impl SearchVisitor<T::Label>,
        checkpoint: Checkpoint,
    ) -> Result<(), SearchError> {
        match self.potentials {
            None => {
                let weight = |_, _, weight: T| weight.label();
                self.search_by(weight, sources, limits, workspace, visitor, checkpoint)
            }
            Some(p) => {
                let weight = |tail, head, weight: T| Self::weight(p, tail, head, weight);
                self.search_by(weight, sources, limits, workspace, visitor, checkpoint)
            }
        }
    }

    fn search_by(
        &self,
        weight_of: impl Fn(usize, usize, T) -> T::Label,
        sources: &[usize],
        limits: SearchLimits,
        workspace: &mut Workspace<T::Label>,
        visitor: &mut impl SearchVisitor<T::Label>,
        checkpoint: Checkpoint,
    ) -> Result<(), SearchError> {
        let Workspace { labels, heap } = workspace;
        labels.fill(T::Label::FAR);
        heap.clear();
        for &source in sources {
            if labels[source] == T::Label::FAR {
                labels[source] = T::Label::ZERO;
                heap.push(HeapEntry { label: T::Label::ZERO, vertex: source as u32 });
            }
        }
        let mut last = T::Label::from_f64(limits.distance);
        let mut targets_left = limits.targets.map(|targets| targets.count);
        let mut steps = 0_u32;
        while let Some(HeapEntry { label, vertex }) = heap.pop() {
            let tail = vertex as usize;
            // The label was lowered after this entry was made: another entry has it.
            if labels[tail] != label {
                continue;
            }
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(STEPS_BETWEEN_CHECKS) {
                checkpoint(steps.into())?;
            }
            if label > last {
                labels[tail] = T::Label::FAR;
                forget_open(heap, labels);
                break;
            }
            if label > T::Label::MOST {
                return Err(out_of_range::<T>(sources[0], tail, label.to_f64()));
            }
            if let (Some(targets), Some(left)) = (limits.targets, &mut targets_left)
                && targets.is_target[tail]
            {
                *left -= 1;
                if *left == 0 {
                    // Vertices as far away are still settled: they may be on a shortest path of fewer edges, which is preferred.
                    last = label;
                }
            }
            match visitor.settle(tail, labels) {
                NextStep::Follow => {}
                NextStep::Skip => continue,
                NextStep::End => break,
            }
            self.graph.for_each_arc(tail, |head, weight| {
                let candidate = label + weight_of(tail, head, weight);
                let known = &mut labels[head];
                if candidate < *known {
                    *known = candidate;
                    visitor.lower(tail, head);
                    heap.push(HeapEntry { label: candidate, vertex: head as u32 });
                } else {
                    visitor.compare(candidate == *known);
                }
            });
        }
        Ok(())
    }

    /// The distance that a label of a search from `source` stands for.
    ///
    /// # Errors
    /// When the element type does not hold it.
    #[inline]
    pub fn distance(&self, source: usize, vertex: usize, label: T::Label) -> Result<T, SearchError> {
        if label == T::Label::FAR {
            return Ok(T::ABSENT);
        }
        let Some(p) = self.potentials else {
            return T::of_label(label).ok_or_else(|| out_of_range::<T>(source, vertex, label.to_f64()));
        };
        let length = label.to_f64() + p[vertex] - p[source];
        if length.abs() > T::TYPE.most() {
            return Err(out_of_range::<T>(source, vertex, length));
        }
        // -0.0 + 0.0 is +0.0.
        Ok(T::from_f64(length + 0.0))
    }

    /// The distances to all vertices; see [`ReweightedGraph::distance`].
    ///
    /// # Errors
    /// When the element type does not hold one of them.
    pub fn distances(
        &self,
        source: usize,
        labels: &[T::Label],
        distances: &mut [T],
    ) -> Result<(), SearchError> {
        // Without a branch, since most often nothing is out of range.
        let mut are_held = self.potentials.is_none();
        for (distance, label) in distances.iter_mut().zip(labels) {
            let held = T::of_label(*label);
            are_held &= held.is_some() | (*label == T::Label::FAR);
            *distance = held.unwrap_or(T::ABSENT);
        }
        if !are_held {
            for (vertex, (distance, label)) in distances.iter_mut().zip(labels).enumerate() {
                *distance = self.distance(source, vertex, *label)?;
            }
        }
        Ok(())
    }
}

fn out_of_range<T: Element>(from: usize, to: usize, length: f64) -> SearchError {
    SearchError::OutOfRange { element: T::TYPE, from, to, length, most: T::TYPE.most() }
}

/// Resets the labels of vertices that are still in the heap: they are not final.
fn forget_open<L: Label>(heap: &mut Heap<L>, labels: &mut [L]) {
    for entry in heap.entries() {
        let label = &mut labels[entry.vertex as usize];
        if *label == entry.label {
            *label = L::FAR;
        }
    }
    heap.clear();
}
