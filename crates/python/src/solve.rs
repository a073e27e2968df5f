//! Solves what Python hands over.
//!
//! Also reads what the Python half asks for.

use crate::device_array::{Number, selection, solver};
use crate::error::Failure;
use crate::graph::GraphView;
use crate::py_graph::{PyGraph, SolveGraph};
use crate::solution::{ResultArray, SolutionFields};
use crate::wait;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyString;
use rayon::prelude::*;
use repro_dense::SolverDevice;
use repro_device::Selection;
use repro_graph::memory_check;
use shortest_paths::{
    Algorithm, Choice, Control, CostEstimate, Dense, Element, Graph, Options, PathSentinels, Paths,
    SearchContext, Solution, Stage, solve as solve_graph,
};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use strum::VariantNames;

/// Solves a graph.
#[pyfunction]
pub fn solve(py: Python, graph: PyGraph, request: SolveOptions) -> PyResult<SolutionFields> {
    let graph = graph.0.borrow()?;
    if request.progress.is_none() && is_quick(graph.as_ref(), &request) {
        return wait::run_here(py, |control| graph.solve(&request, control));
    }
    let pool = wait::pool(request.threads, graph.size().0.unwrap_or(usize::MAX))?;
    wait::run(py, &pool, request.progress.as_ref(), |control| graph.solve(&request, control))
}

/// Arcs and vertices that are looked at in less time than it takes to start threads.
const FEW: usize = 1 << 18;

/// Arcs and vertices that one search looks at before a user notices the time.
const NOT_MANY: usize = 1 << 19;

/// The same for all searches together where they end at a limit, since each sees a part of the graph.
const LIMITED: usize = 1 << 22;

/// Whether to solve on the calling thread, without other threads and signals: there is little to do, or the graph is not large and there
/// is one search, or searches end at a limit, most often long before they have seen the graph.
fn is_quick(graph: &dyn SolveGraph, options: &SolveOptions) -> bool {
    let (Some(n), m) = graph.size() else { return false };
    let rows = options.sources.as_ref().map_or(n, Vec::len);
    let once = n.saturating_add(m);
    let are_short =
        |searches| searches == 1 || options.limit < f64::INFINITY && once.saturating_mul(searches) <= LIMITED;
    once.saturating_mul(rows) <= FEW || once <= NOT_MANY && options.searches(n).is_some_and(are_short)
}

/// Solves each of several graphs on the CPU, as many at once as there are threads. An error has the number of the first graph that failed.
#[pyfunction]
pub fn solve_many(py: Python, graphs: Vec<PyGraph>, request: SolveOptions) -> PyResult<Vec<SolutionFields>> {
    let graphs: Vec<_> = graphs.iter().map(|graph| graph.0.borrow()).collect::<PyResult<_>>()?;
    let options = SolveOptions { device: Selection::Cpu, ..request };
    let pool = wait::pool(options.threads, graphs.len())?;
    let (done, total) = (AtomicU64::new(0), graphs.len() as u64);
    wait::run(py, &pool, options.progress.as_ref(), |control| {
        let quiet = control.without_progress();
        let one = |at: usize| {
            quiet.check()?;
            let solved = graphs[at].solve(&options, &quiet).map_err(|failure| failure.of_graph(at));
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            control.report(Stage::Distances, done, total);
            solved
        };
        // Of several failures the first in the order of the list, whichever came first.
        let all: Vec<Result<SolutionFields, Failure>> = (0..graphs.len()).into_par_iter().map(one).collect();
        all.into_iter().collect()
    })
}

/// The type of distances that `read` would choose for a graph whose weights are float64.
#[pyfunction]
pub fn fitting_dtype(py: Python, graph: PyGraph) -> PyResult<&'static str> {
    let graph = graph.0.borrow()?;
    if graph.size().1 <= NOT_MANY {
        return wait::run_here(py, |control| graph.fitting(control));
    }
    let pool = wait::pool(None, usize::MAX)?;
    wait::run(py, &pool, None, |control| graph.fitting(control))
}

/// Raises unless there is room for the `bytes` that the Python half is about to copy.
#[pyfunction]
pub fn check_memory(bytes: u128) -> PyResult<()> {
    Ok(memory_check::check("a copy of the graph", bytes).map_err(Failure::from)?)
}

/// Solves a graph and checks the result if that is asked for.
pub fn solve_view<T: Number>(
    graph: &GraphView<T>,
    wanted: &SolveOptions,
    control: &Control,
) -> Result<SolutionFields, Failure> {
    if wanted.nearest {
        return nearest(graph, wanted, control);
    }
    let is_search = wanted.searches(graph.n()).is_some();
    let dense = if is_search { None } else { Some(solver(wanted, graph)?) };
    let options = Options {
        sources: wanted.sources.as_deref(),
        targets: wanted.targets.as_deref(),
        paths: wanted.paths,
        limit: wanted.limit,
        algorithm: wanted.algorithm,
        dense: dense.as_deref().map(|dense| dense as &dyn Dense<T>),
        control: *control,
    };
    let solution = solve_graph(graph, &options)?;
    let device = match dense.map(|dense| dense.place(T::TYPE)) {
        Some(SolverDevice { name, threads: None, .. }) if solution.algorithm == Algorithm::FloydWarshall => {
            name
        }
        _ => "cpu".to_string(),
    };
    let verified = wanted.verify.then(|| verify(graph, &solution, control)).transpose()?;
    let Solution { n, sources, targets, distances, predecessors, next, algorithm, choice } = solution;
    let (rows, columns) =
        (sources.map_or(n, |chosen| chosen.len()), targets.map_or(n, |chosen| chosen.len()));
    let distances = ResultArray::new(&[rows, columns], distances);
    let expected = |of: CostEstimate| (of.algorithm.into(), of.seconds, of.bytes, of.fits);
    let Choice { chosen, dense, search } = choice;
    Ok(SolutionFields {
        choice: Some((expected(chosen), dense.map(expected), expected(search))),
        predecessors: predecessors.map(|entries| ResultArray::new(&[rows, n], entries)),
        next: next.map(|entries| ResultArray::new(&[n, n], entries)),
        verified,
        has_zeros: graph.has_zeros,
        ..SolutionFields::new(n, distances, algorithm, device)
    })
}

/// Each vertex's distance from its nearest source.
fn nearest<T: Number>(
    graph: &GraphView<T>,
    wanted: &SolveOptions,
    control: &Control,
) -> Result<SolutionFields, Failure> {
    let n = graph.n();
    let every = || (0..n).collect();
    let sources = wanted.sources.clone().unwrap_or_else(every);
    let searches = SearchContext::new(graph, control)?.limited(wanted.limit)?;
    let found = searches.nearest(&sources, wanted.marks, control)?;
    let distances = ResultArray::new(&[1, n], found.distances);
    let has_paths = wanted.paths != Paths::No;
    Ok(SolutionFields {
        predecessors: has_paths.then(|| ResultArray::new(&[1, n], found.predecessors)),
        nearest: Some(ResultArray::new(&[n], found.sources)),
        has_zeros: graph.has_zeros,
        ..SolutionFields::new(n, distances, Algorithm::Dijkstra, "cpu".to_string())
    })
}

/// The most rows that are checked against the graph.
const SAMPLED: usize = 32;

/// Checks rows of distances against the graph, at most 32 and evenly spread, and walks every stored path, as
/// [`SearchContext::check_solution`] does: the arcs alone show that no distance is too short or too long, within rounding.
///
/// # Errors
/// The first thing that is wrong.
fn verify<T: Element>(
    graph: &impl Graph<Weight = T>,
    solution: &Solution<T>,
    control: &Control,
) -> Result<(usize, u64, f64), Failure> {
    let rows = solution.sources.as_ref().map_or(solution.n, Vec::len);
    let sampled: Vec<usize> = match rows {
        0..=SAMPLED => (0..rows).collect(),
        _ => (0..SAMPLED).map(|at| at * (rows - 1) / (SAMPLED - 1)).collect(),
    };
    let searches = SearchContext::new(graph, control)?;
    let [proven, walked] = searches.check_solution(solution, &sampled, true, control)?;
    Ok((sampled.len(), walked.paths, proven.widest.max(walked.widest)))
}

/// A request of the Python half, in the library's terms.
pub struct SolveOptions {
    /// Where paths begin; everywhere if nothing is named.
    pub sources: Option<Vec<usize>>,
    /// Where paths end; everywhere if nothing is named.
    pub targets: Option<Vec<usize>>,
    /// Which paths to store, if any.
    pub paths: Paths,
    /// What stands for no vertex in stored paths.
    pub marks: PathSentinels,
    /// Vertices farther away count as not reached.
    pub limit: f64,
    /// Whether to look for the nearest source of each vertex, and not to solve from each source.
    pub nearest: bool,
    /// The algorithm, if one is asked for.
    pub algorithm: Option<Algorithm>,
    /// Where dense graphs are solved.
    pub device: Selection,
    /// Whether to check the result.
    pub verify: bool,
    /// How many threads; as many as there are cores if nothing is asked for.
    pub threads: Option<usize>,
    /// What to call with the stage, how much of it is done, and of how much.
    pub progress: Option<Py<PyAny>>,
}

impl SolveOptions {
    /// How many searches answer the request in a graph of `n` vertices; None if Floyd-Warshall may be used or single arcs are needed.
    pub fn searches(&self, n: usize) -> Option<usize> {
        let count = if self.nearest { 1 } else { self.sources.as_ref().map_or(n, Vec::len) };
        let is_search = match self.algorithm {
            None => count == 1,
            Some(algorithm) => algorithm != Algorithm::FloydWarshall,
        };
        let is_here = matches!(self.device, Selection::Auto | Selection::Cpu);
        (is_search && is_here && !self.verify && !matches!(self.paths, Paths::Next(_))).then_some(count)
    }
}

impl<'py> FromPyObject<'_, 'py> for SolveOptions {
    type Error = Failure;

    /// Reads the attributes of `_request.Request`.
    fn extract(request: Borrowed<'_, 'py, PyAny>) -> Result<Self, Failure> {
        let get = |name: &str| request.getattr(name);
        let marks = parse("marks", &get("marks")?, &PathSentinels::NAMED)?;
        let paths =
            [("None", Paths::No), ("predecessor", Paths::Predecessors(marks)), ("next", Paths::Next(marks))];
        Ok(Self {
            sources: vertices(&get("sources")?)?,
            targets: vertices(&get("targets")?)?,
            paths: parse("paths", &get("paths")?, &paths)?,
            marks,
            limit: get("limit")?.extract()?,
            nearest: get("nearest")?.extract()?,
            algorithm: parse_word("algorithm", &get("algorithm")?, "auto")?,
            device: selection(&get("device")?)?,
            verify: get("verify")?.extract()?,
            threads: get("threads")?.extract()?,
            progress: Some(get("progress")?).filter(|progress| !progress.is_none()).map(Bound::unbind),
        })
    }
}

/// The Python half has refused negative numbers; one that comes here all the same becomes a number that no vertex has.
fn vertices(chosen: &Bound<PyAny>) -> PyResult<Option<Vec<usize>>> {
    let Some(chosen) = chosen.extract::<Option<PyReadonlyArray1<i64>>>()? else { return Ok(None) };
    let vertices = chosen.as_slice()?.iter().map(|vertex| usize::try_from(*vertex).unwrap_or(usize::MAX));
    Ok(Some(vertices.collect()))
}

/// [`parse`] for a type that lists its words. The word `none` gives None.
///
/// # Errors
/// Those of [`parse`].
pub fn parse_word<T: Copy + FromStr + VariantNames>(
    what: &str,
    given: &Bound<PyAny>,
    none: &str,
) -> Result<Option<T>, Failure> {
    let words = T::VARIANTS.iter().map(|word| (*word, word.parse().ok()));
    let table: Vec<(&str, Option<T>)> = std::iter::once((none, None)).chain(words).collect();
    parse(what, given, &table)
}

/// The value that the table has for an argument's string; Python's `None` has the name "None" there.
///
/// # Errors
/// Every other argument, with what may be given.
pub fn parse<T: Copy>(what: &str, given: &Bound<PyAny>, table: &[(&str, T)]) -> Result<T, Failure> {
    let text = given.cast::<PyString>().ok().map(|text| text.to_cow()).transpose()?;
    let text = if given.is_none() { Some("None") } else { text.as_deref().filter(|text| *text != "None") };
    if let Some((_, value)) = table.iter().find(|(name, _)| text == Some(*name)) {
        return Ok(*value);
    }
    let names: Vec<String> = table
        .iter()
        .map(|(name, _)| if *name == "None" { (*name).to_string() } else { format!("'{name}'") })
        .collect();
    let (last, others) = names.split_last().ok_or_else(|| Failure::panic("no name is known"))?;
    let message = format!("{what} is {}: give {} or {last}", given.repr()?, others.join(", "));
    Err(Failure::new("RequestError", message))
}
