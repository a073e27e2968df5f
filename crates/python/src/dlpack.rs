//! DLPack, the protocol by which libraries hand arrays to each other in Python: tensors of others that are taken, and distances on a device
//! that are given. The structs of its C header and the capsules are those of the crate dlpark.

use crate::error::Failure;
use dlpark::ffi::{DLDataType, DLDevice, DLDeviceType};
use dlpark::metadata::Fixed;
use dlpark::python::{ExportRequest, ImportedDlpack, from_dlpack};
use dlpark::{DlpackFlags, Managed, ManagedTensorBase};
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use repro_dense::DeviceMatrix;
use repro_device::{DeviceInfo, ForeignMemory};
use repro_graph::ElementType;
use std::sync::Arc;

const TYPES: [(DLDataType, ElementType); 3] = [
    (DLDataType::F32, ElementType::F32),
    (DLDataType::I32, ElementType::I32),
    (DLDataType::U16, ElementType::U16),
];

/// Where a device's memory is. The emulated device's is the host's.
pub fn place_of(device: &DeviceInfo) -> DLDevice {
    match i32::try_from(device.ordinal) {
        Ok(number) if !device.emulated => DLDevice::cuda(number),
        _ => DLDevice::CPU,
    }
}

/// The name of a place for messages: a kind of memory with the device's number.
pub fn place_name(place: DLDevice) -> String {
    match place.device_type {
        DLDeviceType::CPU => "the host".to_string(),
        DLDeviceType::CUDA => format!("cuda:{}", place.device_id),
        DLDeviceType(kind) => format!("a device of DLPack's type {kind}, number {}", place.device_id),
    }
}

fn type_name(dtype: DLDataType) -> String {
    let kinds = ["int", "uint", "float", "handle", "bfloat", "complex", "bool"];
    let kind = kinds.get(usize::from(dtype.code.0)).copied().unwrap_or("an unknown type of bits ");
    let lanes = if dtype.lanes == 1 { String::new() } else { format!(" x {}", dtype.lanes) };
    format!("{kind}{}{lanes}", dtype.bits)
}

/// A tensor of another library, which is given back when this is dropped.
pub struct ImportedTensor(Option<ImportedDlpack>);

impl Drop for ImportedTensor {
    fn drop(&mut self) {
        // A producer's function may use Python. Where the interpreter is shutting down, the memory goes with the process.
        if Python::try_attach(|_| drop(self.0.take())).is_none() {
            std::mem::forget(self.0.take());
        }
    }
}

/// An n x n matrix of another library.
pub struct DlpackMatrix {
    pub memory: ForeignMemory,
    pub n: usize,
    pub element: ElementType,
}

/// The tensor in the capsule that `__dlpack__` has returned, if it lies in the memory `place` and can be solved there.
///
/// # Errors
/// What is wrong with it, and the remedy.
pub fn take(capsule: &Bound<PyAny>, place: DLDevice) -> Result<DlpackMatrix, Failure> {
    let host = "copy it to the host first, as with x.cpu()";
    let refusal = |what: String| Failure::new("GraphTypeError", what);
    // If this is no capsule, the crate would ask it for one.
    let imported = if capsule.is_instance_of::<PyCapsule>() {
        from_dlpack(capsule.as_borrowed(), None, None).map_err(|error| error.to_string())
    } else {
        Err("it is none".to_string())
    };
    let imported = imported.map_err(|error| {
        let what = capsule.get_type();
        refusal(format!(
            "__dlpack__ returned {what} in the place of a capsule with a tensor, {error}: {host}"
        ))
    })?;
    let tensor = imported.validate();
    let tensor =
        tensor.map_err(|error| refusal(format!("the array is no tensor of DLPack, {error}: {host}")))?;
    let (is_there, given, place) = (tensor.device() == place, place_name(tensor.device()), place_name(place));
    if !is_there {
        return Err(refusal(format!(
            "an array says that it is on {place}, and its tensor is on {given}: {host}"
        )));
    }
    let shown = |numbers: &[i64]| {
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        format!("({})", numbers.join(", "))
    };
    let n = match *tensor.shape() {
        [0, 0] => return Err(shortest_paths::GraphError::Empty.into()),
        [rows, columns] if rows == columns => rows as usize,
        _ => {
            let shape = shown(tensor.shape());
            let what = format!("the matrix has shape {shape}: give (n, n), as many rows as columns");
            return Err(Failure::new("GraphError", what));
        }
    };
    let Some((_, element)) = TYPES.into_iter().find(|(known, _)| *known == tensor.dtype()) else {
        let dtype = type_name(tensor.dtype());
        return Err(refusal(format!(
            "the array on {place} is {dtype}, and one in a GPU's memory is float32, int32 or uint16: convert it there, or {host}"
        )));
    };
    // The strides of a single row mean nothing. No strides stand for rows side by side.
    if let Some(strides) = tensor.strides().filter(|strides| n > 1 && **strides != [n as i64, 1]) {
        return Err(refusal(format!(
            "the rows of the array on {place} do not lie side by side in order, its strides are {}: make it so by x.contiguous(), or {host}",
            shown(strides)
        )));
    }
    let address = (tensor.data_ptr() as u64).checked_add(tensor.byte_offset());
    let Some(address) = address.filter(|_| !tensor.data_ptr().is_null()) else {
        return Err(refusal(format!("the array on {place} has no memory of its size: {host}")));
    };
    if !address.is_multiple_of(element.bytes() as u64) {
        return Err(refusal(format!(
            "the array on {place} begins within a number: copy it there, or {host}"
        )));
    }
    let bytes = tensor.num_bytes();
    // SAFETY: by DLPack, the bytes are the tensor's until it is freed, which is when their owner here is dropped, and it was asked for with
    // its work visible to the default stream. That nobody writes them meanwhile is asked of users, as of arrays of the host.
    let memory = unsafe { ForeignMemory::new(address, bytes, ImportedTensor(Some(imported))) };
    Ok(DlpackMatrix { memory, n, element })
}

/// A capsule with the distances, which live as long as the tensor in it. All work on them has ended, so there is nothing that a stream
/// would have to wait for.
///
/// # Errors
/// `BufferError` where another place or a copy is asked for, and what Python raises.
pub fn give(
    py: Python,
    distances: &Arc<DeviceMatrix>,
    max_version: Option<(u32, u32)>,
    place: Option<(u32, i32)>,
    copy: Option<bool>,
) -> PyResult<Py<PyAny>> {
    let own = place_of(distances.device_info());
    if place.is_some_and(|place| place != own.into()) || copy == Some(true) {
        let what = format!(
            "the distances are on {} and are not copied by DLPack: use to_numpy(), or copy what you take",
            place_name(own)
        );
        return Err(PyBufferError::new_err(what));
    }
    let request = ExportRequest::parse(None, max_version, place, copy)?;
    request.export_zero_copy(py, own, DlpackFlags::empty(), || exported(distances), || exported(distances))
}

/// The distances as a tensor, which shares them.
fn exported<M: ManagedTensorBase>(distances: &Arc<DeviceMatrix>) -> PyResult<Managed<M>> {
    let known = TYPES.into_iter().find(|(_, element)| *element == distances.element());
    let (dtype, _) = known.ok_or_else(|| PyBufferError::new_err("the distances have no type of DLPack"))?;
    let side = distances.n() as i64;
    let tensor = Fixed::new([side, side], [side, 1]).initialize_as(Arc::clone(distances));
    let mut tensor = tensor.map_err(|error| PyBufferError::new_err(error.to_string()))?;
    let place = place_of(distances.device_info());
    tensor.set_data(distances.address() as *mut _).set_device(place).set_dtype(dtype);
    // SAFETY: the n x n numbers of this type are at this address of the device for as long as the tensor has its share of them, and nobody
    // writes them.
    Ok(unsafe { tensor.finish() })
}
