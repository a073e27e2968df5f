//! The whole program's tests, and those of kernels, in one program of tests: linking each apart took longer than running it.
//!
//! Quick ones run by `cargo test`. Those in `long` take minutes and are ignored: `scripts/test --long K/N` runs a part of them.

mod common;

// Counts, for the one test that asks.
#[global_allocator]
static ALLOCATOR: mutated_inputs::harness::memory::Counting = mutated_inputs::harness::memory::Counting;

mod command_line;
mod compare_rates;
mod comparisons;
mod compiled_kernels;
mod documentation;
mod emulated_kernels;
mod kills;
mod long;
mod mutated_inputs;
mod rank;
mod reports;
mod runs;
#[cfg(target_os = "linux")]
mod several_processes;
mod stored_runs;
