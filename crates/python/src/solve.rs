//! Solves what Python hands over, on threads of its own.

use crate::both_ways::BothWays;
use crate::device::{Number, solver, work};
use crate::error::{Failure, name as type_name};
use crate::form::Form;
use crate::given::{Given, Lent};
use crate::request::{Request, Wanted};
use crate::solution::SolutionFields;
use crate::verify::{Verified, verify};
use crate::wait;
use pyo3::prelude::*;
use rayon::prelude::*;
use repro_dense::SolverDevice;
use repro_device::Selection;
use shortest_paths::read::fitting;
use shortest_paths::{
    Algorithm, Choice, Control, Graph, Options, Paths, Row, RowRequest, SearchContext, Solution, SolveError,
    Stage, choose, solve as solve_graph,
};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Solves a graph.
#[pyfunction]
pub fn solve(py: Python, graph: Given, request: Request) -> PyResult<SolutionFields> {
    let lent = graph.lend()?;
    let wanted = request.wanted()?;
    if request.progress.is_none() && wanted.is_one_search() && lent.is_small() {
        return wait::run_here(py, |control| Solved::by_one_search(&lent, &wanted, control))?.fields(py);
    }
    let pool = wait::pool(request.threads, lent.n().unwrap_or(usize::MAX))?;
    let solved =
        wait::run(py, &pool, request.progress.as_ref(), |control| Solved::of(&lent, &wanted, control))?;
    solved.fields(py)
}

/// Solves each of several graphs on the CPU, as many at once as there are threads. The error of the first that has none bears its number.
#[pyfunction]
pub fn solve_many(py: Python, graphs: Vec<Given>, request: Request) -> PyResult<Vec<SolutionFields>> {
    let lent: Vec<Lent> = graphs.iter().map(Given::lend).collect::<PyResult<_>>()?;
    let wanted = Wanted { device: Selection::Cpu, ..request.wanted()? };
    let pool = wait::pool(request.threads, lent.len())?;
    let (done, total) = (AtomicU64::new(0), lent.len() as u64);
    let solved = wait::run(py, &pool, request.progress.as_ref(), |control| {
        let quiet = control.without_progress();
        let one = |(at, lent): (usize, &Lent)| {
            quiet.check()?;
            let solved = Solved::of(lent, &wanted, &quiet).map_err(|failure| failure.of_graph(at));
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            control.report(Stage::Distances, done, total);
            solved
        };
        // Of several failures the first in the order of the list, whichever came first.
        let all: Vec<Result<Solved, Failure>> = lent.par_iter().enumerate().map(one).collect();
        all.into_iter().collect::<Result<Vec<_>, _>>()
    })?;
    solved.into_iter().map(|solved| solved.fields(py)).collect()
}

/// The type of distances that `read` would choose for a graph whose weights are float64.
#[pyfunction]
pub fn fitting_dtype(py: Python, graph: Given) -> PyResult<&'static str> {
    let lent = graph.lend()?;
    let pool = wait::pool(None, 1)?;
    wait::run(py, &pool, None, |control| match &lent {
        Lent::F64(form) => Ok(type_name(fitting(&form.input(control)?).0)),
        _ => Err(Failure::Panic("a type is chosen for weights of float64 alone".to_string())),
    })
}

/// What was found for a graph.
pub enum Solved {
    F32(Outcome<f32>),
    F64(Outcome<f64>),
    I32(Outcome<i32>),
    U16(Outcome<u16>),
}

/// What was found, with distances of one type.
pub struct Outcome<T> {
    pub n: usize,
    pub rows: usize,
    pub columns: usize,
    pub distances: Vec<T>,
    pub predecessors: Option<Vec<i32>>,
    pub next: Option<Vec<i32>>,
    /// The nearest source of each vertex.
    pub nearest: Option<Vec<i32>>,
    pub algorithm: Algorithm,
    pub choice: Option<Choice>,
    pub device: String,
    pub verified: Option<Verified>,
    /// Whether a matrix has a 0 beside its diagonal that is an arc.
    pub has_zeros: bool,
}

impl Solved {
    fn of(lent: &Lent, wanted: &Wanted, control: &Control) -> Result<Self, Failure> {
        Ok(match lent {
            Lent::F32(form) => Self::F32(outcome(form, wanted, control)?),
            Lent::F64(form) => Self::F64(outcome(form, wanted, control)?),
            Lent::I32(form) => Self::I32(outcome(form, wanted, control)?),
            Lent::U16(form) => Self::U16(outcome(form, wanted, control)?),
        })
    }

    /// See [`one_search`].
    fn by_one_search(lent: &Lent, wanted: &Wanted, control: &Control) -> Result<Self, Failure> {
        Ok(match lent {
            Lent::F32(form) => Self::F32(by_one_search(form, wanted, control)?),
            Lent::F64(form) => Self::F64(by_one_search(form, wanted, control)?),
            Lent::I32(form) => Self::I32(by_one_search(form, wanted, control)?),
            Lent::U16(form) => Self::U16(by_one_search(form, wanted, control)?),
        })
    }

    fn fields(self, py: Python) -> PyResult<SolutionFields> {
        match self {
            Self::F32(outcome) => SolutionFields::new(py, outcome),
            Self::F64(outcome) => SolutionFields::new(py, outcome),
            Self::I32(outcome) => SolutionFields::new(py, outcome),
            Self::U16(outcome) => SolutionFields::new(py, outcome),
        }
    }
}

/// Makes the graph, solves it and checks the result if that is asked for.
fn outcome<T: Number>(form: &Form<T>, wanted: &Wanted, control: &Control) -> Result<Outcome<T>, Failure> {
    let graph = form.input(control)?;
    if wanted.nearest {
        return Ok(Outcome { has_zeros: graph.has_zeros(), ..one_search(&graph, wanted, control)? });
    }
    let dense = solver(wanted.device, wanted, &graph)?;
    let options = Options {
        sources: wanted.sources.as_deref(),
        targets: wanted.targets.as_deref(),
        paths: wanted.paths,
        limit: wanted.limit,
        algorithm: wanted.algorithm,
        dense: Some(&*dense),
        control: *control,
    };
    let solution = solve_graph(&graph, &options)?;
    let device = match dense.place(T::TYPE) {
        SolverDevice::Device { name, .. } if solution.algorithm == Algorithm::FloydWarshall => name,
        _ => "cpu".to_string(),
    };
    let verified = if wanted.verify { Some(verify(&graph, &solution, control)?) } else { None };
    let Solution { n, sources, targets, distances, predecessors, next, algorithm, choice } = solution;
    Ok(Outcome {
        n,
        rows: sources.map_or(n, |sources| sources.len()),
        columns: targets.map_or(n, |targets| targets.len()),
        distances,
        predecessors,
        next,
        nearest: None,
        algorithm,
        choice: Some(choice),
        device,
        verified,
        has_zeros: graph.has_zeros(),
    })
}

fn by_one_search<T: Number>(
    form: &Form<T>,
    wanted: &Wanted,
    control: &Control,
) -> Result<Outcome<T>, Failure> {
    match form.one_way(control)? {
        (graph, true) => one_search(&BothWays::of(&graph)?, wanted, control),
        (graph, false) => one_search(&graph, wanted, control),
    }
}

/// One row: the distances from the one source, or from the nearest of several. Uses no thread but the calling one where arcs are listed.
fn one_search<T: Number, G: Graph<T>>(
    graph: &G,
    wanted: &Wanted,
    control: &Control,
) -> Result<Outcome<T>, Failure> {
    let n = graph.n();
    let every: Vec<usize>;
    let sources = match &wanted.sources {
        Some(sources) => sources,
        None => {
            every = (0..n).collect();
            &every
        }
    };
    let searches = SearchContext::new(graph, control)?.limited(wanted.limit)?;
    let is_negative = searches.facts().range.negative;
    let mut outcome = Outcome {
        n,
        rows: 1,
        columns: wanted.targets.as_ref().map_or(n, Vec::len),
        distances: Vec::new(),
        predecessors: None,
        next: None,
        nearest: None,
        algorithm: Algorithm::Dijkstra,
        choice: None,
        device: "cpu".to_string(),
        verified: None,
        has_zeros: false,
    };
    let has_paths = wanted.paths != Paths::No;
    if wanted.nearest {
        let found = searches.nearest(sources, wanted.marks, control)?;
        outcome.distances = found.distances;
        outcome.predecessors = has_paths.then_some(found.predecessors);
        outcome.nearest = Some(found.sources);
        return Ok(outcome);
    }
    if is_negative && wanted.algorithm == Some(Algorithm::Dijkstra) {
        return Err(SolveError::NegativeWeights { least: searches.facts().least }.into());
    }
    let choice = choose(&work(wanted, graph, 1), None);
    outcome.algorithm = wanted.algorithm.unwrap_or(choice.search.algorithm);
    outcome.choice = Some(choice);
    let want =
        RowRequest { targets: wanted.targets.as_deref(), predecessors: has_paths.then_some(wanted.marks) };
    let found = Mutex::new((Vec::new(), None));
    searches.rows(sources, want, control, |row: Row<T>| {
        *found.lock().map_err(|_| "a thread has panicked")? =
            (row.distances.to_vec(), row.predecessors.map(<[i32]>::to_vec));
        Ok(())
    })?;
    (outcome.distances, outcome.predecessors) = found.into_inner().unwrap_or_default();
    Ok(outcome)
}
