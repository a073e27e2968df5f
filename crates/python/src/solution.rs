//! Solutions as NumPy's arrays.

use crate::error::Failure;
use numpy::ndarray::ArrayD;
use numpy::{PyArrayDyn, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use shortest_paths::{Algorithm, walk, walk_next};

/// A solution, as a dict of arguments for the Python half's class.
#[derive(IntoPyObject)]
pub struct SolutionFields {
    pub n: usize,
    pub distances: ResultArray,
    pub predecessors: Option<ResultArray>,
    pub next: Option<ResultArray>,
    /// The nearest source of each vertex.
    pub nearest: Option<ResultArray>,
    pub algorithm: &'static str,
    pub device: String,
    /// The expected costs: of the chosen algorithm, of Floyd-Warshall, and of searches.
    pub choice: Option<(EstimateTuple, Option<EstimateTuple>, EstimateTuple)>,
    /// Rows checked against the graph, paths walked, and the largest difference between a path's length and its distance.
    pub verified: Option<(usize, u64, f64)>,
    /// Whether a matrix has a 0 off its diagonal that is an arc.
    pub has_zeros: bool,
}

/// Algorithm, seconds, bytes, and whether these fit into memory.
type EstimateTuple = (&'static str, f64, u128, bool);

impl SolutionFields {
    /// A solution with distances alone.
    pub fn new(n: usize, distances: ResultArray, algorithm: Algorithm, device: String) -> Self {
        Self {
            n,
            distances,
            predecessors: None,
            next: None,
            nearest: None,
            algorithm: algorithm.into(),
            device,
            choice: None,
            verified: None,
            has_zeros: false,
        }
    }
}

/// Numbers of any type, which become an array of Python without a copy once the interpreter is attached.
pub struct ResultArray(Box<ArrayBuilder>);

type ArrayBuilder = dyn FnOnce(Python) -> PyResult<Py<PyAny>> + Send;

impl ResultArray {
    /// An array that `make` builds later, with the interpreter attached.
    pub fn by(make: impl FnOnce(Python) -> PyResult<Py<PyAny>> + Send + 'static) -> Self {
        Self(Box::new(make))
    }

    /// An array of NumPy.
    pub fn new<N: numpy::Element + 'static>(shape: &[usize], entries: Vec<N>) -> Self {
        let shaped = ArrayD::from_shape_vec(shape, entries);
        Self::by(|py| {
            let shaped =
                shaped.map_err(|error| Failure::panic(format!("a result has the wrong size: {error}")))?;
            Ok(PyArrayDyn::from_owned_array(py, shaped).into_any().unbind())
        })
    }
}

impl<'py> IntoPyObject<'py> for ResultArray {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        Ok(self.0(py)?.into_bound(py))
    }
}

/// The vertices of the path that a row of predecessors holds; `None` where it holds none.
#[pyfunction]
pub fn walk_predecessors(
    row: PyReadonlyArray1<i32>,
    source: usize,
    target: usize,
) -> PyResult<Option<Vec<usize>>> {
    Ok(walk(row.as_slice()?, source, target).map_err(Failure::from)?)
}

/// The vertices of the path that a matrix of next vertices holds; `None` where it holds none.
#[pyfunction]
pub fn walk_next_vertices(
    next: PyReadonlyArray2<i32>,
    source: usize,
    target: usize,
) -> PyResult<Option<Vec<usize>>> {
    let n = next.as_array().nrows();
    Ok(walk_next(next.as_slice()?, n, source, target).map_err(Failure::from)?)
}
