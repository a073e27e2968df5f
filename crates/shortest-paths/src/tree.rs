//! The tree of one shortest path from a source to each vertex.
//!
//! An arc (u, v) is *tight* where label(u) + w(u, v) = label(v): exactly these arcs are on shortest paths. The tree is the one that a
//! breadth-first search along tight arcs finds: **to every vertex the shortest path of the fewest arcs, and of the vertices that may come
//! before it on such a path, the least**. So the tree depends on the graph and its distances alone, not on the order of arcs or the
//! algorithm that found the distances.
//!
//! Cycles of weight 0 consist of tight arcs, and a rule that takes any tight arc may go round one for ever. Here the number of arcs
//! from the source grows by one with each arc of the tree, so no path comes back.
//!
//! The tree reaches every vertex that has a path: all arcs of a shortest path are tight, because each beginning of one is a shortest path.
//!
//! Where at most one tight arc leads to each vertex there is one such tree, and a search has found it: see [`TentativePredecessors`].
//!
//! The numbers that a matrix of paths holds where there is no vertex are here too.

use crate::{Element, Graph, SearchError, SolveError};
use repro_graph::search::{ReweightedGraph, SearchVisitor};
use repro_graph::{Label, memory_check};

const UNSEEN: u32 = u32::MAX;

/// Grows trees, and keeps its memory from one to the next.
#[derive(Debug)]
pub(crate) struct Tree {
    predecessors: Vec<i32>,
    /// How many arcs lead to each vertex.
    depths: Vec<u32>,
    /// The vertices reached, fewest arcs first.
    reached: Vec<u32>,
}

/// Clears a row of predecessors except for the paths to these vertices: the rest of it would depend on the algorithm. `seen` has a place
/// for each vertex, with any contents. O(n).
pub(crate) fn keep_paths(
    predecessors: &mut [i32],
    targets: &[usize],
    marks: PathSentinels,
    seen: &mut [u32],
) {
    seen.fill(UNSEEN);
    for &target in targets {
        let mut at = target;
        while seen[at] == UNSEEN {
            seen[at] = 0;
            match usize::try_from(predecessors[at]) {
                Ok(before) => at = before,
                Err(_) => break,
            }
        }
    }
    for (predecessor, _) in predecessors.iter_mut().zip(seen).filter(|(_, seen)| **seen == UNSEEN) {
        // A sentinel, as at the source, stays what it is.
        if *predecessor >= 0 {
            *predecessor = marks.unreachable;
        }
    }
}

/// For each vertex, the one before it on the best path that a search has found so far.
///
/// A search without potentials looks at every arc from a vertex once, when the vertex's label is final. So a tight arc either lowers its
/// head's label to the final one, or finds the same label there. Where no arc has found the same label, at most one tight arc leads to each
/// vertex, and these arcs are the tree.
#[derive(Debug)]
pub(crate) struct TentativePredecessors<'a> {
    predecessors: &'a mut [i32],
    /// Whether an arc has found a path exactly as long as its head's label.
    pub has_equals: bool,
}

impl<L> SearchVisitor<L> for TentativePredecessors<'_> {
    #[inline]
    fn lower(&mut self, tail: usize, head: usize) {
        self.predecessors[head] = tail as i32;
    }

    #[inline]
    fn compare(&mut self, is_as_short: bool) {
        self.has_equals |= is_as_short;
    }
}

impl Tree {
    /// Memory for trees in graphs of `n` vertices.
    ///
    /// # Errors
    /// When there is no room.
    pub fn new(n: usize) -> Result<Self, SearchError> {
        Ok(Self {
            predecessors: memory_check::filled("a row of predecessors", n, 0)?,
            depths: memory_check::filled("a row of predecessors", n, UNSEEN)?,
            reached: memory_check::reserved("a row of predecessors", n)?,
        })
    }

    /// The predecessor of each vertex in the tree grown last.
    pub fn predecessors(&self) -> &[i32] {
        &self.predecessors
    }

    /// For each vertex the source whose tree it is in, of the trees grown last; `none` where it is in none. O(n).
    pub fn origins(&self, none: i32) -> Result<Vec<i32>, SolveError> {
        let mut origins = memory_check::filled("the sources of vertices", self.predecessors.len(), none)?;
        // `reached` lists each vertex after its predecessor.
        for &vertex in &self.reached {
            let before = usize::try_from(self.predecessors[vertex as usize]);
            origins[vertex as usize] = before.map_or(vertex as i32, |before| origins[before]);
        }
        Ok(origins)
    }

    /// Cuts the tree grown last down to the paths to these vertices. O(n).
    pub fn keep(&mut self, targets: &[usize], marks: PathSentinels) {
        keep_paths(&mut self.predecessors, targets, marks, &mut self.depths);
    }

    /// Tentative predecessors, to be filled in by a search from `source`.
    pub fn tails(&mut self, source: usize, marks: PathSentinels) -> TentativePredecessors<'_> {
        self.predecessors.fill(marks.unreachable);
        self.predecessors[source] = marks.diagonal;
        TentativePredecessors { predecessors: &mut self.predecessors, has_equals: false }
    }

    /// Marks vertices as unreachable that the search did not settle, for example beyond its limit. O(n).
    pub fn forget<L: Label>(&mut self, labels: &[L], marks: PathSentinels) {
        for (predecessor, label) in self.predecessors.iter_mut().zip(labels) {
            if *label == L::FAR {
                *predecessor = marks.unreachable;
            }
        }
    }

    /// Grows the tree, or with several sources the trees, from the labels that a search from `sources` has left. O(n + m).
    ///
    /// # Errors
    /// [`SolveError::NotDistances`] if the labels are not those of such a search.
    pub fn grow<T: Element, G: Graph<Weight = T>>(
        &mut self,
        reduced: &ReweightedGraph<G>,
        sources: &[usize],
        labels: &[T::Label],
        marks: PathSentinels,
    ) -> Result<(), SolveError> {
        // A search that ended at its targets has not settled every head, so an arc that undercuts a label is no error here.
        let grown = match reduced.potentials {
            None => self.along_tight::<T, T::Label, false>(
                reduced.graph,
                sources,
                marks,
                |v| labels[v],
                |tail, _, weight| labels[tail] + weight.label(),
            ),
            Some(p) => self.along_tight::<T, T::Label, false>(
                reduced.graph,
                sources,
                marks,
                |v| labels[v],
                |tail, head, weight| labels[tail] + ReweightedGraph::<G>::weight(p, tail, head, weight),
            ),
        };
        grown.map_err(|vertex| SolveError::NotDistances {
            from: sources[0],
            to: vertex,
            found: labels[vertex].to_f64(),
        })
    }

    /// The tree along arcs whose `sum` of the tail's label and the weight is the label of the head.
    ///
    /// # Errors
    /// A vertex with a label that no tight arcs lead to, or, where all labels have to be final (`WHOLE`), one with a label that an arc
    /// undercuts. If `WHOLE` finds no error, the labels are the distances, provided that sums are exact and the source has label 0.
    pub fn along_tight<T: Element, L: Label, const WHOLE: bool>(
        &mut self,
        graph: &impl Graph<Weight = T>,
        sources: &[usize],
        marks: PathSentinels,
        label: impl Fn(usize) -> L,
        sum: impl Fn(usize, usize, T) -> L,
    ) -> Result<(), usize> {
        let Self { predecessors, depths, reached } = self;
        predecessors.fill(marks.unreachable);
        depths.fill(UNSEEN);
        reached.clear();
        for &source in sources {
            if depths[source] == UNSEEN {
                predecessors[source] = marks.diagonal;
                depths[source] = 0;
                reached.push(source as u32);
            }
        }
        let mut undercut = None;
        let mut at = 0;
        while let Some(&tail) = reached.get(at) {
            let (tail, depth) = (tail as usize, depths[tail as usize] + 1);
            graph.for_each_arc(tail, |head, weight| {
                let (sum, label) = (sum(tail, head, weight), label(head));
                if sum == label {
                    if depths[head] == UNSEEN {
                        depths[head] = depth;
                        predecessors[head] = tail as i32;
                        reached.push(head as u32);
                    } else if depths[head] == depth && (tail as i32) < predecessors[head] {
                        predecessors[head] = tail as i32;
                    }
                } else if WHOLE && sum < label {
                    undercut = Some(head);
                }
            });
            at += 1;
        }
        if let Some(vertex) = undercut {
            return Err(vertex);
        }
        let is_lost = |&v: &usize| depths[v] == UNSEEN && label(v) < L::FAR;
        (0..depths.len()).find(is_lost).map_or(Ok(()), Err)
    }
}

/// The numbers that stand where there is no predecessor or next vertex. Both are negative, and vertices are counted from 0, so neither can
/// be taken for a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathSentinels {
    /// From a vertex to itself: the path has no arc.
    pub diagonal: i32,
    /// Where no path leads.
    pub unreachable: i32,
}

impl PathSentinels {
    /// The sentinels that have a name in commands and in Python.
    pub const NAMED: [(&'static str, Self); 2] = [("plain", Self::PLAIN), ("scipy", Self::SCIPY)];
    /// -1 in both places.
    pub const PLAIN: Self = Self { diagonal: -1, unreachable: -1 };
    /// -9999 in both places, as in the predecessors of `scipy.sparse.csgraph`.
    pub const SCIPY: Self = Self { diagonal: -9999, unreachable: -9999 };

    /// Checks that `i32` can name all of `n` vertices, and that neither sentinel could be a vertex.
    ///
    /// # Errors
    /// [`SolveError::TooManyVertices`] and [`SolveError::NotASentinel`].
    pub(crate) fn check(self, n: usize) -> Result<(), SolveError> {
        i32::try_from(n).map_err(|_| SolveError::TooManyVertices { n })?;
        let named = [self.diagonal, self.unreachable].into_iter().find(|mark| *mark >= 0);
        named.map_or(Ok(()), |mark| Err(SolveError::NotASentinel { sentinel: mark }))
    }
}

impl Default for PathSentinels {
    /// [`PathSentinels::PLAIN`].
    fn default() -> Self {
        Self::PLAIN
    }
}
