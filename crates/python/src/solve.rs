//! Solves what Python hands over, and makes NumPy's arrays of the results.

use crate::csr::{Index, rows};
use crate::dense::DenseRows;
use crate::device::{Number, solver};
use crate::error::{Failure, raise};
use crate::file::FileGraph;
use crate::input::Input;
use crate::request::{Request, name};
use crate::verify::{Verified, verify};
use crate::wait;
use numpy::ndarray::Array2;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use repro_dense::SolverDevice;
use shortest_paths::read::{Loaded, Stored, Typed};
use shortest_paths::{Algorithm, ArcsBuilder, Choice, Control, Estimate, Options, Solution, solve};
use std::borrow::Cow;

/// Calls a function for the type of weights that an array has: `by_type!(array: PyArray1 => function(argument, ...))`, where the array
/// with its type is the first argument.
macro_rules! by_type {
    ($object:expr, $kind:ident => $function:ident($($argument:expr),*)) => {{
        let object: &Bound<PyAny> = $object;
        if let Ok(array) = object.cast::<$kind<f32>>() {
            $function(array, $($argument),*)
        } else if let Ok(array) = object.cast::<$kind<f64>>() {
            $function(array, $($argument),*)
        } else if let Ok(array) = object.cast::<$kind<i32>>() {
            $function(array, $($argument),*)
        } else if let Ok(array) = object.cast::<$kind<u16>>() {
            $function(array, $($argument),*)
        } else {
            let message = format!("{} is no array of weights", object.get_type());
            Err(raise("GraphTypeError", (message,)))
        }
    }};
}

/// Solves an n x n matrix, which is borrowed.
#[pyfunction]
pub fn solve_dense<'py>(
    matrix: &Bound<'py, PyAny>,
    zeros_absent: bool,
    request: Request<'py>,
) -> PyResult<SolutionFields> {
    by_type!(matrix, PyArray2 => dense(zeros_absent, &request))
}

/// Solves compressed sparse rows, which are borrowed where they are sorted.
#[pyfunction]
pub fn solve_csr<'py>(
    n: usize,
    indptr: &Bound<'py, PyAny>,
    indices: &Bound<'py, PyAny>,
    weights: &Bound<'py, PyAny>,
    request: Request<'py>,
) -> PyResult<SolutionFields> {
    if let (Ok(indptr), Ok(indices)) = (indptr.cast::<PyArray1<i32>>(), indices.cast()) {
        return by_type!(weights, PyArray1 => csr(n, indptr, indices, &request));
    }
    match (indptr.cast::<PyArray1<i64>>(), indices.cast()) {
        (Ok(indptr), Ok(indices)) => {
            by_type!(weights, PyArray1 => csr(n, indptr, indices, &request))
        }
        _ => Err(raise("GraphTypeError", ("indptr and indices have to be int32 or int64, both the same",))),
    }
}

/// Solves a list of arcs. Without n there are as many vertices as the arcs name.
#[pyfunction]
pub fn solve_arcs<'py>(
    n: Option<usize>,
    tails: &Bound<'py, PyArray1<i64>>,
    heads: &Bound<'py, PyArray1<i64>>,
    weights: &Bound<'py, PyAny>,
    request: Request<'py>,
) -> PyResult<SolutionFields> {
    by_type!(weights, PyArray1 => arcs(n, tails, heads, &request))
}

/// Solves a graph that was read from a file.
#[pyfunction]
pub fn solve_file<'py>(graph: &Bound<'py, FileGraph>, request: Request<'py>) -> PyResult<SolutionFields> {
    let py = graph.py();
    match graph.get().typed() {
        Typed::F32(loaded) => file(py, loaded, &request),
        Typed::I32(loaded) => file(py, loaded, &request),
        Typed::U16(loaded) => file(py, loaded, &request),
        Typed::F64(loaded) => file(py, loaded, &request),
    }
}

fn dense<T: Number>(
    matrix: &Bound<PyArray2<T>>,
    zeros_absent: bool,
    request: &Request,
) -> PyResult<SolutionFields> {
    let [rows, columns] = [matrix.shape()[0], matrix.shape()[1]];
    if rows != columns {
        let message = format!("the matrix has shape ({rows}, {columns}): give as many rows as columns");
        return Err(raise("GraphError", (message,)));
    }
    let borrowed = matrix.try_readonly()?;
    let weights = borrowed.as_slice()?;
    solved(matrix.py(), rows, request, |_| Ok(Input::Dense(DenseRows::new(rows, weights, zeros_absent)?)))
}

fn csr<T: Number, I: Index>(
    weights: &Bound<PyArray1<T>>,
    n: usize,
    firsts: &Bound<PyArray1<I>>,
    heads: &Bound<PyArray1<I>>,
    request: &Request,
) -> PyResult<SolutionFields> {
    let arrays = (firsts.try_readonly()?, heads.try_readonly()?, weights.try_readonly()?);
    let (firsts, heads, weights) = (arrays.0.as_slice()?, arrays.1.as_slice()?, arrays.2.as_slice()?);
    solved(arrays.2.py(), n, request, |_| rows(n, firsts, heads, weights))
}

fn arcs<T: Number>(
    weights: &Bound<PyArray1<T>>,
    n: Option<usize>,
    tails: &Bound<PyArray1<i64>>,
    heads: &Bound<PyArray1<i64>>,
    request: &Request,
) -> PyResult<SolutionFields> {
    let arrays = (tails.try_readonly()?, heads.try_readonly()?, weights.try_readonly()?);
    let (tails, heads, weights) = (arrays.0.as_slice()?, arrays.1.as_slice()?, arrays.2.as_slice()?);
    solved(arrays.2.py(), n.unwrap_or(usize::MAX), request, |control| {
        let mut builder = match n {
            Some(n) => ArcsBuilder::with_vertices(n)?,
            None => ArcsBuilder::growing(),
        };
        builder.reserve(weights.len())?;
        for (at, ((tail, head), weight)) in tails.iter().zip(heads).zip(weights).enumerate() {
            if at % (1 << 16) == 0 {
                control.check()?;
            }
            // The Python half has refused negative numbers; what is left of them is no vertex.
            let vertex = |end: i64| usize::try_from(end).unwrap_or(usize::MAX);
            builder.add(vertex(*tail), vertex(*head), *weight)?;
        }
        Ok(Input::Arcs(Cow::Owned(builder.build()?.0)))
    })
}

fn file<T: Number>(py: Python, loaded: &Loaded<T>, request: &Request) -> PyResult<SolutionFields> {
    let graph = || match &loaded.graph {
        Stored::Arcs(arcs) => Input::Arcs(Cow::Borrowed(arcs)),
        Stored::Matrix(matrix) => Input::Matrix(Cow::Borrowed(matrix)),
    };
    solved(py, loaded.n(), request, |_| Ok(graph()))
}

/// Makes the graph, solves it and checks the result if that is asked for, on threads of its own.
fn solved<'a, T: Number>(
    py: Python,
    most_threads: usize,
    request: &Request,
    graph: impl FnOnce(&Control) -> Result<Input<'a, T>, Failure> + Send,
) -> PyResult<SolutionFields> {
    let wanted = request.wanted()?;
    let pool = wait::pool(request.threads, most_threads)?;
    let (solution, device, verified) = wait::run(py, &pool, request.progress.as_ref(), |control| {
        let graph = graph(control)?;
        let dense = solver(wanted.device, &wanted, &graph)?;
        let options = Options {
            sources: wanted.sources.as_deref(),
            targets: wanted.targets.as_deref(),
            paths: wanted.paths,
            algorithm: wanted.algorithm,
            dense: Some(&*dense),
            control: *control,
            ..Options::default()
        };
        let solution = solve(&graph, &options)?;
        let device = match dense.place(T::TYPE) {
            SolverDevice::Device { name, .. } if solution.algorithm == Algorithm::FloydWarshall => name,
            _ => "cpu".to_string(),
        };
        let verified = if wanted.verify { Some(verify(&graph, &solution, control)?) } else { None };
        Ok((solution, device, verified))
    })?;
    SolutionFields::new(py, solution, device, verified)
}

/// A solution, as a dict of arguments for the Python half's class.
#[derive(IntoPyObject)]
pub struct SolutionFields {
    n: usize,
    distances: Py<PyAny>,
    predecessors: Option<Py<PyAny>>,
    next: Option<Py<PyAny>>,
    algorithm: &'static str,
    device: String,
    chosen: Option<Expected>,
    dense: Option<Expected>,
    search: Option<Expected>,
    verified: Option<(usize, u64, f64)>,
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
            algorithm: name(Algorithm::FloydWarshall),
            device,
            chosen: None,
            dense: None,
            search: None,
            verified: None,
        }
    }

    /// The vectors become NumPy's, where they are.
    fn new<T: Number>(
        py: Python,
        solution: Solution<T>,
        device: String,
        verified: Option<Verified>,
    ) -> PyResult<Self> {
        let Solution { n, sources, targets, distances, predecessors, next, algorithm, choice } = solution;
        let rows = sources.map_or(n, |sources| sources.len());
        let columns = targets.map_or(n, |targets| targets.len());
        let square =
            |entries: Option<Vec<i32>>| entries.map(|entries| array(py, rows, n, entries)).transpose();
        let Choice { chosen, dense, search } = choice;
        Ok(Self {
            n,
            distances: array(py, rows, columns, distances)?,
            predecessors: square(predecessors)?,
            next: square(next)?,
            algorithm: name(algorithm),
            device,
            chosen: Some(expected(chosen)),
            dense: dense.map(expected),
            search: Some(expected(search)),
            verified: verified.map(|verified| (verified.rows, verified.paths, verified.widest)),
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
