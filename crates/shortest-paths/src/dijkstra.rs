//! Dijkstra's algorithm from one source.

use crate::heap::Heap;
use crate::weight::{HeapEntry, Label};
use crate::{Control, Graph, SolveError, Weight, room};
use repro_graph::Element;

/// How many vertices are settled between two looks at whether to go on.
const STEPS_BETWEEN_CHECKS: u32 = 1 << 14;

/// What one search needs, used again for the next.
#[derive(Debug)]
pub(crate) struct Workspace<L: Label> {
    /// The length of the best known path to each vertex, reduced by potentials if there are any. Final when the search has ended,
    /// [`Label::FAR`] of vertices that it did not settle.
    pub labels: Vec<L>,
    heap: Heap<L::HeapEntry>,
}

impl<L: Label> Workspace<L> {
    /// For graphs of `n` vertices.
    ///
    /// # Errors
    /// When there is no room.
    pub fn new(n: usize) -> Result<Self, SolveError> {
        Ok(Self { labels: room::filled("the workspace of a search", n, L::FAR)?, heap: Heap::new() })
    }
}

/// The vertices whose distances are wanted.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// Whether a vertex is.
    is_wanted: Vec<bool>,
    /// How many different ones there are.
    count: usize,
}

impl Wanted {
    /// Of vertices that are in the graph.
    ///
    /// # Errors
    /// When there is no room.
    pub fn new(n: usize, targets: &[usize]) -> Result<Self, SolveError> {
        let mut is_wanted = room::filled("the list of targets", n, false)?;
        let mut count = 0;
        for &target in targets {
            count += usize::from(!std::mem::replace(&mut is_wanted[target], true));
        }
        Ok(Self { is_wanted, count })
    }
}

/// What is noted of the ways that a search takes.
pub(crate) trait Trail {
    /// The best known path to `head` comes from `tail` now.
    fn lowered(&mut self, tail: usize, head: usize);

    /// Whether another path is as short as the best known one to the same vertex.
    fn compared(&mut self, is_as_short: bool);
}

/// Nothing is noted.
impl Trail for () {
    #[inline]
    fn lowered(&mut self, _: usize, _: usize) {}

    #[inline]
    fn compared(&mut self, _: bool) {}
}

/// A graph whose arcs are not negative, or are not once potentials have reduced them.
pub(crate) struct Reduced<'a, G> {
    pub graph: &'a G,
    pub potentials: Option<&'a [f64]>,
}

impl<G> Reduced<'_, G> {
    /// The reduced weight of an arc: w + p(tail) - p(head). Exact for integers.
    #[inline]
    pub fn weight<T: Weight>(potentials: &[f64], tail: usize, head: usize, weight: T) -> T::Label {
        T::Label::from_f64(weight.to_f64() + potentials[tail] - potentials[head])
    }

    /// Searches from `sources`, which are in the graph, all at once: a label is the length from the nearest of them. To all vertices, or until
    /// those that are `wanted` are reached, and no further than `limit`. With potentials there is one source and no limit. O((n + m) log n).
    ///
    /// # Errors
    /// When a distance is out of range, and [`SolveError::Cancelled`].
    pub fn search<T: Weight>(
        &self,
        sources: &[usize],
        wanted: Option<&Wanted>,
        limit: f64,
        workspace: &mut Workspace<T::Label>,
        trail: &mut impl Trail,
        control: &Control,
    ) -> Result<(), SolveError>
    where
        G: Graph<T>,
    {
        let graph = self.graph;
        let last = T::Label::from_f64(limit);
        match self.potentials {
            None => {
                let weight = |_, _, weight: T| weight.label();
                search(graph, weight, (sources, wanted, last), workspace, trail, control)
            }
            Some(p) => {
                let weight = |tail, head, weight: T| Self::weight(p, tail, head, weight);
                search(graph, weight, (sources, wanted, last), workspace, trail, control)
            }
        }
    }

    /// The distance that a label of a search from `source` stands for.
    ///
    /// # Errors
    /// When the element type does not hold it.
    #[inline]
    pub fn distance<T: Weight>(
        &self,
        source: usize,
        vertex: usize,
        label: T::Label,
    ) -> Result<T, SolveError> {
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
}

fn out_of_range<T: Element>(from: usize, to: usize, length: f64) -> SolveError {
    SolveError::OutOfRange { element: T::TYPE, from, to, length, most: T::TYPE.most() }
}

fn search<T: Weight, G: Graph<T>>(
    graph: &G,
    weight_of: impl Fn(usize, usize, T) -> T::Label,
    (sources, wanted, mut last): (&[usize], Option<&Wanted>, T::Label),
    workspace: &mut Workspace<T::Label>,
    trail: &mut impl Trail,
    control: &Control,
) -> Result<(), SolveError> {
    type Stored<T> = <<T as Weight>::Label as Label>::HeapEntry;
    let Workspace { labels, heap } = workspace;
    labels.fill(T::Label::FAR);
    heap.clear();
    for &source in sources {
        if labels[source] == T::Label::FAR {
            labels[source] = T::Label::ZERO;
            heap.push(Stored::<T>::new(T::Label::ZERO, source as u32));
        }
    }
    let mut missing = wanted.map_or(usize::MAX, |wanted| wanted.count);
    let mut steps = 0_u32;
    while let Some(entry) = heap.pop() {
        let (tail, label) = (entry.vertex() as usize, entry.label());
        // It was lowered after this entry was made, and there is another.
        if labels[tail] != label {
            continue;
        }
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(STEPS_BETWEEN_CHECKS) {
            control.check()?;
        }
        if label > last {
            labels[tail] = T::Label::FAR;
            forget_open(heap, labels);
            break;
        }
        if label > T::Label::MOST {
            return Err(out_of_range::<T>(sources[0], tail, label.to_f64()));
        }
        if let Some(wanted) = wanted
            && wanted.is_wanted[tail]
        {
            missing -= 1;
            if missing == 0 {
                // Others as far away may be on a path of as few edges, which decides between shortest paths.
                last = label;
            }
        }
        graph.for_each_arc(tail, |head, weight| {
            let candidate = label.plus(weight_of(tail, head, weight));
            let known = &mut labels[head];
            if candidate < *known {
                *known = candidate;
                trail.lowered(tail, head);
                heap.push(Stored::<T>::new(candidate, head as u32));
            } else {
                trail.compared(candidate == *known);
            }
        });
    }
    Ok(())
}

/// Labels of vertices that are still in the heap are not final.
fn forget_open<L: Label>(heap: &mut Heap<L::HeapEntry>, labels: &mut [L]) {
    for entry in heap.entries() {
        let label = &mut labels[entry.vertex() as usize];
        if *label == entry.label() {
            *label = L::FAR;
        }
    }
    heap.clear();
}
