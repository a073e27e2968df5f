//! Graphs and distances in the memory of a GPU.
//! Also chooses the solver of dense graphs for a request.

use crate::dlpack::{DlpackMatrix, give, place_name, place_of, take};
use crate::error::{Failure, name};
use crate::solution::{ResultArray, SolutionFields};
use crate::solve::SolveOptions;
use crate::wait;
use numpy::PyArrayDescr;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use repro_dense::{DenseSolver, DeviceMatrix, Placement};
use repro_device::Selection;
use repro_graph::ElementType;
use shortest_paths::{Algorithm, Element, Graph, Paths, Workload, choose};
use std::sync::{Arc, Mutex};

/// An n x n matrix in the memory of a GPU, for libraries that take arrays by DLPack. It is freed when nobody has it any more.
///
/// ``torch.from_dlpack(array)`` and ``cupy.from_dlpack(array)`` take it where it lies; `to_numpy` copies it to the host.
#[pyclass(frozen, name = "DeviceArray", module = "shortest_paths")]
pub struct DeviceArray {
    matrix: Arc<DeviceMatrix>,
}

impl DeviceArray {
    /// The whole matrix as an array, or the number at `place`.
    fn numbers<'py>(
        &self,
        py: Python<'py>,
        place: Option<(usize, usize)>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        match self.matrix.element() {
            ElementType::F32 => numbers::<f32>(py, &self.matrix, place),
            ElementType::I32 => numbers::<i32>(py, &self.matrix, place),
            ElementType::U16 => numbers::<u16>(py, &self.matrix, place),
            ElementType::F64 => numbers::<f64>(py, &self.matrix, place),
        }
    }
}

#[pymethods]
impl DeviceArray {
    /// Rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.matrix.n(), self.matrix.n())
    }

    /// The type of the numbers, as NumPy has it.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDescr>> {
        PyArrayDescr::new(py, name(self.matrix.element()))
    }

    /// A copy in the host's memory.
    fn to_numpy<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>, Failure> {
        self.numbers(py, None)
    }

    /// The number in this row and column, as a number of Python. It is copied alone.
    fn item<'py>(&self, py: Python<'py>, row: i64, column: i64) -> PyResult<Bound<'py, PyAny>> {
        let n = self.matrix.n();
        let place = |index: i64| usize::try_from(index).ok().filter(|index| *index < n);
        let (Some(row), Some(column)) = (place(row), place(column)) else {
            let what = format!(
                "there is no entry [{row}, {column}] in {n} rows and columns, which are counted from 0"
            );
            return Err(PyIndexError::new_err(what));
        };
        Ok(self.numbers(py, Some((row, column)))?)
    }

    /// Kind of memory and number of the device, by DLPack's numbers.
    fn __dlpack_device__(&self) -> (u32, i32) {
        place_of(self.matrix.device_info()).into()
    }

    /// The array for another library, which takes it without a copy. No work on it is pending, so every stream may use it at once.
    #[pyo3(signature = (stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__(
        &self,
        py: Python,
        stream: Option<Bound<PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(u32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Py<PyAny>> {
        drop(stream);
        give(py, &self.matrix, max_version, dl_device, copy)
    }

    /// Refuses: NumPy would copy the array to the host unasked.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__(&self, dtype: Option<Bound<PyAny>>, copy: Option<bool>) -> PyResult<Py<PyAny>> {
        drop(dtype);
        let _ = copy;
        let place = place_name(place_of(self.matrix.device_info()));
        Err(PyTypeError::new_err(format!(
            "the array is in the memory of {place}, which NumPy does not read: copy it by to_numpy()"
        )))
    }

    fn __repr__(&self) -> String {
        let (n, element) = (self.matrix.n(), name(self.matrix.element()));
        format!(
            "<shortest_paths.DeviceArray: {n} x {n}, {element}, on {}>",
            place_name(place_of(self.matrix.device_info()))
        )
    }
}

fn numbers<'py, T: Number>(
    py: Python<'py>,
    matrix: &DeviceMatrix,
    place: Option<(usize, usize)>,
) -> Result<Bound<'py, PyAny>, Failure> {
    if let Some((row, column)) = place {
        let number = py.detach(|| matrix.distance::<T>(row, column))?;
        return Ok(ResultArray::new(&[], vec![number]).into_pyobject(py)?.call_method0("item")?);
    }
    let pool = wait::pool(None, usize::MAX)?;
    let entries = wait::run(py, &pool, None, |control| Ok(matrix.to_host::<T>(control)?))?;
    Ok(ResultArray::new(&[matrix.n(), matrix.n()], entries).into_pyobject(py)?)
}

/// Solves the n x n matrix in the capsule that `capsule()` returns, which is on the GPU of this number, or, for tests of this package, on the
/// emulated device, whose memory is the host's. `capsule` is called once the device is open.
#[pyfunction]
pub fn solve_on_device(
    py: Python,
    capsule: &Bound<PyAny>,
    number: usize,
    dtype: Option<&str>,
    zeros_absent: bool,
    request: SolveOptions,
    emulated: bool,
) -> Result<SolutionFields, Failure> {
    let is_there = match request.device {
        Selection::Auto => true,
        other => other.cuda_ordinal() == Some(number),
    };
    if !is_there {
        let what = format!(
            "device is '{}', and the array is on cuda:{number}: leave device out, or copy the array there",
            request.device
        );
        return Err(Failure::new("RequestError", what));
    }
    let selection = if emulated { Selection::Emulated(None) } else { Selection::Cuda(Some(number)) };
    let solver = py.detach(|| opened(selection))?;
    let info = solver.device_info().ok_or_else(|| {
        Failure::panic("internal error: the array is on a GPU, but the solver was opened on the CPU")
    })?;
    let (place, device) = (place_of(info), info.name.clone());
    let DlpackMatrix { memory, n, element } = take(&capsule.call0()?, place)?;
    if let Some(dtype) = dtype.filter(|dtype| *dtype != name(element)) {
        let what = format!(
            "dtype is '{dtype}', and the array on {} is {}: convert it there, or copy it to the host first, as with x.cpu()",
            place_name(place),
            name(element)
        );
        return Err(Failure::new("RequestError", what));
    }
    let pool = wait::pool(request.threads, 1)?;
    let matrix = wait::run(py, &pool, request.progress.as_ref(), |control| {
        Ok(solver.solve_there(memory, n, element, zeros_absent, control)?)
    })?;
    let array = DeviceArray { matrix: Arc::new(matrix) };
    let distances = ResultArray::by(|py| Ok(Py::new(py, array)?.into_any()));
    Ok(SolutionFields::new(n, distances, Algorithm::FloydWarshall, device))
}

/// Weights that every solver takes and that NumPy has.
pub trait Number: Element + numpy::Element {}
impl<T: Element + numpy::Element> Number for T {}

/// Solvers that were opened, each with the process that opened it: a process that was forked has none of their threads.
type SolverCache = Vec<(u32, Selection, Arc<DenseSolver>)>;

static OPENED: Mutex<SolverCache> = Mutex::new(Vec::new());

/// Parses `"auto"`, `"cpu"`, `"cuda"` or `"cuda:N"`.
///
/// # Errors
/// Another name.
pub fn selection(given: &Bound<PyAny>) -> Result<Selection, Failure> {
    let name = given.cast::<PyString>().ok().map(|name| name.to_cow()).transpose()?;
    match name.and_then(|name| name.parse().ok()) {
        Some(selection @ (Selection::Auto | Selection::Cpu | Selection::Cuda(_))) => Ok(selection),
        _ => {
            let given = given.repr()?;
            let message =
                format!("device is {given}: give 'auto', 'cpu', 'cuda', or 'cuda:N' for the one numbered N");
            Err(Failure::new("RequestError", message))
        }
    }
}

/// The solver of dense graphs for this graph and request. `auto` opens a GPU only where Floyd-Warshall on it is taken to be fastest and the matrix
/// fits. Solvers are kept for as long as the process lives.
///
/// # Errors
/// When a device was named and cannot be opened.
pub fn solver<T: Number>(
    wanted: &SolveOptions,
    graph: &impl Graph<Weight = T>,
) -> Result<Arc<DenseSolver>, Failure> {
    if wanted.device != Selection::Auto {
        return opened(wanted.device);
    }
    let Placement { selection, seconds } = Placement::new(Selection::Auto, T::TYPE, graph.n());
    let (sources, targets) = (wanted.sources.as_deref(), wanted.targets.as_deref());
    let work = Workload::new(graph, sources, targets, wanted.paths != Paths::No);
    let algorithm = wanted.algorithm.unwrap_or(choose(&work, seconds).chosen.algorithm);
    let found = (algorithm == Algorithm::FloydWarshall).then(|| opened(selection).ok()).flatten();
    let fits = |solver: &Arc<DenseSolver>| solver.check_room::<T>(graph.n()).is_ok();
    found.filter(fits).map_or_else(|| opened(Selection::Cpu), Ok)
}

/// The solver of this selection in this process: opened once, then kept.
///
/// # Errors
/// When the device cannot be opened.
pub fn opened(selection: Selection) -> Result<Arc<DenseSolver>, Failure> {
    let process = std::process::id();
    // `cuda` and `cuda:0` are one device, and one solver for it is enough.
    let selection = if selection == Selection::Cuda(None) { Selection::Cuda(Some(0)) } else { selection };
    // A thread that panicked while it held the list has not changed it.
    let mut opened = OPENED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((.., solver)) = opened.iter().find(|(of, same, _)| (*of, *same) == (process, selection)) {
        return Ok(Arc::clone(solver));
    }
    let solver = Arc::new(DenseSolver::open(selection)?);
    opened.push((process, selection, Arc::clone(&solver)));
    Ok(solver)
}
