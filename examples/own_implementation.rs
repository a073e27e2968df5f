//! An implementation from outside of the project: registered, it is run, verified, timed and recorded like any other.
//!
//! `cargo run --release --example own_implementation -- run examples/own_implementation.toml`

use repro::device::DeviceError;
use repro::graph::Element;
use repro::implementation::{CpuSolver, HostMethod, Implementation, Parameters, register};
use std::process::ExitCode;

/// Squares the matrix until paths of any number of edges are in it: log2 n products of n³ tasks each.
#[derive(Clone, Copy)]
struct MinPlusSquaring;

impl CpuSolver for MinPlusSquaring {
    fn solve<T: Element>(
        &self,
        matrix: &mut [T],
        n: usize,
        _: &Parameters,
        _: bool,
    ) -> Result<(), DeviceError> {
        let mut edges = 1;
        while edges < n {
            let before = matrix.to_vec();
            for (row, known) in matrix.chunks_exact_mut(n).zip(before.chunks_exact(n)) {
                for (to, from) in known.iter().zip(before.chunks_exact(n)) {
                    for (distance, further) in row.iter_mut().zip(from) {
                        *distance = to.plus(*further).shorter(*distance);
                    }
                }
            }
            edges *= 2;
        }
        Ok(())
    }
}

/// What tables and records say of it.
fn min_plus_squaring() -> Implementation {
    let summary = "the matrix squared log2 n times over (min, +), on one core";
    let source = "an example; the repeated squaring of Aho, Hopcroft and Ullman (1974)";
    Implementation::new("min-plus-squaring", summary, source, HostMethod(MinPlusSquaring))
}

fn main() -> ExitCode {
    // This program is also what confines other people's kernels.
    if let Some(code) = repro::external::serve_if_asked() {
        return code;
    }
    // Before anything else: this program is also its own worker process.
    register(min_plus_squaring()).expect("no other implementation has this name");
    repro::cli::main()
}
