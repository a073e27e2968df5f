//! Tests that take minutes together. A change is tried with a tenth of each; ten runs one after another reach all of them.

mod cheats;
mod documented_commands;
mod generalized_blocked;
mod machine_code;
mod mutated_kernels;
mod nsight;
mod reordered_machine_code;
pub mod several_processes;
