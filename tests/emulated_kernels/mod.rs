//! Kernels on the emulated device: what they may use, what is found in wrong ones, what is counted.

mod emulated_checker;
mod emulated_features;
mod emulated_run;
