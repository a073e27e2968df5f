//! From the graph that was read to files that are whole.

use super::checks::{Checks, Expected};
use super::clock::Clock;
use super::ending::Stop;
use super::input::Described;
use super::job::Job;
use super::no_path::NoPath;
use super::place::{Places, check_disk};
use super::plan::plan;
use super::report::{Done, Manner};
use super::shared_progress::SharedProgress;
use super::store::{Shape, Store, sizes};
use super::stored::Description;
use super::stored::PathKind;
use super::{Arguments, vertices};
use crate::device::Selection;
use crate::implementation::Vectorized;
use repro_terminal::Error;
use shortest_paths::read::{Loaded, Names, StoredGraph};
use shortest_paths::{
    Algorithm, Arcs, Control, Element, Graph, Options, Paths, Solution, SolveError, WeightMatrix, Workload,
    solve, solve_in_place,
};
use std::sync::atomic::AtomicBool;

/// A type of distances that everything here can do.
pub(super) trait Number: Element + Vectorized {}
impl<T: Element + Vectorized> Number for T {}

/// What the user asked for, once the graph's own names are known.
pub(super) struct Asked<'a> {
    pub sources: Option<Vec<usize>>,
    pub targets: Option<Vec<usize>>,
    names: Names,
    n: usize,
    pub paths: Paths,
    algorithm: Option<Algorithm>,
    device: Selection,
    verify: Option<usize>,
    manner: Manner,
    pub places: &'a Places,
    pub interrupted: &'a AtomicBool,
}

impl<'a> Asked<'a> {
    /// # Errors
    /// When a source or target is no vertex.
    pub fn of<T: Element>(
        arguments: &Arguments,
        loaded: &Loaded<T>,
        places: &'a Places,
        interrupted: &'a AtomicBool,
    ) -> Result<Self, Error> {
        let n = loaded.n();
        let chosen = |option, value: &Option<String>| {
            value.as_ref().map(|value| vertices::chosen(option, value, &loaded.names, n)).transpose()
        };
        Ok(Self {
            sources: chosen("--sources", &arguments.sources)?,
            targets: chosen("--targets", &arguments.targets)?,
            names: loaded.names.clone(),
            n,
            paths: arguments.paths(),
            algorithm: arguments.algorithm,
            device: arguments.device,
            verify: arguments.verify,
            manner: arguments.manner(),
            places,
            interrupted,
        })
    }

    fn shape(&self) -> Shape {
        let count = |chosen: &Option<Vec<usize>>| chosen.as_ref().map_or(self.n, Vec::len);
        Shape { n: self.n, rows: count(&self.sources), columns: count(&self.targets) }
    }
}

/// A graph that may be solved where it lies.
pub(super) trait Solvable<T: Element>: Graph<T> + Sized {
    /// The whole solution, and the graph again if it is to be kept.
    fn solved(self, options: &Options<T>, keep: bool) -> Result<(Solution<T>, Option<Self>), SolveError>;
}

impl<T: Element> Solvable<T> for Arcs<T> {
    fn solved(self, options: &Options<T>, _: bool) -> Result<(Solution<T>, Option<Self>), SolveError> {
        Ok((solve(&self, options)?, Some(self)))
    }
}

impl<T: Element> Solvable<T> for WeightMatrix<T> {
    fn solved(self, options: &Options<T>, keep: bool) -> Result<(Solution<T>, Option<Self>), SolveError> {
        if keep {
            Ok((solve(&self, options)?, Some(self)))
        } else {
            Ok((solve_in_place(self, options)?, None))
        }
    }
}

/// Solves the graph, stores the result, and returns what is to be said of it.
///
/// # Errors
/// Why there is no result.
pub(super) fn work<T: Number>(
    asked: &Asked,
    graph: StoredGraph<T>,
    described: &Described,
    clock: &mut Clock,
) -> Result<Done, Stop> {
    match graph {
        StoredGraph::Arcs(arcs) => work_on(asked, arcs, described, clock),
        StoredGraph::Matrix(matrix) => work_on(asked, matrix, described, clock),
    }
}

fn work_on<T: Number, G: Solvable<T>>(
    asked: &Asked,
    graph: G,
    described: &Described,
    clock: &mut Clock,
) -> Result<Done, Stop> {
    let (shape, facts) = (asked.shape(), graph.facts());
    let is_next = matches!(asked.paths, Paths::Next(_));
    let streams = !is_next;
    check_disk(&sizes::<T>(asked.places, shape)).map_err(Stop::Other)?;
    let (sources, targets) = (asked.sources.as_deref(), asked.targets.as_deref());
    let (paths, threads) = (asked.paths != Paths::No, rayon::current_num_threads());
    let work = Workload { streams, ..Workload::of(&graph, sources, targets, paths, threads) };
    let plan = plan::<T>(&work, &facts, asked.device, asked.algorithm).map_err(Stop::Other)?;
    clock.lap("choose");
    let expected = Expected { solve: plan.expected, row: plan.row };
    let checks = Checks::of(asked.verify, shape.rows, asked.paths != Paths::No, &expected);
    let mut description = Description::new(shape.n, T::TYPE, &asked.names, String::new());
    description.sources = asked.sources.clone();
    description.targets = asked.targets.clone();
    description.no_path = Some(NoPath::of(asked.places.format, T::TYPE));
    if let Some(out) = asked.places.out.file() {
        description.check_place(out, asked.paths != Paths::No).map_err(Stop::Other)?;
    }
    let store = Store::begin(asked.places, &asked.names, shape, asked.targets.as_deref())?;
    asked.manner.begin(described, &plan.chosen)?;

    let progress = SharedProgress::new(asked.manner.quiet);
    let show = |at: shortest_paths::Progress| progress.show(at);
    let control = Control::default().cancelled_by(asked.interrupted).with_progress(&show);
    let job = Job { asked, shape, plan: &plan, checks: &checks, control, shown: &progress };
    let done = if streams && plan.chosen.algorithm != Algorithm::FloydWarshall {
        match graph.sparse().map_err(Stop::from)? {
            Some(arcs) => job.rows(&arcs, &store, clock),
            None => job.rows(&graph, &store, clock),
        }
    } else {
        job.whole(graph, &store, clock)
    };
    progress.finish();
    let digest = done?;
    control.check()?;
    description.digest.clone_from(&digest.digest);
    store.finish(if is_next { PathKind::Next } else { PathKind::Predecessor }, description)?;
    clock.lap("write");
    Ok(job.done(T::TYPE, digest, clock))
}
