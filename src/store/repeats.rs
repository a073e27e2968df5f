//! `repeats.csv`: solves that were made one after another on the device, one row a cell.

use crate::device::telemetry::Telemetry;
use repro_types::CellId;
use serde::{Deserialize, Serialize};

/// What came of repeating a solve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repeated {
    pub solves: u64,
    /// Those whose result differs in any bit from the first, which was verified.
    pub different: u64,
    /// Of all, by the host's clock.
    pub seconds: f64,
    /// What the GPU took meanwhile; none where nothing counts that.
    pub joules: Option<f64>,
    pub telemetry: Option<Telemetry>,
}

/// A row of `repeats.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepeatsRow {
    pub implementation: String,
    pub n: usize,
    pub params: String,
    /// The graph's name in the experiment; empty where there is one.
    pub graph: String,
    /// Solves; with each the graph was copied within the device, and a number made of the result.
    pub solves: u64,
    /// Of these those whose result differs in any bit from the first, which the host verified.
    pub different: u64,
    /// From before the first to after the last, by the host's clock.
    pub seconds: f64,
    /// What the GPU took meanwhile by its own counter.
    pub joules: Option<f64>,
    /// Lowest clock of the multiprocessors, MHz.
    pub sm_mhz: Option<u32>,
    /// Highest power, W.
    pub power_w: Option<f64>,
    /// Highest temperature, degrees Celsius.
    pub temperature_c: Option<u32>,
    /// Why clocks were held down, with + between reasons.
    pub throttled_by: String,
}

impl RepeatsRow {
    pub fn new(cell: &CellId, of: &Repeated) -> Self {
        let telemetry = of.telemetry.clone().unwrap_or_default();
        Self {
            implementation: cell.implementation.clone(),
            n: cell.n,
            params: cell.params.clone(),
            graph: cell.graph.clone(),
            solves: of.solves,
            different: of.different,
            seconds: of.seconds,
            joules: of.joules,
            sm_mhz: telemetry.sm_mhz,
            power_w: telemetry.power_w,
            temperature_c: telemetry.temperature_c,
            throttled_by: telemetry.throttled_by.join("+"),
        }
    }

    pub fn cell(&self) -> CellId {
        CellId::new(&self.implementation, self.n, &self.params, &self.graph)
    }

    /// Tasks of the papers' rule, n^3 a solve.
    pub fn tasks(&self) -> f64 {
        self.solves as f64 * (self.n as f64).powi(3)
    }
}
