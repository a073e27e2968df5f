//! What the record of a run says of a search for parameters: how it goes on, and what it found.

use crate::implementation::Parameters;
use serde::{Deserialize, Serialize};

/// A search whose points are the columns of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Searched {
    /// Decides the order of random points.
    pub seed: u64,
    /// So many points at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<usize>,
    /// No point is begun after so many seconds of measuring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// How many points are random before the first step, the defaults among them.
    pub random: usize,
    /// Seconds of measuring so far, of all starts of the program together.
    pub spent_s: f64,
    /// Whether it has come to its end. Until then it can be continued.
    pub ended: bool,
    /// The best point so far, of those that were right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<BestPoint>,
}

/// A point with the least cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestPoint {
    /// Those that are not at their defaults.
    pub parameters: Parameters,
    pub cost: f64,
    pub by: CostKind,
}

/// What a search makes small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CostKind {
    /// The median of the samples of scope `kernel`, or of a program's, seconds.
    Seconds,
    /// Bytes of global memory a task, in whole sectors of 32 bytes, as the emulated device counts them. No time follows from them.
    SectorBytesATask,
}
