//! Memory of a device that another library of the process owns.

use bytemuck::Pod;
use std::fmt;
use std::sync::Arc;

/// Memory of a device that another library of this process owns, to be read by kernels after [`Device::adopt`](crate::Device::adopt).
pub struct ForeignMemory {
    pub(crate) address: u64,
    pub(crate) bytes: usize,
    /// Gives the memory back when dropped, on whatever thread that is.
    pub(crate) owner: Box<dyn Send>,
}

impl ForeignMemory {
    /// `bytes` bytes from `address` on, as kernels know it: an address of a GPU's memory, or, for the emulated device, of the host's.
    ///
    /// # Safety
    /// Until `owner` is dropped, the bytes may be read by kernels of every device whose memory they are, as the driver tells, and nobody
    /// writes them. What wrote them before is done, or queued so that the device's default stream waits for it.
    pub unsafe fn new(address: u64, bytes: usize, owner: impl Send + 'static) -> Self {
        Self { address, bytes, owner: Box::new(owner) }
    }

    /// These numbers, for the emulated device, whose memory is the host's. A GPU refuses them.
    pub fn of_host<T: Pod + Send + Sync>(numbers: Arc<Vec<T>>) -> Self {
        let (address, bytes) = (numbers.as_ptr() as u64, size_of_val(numbers.as_slice()));
        // SAFETY: the numbers are there until their owner is dropped, and nobody writes what is shared.
        unsafe { Self::new(address, bytes, numbers) }
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl fmt::Debug for ForeignMemory {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} bytes at {:#x}", self.bytes, self.address)
    }
}
