//! Which algorithm solves the graph, and why.

use super::choice::{Chosen, DenseEstimate, Place, SearchEstimate, SelectionReason};
use super::work::Number;
use crate::device::Selection;
use crate::graph::memory_check;
use repro_dense::{DenseSolver, Placement, SolverDevice};
use repro_terminal::Error;
use shortest_paths::{
    Algorithm, Choice, SolveError, WeightSummary, Workload, check_sums, choose, dense_bytes,
};

/// What solves the graph.
pub(super) struct Plan {
    /// Where Floyd-Warshall is used.
    pub dense: Option<DenseSolver>,
    /// Seconds that the solve is expected to take; nobody knows of the emulated device.
    pub expected: Option<f64>,
    /// Seconds that one thread is expected to search from one source.
    pub row: f64,
    pub chosen: Chosen,
}

/// Decides, and opens the device that Floyd-Warshall needs.
///
/// # Errors
/// When what is asked for cannot be had.
pub(super) fn plan<T: Number>(
    work: &Workload,
    facts: &WeightSummary,
    device: Selection,
    asked: Option<Algorithm>,
) -> Result<Plan, Error> {
    if asked == Some(Algorithm::Dijkstra) && work.negative {
        return Err(SolveError::NegativeWeights { least: facts.least }.into());
    }
    let placement = Placement::of(device, T::TYPE, work.n);
    let mut refused = check_sums::<T>(work.n, facts).err();
    let choice = choose(work, placement.seconds.filter(|_| refused.is_none()));
    let (mut algorithm, mut reason) = match asked {
        Some(algorithm) => (algorithm, SelectionReason::Asked),
        None if device.is_emulated() => (Algorithm::FloydWarshall, SelectionReason::EmulatedDevice),
        None => (choice.chosen.algorithm, SelectionReason::of(&choice)),
    };
    let is_dense = algorithm == Algorithm::FloydWarshall;
    memory_check::check("the result", if is_dense { dense_bytes(work) } else { choice.search.bytes })?;
    // A device that was named has to be there, whatever is found out.
    let is_named = asked.is_none() && !matches!(device, Selection::Auto | Selection::Cpu);
    let mut dense = None;
    if is_dense || is_named {
        let solver = DenseSolver::open(placement.selection)?;
        refused = refused.or_else(|| solver.check_room::<T>(work.n).err().map(|error| error.to_string()));
        dense = Some(solver);
    }
    if let (Algorithm::FloydWarshall, Some(against)) = (algorithm, &refused) {
        if asked.is_some() || device.is_emulated() {
            return Err(SolveError::NoDense { reason: against.clone() }.into());
        }
        memory_check::check("the result", choice.search.bytes)?;
        (algorithm, reason) = (choice.search.algorithm, SelectionReason::NoFloydWarshall);
    }
    let is_dense = algorithm == Algorithm::FloydWarshall;
    let device = match &dense {
        Some(solver) => solver.place(T::TYPE),
        None if placement.selection == Selection::Cpu => DenseSolver::cpu().place(T::TYPE),
        None => SolverDevice::Device { name: placement.selection.to_string(), emulated: false },
    };
    let Choice { search, dense: expected, .. } = choice;
    let chosen = Chosen {
        algorithm,
        why: reason,
        floyd_warshall: DenseEstimate {
            seconds: expected.map(|dense| dense.seconds).filter(|_| refused.is_none()),
            bytes: Some(dense_bytes(work)),
            device: Place::of(device),
            refused,
        },
        search: SearchEstimate {
            algorithm: search.algorithm,
            seconds: search.seconds,
            bytes: search.bytes,
            threads: work.threads,
        },
    };
    let threads = work.threads.min(work.sources).max(1) as f64;
    Ok(Plan {
        // A device that was opened for nothing is given back.
        dense: dense.filter(|_| is_dense),
        expected: if is_dense { expected.map(|dense| dense.seconds) } else { Some(search.seconds) },
        row: search.seconds * threads / work.sources.max(1) as f64,
        chosen,
    })
}
