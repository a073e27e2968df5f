//! Owners of device memory and of page-locked host memory.

use crate::memory::HostStorage;
use cudarc::driver::{CudaContext, DriverError, result};
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
        // SAFETY: initialized bytes that live as long as `self`; only `&mut self` gives write access. The device writes here only
        // during a copy, for which whoever reads them through `HostBuffer` waits first.
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
