//! Runs of experiments as a whole program, on the CPU and on the emulated device.

mod brought_along;
mod cpu_columns;
mod experiments;
mod faults;
mod graph_input;
mod host_findings;
mod interrupts;
mod programs;
mod repeated_solves;
mod scheduling;
mod scheduling_beside;
mod smoke;
mod table1;
mod three_places;
