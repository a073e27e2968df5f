//! What a run records in addition to its samples, a file of rows each: counts, and here the times of kernels and of devices, and repeated solves.

use crate::store::CountRow;
use repro_base::CellId;
use repro_device::telemetry::Telemetry;
use repro_solvers::DeviceTimes;
use repro_timing::{Estimate, KernelSeconds};
use serde::{Deserialize, Serialize};

pub(super) const COUNTS: &str = "counts.csv";
pub(super) const KERNELS: &str = "kernels.csv";
pub(super) const REPEATS: &str = "repeats.csv";
pub(super) const DEVICES: &str = "devices.csv";
/// The file of [`CounterRow`]. A profiler writes it after the run.
pub(super) const COUNTERS: &str = "counters.csv";

/// The rows of a run other than its samples.
#[derive(Clone, Default)]
pub struct FurtherRows {
    pub counts: Vec<CountRow>,
    pub kernel_times: Vec<KernelTimeRow>,
    pub repeats: Vec<RepeatsRow>,
    pub devices: Vec<DeviceTimeRow>,
    pub counters: Vec<CounterRow>,
}

/// A row of `counters.csv`: what the GPU's own counters say of a kernel of a cell, as `scripts/nsight-limits` writes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterRow {
    pub implementation: String,
    pub n: usize,
    pub params: String,
    /// The graph's name in the experiment; empty where there is one.
    pub graph: String,
    pub kernel: String,
    /// The GPU that counted, by its unique identifier.
    pub gpu: String,
    /// In a solve.
    pub launches: u64,
    /// Of those, the ones that were counted.
    pub profiled: u64,
    /// Bytes between the L2 cache and DRAM in a solve: those of the launches that were counted, times all launches over these.
    pub dram_bytes: u64,
    /// Bytes between the multiprocessors' caches and the L2 cache in a solve, by the launches that were counted.
    pub l2_bytes: u64,
    /// Traffic to DRAM, percent of its peak while the kernel ran.
    pub dram_percent: f64,
    /// The busiest unit of the multiprocessors, percent of its peak.
    pub multiprocessor_percent: f64,
    /// Cycles in which a scheduler issued an instruction, percent of all.
    pub issue_percent: f64,
    /// The least and the most of any launch that was counted.
    pub dram_percent_low: f64,
    pub dram_percent_high: f64,
    pub multiprocessor_percent_low: f64,
    pub multiprocessor_percent_high: f64,
    pub issue_percent_low: f64,
    pub issue_percent_high: f64,
}

/// A row of `kernels.csv`: the time of a kernel of a cell beside the bytes that it moves according to a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelTimeRow {
    pub implementation: String,
    pub n: usize,
    pub params: String,
    /// The graph's name in the experiment; empty where there is one.
    pub graph: String,
    pub kernel: String,
    pub launches: u64,
    /// All launches of one solve, from an event before each to the one before the next; the median of some solves.
    pub seconds: f64,
    /// Global memory, bytes that threads load in one solve, by the implementation's model if it has one.
    pub loaded_bytes: Option<u64>,
    /// Global memory, bytes that threads store in one solve, by the implementation's model if it has one.
    pub stored_bytes: Option<u64>,
}

impl KernelTimeRow {
    /// `moved` are the bytes that it loads and stores, by a model.
    pub fn new(cell: &CellId, of: &KernelSeconds, moved: Option<(u64, u64)>) -> Self {
        Self {
            implementation: cell.implementation.clone(),
            n: cell.n,
            params: cell.params.clone(),
            graph: cell.graph.clone(),
            kernel: of.kernel.clone(),
            launches: of.launches,
            seconds: of.seconds,
            loaded_bytes: moved.map(|(loaded, _)| loaded),
            stored_bytes: moved.map(|(_, stored)| stored),
        }
    }

    pub fn cell(&self) -> CellId {
        CellId::new(&self.implementation, self.n, &self.params, &self.graph)
    }
}

impl CounterRow {
    pub fn cell(&self) -> CellId {
        CellId::new(&self.implementation, self.n, &self.params, &self.graph)
    }

    /// Percent of DRAM's peak, from the least to the most of any launch that was counted.
    pub fn dram(&self) -> Estimate {
        Estimate { value: self.dram_percent, low: self.dram_percent_low, high: self.dram_percent_high }
    }

    /// How much of its peak the busiest unit of the multiprocessors reached, percent.
    pub fn multiprocessor(&self) -> Estimate {
        Estimate {
            value: self.multiprocessor_percent,
            low: self.multiprocessor_percent_low,
            high: self.multiprocessor_percent_high,
        }
    }

    /// How many of their issue slots the multiprocessors used, percent.
    pub fn issue(&self) -> Estimate {
        Estimate { value: self.issue_percent, low: self.issue_percent_low, high: self.issue_percent_high }
    }
}

/// The name of a kernel's function in words: `doubly_dependent` is doubly dependent.
pub fn spelled(kernel: &str) -> String {
    kernel.replace('_', " ")
}

/// A row of `devices.csv`: where the time of a sample went on a device that had a part of the matrix. Seconds are between events of that device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceTimeRow {
    pub implementation: String,
    pub n: usize,
    pub params: String,
    /// The graph's name in the experiment; empty where there is one.
    pub graph: String,
    /// The sample's number within its cell, as in `samples.csv`.
    pub sample: usize,
    /// Its number among all devices of the solve.
    pub device: usize,
    /// The host that it is in; empty where one process had all devices.
    pub host: String,
    /// From the first event of the solve to the last.
    pub solve_s: f64,
    /// In which it had tiles to work on.
    pub compute_s: f64,
    /// In which it had none and waited for a panel.
    pub waiting_s: f64,
    /// Which its broadcasts took, during work on tiles or not.
    pub communication_s: f64,
}

impl DeviceTimeRow {
    pub fn new(cell: &CellId, sample: usize, host: &str, times: &DeviceTimes) -> Self {
        Self {
            implementation: cell.implementation.clone(),
            n: cell.n,
            params: cell.params.clone(),
            graph: cell.graph.clone(),
            sample,
            device: times.device,
            host: host.to_string(),
            solve_s: times.solve,
            compute_s: times.compute,
            waiting_s: times.waiting,
            communication_s: times.communication,
        }
    }

    pub fn cell(&self) -> CellId {
        CellId::new(&self.implementation, self.n, &self.params, &self.graph)
    }
}

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

/// A row of `repeats.csv`: solves of a cell that were made one after another on the device.
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
}
