//! Which solver of dense graphs a request gets.

use crate::error::Failure;
use crate::request::SolveOptions;
use pyo3::prelude::*;
use pyo3::types::PyString;
use repro_dense::{DenseSolver, Placement};
use repro_device::Selection;
use shortest_paths::{Algorithm, Element, Graph, Paths, Workload, choose};
use std::sync::{Arc, Mutex};

/// Weights that every solver takes and that NumPy has.
pub trait Number: Element + numpy::Element {}
impl<T: Element + numpy::Element> Number for T {}

/// Solvers that were opened, each with the process that opened it: a process that was forked has none of their threads.
type SolverCache = Vec<(u32, Selection, Arc<DenseSolver>)>;

static OPENED: Mutex<SolverCache> = Mutex::new(Vec::new());

/// `"auto"`, `"cpu"`, `"cuda"` or `"cuda:N"`.
///
/// # Errors
/// Another name.
pub fn selection(given: &Bound<PyAny>) -> Result<Selection, Failure> {
    let name = given.cast::<PyString>().ok().map(|name| name.to_cow()).transpose()?;
    match name.and_then(|name| name.parse().ok()) {
        Some(selection @ (Selection::Auto | Selection::Cpu | Selection::Cuda(_))) => Ok(selection),
        _ => {
            let given = given.repr()?;
            let message =
                format!("device is {given}: give 'auto', 'cpu', 'cuda', or 'cuda:N' for the one numbered N");
            Err(Failure::new("RequestError", message))
        }
    }
}

/// The solver of dense graphs for this graph and request. `auto` opens a GPU only where Floyd-Warshall on it is taken to be fastest and the matrix
/// fits. Solvers are kept for as long as the process lives.
///
/// # Errors
/// When a device was named and cannot be opened.
pub fn solver<T: Number>(
    wanted: &SolveOptions,
    graph: &impl Graph<Weight = T>,
) -> Result<Arc<DenseSolver>, Failure> {
    if wanted.device != Selection::Auto {
        return opened(wanted.device);
    }
    let Placement { selection, seconds } = Placement::of(Selection::Auto, T::TYPE, graph.n());
    let (sources, targets) = (wanted.sources.as_deref(), wanted.targets.as_deref());
    let work = Workload::of(graph, sources, targets, wanted.paths != Paths::No);
    let algorithm = wanted.algorithm.unwrap_or(choose(&work, seconds).chosen.algorithm);
    let found = (algorithm == Algorithm::FloydWarshall).then(|| opened(selection).ok()).flatten();
    let fits = |solver: &Arc<DenseSolver>| solver.check_room::<T>(graph.n()).is_ok();
    found.filter(fits).map_or_else(|| opened(Selection::Cpu), Ok)
}

/// The solver of this selection in this process, which is kept.
///
/// # Errors
/// When the device cannot be opened.
pub fn opened(selection: Selection) -> Result<Arc<DenseSolver>, Failure> {
    let process = std::process::id();
    // The two are one device, and one thread of it is enough.
    let selection = if selection == Selection::Cuda(None) { Selection::Cuda(Some(0)) } else { selection };
    // A thread that panicked while it held the list has not changed it.
    let mut opened = OPENED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((.., solver)) = opened.iter().find(|(of, same, _)| (*of, *same) == (process, selection)) {
        return Ok(Arc::clone(solver));
    }
    let solver = Arc::new(DenseSolver::open(selection)?);
    opened.push((process, selection, Arc::clone(&solver)));
    Ok(solver)
}
