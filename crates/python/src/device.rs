//! Which solver of dense graphs a request gets.

use crate::error::{Failure, raise};
use crate::request::Wanted;
use pyo3::PyResult;
use repro_dense::{DenseSolver, Placement};
use repro_device::Selection;
use repro_solvers::Vectorized;
use shortest_paths::{Algorithm, Element, Graph, Paths, Workload, choose};
use std::sync::{Arc, Mutex};

/// Weights that every solver takes and that NumPy has.
pub trait Number: Element + Vectorized + numpy::Element {}
impl<T: Element + Vectorized + numpy::Element> Number for T {}

/// Solvers that were opened, each with the process that opened it: a process that was forked has none of their threads.
type Opened = Vec<(u32, Selection, Arc<DenseSolver>)>;

static OPENED: Mutex<Opened> = Mutex::new(Vec::new());

/// `"auto"`, `"cpu"`, `"cuda"` or `"cuda:N"`.
///
/// # Errors
/// Another name.
pub fn selection(name: &str) -> PyResult<Selection> {
    match name.parse() {
        Ok(selection @ (Selection::Auto | Selection::Cpu | Selection::Cuda(_))) => Ok(selection),
        _ => {
            let message =
                format!("device is '{name}': give 'auto', 'cpu', 'cuda', or 'cuda:N' for the one numbered N");
            Err(raise("RequestError", (message,)))
        }
    }
}

/// The solver of dense graphs for this graph and request. `auto` opens a GPU only where Floyd-Warshall on it is taken to be fastest and the matrix
/// fits. Solvers are kept for as long as the process lives.
///
/// # Errors
/// When a device was named and cannot be opened.
pub fn solver<T: Number, G: Graph<T>>(
    selection: Selection,
    wanted: &Wanted,
    graph: &G,
) -> Result<Arc<DenseSolver>, Failure> {
    if selection != Selection::Auto {
        return opened(selection);
    }
    let Placement { selection, seconds } = Placement::of(selection, T::TYPE, graph.n());
    let choice = choose(&work(wanted, graph, rayon::current_num_threads()), seconds);
    if selection == Selection::Cpu
        || wanted.algorithm.unwrap_or(choice.chosen.algorithm) != Algorithm::FloydWarshall
    {
        return opened(Selection::Cpu);
    }
    let found = opened(selection).ok().filter(|solver| solver.check_room::<T>(graph.n()).is_ok());
    found.map_or_else(|| opened(Selection::Cpu), Ok)
}

/// What is to be computed.
pub fn work<T: Number, G: Graph<T>>(wanted: &Wanted, graph: &G, threads: usize) -> Workload {
    Workload::of(
        graph,
        wanted.sources.as_deref(),
        wanted.targets.as_deref(),
        wanted.paths != Paths::No,
        threads,
    )
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
