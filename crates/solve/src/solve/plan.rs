//! Which algorithm solves the graph, why, and what was expected of each.

use super::shown::{Line, bytes, counted, seconds};
use crate::device::Selection;
use crate::graph::memory_check;
use repro_base::terminal::Error;
use repro_dense::{DenseSolver, Placement, SolverDevice};
use serde::Serialize;
use shortest_paths::{
    Algorithm, Choice, Element, Estimate, SolveError, WeightSummary, Workload, check_sums, choose,
    dense_bytes,
};

/// Which algorithm, and why.
#[derive(Serialize)]
pub(super) struct SelectedAlgorithm {
    pub algorithm: Algorithm,
    why: SelectionReason,
    floyd_warshall: DenseEstimate,
    search: SearchEstimate,
    /// Open where Floyd-Warshall is used.
    #[serde(skip)]
    pub dense: Option<DenseSolver>,
}

/// Why an algorithm is used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum SelectionReason {
    Asked,
    /// The device that was asked for runs nothing else.
    EmulatedDevice,
    LessTime,
    NoFloydWarshall,
    NoRoomForSearch,
    NoRoomForFloydWarshall,
}

/// What was expected of Floyd-Warshall.
#[derive(Serialize)]
struct DenseEstimate {
    device: SolverDevice,
    /// None where it cannot be used, or the device's seconds mean nothing.
    seconds: Option<f64>,
    bytes: u128,
    /// Why it cannot be used.
    refused: Option<String>,
}

/// What was expected of searches on the CPU.
#[derive(Serialize)]
struct SearchEstimate {
    #[serde(flatten)]
    estimate: Estimate,
    threads: usize,
}

impl SelectionReason {
    /// What a choice by expected time and memory stands on.
    fn new(Choice { chosen, dense, search }: &Choice) -> Self {
        match dense {
            None => Self::NoFloydWarshall,
            Some(dense) if chosen == dense && !search.fits => Self::NoRoomForSearch,
            Some(dense) if chosen == search && dense.seconds < search.seconds => Self::NoRoomForFloydWarshall,
            Some(_) => Self::LessTime,
        }
    }
}

impl SelectedAlgorithm {
    /// Decides, and opens the device that Floyd-Warshall needs.
    ///
    /// # Errors
    /// When what is asked for cannot be had.
    pub fn new<T: Element>(
        work: &Workload,
        facts: &WeightSummary,
        device: Selection,
        asked: Option<Algorithm>,
    ) -> Result<Self, Error> {
        if asked == Some(Algorithm::Dijkstra) && work.negative {
            return Err(SolveError::NegativeWeights { least: facts.least }.into());
        }
        let placement = Placement::of(device, T::TYPE, work.n);
        let mut refused = check_sums::<T>(work.n, facts).err();
        let choice = choose(work, placement.seconds.filter(|_| refused.is_none()));
        let (mut algorithm, mut why) = match asked {
            Some(algorithm) => (algorithm, SelectionReason::Asked),
            None if device.is_emulated() => (Algorithm::FloydWarshall, SelectionReason::EmulatedDevice),
            None => (choice.chosen.algorithm, SelectionReason::new(&choice)),
        };
        let (search, dense_bytes) = (choice.search, dense_bytes(work));
        let is_dense = algorithm == Algorithm::FloydWarshall;
        memory_check::check("the result", if is_dense { dense_bytes } else { search.bytes })?;
        // A device that was named has to be there, whatever is found out.
        let is_named = asked.is_none() && !matches!(device, Selection::Auto | Selection::Cpu);
        let mut dense = None;
        if is_dense || is_named {
            let solver = DenseSolver::open(placement.selection)?;
            refused = refused.or_else(|| solver.check_room::<T>(work.n).err().map(|error| error.to_string()));
            dense = Some(solver);
        }
        if let (Algorithm::FloydWarshall, Some(reason)) = (algorithm, &refused) {
            if asked.is_some() || device.is_emulated() {
                return Err(SolveError::NoDense { reason: reason.clone() }.into());
            }
            memory_check::check("the result", search.bytes)?;
            (algorithm, why) = (search.algorithm, SelectionReason::NoFloydWarshall);
        }
        let device = match &dense {
            Some(solver) => solver.place(T::TYPE),
            None if placement.selection == Selection::Cpu => SolverDevice::cpu(),
            None => {
                SolverDevice { name: placement.selection.to_string(), threads: None, ..SolverDevice::cpu() }
            }
        };
        let seconds = choice.dense.map(|dense| dense.seconds).filter(|_| refused.is_none());
        Ok(Self {
            algorithm,
            why,
            floyd_warshall: DenseEstimate { device, seconds, bytes: dense_bytes, refused },
            search: SearchEstimate { estimate: search, threads: work.threads },
            // A device that was opened for nothing is given back.
            dense: dense.filter(|_| algorithm == Algorithm::FloydWarshall),
        })
    }

    /// Seconds that the solve is expected to take; nobody knows of the emulated device.
    pub fn expected_seconds(&self) -> Option<f64> {
        if self.dense.is_some() { self.floyd_warshall.seconds } else { Some(self.search.estimate.seconds) }
    }

    /// Seconds that one thread is expected to search from one of so many sources.
    pub fn row_seconds(&self, sources: usize) -> f64 {
        self.search.estimate.seconds * self.search.threads.min(sources).max(1) as f64 / sources.max(1) as f64
    }

    /// Where it runs: searches run on the CPU.
    pub fn device(&self) -> SolverDevice {
        let dense = self.dense.as_ref().map(|_| self.floyd_warshall.device.clone());
        dense.unwrap_or_else(SolverDevice::cpu)
    }

    pub fn lines(&self) -> [Line; 3] {
        let Self { floyd_warshall: dense, search: SearchEstimate { estimate, threads }, .. } = self;
        let (device, room) = (&dense.device, bytes(dense.bytes));
        let by_dense = match (&dense.refused, dense.seconds) {
            (Some(reason), _) => format!("not here: {reason}"),
            (None, None) => format!("on {device}, whose seconds mean nothing, {room}"),
            (None, Some(expected)) => format!("{} on {device}, {room}", seconds(expected)),
        };
        let by_search = format!(
            "{} on the CPU, {}, {}",
            seconds(estimate.seconds),
            counted(*threads, "thread", "threads"),
            bytes(estimate.bytes)
        );
        let why = match self.why {
            SelectionReason::Asked => "asked for",
            SelectionReason::EmulatedDevice => "the emulated device was asked for, which runs nothing else",
            SelectionReason::LessTime => "expected to take less time",
            SelectionReason::NoFloydWarshall => "Floyd-Warshall cannot be used",
            SelectionReason::NoRoomForSearch => "the other does not fit into memory",
            SelectionReason::NoRoomForFloydWarshall => "Floyd-Warshall does not fit into memory",
        };
        let by_searches = if estimate.algorithm == Algorithm::Johnson { "Johnson" } else { "Dijkstra" };
        [
            ("Floyd-Warshall", by_dense),
            (by_searches, by_search),
            ("algorithm", format!("{}: {why}", self.algorithm)),
        ]
    }
}
