//! Kernels on the emulated device: what they may use, what is found in wrong ones, what is counted.

#[path = "../common/mod.rs"]
mod common;

mod emulated_checker;
mod emulated_features;
mod emulated_run;
mod from_file;
mod generalized_blocked;
mod mutated_kernels;
mod nsight;
mod tune;
