//! Predecessors and next vertices by distances that are known, in one pass over the arcs for each row.

use crate::check::check_size;
use crate::reduction::{EssentialArcs, longest, rounding};
use crate::rows::check_vertex;
use crate::tree::Tree;
use crate::{
    Arcs, Control, Element, Graph, PathSentinels, RetainedDistances, SearchContext, SearchError, SolveError,
    Stage, WeightSummary,
};
use rayon::prelude::*;
use repro_graph::search::{SearchLimits, Workspace};
use repro_graph::{ElementType, Label, for_each_pair, memory_check};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Columns that are gathered together, because they lie side by side in memory.
const COLUMNS: usize = 16;

impl<T: Element, G: Graph<Weight = T>> SearchContext<'_, G> {
    /// The predecessor of each vertex on one shortest path from each source, one row of n for each of `sources`, by `distances`, which
    /// has as many rows of n: entry (i, j) is the vertex before j. O(n + m) a row, on all threads of the rayon pool. Where all n rows are given in
    /// order, arcs that no shortest path has are left out first, and m counts only the rest: few in a dense graph.
    ///
    /// # Which path
    /// The stored path has the fewest arcs of all shortest paths to j; of the vertices that may come before j on such a path, the least
    /// does. No path goes round a cycle of weight 0. Where sums are exact, the arcs (u, j) of shortest paths are those with d(i, u) + w =
    /// d(i, j). Sums are exact for integers, and in floating point where weights are multiples of one power of two g and the distances of
    /// the row are below 2^24 g (`f32`) or 2^53 g (`f64`). A row that passes is proven to be right: the path to each vertex is as long as
    /// its distance, and no arc leads to a shorter one.
    ///
    /// Where sums are rounded, no such equation holds. The row is then searched anew in `f64`, which costs O((n + m) log n), and its tree
    /// is that of the search: it depends on the graph alone, and not on how the distances given are rounded. Its paths are as short as
    /// `f64` can tell, so their lengths lie within the bounds by which `repro_graph::Reference` judges distances.
    ///
    /// # Errors
    /// [`SolveError::NotDistances`]: where sums are exact, with a vertex whose distance is wrong; where they are rounded, with one that has
    /// only one of distance and path, or, without negative weights, whose distance is off by more than rounding can be.
    /// [`PathError::WrongLength`](crate::PathError::WrongLength), [`SolveError::NotAVertex`], [`SolveError::TooManyVertices`], and those of
    /// a search.
    pub fn predecessors(
        &self,
        sources: &[usize],
        distances: &[T],
        marks: PathSentinels,
        control: &Control,
    ) -> Result<Vec<i32>, SolveError> {
        let n = self.graph.n();
        marks.check(n)?;
        check_size(n, sources.len(), distances.len(), "the matrix of distances")?;
        sources.iter().try_for_each(|&source| check_vertex(source, n))?;
        if sources.iter().copied().eq(0..n) {
            return self.predecessors_by(None, distances, marks, control);
        }
        control.report(Stage::Paths, 0, sources.len() as u64);
        self.trees(sources, distances, marks, control)
    }

    /// [`SearchContext::predecessors`] of all vertices, by the solver that has `kept` distances where it can and sums are exact.
    pub(crate) fn predecessors_by(
        &self,
        kept: Option<Box<dyn RetainedDistances<T> + '_>>,
        distances: &[T],
        marks: PathSentinels,
        control: &Control,
    ) -> Result<Vec<i32>, SolveError> {
        let n = self.graph.n();
        marks.check(n)?;
        check_size(n, n, distances.len(), "the matrix of distances")?;
        control.report(Stage::Paths, 0, n as u64);
        let every: Vec<usize> = (0..n).collect();
        let Some(EssentialArcs { arcs, exact }) = self.essential_arcs(distances)? else {
            drop(kept);
            return self.trees(&every, distances, marks, control);
        };
        // In any case `kept` is freed before the search below allocates.
        if let Some(kept) = kept.filter(|_| exact) {
            let found = kept.predecessors(Arcs::transposed(&arcs)?, marks, control);
            drop(kept);
            control.check()?;
            if let Some(found) = found.map_err(SolveError::Dense)? {
                check_size(n, n, found.len(), "the matrix of predecessors")?;
                return Ok(found);
            }
        }
        let searches = SearchContext::known(&arcs, self.facts, self.potentials.clone());
        searches.trees(&every, distances, marks, control)
    }

    /// Grows the tree of each source from its row of distances, and returns their rows of predecessors.
    fn trees(
        &self,
        sources: &[usize],
        distances: &[T],
        marks: PathSentinels,
        control: &Control,
    ) -> Result<Vec<i32>, SolveError> {
        let n = self.graph.n();
        let mut paths = memory_check::zeros("the matrix of predecessors", distances.len())?;
        let done = AtomicUsize::new(0);
        let rows = paths.par_chunks_mut(n).zip(distances.par_chunks(n)).zip(sources);
        rows.try_for_each_init(
            || Ok(TreeWorkspace { tree: Tree::new(n)?, workspace: None }),
            |grower, ((paths, distances), &source)| {
                let grower = grower.as_mut().map_err(|error: &mut SearchError| error.clone())?;
                self.grow(grower, source, distances, marks, control)?;
                paths.copy_from_slice(grower.tree.predecessors());
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                control.report(Stage::Paths, done as u64, sources.len() as u64);
                Ok::<_, SolveError>(())
            },
        )?;
        Ok(paths)
    }

    /// The next vertex on one shortest path between all vertices, n x n in row-major order, by all n x n `distances`: entry (i, j) is
    /// the vertex after i on the way to j.
    ///
    /// Column j is the tree of paths that end at j, by the rule of [`SearchContext::predecessors`] on the graph with every arc reversed. So
    /// whoever follows entries (i, j), (next, j) and so on stays in one tree, and arrives. Takes the memory of a second graph, in most
    /// cases one with fewer arcs.
    ///
    /// # Errors
    /// As [`SearchContext::predecessors`].
    pub fn next_vertices(
        &self,
        distances: &[T],
        marks: PathSentinels,
        control: &Control,
    ) -> Result<Vec<i32>, SolveError> {
        let n = self.graph.n();
        marks.check(n)?;
        check_size(n, n, distances.len(), "the matrix of distances")?;
        control.report(Stage::Paths, 0, n as u64);
        // Negative potentials leave the reduced weight of a reversed arc what it was.
        let potentials = self.potentials().map(|p| p.iter().map(|p| -p).collect());
        let transposed = match self.essential_arcs(distances)? {
            Some(EssentialArcs { arcs, .. }) => Arcs::transposed(&arcs)?,
            None => Arcs::transposed(self.graph)?,
        };
        SearchContext::known(&transposed, self.facts, potentials).columns(distances, marks, control)
    }

    /// Grows the tree of each column in this graph, whose arcs are reversed, and returns the trees as columns.
    fn columns(
        &self,
        distances: &[T],
        marks: PathSentinels,
        control: &Control,
    ) -> Result<Vec<i32>, SolveError> {
        let n = self.graph.n();
        let mut next = memory_check::zeros("the matrix of next vertices", distances.len())?;
        let done = AtomicUsize::new(0);
        next.par_chunks_mut(n * COLUMNS).enumerate().try_for_each_init(
            Vec::new,
            |columns, (block, rows)| {
                let targets: Vec<usize> = (block * COLUMNS..).take(rows.len() / n).collect();
                gather(distances, n, targets[0], columns)?;
                let trees = self.trees(&targets, columns, marks, &control.without_progress());
                rows.copy_from_slice(&trees.map_err(turn)?);
                let done = done.fetch_add(targets.len(), Ordering::Relaxed) + targets.len();
                control.report(Stage::Paths, done as u64, n as u64);
                Ok::<_, SolveError>(())
            },
        )?;
        for_each_pair(&mut next, n, std::mem::swap);
        Ok(next)
    }

    /// Checks a row of distances, and leaves its tree in `grower`.
    fn grow(
        &self,
        grower: &mut TreeWorkspace<T>,
        source: usize,
        distances: &[T],
        marks: PathSentinels,
        control: &Control,
    ) -> Result<(), SolveError> {
        control.check()?;
        let wrong = |vertex: usize| {
            let found = distances[vertex].to_f64();
            SolveError::NotDistances { from: source, to: vertex, found }
        };
        if distances[source] != T::ZERO {
            return Err(wrong(source));
        }
        if let Some(vertex) = distances.iter().position(|distance| distance.to_f64().is_nan()) {
            return Err(wrong(vertex));
        }
        let TreeWorkspace { tree, workspace } = grower;
        if is_exact(&self.facts(), distances) {
            let sum = |tail: usize, _, weight: T| distances[tail].to_f64() + weight.to_f64();
            let label = |vertex: usize| distances[vertex].to_f64();
            let grown = tree.along_tight::<T, f64, true>(self.graph, &[source], marks, label, sum);
            return grown.map_err(wrong);
        }
        let workspace = match workspace {
            Some(workspace) => workspace,
            none => none.insert(Workspace::new(distances.len())?),
        };
        let reduced = self.reduced();
        reduced.search(&[source], SearchLimits::NONE, workspace, &mut (), &control.checkpoint())?;
        let is_far = |vertex: usize| workspace.labels[vertex] == T::Label::FAR;
        if let Some(vertex) = (0..distances.len()).find(|&v| is_far(v) != distances[v].is_absent()) {
            return Err(wrong(vertex));
        }
        if reduced.potentials.is_none() {
            let slack = rounding::<T>(distances.len(), longest(distances));
            let is_off = |&v: &usize| (workspace.labels[v].to_f64() - distances[v].to_f64()).abs() > slack;
            if let Some(vertex) = (0..distances.len()).find(is_off) {
                return Err(wrong(vertex));
            }
        }
        tree.grow(&reduced, &[source], &workspace.labels, marks)
    }
}

/// What a thread keeps from row to row.
struct TreeWorkspace<T: Element> {
    tree: Tree,
    /// For rows that have to be searched anew.
    workspace: Option<Workspace<T::Label>>,
}

/// Whether these distances from one vertex, if right, are exact, so that d(i, u) + w = d(i, j) along shortest paths.
///
/// No sum below 2^24 g (in `f32`) is rounded. Without negative weights, no part of a path is longer than the path.
pub(crate) fn is_exact<T: Element>(facts: &WeightSummary, distances: &[T]) -> bool {
    let exact_below = exact_below::<T>(facts);
    if facts.range.longest(distances.len()) < exact_below {
        return true;
    }
    let lengths = || distances.iter().map(|distance| distance.to_f64()).filter(|d| *d < f64::INFINITY);
    facts.least >= 0.0 && lengths().all(|length| length < exact_below)
}

/// No sum of weights below this is rounded; +infinity for integers.
pub(crate) fn exact_below<T: Element>(facts: &WeightSummary) -> f64 {
    exact_integers(T::TYPE) * facts.range.grain
}

/// The type holds all integers up to this one, so rounding changes a number by at most one part in this many. +infinity for integers, whose
/// grain is above 0.
pub(crate) fn exact_integers(element: ElementType) -> f64 {
    match element {
        ElementType::I32 | ElementType::U16 => f64::INFINITY,
        ElementType::F32 => f64::from(f32::MANTISSA_DIGITS).exp2(),
        ElementType::F64 => f64::from(f64::MANTISSA_DIGITS).exp2(),
    }
}

/// Gathers up to [`COLUMNS`] columns from `first` on into `columns`, one after the other.
fn gather<T: Element>(matrix: &[T], n: usize, first: usize, columns: &mut Vec<T>) -> Result<(), SolveError> {
    let count = COLUMNS.min(n - first);
    if columns.is_empty() {
        *columns = memory_check::reserved("columns of distances", n * COLUMNS)?;
    }
    columns.clear();
    columns.resize(n * count, T::ZERO);
    for (i, row) in matrix.chunks(n).enumerate() {
        for (column, distance) in row[first..first + count].iter().enumerate() {
            columns[column * n + i] = *distance;
        }
    }
    Ok(())
}

/// Exchanges source and target in an error about the graph with reversed arcs.
fn turn(error: SolveError) -> SolveError {
    match error {
        SolveError::NotDistances { from, to, found } => {
            SolveError::NotDistances { from: to, to: from, found }
        }
        SolveError::Search(SearchError::OutOfRange { element, from, to, length, most }) => {
            SolveError::Search(SearchError::OutOfRange { element, from: to, to: from, length, most })
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arcs, ArcsBuilder, graphs_of_tests::arcs_of};
    use repro_graph::Element;

    fn of<T: Element>(graph: &Arcs<T>, source: usize, distances: &[T]) -> Result<Vec<i32>, SolveError> {
        let searches = SearchContext::new(graph, &Control::default()).unwrap();
        searches.predecessors(&[source], distances, PathSentinels::PLAIN, &Control::default())
    }

    /// The rule, by its words: the least vertex before j on a shortest path of the fewest arcs, by paths of 0, 1, 2 and more arcs.
    fn by_the_rule(graph: &Arcs<i32>, source: usize, distances: &[i32]) -> Vec<i32> {
        let n = graph.n();
        let mut lengths = vec![vec![i64::MAX; n]];
        lengths[0][source] = 0;
        for arcs in 1..n {
            let mut row = vec![i64::MAX; n];
            for u in (0..n).filter(|&u| lengths[arcs - 1][u] < i64::MAX) {
                graph.for_each_arc(u, |v, weight| {
                    row[v] = row[v].min(lengths[arcs - 1][u] + i64::from(weight))
                });
            }
            lengths.push(row);
        }
        let before = |v: usize| {
            if v == source || distances[v].is_absent() {
                return -1;
            }
            let length = i64::from(distances[v]);
            let fewest = (0..n).find(|&arcs| lengths[arcs][v] == length).unwrap();
            let is_before = |&u: &usize| {
                let weight = Graph::weight(graph, u, v).map(i64::from);
                lengths[fewest - 1][u] < i64::MAX
                    && weight.is_some_and(|w| lengths[fewest - 1][u] + w == length)
            };
            (0..n).find(is_before).unwrap() as i32
        };
        (0..n).map(before).collect()
    }

    #[test]
    fn paths_are_those_of_the_fewest_arcs_and_then_of_the_least_vertices() {
        let mut state = 1_u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..200 {
            let n = 1 + draw(9) as usize;
            let mut builder = ArcsBuilder::with_vertices(n).unwrap();
            // Heights make negative arcs and many cycles of weight 0, and none below.
            let heights: Vec<i32> = (0..n).map(|_| draw(4) as i32).collect();
            for _ in 0..draw(30) {
                let (u, v) = (draw(n as u64) as usize, draw(n as u64) as usize);
                if u != v {
                    builder.add(u, v, draw(3) as i32 + heights[u] - heights[v]).unwrap();
                }
            }
            let graph = builder.build().unwrap().0;
            let searches = SearchContext::new(&graph, &Control::default()).unwrap();
            for source in 0..n {
                let row = searches.row(source, &Control::default()).unwrap();
                assert_eq!(of(&graph, source, &row).unwrap(), by_the_rule(&graph, source, &row));
            }
        }
    }

    #[test]
    fn distances_of_another_graph_are_refused_with_the_vertex() {
        let arcs = arcs_of(3, &[(0, 1, 2), (1, 2, 3), (0, 2, 9)]);
        let far = i32::ABSENT;
        assert!(of(&arcs, 0, &[0, 2, 5]).is_ok());
        for (row, wrong) in [([0, 2, 9], 2), ([0, 2, 4], 2), ([0, 2, far], 2), ([0, 1, 4], 1), ([1, 3, 6], 0)]
        {
            let error = of(&arcs, 0, &row).unwrap_err();
            assert!(
                matches!(error, SolveError::NotDistances { from: 0, to, .. } if to == wrong),
                "{row:?}: {error}"
            );
        }
        assert!(of(&arcs, 0, &[0, 2]).is_err() && of(&arcs, 3, &[0, 2, 5]).is_err());
        let thirds = arcs_of(3, &[(0, 1, 1.0_f64 / 3.0), (2, 0, 1e300)]);
        assert!(matches!(
            of(&thirds, 0, &[0.0, f64::NAN, f64::INFINITY]),
            Err(SolveError::NotDistances { to: 1, .. })
        ));
        assert!(matches!(
            of(&thirds, 0, &[0.0, 1.0 / 3.0, 5.0]),
            Err(SolveError::NotDistances { to: 2, .. })
        ));
    }

    #[test]
    fn a_wrong_distance_by_next_vertices_is_named_the_right_way_round() {
        let arcs = arcs_of(3, &[(0, 1, 2), (1, 2, 3), (0, 2, 9)]);
        let far = i32::ABSENT;
        let searches = SearchContext::new(&arcs, &Control::default()).unwrap();
        let wrong = [0, 2, 5, far, 0, 4, far, far, 0];
        let error = searches.next_vertices(&wrong, PathSentinels::SCIPY, &Control::default()).unwrap_err();
        assert!(matches!(error, SolveError::NotDistances { from: 1, to: 2, .. }), "{error}");
    }
}
