//! Clocks and scopes, when to stop sampling, statistics, and the ceilings that no honest time can beat.

mod bootstrap;
mod ceilings;
mod clock;
mod estimate;
mod host_clock;
mod kernel_clock;
mod sampling;
mod scope;
mod statistics;
mod student;

pub use bootstrap::{Pairing, ratio_of_medians};
pub use ceilings::{
    Ceilings, DeviceCeilings, cpu_floor_seconds, floor_seconds, is_impossible, is_impossible_on_cpu,
    measure_device_ceilings,
};
pub use clock::{Bench, EventClock, time_as_cuda_graph, time_on_cpu, time_on_device};
pub use estimate::{Estimate, Position};
pub use host_clock::{time_first, time_synchronized, time_unsynchronized};
pub use kernel_clock::{KernelSeconds, time_by_kernel};
pub use sampling::{Decision, SamplingRule};
pub use scope::{Clocks, Scope, Seconds};
pub use statistics::{median, median_confidence};
pub use student::t_quantile;
