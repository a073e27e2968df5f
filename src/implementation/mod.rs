//! The catalogue: one file per implementation.

pub mod cpu_naive;
pub mod cpu_parallel;
pub mod cpu_peak;
