//! Which algorithm solves the graph, why, and what was expected of each.
//! Also which part of a result is checked, and why.

use super::labels::{LabeledLine, bytes, counted, seconds};
use crate::device::Selection;
use crate::graph::memory_check;
use repro_base::terminal::Error;
use repro_dense::{DenseSolver, Placement, SolverDevice};
use serde::{Serialize, Serializer};
use shortest_paths::{
    Algorithm, Choice, CostEstimate, Element, SolveError, WeightSummary, Workload, check_sums, choose,
    dense_bytes,
};

/// The algorithm that is used, and why.
#[derive(Serialize)]
pub(super) struct SelectedAlgorithm {
    pub algorithm: Algorithm,
    why: SelectionReason,
    floyd_warshall: DenseEstimate,
    search: SearchEstimate,
    /// The open solver, where Floyd-Warshall is used.
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
    /// None where it cannot be used, or on the emulated device, whose seconds mean nothing.
    seconds: Option<f64>,
    bytes: u128,
    /// Why it cannot be used.
    refused: Option<String>,
}

/// What was expected of searches on the CPU.
#[derive(Serialize)]
struct SearchEstimate {
    #[serde(flatten)]
    estimate: CostEstimate,
    threads: usize,
}

impl SelectionReason {
    /// The reason for a choice by expected time and memory.
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
        let placement = Placement::new(device, T::TYPE, work.n);
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
        // A named device has to open, even if searches are chosen.
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

    /// Seconds that the solve is expected to take; None on the emulated device, for which nobody knows.
    pub fn expected_seconds(&self) -> Option<f64> {
        if self.dense.is_some() { self.floyd_warshall.seconds } else { Some(self.search.estimate.seconds) }
    }

    /// Seconds that one thread is expected to need for one of `sources` searches.
    pub fn row_seconds(&self, sources: usize) -> f64 {
        self.search.estimate.seconds * self.search.threads.min(sources).max(1) as f64 / sources.max(1) as f64
    }

    /// The device that solves: searches run on the CPU.
    pub fn device(&self) -> SolverDevice {
        let dense = self.dense.as_ref().map(|_| self.floyd_warshall.device.clone());
        dense.unwrap_or_else(SolverDevice::cpu)
    }

    pub fn lines(&self) -> [LabeledLine; 3] {
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

/// The most rows that are checked unasked, and the share of the solve's time that they may take.
const UNASKED: (usize, f64) = (8, 0.05);

/// Seconds that a check unasked may take in any case: nobody notices them.
const UNNOTICED: f64 = 1e-4;

/// The cost of checking a row, in searches from one source: its tree is grown and walked, and each arc is looked at.
const CHECK_SEARCHES: f64 = 4.0;

/// Which parts of a result are checked.
#[derive(Serialize)]
pub(super) struct VerificationPlan {
    /// Rows that are checked against the graph, ascending.
    #[serde(serialize_with = "count")]
    pub rows: Vec<usize>,
    /// Whether every stored path is walked.
    pub every_path: bool,
    why: VerificationReason,
}

/// Why something is checked, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum VerificationReason {
    NotWanted,
    Asked,
    TakesTooLong,
    TakesLittle,
    Emulated,
}

impl VerificationPlan {
    /// Plans the check of a result of `rows` rows: of `asked` rows, or of as many as take little time.
    pub fn new(asked: Option<usize>, rows: usize, stores_paths: bool, solve: &SelectedAlgorithm) -> Self {
        let (most, share) = UNASKED;
        let (count, why) = match (asked, solve.expected_seconds()) {
            (Some(0), _) => (0, VerificationReason::NotWanted),
            (Some(count), _) => (count, VerificationReason::Asked),
            (None, None) => (most, VerificationReason::Emulated),
            (None, Some(expected)) => {
                let row = CHECK_SEARCHES * solve.row_seconds(rows);
                let count = ((share * expected).max(UNNOTICED) / row.max(1e-12)) as usize;
                match count.min(most) {
                    0 => (0, VerificationReason::TakesTooLong),
                    count => (count, VerificationReason::TakesLittle),
                }
            }
        };
        // Evenly spread.
        let count = count.min(rows);
        let rows = (0..count).map(|k| (2 * k + 1) * rows / (2 * count)).collect();
        Self { rows, every_path: stores_paths && why == VerificationReason::Asked, why }
    }

    /// Whether there is anything to check.
    pub fn is_any(&self) -> bool {
        self.every_path || !self.rows.is_empty()
    }

    pub fn line(&self) -> LabeledLine {
        let why = match self.why {
            VerificationReason::NotWanted => "not wanted",
            VerificationReason::Asked => "asked for",
            VerificationReason::TakesTooLong => {
                "checking one row would take over 5% of the solve time; --verify checks anyway"
            }
            VerificationReason::TakesLittle => "unasked, since that should take little time",
            VerificationReason::Emulated => "takes less than the emulated device",
        };
        if !self.is_any() {
            return ("not verified", why.to_string());
        }
        let rows = counted(self.rows.len(), "row", "rows");
        let paths = if self.every_path { ", and every stored path" } else { "" };
        ("verified", format!("{rows} against the arcs of the graph{paths}: {why}"))
    }
}

fn count<S: Serializer>(rows: &[usize], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(rows.len() as u64)
}
