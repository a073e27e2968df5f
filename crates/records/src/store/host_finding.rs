//! What a run found out about its host: circumstances under which times on the CPU mean less than they seem to.

use repro_base::CellId;
use repro_timing::LOADED;
use serde::{Deserialize, Serialize};

/// One finding. Loads are shares of the time of the cores that the cell is solved on, which others can exceed on other cores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "finding", rename_all = "kebab-case")]
pub enum HostFinding {
    /// Others used the host when a cell was begun.
    BusyBefore {
        #[serde(flatten)]
        cell: CellId,
        others_load: f64,
    },
    /// They did while a sample of the cell was taken; the most over one.
    UnderLoad {
        #[serde(flatten)]
        cell: CellId,
        others_load: f64,
    },
    /// A solve on all cores took longer than one of the same graph on one core.
    AllCoresSlower {
        #[serde(flatten)]
        cell: CellId,
        all_cores_s: f64,
        one_core_s: f64,
    },
}

/// Whether others used so much that a solve is timed with them.
pub fn is_loaded(others_load: f64) -> bool {
    others_load > LOADED
}

/// What passes with the day and changes times, so that they say nothing of the build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Disturbance {
    /// Others used the cores that it was solved on.
    UnderLoad,
    /// The GPU held its clocks down.
    Throttled,
}

impl Disturbance {
    /// Of what others used of the host, where it was solved on the CPU, and whether the GPU was throttled.
    pub fn of(others_load: Option<f64>, throttled: bool) -> Option<Self> {
        match others_load {
            Some(load) if is_loaded(load) => Some(Self::UnderLoad),
            _ => throttled.then_some(Self::Throttled),
        }
    }
}
