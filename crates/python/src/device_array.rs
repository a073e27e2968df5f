//! Graphs and distances in the memory of a GPU.

use crate::device::{Number, opened};
use crate::dlpack::{DlDevice, Matrix, Taken, give};
use crate::error::{Failure, name, raise};
use crate::request::Request;
use crate::solution::{SolutionFields, array};
use crate::wait;
use numpy::{PyArrayDescr, dtype};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use repro_dense::DeviceMatrix;
use repro_device::Selection;
use repro_graph::ElementType;
use std::sync::Arc;

/// An n x n matrix in the memory of a GPU, for libraries that take arrays by DLPack. It is freed when nobody has it any more.
///
/// ``torch.from_dlpack(array)`` and ``cupy.from_dlpack(array)`` take it where it lies; `to_numpy` copies it to the host.
#[pyclass(frozen, name = "DeviceArray", module = "shortest_paths")]
pub struct DeviceArray {
    matrix: Arc<DeviceMatrix>,
}

/// Calls a function for the element type, one that a GPU has here.
macro_rules! each {
    ($element:expr, $function:ident($($argument:expr),*)) => {
        match $element {
            ElementType::F32 => $function::<f32>($($argument),*),
            ElementType::I32 => $function::<i32>($($argument),*),
            ElementType::U16 => $function::<u16>($($argument),*),
            ElementType::F64 => $function::<f64>($($argument),*),
        }
    };
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
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDescr> {
        each!(self.matrix.element(), dtype(py))
    }

    /// A copy in the host's memory.
    fn to_numpy(&self, py: Python) -> PyResult<Py<PyAny>> {
        each!(self.matrix.element(), copied(py, &self.matrix))
    }

    /// The number in this row and column, as a number of Python. It is copied alone.
    fn item(&self, py: Python, row: i64, column: i64) -> PyResult<Py<PyAny>> {
        let n = self.matrix.n();
        let place = |index: i64| usize::try_from(index).ok().filter(|index| *index < n);
        let (Some(row), Some(column)) = (place(row), place(column)) else {
            let what = format!(
                "there is no entry [{row}, {column}] in {n} rows and columns, which are counted from 0"
            );
            return Err(PyIndexError::new_err(what));
        };
        each!(self.matrix.element(), item(py, &self.matrix, row, column))
    }

    /// Kind of memory and number of the device, by DLPack's numbers.
    fn __dlpack_device__(&self) -> (i32, i32) {
        DlDevice::of(self.matrix.device_info()).pair()
    }

    /// The array for another library, which takes it without a copy. No work on it is pending, so every stream may use it at once.
    #[pyo3(signature = (stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        drop(stream);
        give(py, &self.matrix, max_version, dl_device, copy)
    }

    /// NumPy would copy it unasked.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__(&self, dtype: Option<Bound<PyAny>>, copy: Option<bool>) -> PyResult<Py<PyAny>> {
        drop(dtype);
        let _ = copy;
        let place = DlDevice::of(self.matrix.device_info());
        Err(PyTypeError::new_err(format!(
            "the array is in the memory of {place}, which NumPy does not read: copy it by to_numpy()"
        )))
    }

    fn __repr__(&self) -> String {
        let (n, element) = (self.matrix.n(), name(self.matrix.element()));
        format!(
            "<shortest_paths.DeviceArray: {n} x {n}, {element}, on {}>",
            DlDevice::of(self.matrix.device_info())
        )
    }
}

fn copied<T: Number>(py: Python, matrix: &DeviceMatrix) -> PyResult<Py<PyAny>> {
    let pool = wait::pool(None, usize::MAX)?;
    let entries = wait::run(py, &pool, None, |control| Ok(matrix.to_host::<T>(control)?))?;
    array(py, matrix.n(), matrix.n(), entries)
}

fn item<T: Number>(py: Python, matrix: &DeviceMatrix, row: usize, column: usize) -> PyResult<Py<PyAny>> {
    let number = py.detach(|| matrix.distance::<T>(row, column)).map_err(Failure::from)?;
    let one = array(py, 1, 1, vec![number])?;
    one.call_method0(py, "item")
}

/// Solves the n x n matrix in the capsule that `take()` returns, which is on the GPU of this number, or, for tests of this package, on the
/// emulated device, whose memory is the host's. `take` is called once the device is open.
#[pyfunction]
pub fn solve_on_device(
    py: Python,
    take: &Bound<PyAny>,
    number: usize,
    dtype: Option<&str>,
    zeros_absent: bool,
    request: Request,
    emulated: bool,
) -> PyResult<SolutionFields> {
    let wanted = request.wanted()?;
    let is_there = match wanted.device {
        Selection::Auto => true,
        other => other.cuda_ordinal() == Some(number),
    };
    if !is_there {
        let what = format!(
            "device is '{}', and the array is on cuda:{number}: leave device out, or copy the array there",
            request.device
        );
        return Err(raise("RequestError", (what,)));
    }
    let selection = if emulated { Selection::Emulated(None) } else { Selection::Cuda(Some(number)) };
    let solver = py.detach(|| opened(selection))?;
    let info = solver.device_info().ok_or_else(|| {
        Failure::Panic("internal error: the array is on a GPU, but the solver was opened on the CPU".into())
    })?;
    let (place, device) = (DlDevice::of(info), info.name.clone());
    let Matrix { memory, n, element } = Taken::take(&take.call0()?)?.matrix(place)?;
    if let Some(dtype) = dtype.filter(|dtype| *dtype != name(element)) {
        let what = format!(
            "dtype is '{dtype}', and the array on {place} is {}: convert it there, or copy it to the host first, as with x.cpu()",
            name(element)
        );
        return Err(raise("RequestError", (what,)));
    }
    let pool = wait::pool(request.threads, 1)?;
    let matrix = wait::run(py, &pool, request.progress.as_ref(), |control| {
        Ok(solver.solve_there(memory, n, element, zeros_absent, control)?)
    })?;
    let distances = Py::new(py, DeviceArray { matrix: Arc::new(matrix) })?;
    Ok(SolutionFields::on_device(n, distances.into_any(), device))
}
