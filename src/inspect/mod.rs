//! One implementation on the emulated device, looked at launch by launch.

mod claims;
mod inspection;
mod tables;

pub use inspection::{Inspection, KernelInspection, ResidencyOn, inspect, solve_counted, with_kernels};
pub use tables::InspectionView;
