//! What was found, as NumPy's arrays.

use crate::device::Number;
use crate::error::Failure;
use crate::request::name;
use crate::solve::Outcome;
use numpy::ndarray::{Array1, Array2};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use shortest_paths::{Algorithm, Estimate};

/// A solution, as a dict of arguments for the Python half's class.
#[derive(IntoPyObject)]
pub struct SolutionFields {
    n: usize,
    distances: Py<PyAny>,
    predecessors: Option<Py<PyAny>>,
    next: Option<Py<PyAny>>,
    nearest: Option<Py<PyAny>>,
    algorithm: &'static str,
    device: String,
    chosen: Option<Expected>,
    dense: Option<Expected>,
    search: Option<Expected>,
    verified: Option<(usize, u64, f64)>,
    has_zeros: bool,
}

/// Algorithm, seconds, bytes, and whether these can be had.
type Expected = (&'static str, f64, u128, bool);

impl SolutionFields {
    /// Of distances on a device, which have no other algorithm.
    pub fn on_device(n: usize, distances: Py<PyAny>, device: String) -> Self {
        Self {
            n,
            distances,
            predecessors: None,
            next: None,
            nearest: None,
            algorithm: name(Algorithm::FloydWarshall),
            device,
            chosen: None,
            dense: None,
            search: None,
            verified: None,
            has_zeros: false,
        }
    }

    /// The vectors become NumPy's, where they are.
    pub fn new<T: Number>(py: Python, outcome: Outcome<T>) -> PyResult<Self> {
        let Outcome { n, rows, columns, choice, .. } = outcome;
        let square =
            |entries: Option<Vec<i32>>| entries.map(|entries| array(py, rows, n, entries)).transpose();
        let line = |entries| PyArray1::from_owned_array(py, Array1::from_vec(entries)).into_any().unbind();
        Ok(Self {
            n,
            distances: array(py, rows, columns, outcome.distances)?,
            predecessors: square(outcome.predecessors)?,
            next: square(outcome.next)?,
            nearest: outcome.nearest.map(line),
            algorithm: name(outcome.algorithm),
            device: outcome.device,
            chosen: choice.map(|choice| expected(choice.chosen)),
            dense: choice.and_then(|choice| choice.dense).map(expected),
            search: choice.map(|choice| expected(choice.search)),
            verified: outcome.verified.map(|verified| (verified.rows, verified.paths, verified.widest)),
            has_zeros: outcome.has_zeros,
        })
    }
}

/// These entries as an array of NumPy.
pub fn array<N: numpy::Element>(
    py: Python,
    rows: usize,
    columns: usize,
    entries: Vec<N>,
) -> PyResult<Py<PyAny>> {
    let shaped = Array2::from_shape_vec((rows, columns), entries);
    let shaped = shaped.map_err(|error| Failure::Panic(format!("a result has the wrong size: {error}")))?;
    Ok(PyArray2::from_owned_array(py, shaped).into_any().unbind())
}

fn expected(estimate: Estimate) -> Expected {
    (name(estimate.algorithm), estimate.seconds, estimate.bytes, estimate.fits)
}
