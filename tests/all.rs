//! The whole program's tests, and those of kernels, in one program of tests: linking each apart took longer than running it.
//!
//! Quick ones run by `cargo test`. Those in `long` take minutes and are ignored: `scripts/test --long K/N` runs a part of them.

mod cheats;
mod common;

// Counts, for the one test that asks.
#[global_allocator]
static ALLOCATOR: mutated_inputs::harness::memory::Counting = mutated_inputs::harness::memory::Counting;

/// What the program takes, prints and refuses, and the files around it that call it.
mod command_line {
    mod advice;
    mod arguments;
    mod environment;
    mod kernel_files;
    mod received;
    mod refusals;
    mod scripts;
    mod terminal;
}
mod compare_rates;
/// Two builds against each other: `repro compare`, pairs of runs and `repro track`.
mod comparisons {
    mod compare;
    mod pairing;
    mod programs;
    mod track;
}
/// Kernels as they are compiled, for counting and for GPUs.
mod compiled_kernels {
    mod counts;
    mod kernels_compile;
    mod stores;
}
mod documentation;
mod emulated_run;
mod kills;
mod long;
mod mutated_inputs;
mod rank;
mod reports;
/// Runs of experiments as a whole program, on the CPU and on the emulated device.
mod runs {
    mod double;
    mod experiments;
    mod faults;
    mod graph_input;
    mod host_findings;
    mod implementations;
    mod interrupts;
    mod scheduling;
    mod scheduling_beside;
    mod sharded;
}
mod several_processes;
/// Runs as they lie in their folders: records, stopping and going on, and histories.
mod stored_runs {
    mod history;
    mod records;
    mod resume;
}
