//! Which algorithm solves the graph, and why.

use super::choice::{Chosen, DenseEstimate, Place, SearchEstimate, Why};
use super::work::Number;
use crate::device::Selection;
use crate::device::cuda::driver_status;
use repro_dense::DenseSolver;
use repro_terminal::Error;
use shortest_paths::{
    Algorithm, Choice, Dense, Estimate, Rates, SearchError, SolveError, WeightSummary, Workload, choose,
};

/// Seconds that it takes at least to open a GPU and to have its kernels compiled or loaded. A search that takes less is done before.
const OPENING: f64 = 0.3;

/// More tasks a second than any GPU does today. Where a search beats even these, no GPU is opened to measure its own.
const BEYOND_ANY_GPU: f64 = 2e14;

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

/// What is asked of the choice.
pub(super) struct Wanted<'a> {
    pub work: &'a Workload,
    pub facts: &'a WeightSummary,
    pub device: Selection,
    pub algorithm: Option<Algorithm>,
    /// Whether rows of a search are stored as they come, so that it needs no memory for the result.
    pub streams: bool,
}

/// Decides, and keeps what was expected.
///
/// # Errors
/// When what is asked for cannot be had.
pub(super) fn plan<T: Number>(wanted: &Wanted) -> Result<Plan, Error> {
    let Wanted { work, facts, .. } = *wanted;
    let usual = Rates::usual(T::TYPE);
    let search = choose(work, &usual).search;
    if wanted.algorithm == Some(Algorithm::Dijkstra) && work.negative {
        return Err(SolveError::NegativeWeights { least: facts.least }.into());
    }
    let holds = holds::<T>(work.n, facts);
    let mut dense = open(wanted, &search)?;
    let room = holds.and_then(|()| dense.check_room::<T>(work.n).map_err(|error| error.to_string()));
    let measured = room.as_ref().ok().and_then(|()| Dense::<T>::tasks_per_second(&dense, work.n));
    let choice = choose(work, &Rates { dense_tasks: measured, ..usual });
    let place = Place::of(dense.place(T::TYPE));
    let (algorithm, why) = decide(wanted, &choice, &room, &place)?;
    let streamed = wanted.streams && algorithm != Algorithm::FloydWarshall;
    // Its memory does not depend on its speed.
    let whole = choose(work, &Rates { dense_tasks: Some(measured.unwrap_or(1.0)), ..usual }).dense;
    let used = whole.filter(|_| algorithm == Algorithm::FloydWarshall).unwrap_or(search);
    if let (false, Some(available)) = (streamed, work.available)
        && used.bytes > available.into()
    {
        return Err(SolveError::Search(SearchError::NotEnoughMemory {
            what: "the result",
            bytes: used.bytes,
            available,
        })
        .into());
    }
    if algorithm == Algorithm::FloydWarshall {
        room.clone().map_err(|reason| SolveError::NoDense { reason })?;
    }
    let chosen = Chosen {
        algorithm,
        why,
        floyd_warshall: DenseEstimate {
            seconds: choice.dense.map(|dense| dense.seconds).filter(|_| room.is_ok()),
            bytes: whole.map(|dense| dense.bytes),
            device: place,
            refused: room.err(),
        },
        search: SearchEstimate {
            algorithm: if work.negative { Algorithm::Johnson } else { Algorithm::Dijkstra },
            seconds: search.seconds,
            bytes: search_bytes(wanted, &search),
            threads: work.threads,
        },
    };
    if algorithm != Algorithm::FloydWarshall {
        // The device, if one was opened, is given back.
        dense = DenseSolver::cpu();
    }
    let threads = work.threads.min(work.sources).max(1) as f64;
    Ok(Plan {
        dense: (algorithm == Algorithm::FloydWarshall).then_some(dense),
        expected: match algorithm {
            Algorithm::FloydWarshall => choice.dense.map(|dense| dense.seconds),
            _ => Some(search.seconds),
        },
        row: search.seconds * threads / work.sources.max(1) as f64,
        chosen,
    })
}

/// What would solve the dense matrix.
fn open(wanted: &Wanted, search: &Estimate) -> Result<DenseSolver, Error> {
    let search_alone = matches!(wanted.algorithm, Some(Algorithm::Dijkstra | Algorithm::Johnson));
    let n = wanted.work.n as f64;
    let is_hopeless = search.seconds < OPENING || search.seconds < n.powi(3) / BEYOND_ANY_GPU;
    let leaves_gpu = match wanted.device {
        Selection::Cpu => true,
        Selection::Auto => {
            search_alone || (wanted.algorithm.is_none() && is_hopeless) || driver_status().is_err()
        }
        _ => search_alone,
    };
    Ok(if leaves_gpu { DenseSolver::cpu() } else { DenseSolver::open(wanted.device)? })
}

/// Whether Floyd-Warshall may add up these weights in any order.
fn holds<T: Number>(n: usize, facts: &WeightSummary) -> Result<(), String> {
    T::TYPE.holds(n, &facts.range)?;
    let longest = facts.range.longest(n);
    if longest > T::TYPE.most() {
        return Err(format!(
            "paths may be as long as {longest}, which is no {}: choose another algorithm",
            T::TYPE
        ));
    }
    Ok(())
}

fn decide(
    wanted: &Wanted,
    choice: &Choice,
    room: &Result<(), String>,
    place: &Place,
) -> Result<(Algorithm, Why), Error> {
    if let Some(asked) = wanted.algorithm {
        return Ok((asked, Why::Asked));
    }
    let Choice { search, .. } = *choice;
    if let Err(reason) = room {
        if wanted.device.is_emulated() {
            return Err(SolveError::NoDense { reason: reason.clone() }.into());
        }
        return Ok((search.algorithm, Why::NoFloydWarshall));
    }
    if place.emulated {
        return Ok((Algorithm::FloydWarshall, Why::EmulatedDevice));
    }
    let Some(dense) = choice.dense else {
        return Ok((search.algorithm, Why::NotMeasured));
    };
    let search_fits = search.fits || wanted.streams;
    Ok(match (dense.fits, search_fits) {
        (true, false) => (dense.algorithm, Why::NoRoomForSearch),
        (false, true) if dense.seconds < search.seconds => (search.algorithm, Why::NoRoomForFloydWarshall),
        _ if dense.seconds < search.seconds => (dense.algorithm, Why::LessTime),
        _ => (search.algorithm, Why::LessTime),
    })
}

/// Memory of a search, without the result where that is stored as it comes.
fn search_bytes(wanted: &Wanted, search: &Estimate) -> u128 {
    if !wanted.streams {
        return search.bytes;
    }
    let work = wanted.work;
    let none = Workload { sources: work.threads.min(work.sources), ..*work };
    choose(&none, &Rates::usual(work.element)).search.bytes
}
