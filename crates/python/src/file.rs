//! Graphs from files.

use crate::error::{Failure, name, raise};
use crate::wait;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use repro_graph::ElementType;
use shortest_paths::read::{
    AnyGraph, Format, Loaded, Numbering, ReadOptions, StoredGraph, ZeroPolicy, read_typed,
};
use shortest_paths::{Arcs, Element};
use std::path::PathBuf;

/// A graph that was read from a file.
#[pyclass(frozen, name = "Graph", module = "shortest_paths")]
pub struct FileGraph {
    typed: AnyGraph,
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

impl FileGraph {
    /// What was read.
    pub fn typed(&self) -> &AnyGraph {
        &self.typed
    }
}

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
        match each!(&self.typed, loaded => loaded.format) {
            Format::Dimacs => "dimacs",
            Format::MatrixMarket => "matrix-market",
            Format::EdgeList => "edge-list",
            Format::Npy => "npy",
            Format::Npz => "npz",
        }
    }

    /// How the file was packed: ``"gzip"`` or ``None``.
    #[getter]
    fn packing(&self) -> Option<&'static str> {
        each!(&self.typed, loaded => loaded.gzip).then_some("gzip")
    }

    /// Arcs of the file that the graph does without: duplicates, from a vertex to itself, of weight infinity.
    #[getter]
    fn dropped(&self) -> (u64, u64, u64) {
        let dropped = each!(&self.typed, loaded => loaded.dropped);
        (dropped.duplicates, dropped.self_loops, dropped.absent)
    }

    /// Whether it is a matrix with a 0 beside its diagonal that is an arc.
    #[getter]
    fn has_zeros(&self) -> bool {
        each!(&self.typed, loaded => has_zeros(loaded))
    }

    /// What the file calls a vertex.
    fn name(&self, vertex: usize) -> PyResult<String> {
        let n = self.n();
        if vertex >= n {
            let message =
                format!("vertex {vertex} is not in a graph of {n} vertices, which are counted from 0");
            return Err(raise("RequestError", (message,)));
        }
        Ok(each!(&self.typed, loaded => loaded.names.name(vertex).into_owned()))
    }

    /// The vertex that the file calls so.
    fn vertex(&self, name: &str) -> PyResult<usize> {
        let n = self.n();
        let found = each!(&self.typed, loaded => loaded.names.vertex(name, n));
        found.ok_or_else(|| raise("RequestError", (format!("no vertex of the graph is called '{name}'"),)))
    }

    /// Copies of ``data``, ``indices`` and ``indptr``, as ``scipy.sparse.csr_array`` takes them.
    fn csr<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        each!(&self.typed, loaded => csr(py, loaded))
    }

    fn __repr__(&self) -> String {
        format!("<shortest_paths.Graph: {} vertices, {}, from {}>", self.n(), self.dtype(), self.format())
    }
}

fn has_zeros<T: Element>(loaded: &Loaded<T>) -> bool {
    let StoredGraph::Matrix(matrix) = &loaded.graph else { return false };
    let rows = matrix.as_slice().chunks(matrix.n().max(1)).enumerate();
    let is_zero = |row: usize, (column, weight): (usize, &T)| column != row && *weight == T::ZERO;
    rows.into_iter().any(|(row, weights)| weights.iter().enumerate().any(|entry| is_zero(row, entry)))
}

fn csr<'py, T: Element + numpy::Element>(
    py: Python<'py>,
    loaded: &Loaded<T>,
) -> PyResult<Bound<'py, PyTuple>> {
    let made: Arcs<T>;
    let arcs = match &loaded.graph {
        StoredGraph::Arcs(arcs) => arcs,
        StoredGraph::Matrix(matrix) => {
            made = py.detach(|| Arcs::of_graph(matrix)).map_err(Failure::from)?;
            &made
        }
    };
    let int = py.import("numpy")?.getattr("int64")?;
    let weights = PyArray1::from_slice(py, arcs.weights());
    let heads = PyArray1::from_slice(py, arcs.heads()).call_method1("astype", (&int,))?;
    let offsets = PyArray1::from_slice(py, arcs.offsets()).call_method1("astype", (&int,))?;
    (weights, heads, offsets).into_pyobject(py)
}

/// Reads a graph.
#[pyfunction]
pub fn read(
    py: Python,
    path: PathBuf,
    dtype: Option<&str>,
    undirected: bool,
    vertices: Option<&str>,
    zeros_absent: bool,
    format: Option<&str>,
) -> PyResult<FileGraph> {
    let element = match dtype {
        None => None,
        Some("float32") => Some(ElementType::F32),
        Some("float64") => Some(ElementType::F64),
        Some("int32") => Some(ElementType::I32),
        Some("uint16") => Some(ElementType::U16),
        Some(other) => return Err(unknown("dtype", other, "'float32', 'float64', 'int32' or 'uint16'")),
    };
    let numbering = match vertices {
        None => None,
        Some("from-zero") => Some(Numbering::FromZero),
        Some("from-one") => Some(Numbering::FromOne),
        Some("named") => Some(Numbering::Named),
        Some(other) => return Err(unknown("vertices", other, "'from-zero', 'from-one' or 'named'")),
    };
    let format = match format {
        None => None,
        Some("dimacs") => Some(Format::Dimacs),
        Some("matrix-market") => Some(Format::MatrixMarket),
        Some("edge-list") => Some(Format::EdgeList),
        Some("npy") => Some(Format::Npy),
        Some("npz") => Some(Format::Npz),
        Some(other) => {
            return Err(unknown("format", other, "'dimacs', 'matrix-market', 'edge-list', 'npy' or 'npz'"));
        }
    };
    let zeros = if zeros_absent { ZeroPolicy::Absent } else { ZeroPolicy::Arcs };
    let options = ReadOptions { format, undirected, numbering, zeros };
    let pool = wait::pool(None, usize::MAX)?;
    let typed = wait::run(py, &pool, None, |_| Ok(read_typed(&path, element, &options)?.0))?;
    Ok(FileGraph { typed })
}

fn unknown(what: &str, given: &str, known: &str) -> PyErr {
    raise("RequestError", (format!("{what} is '{given}': give {known}"),))
}
