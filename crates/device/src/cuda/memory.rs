//! Owners of device memory and of page-locked host memory.

use crate::memory::HostStorage;
use cudarc::driver::{CudaContext, DriverError, result, sys};
use std::sync::Arc;

/// Device memory, freed when dropped.
pub(super) struct DeviceMemory {
    pub(super) address: u64,
    context: Arc<CudaContext>,
}

impl DeviceMemory {
    pub(super) fn allocate(context: &Arc<CudaContext>, bytes: usize) -> Result<Self, DriverError> {
        context.bind_to_thread()?;
        // SAFETY: the context is current. The contents are undefined, which only kernels and copies ever read.
        let address = unsafe { result::malloc_sync(bytes) }?;
        Ok(Self { address, context: context.clone() })
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        // A failure here means that the context is already lost, and the memory with it.
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: allocated by `malloc_sync` in this context and freed once; freeing waits for work that uses it.
            let _ = unsafe { result::free_sync(self.address) };
        }
    }
}

/// Device memory that another library owns. Dropping this waits for all work of the context, then gives the memory back.
pub(super) struct AdoptedMemory {
    context: Arc<CudaContext>,
    _owner: Box<dyn Send>,
}

impl AdoptedMemory {
    pub(super) fn new(context: &Arc<CudaContext>, owner: Box<dyn Send>) -> Self {
        Self { context: context.clone(), _owner: owner }
    }
}

impl Drop for AdoptedMemory {
    fn drop(&mut self) {
        // A failure here means that the context is lost, and nothing reads the memory any more.
        let _ = self.context.synchronize();
    }
}

/// The number of the device whose memory is at this address. None where the driver knows of no memory there, or it is the host's.
pub(super) fn device_of(context: &CudaContext, address: u64) -> Result<Option<usize>, DriverError> {
    context.bind_to_thread()?;
    let (mut kind, mut ordinal) = (0_u32, -1_i32);
    let ask = |attribute, answer: *mut std::ffi::c_void| {
        // SAFETY: the context is current, the address is only looked up, and each answer is a number of four bytes.
        unsafe { sys::cuPointerGetAttribute(answer, attribute, address) }
    };
    use sys::CUpointer_attribute as Attribute;
    let answers = [
        ask(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (&raw mut kind).cast()),
        ask(Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, (&raw mut ordinal).cast()),
    ];
    for answer in answers {
        match answer {
            sys::CUresult::CUDA_ERROR_INVALID_VALUE => return Ok(None),
            answer => answer.result()?,
        }
    }
    let is_device = kind == sys::CUmemorytype::CU_MEMORYTYPE_DEVICE as u32;
    Ok(usize::try_from(ordinal).ok().filter(|_| is_device))
}

/// Page-locked bytes, cached on the CPU: write-combined memory would be read many times slower.
pub(super) struct PinnedMemory {
    start: *mut u8,
    bytes: usize,
    context: Arc<CudaContext>,
}

impl PinnedMemory {
    pub(super) fn allocate(context: &Arc<CudaContext>, bytes: usize) -> Result<Self, DriverError> {
        context.bind_to_thread()?;
        // SAFETY: the context is current; flags 0 ask for plain cached memory, which the driver aligns to pages.
        let start = unsafe { result::malloc_host(bytes, 0) }?.cast::<u8>();
        // SAFETY: freshly allocated for so many bytes; zeroed so that a slice of them never holds undefined ones.
        unsafe { start.write_bytes(0, bytes) };
        Ok(Self { start, bytes, context: context.clone() })
    }
}

impl HostStorage for PinnedMemory {
    fn bytes(&self) -> &[u8] {
        // SAFETY: initialized bytes that live as long as `self`; only `&mut self` gives write access. The device writes here only during a
        // copy, and `HostBuffer` waits for pending copies before it lets anybody read them.
        unsafe { std::slice::from_raw_parts(self.start, self.bytes) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: allocated by `malloc_host` in this context and freed once; freeing waits for pending copies.
            let _ = unsafe { result::free_host(self.start.cast()) };
        }
    }
}
