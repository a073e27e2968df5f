//! From the graph that was read to files that are whole.

use super::checked::{Check, sampled};
use super::clock::Clock;
use super::ending::Stop;
use super::place::{PathsPlace, Places, check_disk, file_system};
use super::plan::{Plan, Wanted, plan};
use super::shown::{Line, bytes, quantity, seconds, text};
use super::store::{Shape, Store, sizes, takes_rows};
use super::stored::Description;
use super::{Arguments, vertices};
use crate::device::Selection;
use crate::graph::available_memory;
use crate::implementation::Vectorized;
use rayon::prelude::*;
use repro_terminal::Progress;
use repro_terminal::{Error, output};
use shortest_paths::read::{Loaded, Names, Stored};
use shortest_paths::{
    Algorithm, Arcs, Control, Dense, Graph, Options, Paths, Searches, Solution, SolveError, Stage, Want,
    Weight, WeightMatrix, Work, solve, solve_in_place,
};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// A type of distances that everything here can do.
pub(super) trait Number: Weight + Vectorized {}
impl<T: Weight + Vectorized> Number for T {}

/// Rows that are checked at most where nobody asks for a check, and the share of the solve that they may take.
const UNASKED: (usize, f64) = (8, 0.05);

/// What a check of a row takes, in searches of the library from one source: the other search has a slower heap, and a tree is walked.
const CHECK_SEARCHES: f64 = 4.0;

/// What the user asked for, once the graph's own names are known.
pub(super) struct Asked<'a> {
    sources: Option<Vec<usize>>,
    targets: Option<Vec<usize>>,
    names: Names,
    n: usize,
    paths: Paths,
    algorithm: Option<Algorithm>,
    device: Selection,
    verify: Option<usize>,
    quiet: bool,
    places: &'a Places,
    interrupted: &'a AtomicBool,
}

impl<'a> Asked<'a> {
    /// # Errors
    /// When a source or target is no vertex.
    pub fn of<T: Weight>(
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
            algorithm: arguments.algorithm(),
            device: arguments.device,
            verify: arguments.verify,
            quiet: arguments.quiet,
            places,
            interrupted,
        })
    }

    fn shape(&self) -> Shape {
        let count = |chosen: &Option<Vec<usize>>| chosen.as_ref().map_or(self.n, Vec::len);
        Shape { n: self.n, rows: count(&self.sources), columns: count(&self.targets) }
    }

    fn source(&self, row: usize) -> usize {
        self.sources.as_ref().map_or(row, |sources| sources[row])
    }
}

/// A graph that may be solved where it lies.
trait Solvable<T: Weight>: Graph<T> + Sized {
    /// The whole solution, and the graph again if it is to be kept.
    fn solved(self, options: &Options<T>, keep: bool) -> Result<(Solution<T>, Option<Self>), SolveError>;
}

impl<T: Weight> Solvable<T> for Arcs<T> {
    fn solved(self, options: &Options<T>, _: bool) -> Result<(Solution<T>, Option<Self>), SolveError> {
        Ok((solve(&self, options)?, Some(self)))
    }
}

impl<T: Weight> Solvable<T> for WeightMatrix<T> {
    fn solved(self, options: &Options<T>, keep: bool) -> Result<(Solution<T>, Option<Self>), SolveError> {
        if keep {
            Ok((solve(&self, options)?, Some(self)))
        } else {
            Ok((solve_in_place(self, options)?, None))
        }
    }
}

/// Solves the graph, stores the result, and returns what is to be shown of it.
///
/// # Errors
/// Why there is no result.
pub(super) fn work<T: Number>(
    asked: &Asked,
    graph: Stored<T>,
    described: &[Line],
    clock: &mut Clock,
) -> Result<String, Stop> {
    match graph {
        Stored::Arcs(arcs) => work_on(asked, arcs, described, clock),
        Stored::Matrix(matrix) => work_on(asked, matrix, described, clock),
    }
}

fn work_on<T: Number, G: Solvable<T>>(
    asked: &Asked,
    graph: G,
    described: &[Line],
    clock: &mut Clock,
) -> Result<String, Stop> {
    let (shape, facts) = (asked.shape(), graph.facts());
    let is_next = matches!(asked.paths, Paths::Next(_));
    let streams = takes_rows(asked.places) && !is_next;
    check_disk(&sizes::<T>(asked.places, shape)).map_err(Stop::Other)?;
    let work = Work {
        n: shape.n,
        m: graph.m(),
        sources: shape.rows,
        columns: shape.columns,
        negative: facts.range.negative,
        element: T::TYPE,
        paths: asked.paths != Paths::No,
        threads: rayon::current_num_threads(),
        available: available_memory(),
    };
    let wanted =
        Wanted { work: &work, facts: &facts, device: asked.device, algorithm: asked.algorithm, streams };
    let plan = plan::<T>(&wanted).map_err(Stop::Other)?;
    clock.lap("device");
    let checks = Checks::of(asked, &plan, shape);
    let mut description = Description::new(shape.n, T::TYPE, &asked.names, String::new());
    description.sources = asked.sources.clone();
    description.targets = asked.targets.clone();
    description.check_place(&asked.places.out, asked.paths != Paths::No).map_err(Stop::Other)?;
    let store = Store::begin(asked.places, &asked.names, shape, asked.targets.as_deref())?;
    if !asked.quiet {
        output::show(&text(&[described, &plan.lines].concat()))?;
    }

    let progress = SharedProgress::new(asked.quiet);
    let show = |at: shortest_paths::Progress| progress.show(at);
    let control = Control::default().cancelled_by(asked.interrupted).with_progress(&show);
    let job = Job { asked, shape, plan: &plan, checks: &checks, control, shown: &progress };
    let done = if streams && plan.algorithm != Algorithm::FloydWarshall {
        let digest = match graph.sparse().map_err(Stop::from)? {
            Some(arcs) => job.rows(&arcs, &store, clock),
            None => job.rows(&graph, &store, clock),
        };
        digest.map(|digest| (digest, None))
    } else {
        job.whole(graph, &store, clock).map(|(digest, solution)| (digest, Some(solution)))
    };
    progress.finish();
    let (digest, solution) = done?;
    control.check()?;
    description.digest = digest.clone();
    store.finish(solution.as_ref(), description)?;
    clock.lap("write");
    let mut lines = job.result::<T>(&digest, clock);
    if asked.quiet {
        lines.retain(Line::says_where);
    }
    Ok(text(&lines))
}

/// What is checked.
struct Checks {
    /// Rows that are held against another search, ascending.
    rows: Vec<usize>,
    /// Whether every stored path is walked.
    paths: bool,
    /// Why, or why not.
    why: &'static str,
}

impl Checks {
    fn of(asked: &Asked, plan: &Plan, shape: Shape) -> Self {
        let (most, share) = UNASKED;
        let stores_paths = asked.paths != Paths::No;
        match asked.verify {
            Some(0) => Self { rows: Vec::new(), paths: false, why: "not wanted" },
            Some(count) => Self { rows: sampled(shape.rows, count), paths: stores_paths, why: "asked for" },
            None => {
                let row = CHECK_SEARCHES * plan.row;
                let count =
                    plan.expected.map_or(most, |expected| (share * expected / row.max(1e-12)) as usize);
                let rows = sampled(shape.rows, count.min(most));
                let why = match (rows.is_empty(), plan.expected) {
                    (true, _) => "would take more than 5% of the solve: --verify checks all the same",
                    (false, None) => "takes less than the emulated device",
                    (false, Some(_)) => "unasked, since it should take less than 5% of the solve's time",
                };
                Self { rows, paths: false, why }
            }
        }
    }

    fn any(&self) -> bool {
        self.paths || !self.rows.is_empty()
    }
}

/// A solve that was planned.
struct Job<'a> {
    asked: &'a Asked<'a>,
    shape: Shape,
    plan: &'a Plan,
    checks: &'a Checks,
    control: Control<'a>,
    shown: &'a SharedProgress,
}

impl<'a> Job<'a> {
    fn check<'s, 'g, T: Weight, G: Graph<T>>(
        &'s self,
        searches: &'s Searches<'g, G>,
        graph: &'g G,
    ) -> Check<'s, 'g, G> {
        Check {
            searches,
            graph,
            element: T::TYPE,
            algorithm: self.plan.algorithm,
            targets: self.asked.targets.as_deref(),
            // Progress is that of the solve.
            control: Control::default().cancelled_by(self.asked.interrupted),
        }
    }

    /// Searches, and stores each row when it is found. Returns the digest.
    fn rows<T: Number, G: Graph<T>>(
        &self,
        graph: &G,
        store: &Store<T>,
        clock: &mut Clock,
    ) -> Result<String, Stop> {
        let searches = Searches::new(graph, &self.control)?;
        let every: Vec<usize>;
        let sources = match &self.asked.sources {
            Some(sources) => sources,
            None => {
                every = (0..self.shape.n).collect();
                &every
            }
        };
        let predecessors = match self.asked.paths {
            Paths::Predecessors(marks) => Some(marks),
            _ => None,
        };
        let want = Want { targets: self.asked.targets.as_deref(), predecessors };
        let digests = Digests::new(self.shape.rows);
        let check = self.check(&searches, graph);
        searches.rows(sources, want, &self.control, |row| {
            if self.checks.rows.binary_search(&row.index).is_ok() {
                check.row(row.source, row.distances)?;
            }
            if let (true, Some(predecessors)) = (self.checks.paths, row.predecessors) {
                check.paths(row.source, row.distances, predecessors)?;
            }
            digests.add(row.index, row.distances);
            Ok(store.row(&row)?)
        })?;
        clock.lap("solve");
        Ok(digests.whole())
    }

    /// Solves in memory, finds paths and checks, and hands the result to the files.
    fn whole<T: Number, G: Solvable<T>>(
        &self,
        graph: G,
        store: &Store<T>,
        clock: &mut Clock,
    ) -> Result<(String, Solution<T>), Stop> {
        let asked = self.asked;
        let options = Options {
            sources: asked.sources.as_deref(),
            targets: asked.targets.as_deref(),
            paths: asked.paths,
            algorithm: Some(self.plan.algorithm),
            dense: self.plan.dense.as_ref().map(|dense| dense as &dyn Dense<T>),
            control: self.control,
            ..Options::default()
        };
        let (solution, graph) = std::thread::scope(|scope| {
            scope.spawn(|| store.reserve());
            graph.solved(&options, self.checks.any())
        })?;
        if let Some(began) = self.shown.paths_began.get() {
            clock.lap_at("solve", *began);
            clock.lap("paths");
        } else {
            clock.lap("solve");
        }
        if let Some(graph) = graph.as_ref().filter(|_| self.checks.any()) {
            let searches = Searches::new(graph, &self.control)?;
            self.check_whole(&searches, graph, &solution)?;
            clock.lap("verify");
        }
        let digests = Digests::new(self.shape.rows);
        let columns = self.shape.columns.max(1);
        solution
            .distances
            .par_chunks(columns)
            .enumerate()
            .for_each(|(row, distances)| digests.add(row, distances));
        clock.lap("digest");
        store.whole(&solution, &self.control)?;
        clock.lap("write");
        Ok((digests.whole(), solution))
    }

    fn check_whole<T: Number, G: Graph<T>>(
        &self,
        searches: &Searches<G>,
        graph: &G,
        solution: &Solution<T>,
    ) -> Result<(), Stop> {
        let check = self.check(searches, graph);
        let (n, columns) = (self.shape.n, self.shape.columns);
        let distances = |row: usize| &solution.distances[row * columns..(row + 1) * columns];
        self.checks.rows.par_iter().try_for_each(|&row| check.row(self.asked.source(row), distances(row)))?;
        if !self.checks.paths {
            return Ok(());
        }
        if let Some(next) = &solution.next {
            searches.check_next(&solution.distances, next, &self.control)?;
        }
        if let Some(predecessors) = &solution.predecessors {
            (0..self.shape.rows).into_par_iter().try_for_each(|row| {
                check.paths(self.asked.source(row), distances(row), &predecessors[row * n..(row + 1) * n])
            })?;
        }
        Ok(())
    }

    /// What is to be shown at the end.
    fn result<T: Number>(&self, digest: &str, clock: &Clock) -> Vec<Line> {
        let Shape { n, rows, columns } = self.shape;
        let Checks { rows: checked, paths, why } = self.checks;
        let mut lines = Vec::new();
        let checked = match (checked.len(), paths) {
            (0, false) => format!("nothing: {why}"),
            (count, paths) => format!(
                "{} against an independent search{}: {why}",
                quantity(count, "row", "rows"),
                if *paths { ", and every stored path" } else { "" }
            ),
        };
        lines.push(Line::new("verified", checked));
        let places = self.asked.places;
        let size = |columns: usize, size: usize| bytes(rows as u128 * columns as u128 * size as u128);
        lines.push(Line::new(
            "distances",
            format!(
                "{}: {} x {} of {}, {}",
                places.out.display(),
                quantity(rows, "source", "sources"),
                quantity(columns, "target", "targets"),
                T::TYPE,
                size(columns, size_of::<T>())
            ),
        ));
        let kind = match self.asked.paths {
            Paths::No => None,
            Paths::Predecessors(_) => Some("predecessors"),
            Paths::Next(_) => Some("next"),
        };
        let file = match &places.paths {
            PathsPlace::Beside(file) => Some(file),
            PathsPlace::Inside => Some(&places.out),
            PathsPlace::Nowhere => None,
        };
        if let Some((kind, file)) = kind.zip(file) {
            let file = file.display();
            lines.push(Line::new("paths", format!("{file}: {kind}, i32, {}", size(n, size_of::<i32>()))));
        }
        lines.push(Line::new("digest", digest));
        lines.push(Line::new("time", self.times(clock)));
        lines
    }

    fn times(&self, clock: &Clock) -> String {
        let mut parts: Vec<String> =
            clock.parts().iter().map(|(part, time)| format!("{part} {}", seconds(*time))).collect();
        if let Some(start) = parts.first_mut().filter(|part| *part == "start under 1 us") {
            // The system counts in steps of so much.
            *start = "start under 10 ms".to_string();
        }
        if let Some(on_device) = self.plan.dense.as_ref().and_then(repro_dense::DenseSolver::last_parts)
            && let Some(solve) = parts.iter_mut().find(|part| part.starts_with("solve"))
        {
            *solve +=
                &format!(" (kernels {}, copies {})", seconds(on_device.kernels), seconds(on_device.copies));
        }
        let system = file_system(&self.asked.places.out).map_or(String::new(), |name| format!(" ({name})"));
        format!("{}{system}", parts.join(", "))
    }
}

/// A number for each row, and one for all: equal for equal distances, whatever order and format they are stored in.
struct Digests(Mutex<Vec<[u8; 32]>>);

impl Digests {
    fn new(rows: usize) -> Self {
        Self(Mutex::new(vec![[0; 32]; rows]))
    }

    fn add<T: Weight>(&self, row: usize, distances: &[T]) {
        let digest = blake3::hash(bytemuck::cast_slice(distances));
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = all.get_mut(row) {
            *place = *digest.as_bytes();
        }
    }

    /// The first 128 bits of the BLAKE3 hash of the rows' BLAKE3 hashes, in hexadecimal digits.
    fn whole(&self) -> String {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        blake3::hash(all.as_flattened()).to_hex()[..32].to_string()
    }
}

/// Progress that several threads may report at once.
struct SharedProgress {
    progress: Mutex<Progress>,
    /// What was shown last, in thousandths, so that a row more is not drawn.
    last: AtomicU64,
    /// When the first paths were looked for in distances that were known.
    paths_began: OnceLock<Instant>,
}

impl SharedProgress {
    fn new(quiet: bool) -> Self {
        Self {
            progress: Mutex::new(Progress::new(quiet, "")),
            last: AtomicU64::new(u64::MAX),
            paths_began: OnceLock::new(),
        }
    }

    fn show(&self, at: shortest_paths::Progress) {
        if at.stage == Stage::Paths {
            self.paths_began.get_or_init(Instant::now);
        }
        let thousandths = (at.done * 1000).checked_div(at.total).unwrap_or(at.done);
        let now = thousandths | (at.stage as u64) << 32;
        if self.last.swap(now, Ordering::Relaxed) == now {
            return;
        }
        let doing = match at.stage {
            Stage::Potentials => "potentials",
            Stage::Distances => "distances",
            Stage::Paths => "paths",
            Stage::Check => "checking paths",
        };
        if let Ok(mut progress) = self.progress.lock() {
            progress.progress(doing, at.done as usize, at.total as usize, None);
        }
    }

    fn finish(&self) {
        if let Ok(progress) = self.progress.lock() {
            progress.finish();
        }
    }
}
