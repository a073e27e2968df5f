//! Graphs as the Python half hands them over.

use crate::device_array::Number;
use crate::error::{Failure, name};
use crate::file::{FileGraph, each};
use crate::graph::{AbsentEntries, ArcLists, GraphView};
use crate::solution::SolutionFields;
use crate::solve::solve_view;
use crate::solve::{SolveOptions, parse};
use numpy::{
    PyArrayDescrMethods, PyReadonlyArray1, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use shortest_paths::Control;
use shortest_paths::read::{AnyGraph, GraphInput, StoredGraph, fitting};

/// A graph: what was read from a file, or arrays of NumPy, which nobody may write to by NumPy meanwhile.
pub struct PyGraph<'py>(pub Box<dyn HeldGraph + 'py>);

/// A graph that Python owns, with weights of any type.
pub trait HeldGraph {
    /// The part of it that any thread may read.
    fn borrow(&self) -> PyResult<Box<dyn SolveGraph + '_>>;
}

impl HeldGraph for Bound<'_, FileGraph> {
    fn borrow(&self) -> PyResult<Box<dyn SolveGraph + '_>> {
        Ok(each!(&self.get().typed, loaded => Box::new(BorrowedGraph::File(loaded))))
    }
}

/// `_graphs.Form`: its name, vertices, the two lists of ends, whether arcs lead back, which entries are no arcs, weights.
type FormTuple<'py> =
    (Bound<'py, PyAny>, Option<usize>, Option<ArcArrays<'py>>, bool, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Offsets and heads of sparse rows, or tails and heads of arcs.
type ArcArrays<'py> = (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, u32>);

impl<'py> FromPyObject<'_, 'py> for PyGraph<'py> {
    type Error = Failure;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> Result<Self, Failure> {
        if let Ok(graph) = object.cast::<FileGraph>() {
            return Ok(Self(Box::new(graph.to_owned())));
        }
        let form: FormTuple = object.extract()?;
        let dtype = form.5.cast::<PyUntypedArray>().map_err(PyErr::from)?.dtype();
        Ok(Self(match (dtype.kind(), dtype.itemsize()) {
            (b'f', 4) => Box::new(Arrays::<f32>::extract(form)?),
            (b'f', 8) => Box::new(Arrays::<f64>::extract(form)?),
            (b'i', 4) => Box::new(Arrays::<i32>::extract(form)?),
            (b'u', 2) => Box::new(Arrays::<u16>::extract(form)?),
            _ => return Err(Failure::new("GraphTypeError", format!("{dtype} is no type of weights"))),
        }))
    }
}

/// Arrays of NumPy with weights of one type.
struct Arrays<'py, T: Number> {
    is_csr: bool,
    n: Option<usize>,
    /// None for a matrix.
    ends: Option<ArcArrays<'py>>,
    undirected: bool,
    absent: AbsentEntries,
    weights: PyReadonlyArrayDyn<'py, T>,
}

impl<'py, T: Number> Arrays<'py, T> {
    fn extract((form, n, ends, undirected, absent, weights): FormTuple<'py>) -> PyResult<Self> {
        use AbsentEntries::{Csgraph, Sentinel, Zeros};
        let absent =
            parse("absent", &absent, &[("sentinel", Sentinel), ("zeros", Zeros), ("csgraph", Csgraph)])?;
        Ok(Self { is_csr: form.eq("csr")?, n, ends, undirected, absent, weights: weights.extract()? })
    }
}

impl<T: Number> HeldGraph for Arrays<'_, T> {
    fn borrow(&self) -> PyResult<Box<dyn SolveGraph + '_>> {
        let (weights, undirected, absent) = (self.weights.as_slice()?, self.undirected, self.absent);
        let Some((starts, heads)) = &self.ends else {
            let n = self.weights.shape().first().map_or(0, |n| *n);
            return Ok(Box::new(BorrowedGraph::Dense { n, weights, absent }));
        };
        let (starts, heads) = (bytemuck::cast_slice(starts.as_slice()?), heads.as_slice()?);
        let lists = ArcLists { n: self.n, starts, heads, weights, absent, undirected };
        Ok(Box::new(if self.is_csr { BorrowedGraph::Csr(lists) } else { BorrowedGraph::Arcs(lists) }))
    }
}

/// A graph with weights of any type, for any thread.
pub trait SolveGraph: Send + Sync {
    /// The number of vertices, where it is known before the arcs are looked at, and of arcs, or of entries of a matrix.
    fn size(&self) -> (Option<usize>, usize);

    /// Makes the graph, solves it and checks the result if that is asked for.
    fn solve(&self, options: &SolveOptions, control: &Control) -> Result<SolutionFields, Failure>;

    /// The type of distances that `read` would choose for a graph whose weights are float64.
    fn fitting(&self, control: &Control) -> Result<&'static str, Failure>;
}

/// The borrowed arrays or file of a graph with weights of one type.
enum BorrowedGraph<'a, T: Number> {
    Dense { n: usize, weights: &'a [T], absent: AbsentEntries },
    Csr(ArcLists<'a, T>),
    Arcs(ArcLists<'a, T>),
    File(&'a GraphInput<T>),
}

impl<'a, T: Number> BorrowedGraph<'a, T> {
    /// The graph; for `searches` see [`GraphView::of_csr`].
    ///
    /// # Errors
    /// When the arrays are no valid graph.
    fn view(&self, searches: Option<usize>, control: &Control) -> Result<GraphView<'a, T>, Failure> {
        match self {
            Self::Dense { n, weights, absent } => GraphView::of_matrix(*n, (*weights).into(), *absent),
            Self::Csr(rows) => GraphView::of_csr(rows, searches, control),
            Self::Arcs(arcs) => GraphView::of_arcs(arcs, control),
            Self::File(loaded) => view_of(loaded),
        }
    }
}

/// A graph that was read from a file, not copied.
///
/// # Errors
/// Never for what a reader returns.
pub fn view_of<T: Number>(loaded: &GraphInput<T>) -> Result<GraphView<'_, T>, Failure> {
    match &loaded.graph {
        StoredGraph::Arcs(arcs) => Ok(arcs.into()),
        StoredGraph::Matrix(matrix) => {
            let mut view =
                GraphView::of_matrix(matrix.n(), matrix.as_slice().into(), AbsentEntries::Sentinel)?;
            // `read` has warned of zeros, unless the user said what they mean.
            view.has_zeros = false;
            Ok(view)
        }
    }
}

impl<T: Number> SolveGraph for BorrowedGraph<'_, T> {
    fn size(&self) -> (Option<usize>, usize) {
        match self {
            Self::Dense { n, weights, .. } => (Some(*n), weights.len()),
            Self::Csr(lists) | Self::Arcs(lists) => (lists.n, lists.weights.len()),
            Self::File(GraphInput { graph: StoredGraph::Arcs(arcs), .. }) => (Some(arcs.n()), arcs.m()),
            Self::File(loaded) => (Some(loaded.n()), loaded.n() * loaded.n()),
        }
    }

    fn solve(&self, options: &SolveOptions, control: &Control) -> Result<SolutionFields, Failure> {
        let searches = options.searches(self.size().0.unwrap_or(usize::MAX));
        solve_view(&self.view(searches, control)?, options, control)
    }

    fn fitting(&self, control: &Control) -> Result<&'static str, Failure> {
        Ok(name(fitting(&self.view(None, control)?).0))
    }
}
