//! Counts: figures that do not depend on the day, kernel by kernel, compared with a committed baseline; no GPU is needed.
//!
//! The emulated device counts launches, barriers, bytes, transactions and bank conflicts of a solve whose result is verified.
//! NVRTC reports registers, spills and shared memory for [`ARCHITECTURE`], and its disassembler what the innermost loop costs a
//! task (`crates/machine-code`, `docs/machine-code.md`). A check fails if a figure rises by however little: no figure is noisy, except that
//! NVRTC does not always give the same code, so kernels are compiled again.

mod baseline;
mod collect;
mod compare;
mod machine_code;
mod metric;
#[cfg(test)]
mod tests;

pub use baseline::{Baseline, BaselineError, DEFAULT_BASELINE};
pub use collect::{Collection, CountTarget, collect};
pub use compare::{ChangeKind, CountComparison, Difference, compare};
pub use metric::{Amount, CountMetric, Figures, KernelFigures, KernelKey, Tool};

/// Vertices of the graph that is solved: four tiles of 32 a side, so that every kernel runs and none takes long.
pub const N: usize = 128;

/// What machine code is compiled for: the GPU of the reference runs.
pub const ARCHITECTURE: &str = "sm_90";
