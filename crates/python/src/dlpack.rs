//! DLPack, the protocol by which libraries hand arrays to each other in Python: the structs of its C header, tensors of others that are
//! taken, and distances on a device that are given.
//!
//! The structs are written here by hand: the crates that have them bring thousands of lines more, and call what frees a tensor without
//! the interpreter's lock.

use crate::error::{Failure, raise};
use pyo3::exceptions::PyBufferError;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use repro_dense::DeviceMatrix;
use repro_device::{DeviceInfo, ForeignMemory};
use repro_graph::ElementType;
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

/// Kinds of memory: the host's, and that of CUDA.
const HOST: i32 = 1;
const CUDA: i32 = 2;

/// Names of capsules: what nobody has taken yet, and what somebody has.
const PLAIN: (&CStr, &CStr) = (c"dltensor", c"used_dltensor");
const VERSIONED: (&CStr, &CStr) = (c"dltensor_versioned", c"used_dltensor_versioned");

/// Where an array is: the kind of memory, and the number of the device.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DlDevice {
    kind: i32,
    number: i32,
}

impl DlDevice {
    /// The memory of a device. That of the emulated one is the host's.
    pub fn of(device: &DeviceInfo) -> Self {
        match i32::try_from(device.ordinal) {
            Ok(number) if !device.emulated => Self { kind: CUDA, number },
            _ => Self { kind: HOST, number: 0 },
        }
    }

    /// As `__dlpack_device__` returns it.
    pub fn pair(self) -> (i32, i32) {
        (self.kind, self.number)
    }
}

impl std::fmt::Display for DlDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self.kind {
            HOST => write!(f, "the host"),
            CUDA => write!(f, "cuda:{}", self.number),
            kind => write!(f, "a device of DLPack's type {kind}, number {}", self.number),
        }
    }
}

/// `DLDataType`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
struct DataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

const TYPES: [(DataType, ElementType); 3] = [
    (DataType { code: 2, bits: 32, lanes: 1 }, ElementType::F32),
    (DataType { code: 0, bits: 32, lanes: 1 }, ElementType::I32),
    (DataType { code: 1, bits: 16, lanes: 1 }, ElementType::U16),
];

impl DataType {
    fn name(self) -> String {
        let kinds = ["int", "uint", "float", "handle", "bfloat", "complex", "bool"];
        let kind = kinds.get(usize::from(self.code)).copied().unwrap_or("an unknown type of bits ");
        let lanes = if self.lanes == 1 { String::new() } else { format!(" x {}", self.lanes) };
        format!("{kind}{}{lanes}", self.bits)
    }
}

/// `DLTensor`.
#[repr(C)]
struct Tensor {
    data: *mut c_void,
    place: DlDevice,
    dimensions: i32,
    dtype: DataType,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// `DLManagedTensorVersioned`. What comes before `flags` is the same in every version.
#[repr(C)]
struct Versioned {
    version: (u32, u32),
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: Tensor,
}

/// A tensor of another library, which is given back when this is dropped.
pub struct Taken(Kind);

enum Kind {
    Plain(NonNull<Managed>),
    Versioned(NonNull<Versioned>),
}

// SAFETY: nothing of a tensor belongs to a thread. It is only read, and freed once, with the interpreter's lock.
unsafe impl Send for Taken {}

impl Drop for Taken {
    fn drop(&mut self) {
        // A producer's function may use Python. Where the interpreter is shutting down, the memory goes with the process.
        Python::try_attach(|_| {
            // SAFETY: the capsule gave the tensor to `take` alone, so it is alive and is freed once, here.
            unsafe {
                match self.0 {
                    Kind::Plain(managed) => {
                        if let Some(deleter) = managed.as_ref().deleter {
                            deleter(managed.as_ptr());
                        }
                    }
                    Kind::Versioned(managed) => {
                        if let Some(deleter) = managed.as_ref().deleter {
                            deleter(managed.as_ptr());
                        }
                    }
                }
            }
        });
    }
}

/// An n x n matrix of another library.
pub struct Matrix {
    pub memory: ForeignMemory,
    pub n: usize,
    pub element: ElementType,
}

impl Taken {
    /// Takes the tensor out of a capsule that `__dlpack__` has returned.
    ///
    /// # Errors
    /// When it is no such capsule, or somebody has taken the tensor before.
    pub fn take(capsule: &Bound<PyAny>) -> PyResult<Self> {
        let pointer = |(name, used): (&'static CStr, &'static CStr)| {
            // SAFETY: the object is alive, the names live for ever, and a capsule with the first one has a pointer.
            unsafe {
                if ffi::PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) == 0 {
                    return Ok(None);
                }
                let pointer = ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr());
                if pointer.is_null() || ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr()) != 0 {
                    return Err(PyErr::fetch(capsule.py()));
                }
                Ok(NonNull::new(pointer))
            }
        };
        if let Some(managed) = pointer(VERSIONED)? {
            return Ok(Self(Kind::Versioned(managed.cast())));
        }
        if let Some(managed) = pointer(PLAIN)? {
            return Ok(Self(Kind::Plain(managed.cast())));
        }
        let what = format!(
            "__dlpack__ returned {} in the place of a capsule with a tensor: copy the array to the host first",
            capsule.get_type()
        );
        Err(raise("GraphTypeError", (what,)))
    }

    fn tensor(&self) -> PyResult<&Tensor> {
        // SAFETY: the tensor is alive as long as `self`. Of a version that is not known, its fields are not looked at.
        unsafe {
            match &self.0 {
                Kind::Plain(managed) => Ok(&(*managed.as_ptr()).tensor),
                Kind::Versioned(managed) => match (*managed.as_ptr()).version {
                    (1, _) => Ok(&(*managed.as_ptr()).tensor),
                    (major, minor) => {
                        let what = format!(
                            "the array is handed over by DLPack {major}.{minor}, and 1.x is known here: copy it to the host first"
                        );
                        Err(raise("GraphTypeError", (what,)))
                    }
                },
            }
        }
    }

    /// The tensor as a graph, if it is one in this memory that can be solved there.
    ///
    /// # Errors
    /// What is not so, with the remedy.
    pub fn matrix(self, place: DlDevice) -> PyResult<Matrix> {
        let tensor = self.tensor()?;
        let host = "copy it to the host first, as with x.cpu()";
        let refuse = |what: String| Err(raise("GraphTypeError", (what,)));
        if tensor.place != place {
            return refuse(format!(
                "an array says that it is on {place}, and its tensor is on {}: {host}",
                tensor.place
            ));
        }
        let count = usize::try_from(tensor.dimensions).unwrap_or(0);
        let list = |numbers: *const i64| match NonNull::new(numbers.cast_mut()) {
            // SAFETY: a tensor has as many of them as dimensions, for as long as it lives, where it has any.
            Some(numbers) if count > 0 => unsafe { std::slice::from_raw_parts(numbers.as_ptr(), count) },
            _ => &[],
        };
        let shown = |numbers: &[i64]| {
            let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            format!("({})", numbers.join(", "))
        };
        let (shape, strides) = (list(tensor.shape), list(tensor.strides));
        let &[rows, columns] = shape else { return Err(not_square(&shown(shape))) };
        if rows != columns {
            return Err(not_square(&shown(shape)));
        }
        let Some((_, element)) = TYPES.into_iter().find(|(known, _)| *known == tensor.dtype) else {
            return refuse(format!(
                "the array on {place} is {}, and one in a GPU's memory is float32, int32 or uint16: convert it there, or {host}",
                tensor.dtype.name()
            ));
        };
        // A single row may say anything. No strides are those of rows side by side.
        if !strides.is_empty() && rows > 1 && strides != [columns, 1] {
            return refuse(format!(
                "the rows of the array on {place} do not lie side by side in order, its strides are {}: make it so by x.contiguous(), or {host}",
                shown(strides)
            ));
        }
        let n = usize::try_from(rows).unwrap_or(0);
        if n == 0 {
            return Err(Failure::from(shortest_paths::GraphError::Empty).into());
        }
        let address = (tensor.data as u64).checked_add(tensor.byte_offset);
        let bytes = n.checked_mul(n).and_then(|entries| entries.checked_mul(element.bytes()));
        let (Some(address), Some(bytes)) = (address.filter(|_| !tensor.data.is_null()), bytes) else {
            return refuse(format!("the array on {place} has no memory of its size: {host}"));
        };
        if !address.is_multiple_of(element.bytes() as u64) {
            return refuse(format!("the array on {place} begins within a number: copy it there, or {host}"));
        }
        // SAFETY: by DLPack, the bytes are the tensor's until it is freed, which is when `self` is dropped, and it was asked for with its
        // work visible to the default stream. That nobody writes them meanwhile is asked of users, as of arrays of the host.
        let memory = unsafe { ForeignMemory::new(address, bytes, self) };
        Ok(Matrix { memory, n, element })
    }
}

fn not_square(shape: &str) -> PyErr {
    raise("GraphError", (format!("the matrix has shape {shape}: give (n, n), as many rows as columns"),))
}

/// A tensor that others have: both forms of it, of which a capsule leads to one.
struct Given {
    plain: Managed,
    versioned: Versioned,
    shape: [i64; 2],
    strides: [i64; 2],
    _distances: Arc<DeviceMatrix>,
}

/// Frees what `give` has made.
///
/// # Safety
/// `managed` is one of `give`, and is not used afterwards.
unsafe extern "C" fn free_plain(managed: *mut Managed) {
    if !managed.is_null() {
        // SAFETY: the context is the box that `give` has left, which the caller gives up.
        drop(unsafe { Box::from_raw((*managed).context.cast::<Given>()) });
    }
}

/// Frees what `give` has made for those who ask for a versioned tensor.
///
/// # Safety
/// As of the other form.
unsafe extern "C" fn free_versioned(managed: *mut Versioned) {
    if !managed.is_null() {
        // SAFETY: as above.
        drop(unsafe { Box::from_raw((*managed).context.cast::<Given>()) });
    }
}

/// Frees the tensor of a capsule that nobody has taken.
///
/// # Safety
/// Python calls it once, of a capsule that `give` has made.
unsafe extern "C" fn free_capsule(capsule: *mut PyObject) {
    // SAFETY: the capsule is alive. Under the name that it was made with, it has the pointer that it was made with; whoever takes the tensor
    // gives it the other name.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED.0.as_ptr()) != 0 {
            free_versioned(ffi::PyCapsule_GetPointer(capsule, VERSIONED.0.as_ptr()).cast());
        } else if ffi::PyCapsule_IsValid(capsule, PLAIN.0.as_ptr()) != 0 {
            free_plain(ffi::PyCapsule_GetPointer(capsule, PLAIN.0.as_ptr()).cast());
        }
    }
}

/// A capsule with the distances, which live as long as the tensor in it. All work on them has ended, so there is nothing that a stream
/// would have to wait for.
///
/// # Errors
/// `BufferError` where another place or a copy is asked for, and what Python raises.
pub fn give<'py>(
    py: Python<'py>,
    distances: &Arc<DeviceMatrix>,
    max_version: Option<(u32, u32)>,
    place: Option<(i32, i32)>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let own = DlDevice::of(distances.device_info());
    if place.is_some_and(|place| place != own.pair()) || copy == Some(true) {
        let what = format!(
            "the distances are on {own} and are not copied by DLPack: use to_numpy(), or copy what you take"
        );
        return Err(PyBufferError::new_err(what));
    }
    let side = distances.n() as i64;
    let known = TYPES.into_iter().find(|(_, element)| *element == distances.element());
    let (dtype, _) = known.ok_or_else(|| PyBufferError::new_err("the distances have no type of DLPack"))?;
    let tensor = || Tensor {
        data: distances.address() as *mut c_void,
        place: own,
        dimensions: 2,
        dtype,
        shape: std::ptr::null_mut(),
        strides: std::ptr::null_mut(),
        byte_offset: 0,
    };
    let null = std::ptr::null_mut();
    let given = Box::into_raw(Box::new(Given {
        plain: Managed { tensor: tensor(), context: null, deleter: Some(free_plain) },
        versioned: Versioned {
            version: (1, 0),
            context: null,
            deleter: Some(free_versioned),
            flags: 0,
            tensor: tensor(),
        },
        shape: [side, side],
        strides: [side, 1],
        _distances: distances.clone(),
    }));
    // SAFETY: the box was made above, and nobody else has it yet. It stays where it is until it is freed.
    let (plain, versioned) = unsafe {
        let (shape, strides) = ((&raw mut (*given).shape).cast(), (&raw mut (*given).strides).cast());
        for tensor in [&mut (*given).plain.tensor, &mut (*given).versioned.tensor] {
            (tensor.shape, tensor.strides) = (shape, strides);
        }
        ((*given).plain.context, (*given).versioned.context) = (given.cast(), given.cast());
        (&raw mut (*given).plain, &raw mut (*given).versioned)
    };
    let (pointer, name): (*mut c_void, _) = match max_version {
        Some((1.., _)) => (versioned.cast(), VERSIONED.0),
        _ => (plain.cast(), PLAIN.0),
    };
    // SAFETY: pointer and name are what the destructor expects, and the name lives for ever.
    let capsule = unsafe { ffi::PyCapsule_New(pointer, name.as_ptr(), Some(free_capsule)) };
    // SAFETY: a new reference, or none and an exception.
    unsafe { Bound::from_owned_ptr_or_err(py, capsule) }.inspect_err(|_| {
        // SAFETY: no capsule has it.
        drop(unsafe { Box::from_raw(given) });
    })
}
