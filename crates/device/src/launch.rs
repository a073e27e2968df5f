//! Kernels, and the shape and the arguments of a launch.

use crate::device::downcast_handle;
use crate::{Buffer, DeviceError, FailureKind, KernelSource};
use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::rc::Rc;

/// A kernel ready to be launched on the device that loaded it.
#[derive(Clone)]
pub struct Kernel {
    /// Its name in the source file.
    pub name: Rc<str>,
    /// Bytes of each of its parameters; None where the driver does not report them.
    pub parameter_bytes: Option<Rc<[usize]>>,
    handle: Rc<dyn Any>,
}

impl Kernel {
    pub(crate) fn new(name: &str, parameter_bytes: Option<Rc<[usize]>>, handle: impl Any) -> Self {
        Self { name: name.into(), parameter_bytes, handle: Rc::new(handle) }
    }

    /// What the device that loaded it keeps for it.
    pub(crate) fn handle<T: 'static>(&self) -> Result<&T, DeviceError> {
        downcast_handle(&*self.handle, &self.name)
    }
}

/// Kernels that a device has loaded, so that none is loaded twice; and errors of sources that do not compile, so that none is tried twice.
#[derive(Default)]
pub(crate) struct KernelCache(RefCell<HashMap<KernelCacheKey, Result<Vec<Kernel>, DeviceError>>>);

/// The hash of a source, and names of kernels in it.
type KernelCacheKey = (String, Vec<String>);

impl KernelCache {
    /// The kernels as loaded before, found by the source's hash and their names; otherwise what `load` returns now.
    pub(crate) fn get_or(
        &self,
        source: &KernelSource,
        kernels: &[&str],
        load: impl FnOnce() -> Result<Vec<Kernel>, DeviceError>,
    ) -> Result<Vec<Kernel>, DeviceError> {
        let key = (source.hash(), kernels.iter().map(ToString::to_string).collect());
        if let Some(known) = self.0.borrow().get(&key) {
            return known.clone();
        }
        let loaded = load();
        // Other failures may pass: memory may become free, and a compiler may be found.
        if loaded.as_ref().err().is_none_or(|error| error.kind == FailureKind::Other) {
            self.0.borrow_mut().insert(key, loaded.clone());
        }
        loaded
    }
}

/// One argument of a launch, in the order of the kernel's parameters.
#[derive(Clone, Copy)]
pub enum Argument<'a> {
    /// The address of the buffer's first byte.
    Buffer(&'a Buffer),
    /// The address of this byte of the buffer.
    Within(&'a Buffer, usize),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    /// A struct by value: its bytes, where they are aligned as the struct is.
    Struct(&'a [u8]),
}

impl Argument<'_> {
    /// Its value in the lowest of eight bytes, of which a kernel reads as many as its parameter has: CUDA machines are
    /// little-endian. 0 for a struct, whose bytes lie elsewhere.
    pub(crate) fn bits(&self) -> u64 {
        match self {
            Self::Buffer(buffer) => buffer.address,
            Self::Within(buffer, bytes) => buffer.address + *bytes as u64,
            Self::Int(int) => u64::from(int.cast_unsigned()),
            Self::Long(long) => long.cast_unsigned(),
            Self::Float(float) => u64::from(float.to_bits()),
            Self::Double(double) => double.to_bits(),
            Self::Struct(_) => 0,
        }
    }

    /// The pointer from which a launch reads the argument, once `bits` holds what [`Argument::bits`] gives.
    pub(crate) fn pointer(&self, bits: &mut u64) -> *mut c_void {
        match self {
            Self::Struct(bytes) => bytes.as_ptr().cast_mut().cast(),
            _ => std::ptr::from_mut(bits).cast(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_does_not_compile_is_compiled_once_and_what_may_change_is_tried_again() {
        let (source, tried) = (KernelSource::embedded("x.cu", "int x;"), std::cell::Cell::new(0));
        let load = |loaded: &KernelCache, kernel: &str, kind| {
            let fail = || {
                tried.set(tried.get() + 1);
                Err(DeviceError::new(kind, "as the first time"))
            };
            let error = loaded.get_or(&source, &[kernel], fail).err().unwrap();
            (error.message, tried.get())
        };
        let loaded = KernelCache::default();
        for (kernel, kind, all) in [
            ("a", FailureKind::Other, [1, 1]),
            ("b", FailureKind::Other, [2, 2]),
            ("c", FailureKind::OutOfMemory, [3, 4]),
            ("d", FailureKind::Unavailable, [5, 6]),
        ] {
            let told = all.map(|_| load(&loaded, kernel, kind));
            assert_eq!(told, all.map(|tried| ("as the first time".to_string(), tried)), "{kernel}");
        }
    }
}
