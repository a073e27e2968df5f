//! Rows of distances from many sources, in parallel, each handed on when it is finished.

use crate::tree::Tree;
use crate::{Control, Element, Graph, PathSentinels, SinkError, SolveError, Stage, WeightSummary};
use rayon::prelude::*;
use repro_graph::search::{ReweightedGraph, SearchLimits, TargetSet, Workspace, potentials_given};
use repro_graph::{ElementType, memory_check};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A finished row of a result.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a, T> {
    /// The place of the source in the list asked for, counted from 0.
    pub index: usize,
    /// The source itself.
    pub source: usize,
    /// The distance to each target asked for, or to each of the n vertices; [`Element::ABSENT`](repro_graph::Element::ABSENT) where
    /// there is no path.
    pub distances: &'a [T],
    /// The predecessor of each of the n vertices on the path from the source, if they were asked for. Where targets were chosen, those
    /// of vertices that lie on no path to a target are [`PathSentinels::unreachable`].
    pub predecessors: Option<&'a [i32]>,
}

/// What is wanted of each source.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowRequest<'a> {
    /// The vertices whose distances are wanted, in this order; all n if none are named. A search ends once it has reached them.
    pub targets: Option<&'a [usize]>,
    /// Whether predecessors are wanted, and the numbers to store where there is none.
    pub predecessors: Option<PathSentinels>,
}

/// A graph made ready for searches: potentials are known if a weight is negative.
///
/// ```
/// use shortest_paths::{ArcsBuilder, Control, SearchContext};
///
/// let mut builder = ArcsBuilder::growing();
/// for (tail, head, weight) in [(0, 1, 4), (0, 2, 3), (1, 2, -2)] {
///     builder.add(tail, head, weight)?;
/// }
/// let (graph, _) = builder.build()?;
/// let searches = SearchContext::new(&graph, &Control::default())?;
/// assert_eq!(searches.row(0, &Control::default())?, [0, 4, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SearchContext<'g, G> {
    pub(crate) graph: &'g G,
    pub(crate) facts: WeightSummary,
    pub(crate) potentials: Option<Vec<f64>>,
    /// The longest distance that searches look for.
    pub(crate) limit: f64,
}

impl<'g, T: Element, G: Graph<Weight = T>> SearchContext<'g, G> {
    /// Prepares searches: if a weight is negative, finds [`potentials()`](repro_graph::potentials()).
    ///
    /// # Errors
    /// Those of [`potentials()`](repro_graph::potentials()), and [`SolveError::MayOverflow`] when a sum of weights may be no number.
    pub fn new(graph: &'g G, control: &Control) -> Result<Self, SolveError> {
        let facts = graph.facts();
        let longest = match T::TYPE {
            ElementType::F64 => facts.range.largest * graph.n() as f64,
            // Sums of these fit into labels, and each distance is checked. A builder has checked each weight.
            ElementType::F32 | ElementType::I32 | ElementType::U16 => facts.range.largest,
        };
        // A NaN fails this as well.
        if !matches!(longest.partial_cmp(&T::TYPE.most()), Some(order) if order.is_le()) {
            return Err(SolveError::MayOverflow { element: T::TYPE, longest });
        }
        let potentials = potentials_given(graph, &facts, &control.round())?;
        Ok(Self { graph, facts, potentials, limit: f64::INFINITY })
    }

    /// Limits these searches to distances up to `limit`: vertices farther away count as unreachable.
    ///
    /// # Errors
    /// [`SolveError::NotALimit`], and [`SolveError::Negative`] where a weight is negative: then a vertex beyond the limit may be on the
    /// path to one within it.
    pub fn limited(self, limit: f64) -> Result<Self, SolveError> {
        check_limit(limit, &self.facts)?;
        Ok(Self { limit, ..self })
    }

    /// The potentials, in the unit of the weights; none if no weight is negative.
    pub fn potentials(&self) -> Option<&[f64]> {
        self.potentials.as_deref()
    }

    /// What is known of the graph's weights.
    pub fn facts(&self) -> WeightSummary {
        self.facts
    }

    /// A context whose facts and potentials are known already.
    pub(crate) fn known(graph: &'g G, facts: WeightSummary, potentials: Option<Vec<f64>>) -> Self {
        Self { graph, facts, potentials, limit: f64::INFINITY }
    }

    pub(crate) fn reduced(&self) -> ReweightedGraph<'_, G> {
        ReweightedGraph { graph: self.graph, potentials: self.potentials.as_deref() }
    }

    /// The distances from `source` to all vertices, exact for integers. In floating point sums are `f64` and rounded once.
    /// O((n + m) log n).
    ///
    /// # Errors
    /// As [`SearchContext::rows`].
    pub fn row(&self, source: usize, control: &Control) -> Result<Vec<T>, SolveError> {
        let n = self.graph.n();
        check_vertex(source, n)?;
        let mut worker = SearchWorker::new(n, RowRequest::default(), None)?;
        self.search_from(source, &mut worker, control)?;
        Ok(worker.distances)
    }

    /// Searches from each source, on all threads of the current rayon pool (from a single source on the calling thread), and hands each row
    /// to `sink` when it is finished: in any order, and from several threads at once. Each thread keeps about 40 bytes a vertex, and a row.
    ///
    /// # Errors
    /// [`SolveError::NotAVertex`], [`SearchError::OutOfRange`](crate::SearchError::OutOfRange), [`SearchError::NotEnoughMemory`](crate::SearchError::NotEnoughMemory), [`SearchError::Cancelled`](crate::SearchError::Cancelled), and
    /// [`SolveError::Sink`] with what `sink` returned. Rows that were finished before have been handed on.
    pub fn rows(
        &self,
        sources: &[usize],
        want: RowRequest,
        control: &Control,
        sink: impl Fn(Row<T>) -> Result<(), SinkError> + Sync,
    ) -> Result<(), SolveError> {
        let n = self.graph.n();
        let targets = want.targets.unwrap_or_default();
        sources.iter().chain(targets).try_for_each(|&vertex| check_vertex(vertex, n))?;
        if let Some(marks) = want.predecessors {
            marks.check(n)?;
        }
        let reached = want.targets.map(|targets| TargetSet::new(n, targets)).transpose()?;
        let next = AtomicUsize::new(0);
        let done = AtomicUsize::new(0);
        let work = || {
            let mut worker = None;
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(&source) = sources.get(index) else { return Ok(()) };
                let worker = match &mut worker {
                    Some(worker) => worker,
                    none => none.insert(SearchWorker::new(n, want, reached.as_ref())?),
                };
                let found = self.search_from(source, worker, control);
                let stored = found.and_then(|()| sink(worker.row(index, source)).map_err(SolveError::Sink));
                if let Err(error) = stored {
                    // The other threads find no source left.
                    next.store(sources.len(), Ordering::Relaxed);
                    return Err(error);
                }
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                control.report(Stage::Distances, done as u64, sources.len() as u64);
            }
        };
        if sources.len() <= 1 {
            // A single search needs no other thread.
            return work();
        }
        let threads = rayon::current_num_threads().min(sources.len());
        (0..threads).into_par_iter().with_max_len(1).try_for_each(|_| work())
    }

    /// Searches from `source`, and leaves the row that is wanted in `worker`.
    fn search_from(
        &self,
        source: usize,
        worker: &mut SearchWorker<T>,
        control: &Control,
    ) -> Result<(), SolveError> {
        control.check()?;
        let SearchWorker { want, reached, workspace, distances, tree } = worker;
        let (reduced, checkpoint) = (self.reduced(), control.checkpoint());
        if want.targets.is_some_and(<[usize]>::is_empty) && tree.is_none() {
            return Ok(());
        }
        let limits = SearchLimits { distance: self.limit, targets: *reached };
        let marks = want.predecessors.unwrap_or_default();
        // Reduced weights are rounded, so a search may settle a vertex twice: its tentative predecessors are no tree then.
        let is_known = match tree.as_mut().filter(|_| reduced.potentials.is_none()) {
            Some(tree) => {
                let mut tails = tree.tails(source, marks);
                reduced.search(&[source], limits, workspace, &mut tails, &checkpoint)?;
                !tails.has_equals
            }
            None => {
                reduced.search(&[source], limits, workspace, &mut (), &checkpoint)?;
                false
            }
        };
        let labels = &workspace.labels;
        match want.targets {
            None => reduced.distances(source, labels, distances)?,
            Some(targets) => {
                for (distance, &vertex) in distances.iter_mut().zip(targets) {
                    *distance = reduced.distance(source, vertex, labels[vertex])?;
                }
            }
        }
        if let Some(tree) = tree {
            if is_known {
                tree.forget(labels, marks);
            } else {
                tree.grow(&reduced, &[source], labels, marks)?;
            }
            if let Some(targets) = want.targets {
                tree.keep(targets, marks);
            }
        }
        Ok(())
    }
}

/// What a thread keeps from row to row.
struct SearchWorker<'a, T: Element> {
    want: RowRequest<'a>,
    /// The targets: a search ends once it has reached all.
    reached: Option<&'a TargetSet>,
    workspace: Workspace<T::Label>,
    distances: Vec<T>,
    tree: Option<Tree>,
}

impl<'a, T: Element> SearchWorker<'a, T> {
    fn new(n: usize, want: RowRequest<'a>, reached: Option<&'a TargetSet>) -> Result<Self, SolveError> {
        let columns = want.targets.map_or(n, <[usize]>::len);
        Ok(Self {
            want,
            reached,
            workspace: Workspace::new(n)?,
            distances: memory_check::filled("a row of distances", columns, T::ABSENT)?,
            tree: want.predecessors.map(|_| Tree::new(n)).transpose()?,
        })
    }

    /// The row that was found last.
    fn row(&self, index: usize, source: usize) -> Row<'_, T> {
        let predecessors = self.tree.as_ref().map(Tree::predecessors);
        Row { index, source, distances: &self.distances, predecessors }
    }
}

/// Refuses a vertex that is not in the graph.
pub(crate) fn check_vertex(vertex: usize, n: usize) -> Result<(), SolveError> {
    if vertex < n { Ok(()) } else { Err(SolveError::NotAVertex { vertex, n }) }
}

/// Refuses a limit that is no distance, and a finite one with negative weights.
pub(crate) fn check_limit(limit: f64, facts: &WeightSummary) -> Result<(), SolveError> {
    if limit.is_nan() || limit < 0.0 {
        return Err(SolveError::NotALimit { limit });
    }
    if limit < f64::INFINITY && facts.range.negative {
        return Err(SolveError::Negative { what: "a limit", least: facts.least });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arcs, SearchError, graphs_of_tests::arcs_of};
    use std::sync::atomic::AtomicBool;

    /// Vertices one after the other, with this weight between.
    fn line(n: usize, weight: i32) -> Arcs<i32> {
        arcs_of(n, &(1..n).map(|v| (v - 1, v, weight)).collect::<Vec<_>>())
    }

    #[test]
    fn one_refusal_ends_the_searches_of_all_threads() {
        let (graph, control) = (line(6, 1), Control::default());
        let searches = SearchContext::new(&graph, &control).unwrap();
        let rows = AtomicUsize::new(0);
        // The first row is refused once another thread has one.
        let refuse_the_first = |_: Row<i32>| {
            if rows.fetch_add(1, Ordering::Relaxed) > 0 {
                return Ok(());
            }
            while rows.load(Ordering::Relaxed) < 2 {
                std::thread::yield_now();
            }
            Err("the disk is full".into())
        };
        let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let search = || searches.rows(&[0; 200_000], RowRequest::default(), &control, refuse_the_first);
        let error = threads.install(search).unwrap_err();
        assert_eq!(error.to_string(), "a row of the result could not be stored: the disk is full");
        assert!(rows.into_inner() < 150_000);
    }

    #[test]
    fn paths_that_leave_the_range_of_integers_end_the_search_with_the_vertex() {
        let graph = line(40, (1 << 28) - 1);
        let searches = SearchContext::new(&graph, &Control::default()).unwrap();
        for (source, target, expected) in [(0, 3, 805_306_365.0), (37, 39, 536_870_910.0)] {
            let error = searches.row(source, &Control::default()).unwrap_err();
            let SolveError::Search(SearchError::OutOfRange { from, to, length, .. }) = error else {
                panic!("{error}")
            };
            assert_eq!((from, to, length), (source, target, expected));
        }
        assert_eq!(searches.row(38, &Control::default()).unwrap()[39], (1 << 28) - 1);
    }

    #[test]
    fn a_flag_set_between_rows_ends_the_search_and_progress_counts_rows() {
        let graph = line(6, 1);
        let searches = SearchContext::new(&graph, &Control::default()).unwrap();
        let flag = AtomicBool::new(false);
        let rows = AtomicUsize::new(0);
        let progress = |p: crate::Progress| {
            assert_eq!((p.stage, p.total), (Stage::Distances, 6000));
            flag.store(p.done >= 10, Ordering::Relaxed);
        };
        let control = Control::default().cancelled_by(&flag).with_progress(&progress);
        let count = |_: Row<i32>| {
            rows.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        let ended = searches.rows(&[0; 6000], RowRequest::default(), &control, count);
        assert!(matches!(ended, Err(SolveError::Search(SearchError::Cancelled))));
        assert!((10..3000).contains(&rows.into_inner()));
        // And one search of a large graph on the way.
        let large = line(100_000, 1);
        let searches = SearchContext::new(&large, &Control::default()).unwrap();
        let ended = searches.row(0, &Control::default().cancelled_by(&flag));
        assert!(matches!(ended, Err(SolveError::Search(SearchError::Cancelled))));
    }
}
