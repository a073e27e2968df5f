//! Graphs from files.

use crate::device_array::Number;
use crate::error::{ELEMENTS, Failure, name};
use crate::py_graph::view_of;
use crate::solve::{parse, parse_word};
use crate::wait;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use shortest_paths::Arcs;
use shortest_paths::read::{AnyGraph, GraphInput, ReadOptions, StoredGraph, ZeroPolicy, read_typed};
use std::path::PathBuf;

/// A graph that was read from a file.
#[pyclass(frozen, name = "Graph", module = "shortest_paths")]
pub struct FileGraph {
    /// The graph, with weights of one of four types.
    pub typed: AnyGraph,
}

/// Evaluates `$value` for a graph of whatever type.
macro_rules! each {
    ($typed:expr, $loaded:ident => $value:expr) => {
        match $typed {
            AnyGraph::F32($loaded) => $value,
            AnyGraph::I32($loaded) => $value,
            AnyGraph::U16($loaded) => $value,
            AnyGraph::F64($loaded) => $value,
        }
    };
}

pub(crate) use each;

#[pymethods]
impl FileGraph {
    /// The number of vertices.
    #[getter]
    fn n(&self) -> usize {
        each!(&self.typed, loaded => loaded.n())
    }

    /// The type of weights, as NumPy calls it.
    #[getter]
    fn dtype(&self) -> &'static str {
        name(self.typed.element())
    }

    /// The format of the file, as `read` calls it.
    #[getter]
    fn format(&self) -> &'static str {
        each!(&self.typed, loaded => loaded.format).into()
    }

    /// How the file was packed: ``"gzip"`` or ``None``.
    #[getter]
    fn packing(&self) -> Option<&'static str> {
        each!(&self.typed, loaded => loaded.gzip).then_some("gzip")
    }

    /// How many arcs of the file the graph leaves out: duplicates, from a vertex to itself, of weight infinity.
    #[getter]
    fn dropped(&self) -> (u64, u64, u64) {
        let dropped = each!(&self.typed, loaded => loaded.dropped);
        (dropped.duplicates, dropped.self_loops, dropped.absent)
    }

    /// Whether it is a matrix with a 0 off its diagonal that is an arc.
    #[getter]
    fn has_zeros(&self) -> bool {
        each!(&self.typed, loaded => matches!(&loaded.graph, StoredGraph::Matrix(matrix) if matrix.survey().zeros > 0))
    }

    /// What the file calls a vertex.
    fn name(&self, vertex: usize) -> Result<String, Failure> {
        let n = self.n();
        if vertex >= n {
            let message =
                format!("vertex {vertex} is not in a graph of {n} vertices, which are counted from 0");
            return Err(Failure::new("RequestError", message));
        }
        Ok(each!(&self.typed, loaded => loaded.names.name(vertex).into_owned()))
    }

    /// The vertex that has this name in the file.
    fn vertex(&self, name: &str) -> Result<usize, Failure> {
        let n = self.n();
        let found = each!(&self.typed, loaded => loaded.names.vertex(name, n));
        let message = || format!("no vertex of the graph is called '{name}'");
        found.ok_or_else(|| Failure::new("RequestError", message()))
    }

    /// Copies of ``data``, ``indices`` and ``indptr``, as ``scipy.sparse.csr_array`` takes them.
    fn csr<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        each!(&self.typed, loaded => csr(py, loaded))
    }

    fn __repr__(&self) -> String {
        format!("<shortest_paths.Graph: {} vertices, {}, from {}>", self.n(), self.dtype(), self.format())
    }
}

fn csr<'py, T: Number>(py: Python<'py>, loaded: &GraphInput<T>) -> PyResult<Bound<'py, PyTuple>> {
    let pool = wait::pool(None, usize::MAX)?;
    let arcs = wait::run(py, &pool, None, |_| Ok(Arcs::of_graph(&view_of(loaded)?)?))?;
    let (offsets, heads, weights) = arcs.into_rows();
    let int = py.import("numpy")?.getattr("int64")?;
    let heads = PyArray1::from_vec(py, heads).call_method1("astype", (&int,))?;
    let offsets = PyArray1::from_vec(py, offsets).call_method1("astype", (&int,))?;
    (PyArray1::from_vec(py, weights), heads, offsets).into_pyobject(py)
}

/// Reads a graph.
#[pyfunction]
pub fn read(
    py: Python,
    path: PathBuf,
    dtype: &Bound<PyAny>,
    undirected: bool,
    vertices: &Bound<PyAny>,
    zeros_absent: bool,
    format: &Bound<PyAny>,
) -> PyResult<FileGraph> {
    let element = parse("dtype", dtype, &ELEMENTS)?;
    let numbering = parse_word("vertices", vertices, "None")?;
    let format = parse_word("format", format, "None")?;
    let zeros = if zeros_absent { ZeroPolicy::Absent } else { ZeroPolicy::Arcs };
    let options = ReadOptions { format, undirected, numbering, zeros };
    let pool = wait::pool(None, usize::MAX)?;
    let typed = wait::run(py, &pool, None, |_| Ok(read_typed(&path, element, &options)?.0))?;
    Ok(FileGraph { typed })
}
