//! Clocks and scopes, when to stop sampling, statistics, and the ceilings that no honest time can beat.

mod bootstrap;
mod ceilings;
mod clock;
mod host_clock;
mod host_load;
mod issue;
mod kernel_clock;
mod load;
mod load_latency;
mod program_clock;
mod register_kernels;
mod sampling;
mod scope;

pub use bootstrap::{Pairing, ratio_of_medians};
pub use ceilings::{ByElement, Ceilings, CpuCeiling, DeviceCeilings, Floor, measure_cpu_ceiling};
pub use clock::{CountingClock, CpuClock, EventClock, GraphClock, PartsClock};
pub use host_clock::{FirstClock, HostClock};
pub use host_load::{HostMonitor, LOADED};
pub use issue::issue_tasks_per_s;
pub use kernel_clock::{KernelClock, KernelSeconds};
pub use load::Load;
pub use load_latency::{LoadLatency, measure_load_latency};
pub use program_clock::ProgramClock;
pub use register_kernels::{ArithmeticCeiling, InstructionMix, measure_device_ceilings};
pub use repro_base::{Estimate, Scope, Seconds, median, median_confidence};
pub use sampling::{Decision, SamplingRule, SolvedOn};
pub use scope::Clocks;
