//! Runs of experiments as a whole program, on the CPU and on the emulated device.

mod double;
mod experiments;
mod faults;
mod graph_input;
mod host_findings;
mod implementations;
mod interrupts;
mod places;
mod repeated_solves;
mod scheduling;
mod scheduling_beside;
mod sharded;
mod smoke;
