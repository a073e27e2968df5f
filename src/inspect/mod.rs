//! One implementation on the emulated device, looked at launch by launch.

mod claims;
mod inspection;
mod tables;

pub use inspection::{EmulatedSolve, Inspection, complete_graph, inspect, with_kernels};
pub use tables::InspectionView;
