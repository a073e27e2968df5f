//! Clocks and scopes, when to stop sampling, statistics, and the ceilings that no honest time can beat.

mod ceilings;
mod clock;
mod sampling;
mod statistics;

pub use ceilings::{Ceilings, DeviceCeilings, floor_seconds, is_impossible, measure_device_ceilings};
pub use clock::{EventClock, Scope, Seconds, time_on_cpu, time_on_device};
pub use sampling::{Decision, SamplingRule};
pub use statistics::{Interval, median, median_interval};
