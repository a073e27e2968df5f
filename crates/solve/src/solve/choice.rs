//! The algorithm that solves the graph, and what was expected of each.

use super::shown::{Line, bytes, seconds};
use repro_dense::SolverDevice;
use serde::Serialize;
use shortest_paths::{Algorithm, Choice};

/// Which algorithm, and why.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Chosen {
    pub algorithm: Algorithm,
    pub why: SelectionReason,
    pub floyd_warshall: DenseEstimate,
    pub search: SearchEstimate,
}

/// Why an algorithm is used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SelectionReason {
    Asked,
    /// The device that was asked for runs nothing else.
    EmulatedDevice,
    LessTime,
    NoFloydWarshall,
    NoRoomForSearch,
    NoRoomForFloydWarshall,
}

impl SelectionReason {
    /// What a choice by expected time and memory stands on.
    pub fn of(Choice { chosen, dense, search }: &Choice) -> Self {
        match dense {
            None => Self::NoFloydWarshall,
            Some(dense) if chosen == dense && !search.fits => Self::NoRoomForSearch,
            Some(dense) if chosen == search && dense.seconds < search.seconds => Self::NoRoomForFloydWarshall,
            Some(_) => Self::LessTime,
        }
    }
}

/// What was expected of Floyd-Warshall.
#[derive(Clone, Debug, Serialize)]
pub(super) struct DenseEstimate {
    pub device: Place,
    /// None where it cannot be used, or the device's seconds mean nothing.
    pub seconds: Option<f64>,
    pub bytes: Option<u128>,
    /// Why it cannot be used.
    pub refused: Option<String>,
}

/// What was expected of searches on the CPU.
#[derive(Clone, Debug, Serialize)]
pub(super) struct SearchEstimate {
    pub algorithm: Algorithm,
    pub seconds: f64,
    pub bytes: u128,
    pub threads: usize,
}

/// A GPU, the emulated device, or the CPU.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Place {
    /// `cpu`, or what the device calls itself.
    pub name: String,
    pub emulated: bool,
    /// Of the CPU.
    pub threads: Option<usize>,
    #[serde(skip)]
    shown: String,
}

impl Place {
    pub fn of(device: SolverDevice) -> Self {
        let shown = device.to_string();
        match device {
            SolverDevice::Device { name, emulated } => Self { name, emulated, threads: None, shown },
            SolverDevice::Cpu { threads, .. } => {
                Self { name: "cpu".to_string(), emulated: false, threads: Some(threads), shown }
            }
        }
    }
}

impl Chosen {
    /// Where it runs: searches run on the CPU.
    pub fn place(&self) -> Place {
        match self.algorithm {
            Algorithm::FloydWarshall => self.floyd_warshall.device.clone(),
            Algorithm::Dijkstra | Algorithm::Johnson => {
                Place::of(SolverDevice::Cpu { threads: self.search.threads, instead_of: None })
            }
        }
    }

    pub fn lines(&self) -> Vec<Line> {
        let Self { floyd_warshall: dense, search, .. } = self;
        let place = &dense.device.shown;
        let room = dense.bytes.map_or(String::new(), |room| format!(", {}", bytes(room)));
        let by_dense = match (&dense.refused, dense.seconds) {
            (Some(reason), _) => format!("not here: {reason}"),
            (None, None) => format!("on {place}, whose seconds mean nothing{room}"),
            (None, Some(expected)) => format!("{} on {place}{room}", seconds(expected)),
        };
        let by_search = format!(
            "{} on the CPU, {} thread{}, {}",
            seconds(search.seconds),
            search.threads,
            if search.threads == 1 { "" } else { "s" },
            bytes(search.bytes)
        );
        let why = match self.why {
            SelectionReason::Asked => "asked for",
            SelectionReason::EmulatedDevice => "the emulated device was asked for, which runs nothing else",
            SelectionReason::LessTime => "expected to take less time",
            SelectionReason::NoFloydWarshall => "Floyd-Warshall cannot be used",
            SelectionReason::NoRoomForSearch => "the other does not fit into memory",
            SelectionReason::NoRoomForFloydWarshall => "Floyd-Warshall does not fit into memory",
        };
        let search_name = match search.algorithm {
            Algorithm::Johnson => "Johnson",
            Algorithm::Dijkstra | Algorithm::FloydWarshall => "Dijkstra",
        };
        vec![
            Line::new("Floyd-Warshall", by_dense),
            Line::new(search_name, by_search),
            Line::new("algorithm", format!("{}: {why}", self.algorithm)),
        ]
    }
}
