//! What was found, as NumPy's arrays.

use crate::request::name;
use numpy::PyArrayDyn;
use numpy::ndarray::ArrayD;
use pyo3::prelude::*;
use shortest_paths::{Algorithm, Choice, Estimate};

/// A solution, as a dict of arguments for the Python half's class.
#[derive(IntoPyObject)]
pub struct SolutionFields {
    pub n: usize,
    pub distances: PyMatrix,
    pub predecessors: Option<PyMatrix>,
    pub next: Option<PyMatrix>,
    /// The nearest source of each vertex.
    pub nearest: Option<PyMatrix>,
    pub algorithm: &'static str,
    pub device: String,
    /// What was expected: of the algorithm chosen, of Floyd-Warshall, and of searches.
    pub choice: Option<(EstimateTuple, Option<EstimateTuple>, EstimateTuple)>,
    /// Rows that were held against the graph, paths that were walked, and the largest difference between a path's length and its distance.
    pub verified: Option<(usize, u64, f64)>,
    /// Whether a matrix has a 0 beside its diagonal that is an arc.
    pub has_zeros: bool,
}

/// Algorithm, seconds, bytes, and whether these can be had.
type EstimateTuple = (&'static str, f64, u128, bool);

impl SolutionFields {
    /// Distances alone.
    pub fn new(n: usize, distances: PyMatrix, algorithm: Algorithm, device: String) -> Self {
        Self {
            n,
            distances,
            predecessors: None,
            next: None,
            nearest: None,
            algorithm: name(algorithm),
            device,
            choice: None,
            verified: None,
            has_zeros: false,
        }
    }

    /// With what was expected.
    pub fn expected(self, choice: Choice) -> Self {
        let tuple = |of: Estimate| (name(of.algorithm), of.seconds, of.bytes, of.fits);
        Self { choice: Some((tuple(choice.chosen), choice.dense.map(tuple), tuple(choice.search))), ..self }
    }
}

/// Numbers of any type that become an array of Python once it is attached, where they are.
pub struct PyMatrix(Box<MakeArray>);

type MakeArray = dyn FnOnce(Python) -> PyResult<Py<PyAny>> + Send;

impl PyMatrix {
    /// What `make` returns.
    pub fn by(make: impl FnOnce(Python) -> PyResult<Py<PyAny>> + Send + 'static) -> Self {
        Self(Box::new(make))
    }

    /// An array of NumPy.
    pub fn new<N: numpy::Element + 'static>(shape: &[usize], entries: Vec<N>) -> Self {
        let shaped = ArrayD::from_shape_vec(shape, entries);
        Self::by(|py| {
            let shaped = shaped.map_err(|error| {
                crate::error::Failure::panic(format!("a result has the wrong size: {error}"))
            })?;
            Ok(PyArrayDyn::from_owned_array(py, shaped).into_any().unbind())
        })
    }
}

impl<'py> IntoPyObject<'py> for PyMatrix {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        Ok(self.0(py)?.into_bound(py))
    }
}
