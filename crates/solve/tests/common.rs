//! The program.

#[path = "../../../tests/common/calls.rs"]
mod calls;

pub use calls::{assert_refused, stderr, stdout};
use std::process::Command;

/// The program without a GPU and without a C++ compiler, wherever the tests run.
pub fn program() -> Command {
    calls::alone(assert_cmd::cargo::cargo_bin!("shortest-paths"))
}

/// The program without a GPU, which emulates kernels if this machine has a C++ compiler.
pub fn program_with_compiler() -> Command {
    calls::with_compiler(assert_cmd::cargo::cargo_bin!("shortest-paths"))
}
