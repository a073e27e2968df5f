//! Kernels as NVRTC compiles them: that each compiles, and its machine code.

#[path = "../common/mod.rs"]
mod common;

mod counts;
mod inspect;
mod kernels_compile;
mod machine_code;
mod reordered_machine_code;
