//! The whole program's tests, and those of kernels, in one program of tests: linking each apart took longer than running it.
//!
//! Quick ones run by `cargo test`. Those in `long` take minutes and are ignored: `scripts/test --long K/N` runs a part of them.

mod common;

mod command_line;
mod compare_rates;
mod comparisons;
mod compiled_kernels;
mod documentation;
mod emulated_checker;
mod emulated_run;
mod kills;
mod long;
#[cfg(target_os = "linux")]
mod minutes;
mod rank;
mod reports;
mod runs;
#[cfg(target_os = "linux")]
mod several_processes;
mod stored_runs;
