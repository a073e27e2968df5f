//! Rows of distances from many sources, in parallel, each handed on when it is finished.

use crate::dijkstra::{Reduced, Wanted, Workspace};
use crate::potentials::potentials_given;
use crate::tree::Tree;
use crate::{Control, Facts, Graph, Marks, SinkError, SolveError, Stage, Weight, room};
use rayon::prelude::*;
use repro_graph::ElementType;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A finished row of a result.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a, T> {
    /// Which of the sources asked for, counted from 0.
    pub index: usize,
    /// The source itself.
    pub source: usize,
    /// The distance to each target asked for, or to each of the n vertices; [`Element::ABSENT`](repro_graph::Element::ABSENT) where
    /// there is no path.
    pub distances: &'a [T],
    /// The predecessor of each of the n vertices on the path from the source, if they were asked for. Where targets were chosen, those
    /// of vertices farther away than all targets are [`Marks::unreachable`].
    pub predecessors: Option<&'a [i32]>,
}

/// What is wanted of each source.
#[derive(Clone, Copy, Debug, Default)]
pub struct Want<'a> {
    /// The vertices whose distances are wanted, in this order; all n if none are named. A search ends once it has reached them.
    pub targets: Option<&'a [usize]>,
    /// Predecessors, with these numbers where there is none.
    pub predecessors: Option<Marks>,
}

/// A graph made ready for searches: potentials are known if a weight is negative.
///
/// ```
/// use shortest_paths::{ArcsBuilder, Control, Searches};
///
/// let mut builder = ArcsBuilder::growing();
/// for (tail, head, weight) in [(0, 1, 4), (0, 2, 3), (1, 2, -2)] {
///     builder.add(tail, head, weight)?;
/// }
/// let (graph, _) = builder.build()?;
/// let searches = Searches::new(&graph, &Control::default())?;
/// assert_eq!(searches.row(0, &Control::default())?, [0, 4, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Searches<'g, G> {
    graph: &'g G,
    facts: Facts,
    potentials: Option<Vec<f64>>,
}

impl<'g, G> Searches<'g, G> {
    /// Looks for negative weights and, if there are some, for [`potentials()`](crate::potentials()).
    ///
    /// # Errors
    /// Those of [`potentials()`](crate::potentials()), and [`SolveError::MayOverflow`] when a sum of weights need not be a number.
    pub fn new<T: Weight>(graph: &'g G, control: &Control) -> Result<Self, SolveError>
    where
        G: Graph<T>,
    {
        Self::with_facts(graph, graph.facts(), control)
    }

    /// [`Searches::new`] where the facts are known.
    pub(crate) fn with_facts<T: Weight>(
        graph: &'g G,
        facts: Facts,
        control: &Control,
    ) -> Result<Self, SolveError>
    where
        G: Graph<T>,
    {
        let longest = match T::TYPE {
            ElementType::F64 => facts.range.largest * graph.n() as f64,
            // Sums of these fit, and each distance is looked at. In a builder each weight was.
            ElementType::F32 | ElementType::I32 | ElementType::U16 => facts.range.largest,
        };
        // A NaN fails this as well.
        if !matches!(longest.partial_cmp(&T::TYPE.most()), Some(order) if order.is_le()) {
            return Err(SolveError::MayOverflow { element: T::TYPE, longest });
        }
        let potentials = potentials_given(graph, &facts, control)?;
        Ok(Self { graph, facts, potentials })
    }

    /// The potentials, in the unit of the weights; none if no weight is negative.
    pub fn potentials(&self) -> Option<&[f64]> {
        self.potentials.as_deref()
    }

    /// What is known of the graph's weights.
    pub fn facts(&self) -> Facts {
        self.facts
    }

    /// With facts and potentials that are known.
    pub(crate) fn known(graph: &'g G, facts: Facts, potentials: Option<Vec<f64>>) -> Self {
        Self { graph, facts, potentials }
    }

    pub(crate) fn graph(&self) -> &'g G {
        self.graph
    }

    pub(crate) fn reduced(&self) -> Reduced<'_, G> {
        Reduced { graph: self.graph, potentials: self.potentials.as_deref() }
    }

    /// The distances from `source` to all vertices, exact for integers. In floating point sums are `f64` and rounded once.
    /// O((n + m) log n).
    ///
    /// # Errors
    /// As [`Searches::rows`].
    pub fn row<T: Weight>(&self, source: usize, control: &Control) -> Result<Vec<T>, SolveError>
    where
        G: Graph<T>,
    {
        let n = self.graph.n();
        check_vertex(source, n)?;
        let mut workspace = Workspace::new(n)?;
        let reduced = self.reduced();
        reduced.search(source, None, &mut workspace, control)?;
        (0..n).map(|v| reduced.distance(source, v, workspace.labels[v])).collect()
    }

    /// Searches from each source, on all threads of the current rayon pool, and hands each row to `sink` when it is finished: in any
    /// order, and from several threads at once. Keeps about 40 bytes a vertex and thread, and a row.
    ///
    /// # Errors
    /// [`SolveError::NotAVertex`], [`SolveError::OutOfRange`], [`SolveError::NotEnoughMemory`], [`SolveError::Cancelled`], and
    /// [`SolveError::Sink`] with what `sink` returned. Rows that were finished before have been handed on.
    pub fn rows<T: Weight>(
        &self,
        sources: &[usize],
        want: Want,
        control: &Control,
        sink: impl Fn(Row<T>) -> Result<(), SinkError> + Sync,
    ) -> Result<(), SolveError>
    where
        G: Graph<T>,
    {
        let n = self.graph.n();
        let targets = want.targets.unwrap_or_default();
        sources.iter().chain(targets).try_for_each(|&vertex| check_vertex(vertex, n))?;
        if want.predecessors.is_some() {
            Marks::check_vertices(n)?;
        }
        let wanted = want.targets.map(|targets| Wanted::new(n, targets)).transpose()?;
        let next = AtomicUsize::new(0);
        let done = AtomicUsize::new(0);
        let threads = rayon::current_num_threads().min(sources.len());
        (0..threads).into_par_iter().with_max_len(1).try_for_each(|_| {
            let mut worker = None;
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(&source) = sources.get(index) else { return Ok(()) };
                let worker = match &mut worker {
                    Some(worker) => worker,
                    none => none.insert(Worker::new(n, want)?),
                };
                let row = self.row_of(index, source, want, wanted.as_ref(), worker, control);
                let stored = row.and_then(|row| sink(row).map_err(SolveError::Sink));
                if let Err(error) = stored {
                    // The other threads find no source left.
                    next.store(sources.len(), Ordering::Relaxed);
                    return Err(error);
                }
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                control.report(Stage::Distances, done as u64, sources.len() as u64);
            }
        })
    }

    fn row_of<'w, T: Weight>(
        &self,
        index: usize,
        source: usize,
        want: Want,
        wanted: Option<&Wanted>,
        worker: &'w mut Worker<T>,
        control: &Control,
    ) -> Result<Row<'w, T>, SolveError>
    where
        G: Graph<T>,
    {
        control.check()?;
        let Worker { workspace, distances, tree } = worker;
        let reduced = self.reduced();
        if want.targets.is_some_and(<[usize]>::is_empty) && tree.is_none() {
            return Ok(Row { index, source, distances, predecessors: None });
        }
        reduced.search(source, wanted, workspace, control)?;
        let labels = &workspace.labels;
        match want.targets {
            None => {
                for (v, (distance, label)) in distances.iter_mut().zip(labels).enumerate() {
                    *distance = reduced.distance(source, v, *label)?;
                }
            }
            Some(targets) => {
                for (distance, &v) in distances.iter_mut().zip(targets) {
                    *distance = reduced.distance(source, v, labels[v])?;
                }
            }
        }
        if let (Some(tree), Some(marks)) = (&mut *tree, want.predecessors) {
            tree.grow(&reduced, source, labels, marks)?;
        }
        let predecessors = tree.as_ref().map(Tree::predecessors);
        Ok(Row { index, source, distances, predecessors })
    }
}

/// What a thread keeps from row to row.
struct Worker<T: Weight> {
    workspace: Workspace<T::Label>,
    distances: Vec<T>,
    tree: Option<Tree>,
}

impl<T: Weight> Worker<T> {
    fn new(n: usize, want: Want) -> Result<Self, SolveError> {
        let columns = want.targets.map_or(n, <[usize]>::len);
        Ok(Self {
            workspace: Workspace::new(n)?,
            distances: room::filled("a row of distances", columns, T::ABSENT)?,
            tree: want.predecessors.map(|_| Tree::new(n)).transpose()?,
        })
    }
}

/// Whether a vertex is in the graph.
pub(crate) fn check_vertex(vertex: usize, n: usize) -> Result<(), SolveError> {
    if vertex < n { Ok(()) } else { Err(SolveError::NotAVertex { vertex, n }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arcs, ArcsBuilder};
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    /// A line of vertices with a way past it that is longer.
    fn line() -> Arcs<i32> {
        let mut builder = ArcsBuilder::with_vertices(6).unwrap();
        for (u, v, weight) in [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 4, 1), (0, 4, 9), (0, 5, 0)] {
            builder.add(u, v, weight).unwrap();
        }
        builder.build().unwrap().0
    }

    type Found = (usize, usize, Vec<i32>, Option<Vec<i32>>);

    fn rows(sources: &[usize], want: Want) -> Vec<Found> {
        let (graph, control) = (line(), Control::default());
        let found = Mutex::new(Vec::new());
        let sink = |row: Row<i32>| {
            let predecessors = row.predecessors.map(<[i32]>::to_vec);
            found.lock().unwrap().push((row.index, row.source, row.distances.to_vec(), predecessors));
            Ok(())
        };
        Searches::new(&graph, &control).unwrap().rows(sources, want, &control, sink).unwrap();
        let mut found = found.into_inner().unwrap();
        found.sort();
        found
    }

    #[test]
    fn each_source_has_its_row_once_even_if_it_is_named_twice() {
        let found = rows(&[3, 0, 3], Want::default());
        let far = <i32 as repro_graph::Element>::ABSENT;
        let third = vec![far, far, far, 0, 1, far];
        assert_eq!(
            found,
            [(0, 3, third.clone(), None), (1, 0, vec![0, 1, 2, 3, 4, 0], None), (2, 3, third, None)]
        );
        assert_eq!(rows(&[], Want::default()), []);
    }

    #[test]
    fn a_search_ends_at_its_targets_and_no_path_beyond_them_is_shown() {
        let want =
            Want { targets: Some(&[2, 5, 2]), predecessors: Some(Marks { diagonal: -1, unreachable: -2 }) };
        // The way of 9 to vertex 4 was seen, and is not the shortest.
        assert_eq!(rows(&[0], want), [(0, 0, vec![2, 0, 2], Some(vec![-1, 0, 1, -2, -2, 0]))]);
    }

    #[test]
    fn what_the_sink_refuses_ends_the_search() {
        let (graph, control) = (line(), Control::default());
        let searches = Searches::new(&graph, &control).unwrap();
        let refuse = |_: Row<i32>| Err("the disk is full".into());
        let error = searches.rows(&[0, 1, 2, 3, 4, 5], Want::default(), &control, refuse).unwrap_err();
        assert_eq!(error.to_string(), "a row of the result could not be stored: the disk is full");
    }

    #[test]
    fn one_refusal_ends_the_searches_of_all_threads() {
        let (graph, control) = (line(), Control::default());
        let searches = Searches::new(&graph, &control).unwrap();
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
        let search = || searches.rows(&[0; 200_000], Want::default(), &control, refuse_the_first);
        assert!(threads.install(search).is_err());
        assert!(rows.into_inner() < 150_000);
    }

    #[test]
    fn paths_that_leave_the_range_of_integers_end_the_search_with_the_vertex() {
        let mut builder = ArcsBuilder::growing();
        (1..40).for_each(|v| builder.add(v - 1, v, (1 << 28) - 1).unwrap());
        let graph = builder.build().unwrap().0;
        let searches = Searches::new(&graph, &Control::default()).unwrap();
        let error = searches.row::<i32>(0, &Control::default()).unwrap_err();
        assert!(
            matches!(error, SolveError::OutOfRange { from: 0, to: 3, length: 805306365.0, .. }),
            "{error}"
        );
        let error = searches.row::<i32>(37, &Control::default()).unwrap_err();
        assert!(
            matches!(error, SolveError::OutOfRange { from: 37, to: 39, length: 536870910.0, .. }),
            "{error}"
        );
        assert_eq!(searches.row::<i32>(38, &Control::default()).unwrap()[39], (1 << 28) - 1);
    }

    #[test]
    fn a_flag_set_between_rows_ends_the_search_and_progress_counts_rows() {
        let graph = line();
        let searches = Searches::new(&graph, &Control::default()).unwrap();
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
        let ended = searches.rows(&[0; 6000], Want::default(), &control, count);
        assert!(matches!(ended, Err(SolveError::Cancelled)));
        assert!((10..3000).contains(&rows.into_inner()));
    }

    #[test]
    fn one_search_of_a_large_graph_is_cancelled_on_the_way() {
        let n = 100_000;
        let mut builder = ArcsBuilder::with_vertices(n).unwrap();
        (1..n).for_each(|v| builder.add(v - 1, v, 1).unwrap());
        let graph = builder.build().unwrap().0;
        let searches = Searches::new(&graph, &Control::default()).unwrap();
        let flag = AtomicBool::new(true);
        let control = Control::default().cancelled_by(&flag);
        assert!(matches!(searches.row::<i32>(0, &control), Err(SolveError::Cancelled)));
    }
}
