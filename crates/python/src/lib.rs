//! The native half of the Python package `shortest_paths`: NumPy's memory as graphs, and results as NumPy's memory. It uses
//! nothing of the harness.
//!
//! What users see is in `python/shortest_paths`. That half recognises graphs, checks arguments and converts what has to be converted. This
//! one borrows the arrays, solves without the interpreter's lock, and hands over the results. An array is copied here only if a search
//! cannot use its layout.
//!
//! `dlpack` alone has unsafe code: the pointers of a capsule and of the array in it.
#![deny(unsafe_code)]

mod device_array;
#[allow(unsafe_code)]
mod dlpack;
mod error;
mod file;
mod graph;
mod py_graph;
mod solution;
mod solve;
mod wait;

/// See the Python half.
#[pyo3::pymodule]
mod _native {
    /// The version of this package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use super::device_array::{DeviceArray, solve_on_device};
    #[pymodule_export]
    use super::file::{FileGraph, read};
    #[pymodule_export]
    use super::solution::{walk_next_vertices, walk_predecessors};
    #[pymodule_export]
    use super::solve::{check_memory, fitting_dtype, solve, solve_many};
}
