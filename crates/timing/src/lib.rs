//! Clocks and scopes, when to stop sampling, statistics, and the ceilings that no honest time can beat. It uses no solver on
//! a device and no record.

mod bootstrap;
mod ceilings;
mod clock;
mod host_clock;
mod host_load;
mod load;
mod probes;
mod sampling;

pub use bootstrap::{ON_CPU, ON_GPU, assumed_by_clock, assumed_noise, independent_ratio, paired_ratio};
pub use ceilings::{
    Ceilings, CpuCeiling, DeviceCeilings, TimeLowerBound, issue_tasks_per_s, measure_cpu_ceiling,
};
pub use clock::{CountingClock, CpuClock, EventClock, KernelClock, KernelSeconds, ProgramClock, SolveClock};
pub use host_clock::HostClock;
pub use host_load::{HostMonitor, LOADED};
pub use load::BackgroundLoad;
pub use probes::{
    ArithmeticCeiling, InstructionMix, LoadLatency, measure_device_ceilings, measure_load_latency,
};
pub use repro_base::{Estimate, Scope, Seconds, median, median_confidence};
pub use sampling::{ExtraClocks, ProcessorKind, StoppingRule};
