//! Solves the graph that was read, and writes the files of the result.
//! Also shows progress, which several threads may report at once.

use super::SolveArgs;
use super::ending::PhaseTimer;
use super::input::GraphDescription;
use super::output::{OutputFiles, check_disk};
use super::plan::SelectedAlgorithm;
use super::plan::VerificationPlan;
use super::report::{SolveReport, no_path, show_start};
use super::sidecar::{self, Description, PathKind, StoredPaths};
use super::store::{Digest, Digests};
use super::store::{ResultFiles, sizes};
use rayon::prelude::*;
use repro_base::terminal::{Error, Progress};
use repro_dense::DenseSolver;
use shortest_paths::read::{Names, StoredGraph};
use shortest_paths::{
    Control, Dense, Element, Graph, Options, RowRequest, SearchContext, Solution, SolveError, Stage,
    Workload, solve, solve_in_place,
};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

/// What the user asks for, with vertices by their numbers.
pub(super) struct SolveRequest<'a> {
    pub args: &'a SolveArgs,
    pub files: &'a OutputFiles,
    pub graph: GraphDescription,
    pub names: Names,
    pub sources: Option<Vec<usize>>,
    pub targets: Option<Vec<usize>>,
    pub interrupted: &'a AtomicBool,
}

impl SolveRequest<'_> {
    /// How many rows the result has.
    pub fn rows(&self) -> usize {
        self.sources.as_ref().map_or(self.graph.n, Vec::len)
    }

    /// How many columns the distances have.
    pub fn columns(&self) -> usize {
        self.targets.as_ref().map_or(self.graph.n, Vec::len)
    }

    /// Bytes of all rows, each of `columns` numbers of `number` bytes.
    pub fn bytes(&self, columns: usize, number: usize) -> u128 {
        (self.rows() as u128).saturating_mul(columns as u128).saturating_mul(number as u128)
    }

    /// The vertex of a row.
    pub fn source(&self, row: usize) -> usize {
        self.sources.as_ref().map_or(row, |sources| sources[row])
    }

    fn description(&self) -> Description {
        let files = self.args.paths.zip(self.files.paths.as_deref()).zip(self.files.out.as_deref());
        Description {
            repro_solve: sidecar::VERSION,
            n: self.graph.n,
            element: self.graph.element,
            names: self.names.clone(),
            sources: self.sources.clone(),
            targets: self.targets.clone(),
            paths: files.map(|((kind, file), out)| StoredPaths::new(kind, file, out)),
            no_path: Some(no_path(self.files.format, self.graph.element)),
            digest: String::new(),
        }
    }
}

/// Solves the graph, stores the result, and returns the report of it.
///
/// # Errors
/// Why there is no result.
pub(super) fn solve_and_store<T: Element>(
    request: &SolveRequest,
    graph: StoredGraph<T>,
    timer: &mut PhaseTimer,
) -> Result<SolveReport, Error> {
    match graph {
        StoredGraph::Arcs(arcs) => {
            solve_graph(request, arcs, timer, |arcs, options, _| Ok((solve(&arcs, options)?, Some(arcs))))
        }
        StoredGraph::Matrix(matrix) => solve_graph(request, matrix, timer, |matrix, options, keep| {
            if keep {
                Ok((solve(&matrix, options)?, Some(matrix)))
            } else {
                Ok((solve_in_place(matrix, options)?, None))
            }
        }),
    }
}

/// Solves in memory. Returns the graph as well if it is to be kept.
type WholeSolve<T, G> = fn(G, &Options<T>, keep: bool) -> Result<(Solution<T>, Option<G>), SolveError>;

fn solve_graph<T: Element, G: Graph<Weight = T>>(
    request: &SolveRequest,
    graph: G,
    timer: &mut PhaseTimer,
    whole: WholeSolve<T, G>,
) -> Result<SolveReport, Error> {
    let args = request.args;
    check_disk(&sizes(request))?;
    // Next vertices need all distances at once.
    let streams = args.paths != Some(PathKind::Next);
    let (sources, targets) = (request.sources.as_deref(), request.targets.as_deref());
    let work = Workload { streams, ..Workload::new(&graph, sources, targets, args.paths.is_some()) };
    let selected = SelectedAlgorithm::new::<T>(&work, &graph.facts(), args.device, args.algorithm)?;
    timer.lap("choose");
    let checks = VerificationPlan::new(args.verify, request.rows(), args.paths.is_some(), &selected);
    let mut description = request.description();
    request.files.out.as_ref().map_or(Ok(()), |out| description.check_room(out))?;
    let files = ResultFiles::begin(request)?;
    show_start(request, &selected)?;

    let progress = SharedProgress::new(args.quiet);
    let show = |at: shortest_paths::Progress| progress.show(at);
    let control = Control::default().cancelled_by(request.interrupted).with_progress(&show);
    let solve = PlannedSolve { request, selected: &selected, checks: &checks, control, files: &files };
    let solved = if streams && selected.dense.is_none() {
        match graph.sparse()? {
            Some(arcs) => solve.rows(&arcs, timer),
            None => solve.rows(&graph, timer),
        }
    } else {
        solve.whole(graph, whole, &progress, timer)
    };
    progress.finish();
    let digest = solved?;
    control.check()?;
    description.digest.clone_from(&digest.digest);
    files.finish(&description)?;
    timer.lap("write");
    Ok(SolveReport::new(request, selected, checks, digest, timer))
}

/// A solve that was planned: in memory, or row by row.
struct PlannedSolve<'a, 'f, T: Element> {
    request: &'a SolveRequest<'a>,
    selected: &'a SelectedAlgorithm,
    checks: &'a VerificationPlan,
    control: Control<'a>,
    files: &'a ResultFiles<'f, T>,
}

impl<T: Element> PlannedSolve<'_, '_, T> {
    /// Searches, and stores each row when it is found.
    fn rows(&self, graph: &impl Graph<Weight = T>, timer: &mut PhaseTimer) -> Result<Digest, Error> {
        // Checks report no progress of their own.
        let (request, checks, control) = (self.request, self.checks, &self.control.without_progress());
        let searches = SearchContext::new(graph, &self.control)?;
        let sources: Vec<usize> = (0..request.rows()).map(|row| request.source(row)).collect();
        let predecessors =
            request.args.paths.filter(|kind| *kind == PathKind::Predecessor).map(|_| request.args.marks);
        let want = RowRequest { targets: request.targets.as_deref(), predecessors };
        let digests = Digests::new(request.rows());
        searches.rows(&sources, want, &self.control, |row| {
            if checks.rows.binary_search(&row.index).is_ok() {
                searches.check_row(row.source, row.distances, want.targets, control)?;
            }
            if let (true, Some(tree)) = (checks.every_path, row.predecessors) {
                searches.check_predecessors(&[row.source], want.targets, row.distances, tree, control)?;
            }
            digests.add(row.index, row.distances);
            Ok(self.files.row(&row)?)
        })?;
        timer.lap("solve");
        Ok(digests.whole())
    }

    /// Solves in memory, finds paths and checks, and hands the result to the files.
    fn whole<G: Graph<Weight = T>>(
        &self,
        graph: G,
        solve: WholeSolve<T, G>,
        progress: &SharedProgress,
        timer: &mut PhaseTimer,
    ) -> Result<Digest, Error> {
        let (request, checks) = (self.request, self.checks);
        let options = Options {
            sources: request.sources.as_deref(),
            targets: request.targets.as_deref(),
            paths: request.args.paths(),
            algorithm: Some(self.selected.algorithm),
            dense: self.selected.dense.as_ref().map(|dense| dense as &dyn Dense<T>),
            control: self.control,
            ..Options::default()
        };
        let (solution, graph) = std::thread::scope(|scope| {
            scope.spawn(|| self.files.reserve());
            solve(graph, &options, checks.is_any())
        })?;
        // Giving back a GPU takes a tenth of a second, and meanwhile the result is stored.
        self.selected.dense.iter().for_each(DenseSolver::release);
        if let Some(began) = progress.paths_began.get() {
            timer.lap_at("solve", *began);
            timer.lap("paths");
        } else {
            timer.lap("solve");
        }
        if let Some(graph) = graph.filter(|_| checks.is_any()) {
            let searches = SearchContext::new(&graph, &self.control)?;
            let silent = self.control.without_progress();
            searches.check_solution(&solution, &checks.rows, checks.every_path, &silent)?;
            timer.lap("verify");
        }
        let digests = Digests::new(request.rows());
        let rows = solution.distances.par_chunks(request.columns().max(1));
        rows.enumerate().for_each(|(row, distances)| digests.add(row, distances));
        timer.lap("digest");
        self.files.whole(&solution, &self.control)?;
        Ok(digests.whole())
    }
}

/// The progress line, which threads share.
pub(super) struct SharedProgress {
    progress: Mutex<Progress>,
    /// What was shown last, in thousandths, so that one more row draws nothing new.
    last: AtomicU64,
    /// When the search for paths in known distances began.
    pub paths_began: OnceLock<Instant>,
}

impl SharedProgress {
    pub fn new(quiet: bool) -> Self {
        let (progress, last) = (Mutex::new(Progress::new(quiet, "")), AtomicU64::new(u64::MAX));
        Self { progress, last, paths_began: OnceLock::new() }
    }

    pub fn show(&self, at: shortest_paths::Progress) {
        if at.stage == Stage::Paths {
            self.paths_began.get_or_init(Instant::now);
        }
        let thousandths = (at.done * 1000).checked_div(at.total).unwrap_or(at.done);
        let now = thousandths | (at.stage as u64) << 32;
        if self.last.swap(now, Ordering::Relaxed) == now {
            return;
        }
        if let Ok(mut progress) = self.progress.lock() {
            progress.progress(at.stage.into(), at.done as usize, at.total as usize, None);
        }
    }

    pub fn finish(&self) {
        if let Ok(progress) = self.progress.lock() {
            progress.finish();
        }
    }
}
