//! Handles to memory: what a device gives out and takes back, and what another library of the process owns.

use crate::DeviceError;
use bytemuck::Pod;
use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Memory on the device that allocated it; freed when dropped.
pub struct Buffer {
    pub(super) address: u64,
    pub(super) bytes: usize,
    // Frees the memory when dropped, in whatever way its device does.
    pub(super) owner: Box<dyn Any>,
}

impl Buffer {
    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The address that kernels know it by.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The slice of all bytes of the buffer.
    pub fn whole(&self) -> BufferSlice<'_> {
        self.part(0..self.bytes)
    }

    /// The slice of these bytes. Bytes outside of the buffer are an error when the slice is used.
    pub fn part(&self, bytes: Range<usize>) -> BufferSlice<'_> {
        BufferSlice { buffer: self, bytes }
    }
}

/// Bytes of a buffer.
#[derive(Clone)]
pub struct BufferSlice<'a> {
    pub(super) buffer: &'a Buffer,
    pub(super) bytes: Range<usize>,
}

impl BufferSlice<'_> {
    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Where it begins in the device's memory.
    pub fn address(&self) -> u64 {
        self.buffer.address + self.bytes.start as u64
    }

    /// Checks that the buffer has these bytes, and that the other side of a copy, of `other` bytes, has as many.
    ///
    /// # Errors
    /// When either is smaller; `what` names the copy.
    pub fn check(&self, what: &str, other: usize) -> Result<(), DeviceError> {
        let has = other.min(self.buffer.bytes.saturating_sub(self.bytes.start));
        let needed = self.bytes();
        if needed <= has {
            return Ok(());
        }
        Err(DeviceError::other(format!(
            "{what} needs {needed} bytes and the buffer has {has}: this is a defect of repro"
        )))
    }
}

/// Rows of a matrix: side by side in host memory, `pitch` bytes apart on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PitchedRows {
    pub count: usize,
    /// Bytes of one row.
    pub bytes: usize,
    /// From the first byte of a row to that of the next, at least `bytes`.
    pub pitch: usize,
}

impl PitchedRows {
    /// One row of so many bytes.
    pub(super) fn one_of(bytes: usize) -> Self {
        Self { count: 1, bytes, pitch: bytes }
    }

    /// Whether there are no gaps between rows on the device either.
    pub(super) fn are_adjacent(self) -> bool {
        self.pitch == self.bytes
    }

    /// Bytes that they take in host memory.
    pub fn host_bytes(self) -> usize {
        self.count * self.bytes
    }

    /// Bytes that they take on the device.
    pub fn device_bytes(self) -> usize {
        self.count * self.pitch
    }
}

impl BufferSlice<'_> {
    /// Checks that these rows fit into this slice and into `host` bytes of the host.
    pub(super) fn check_rows(&self, what: &str, rows: PitchedRows, host: usize) -> Result<(), DeviceError> {
        if rows.pitch < rows.bytes || rows.device_bytes() > self.bytes() || rows.host_bytes() > host {
            return Err(DeviceError::other(format!(
                "{what} of {rows:?} has {} bytes on the device and {host} on the host: this is a defect of repro",
                self.bytes()
            )));
        }
        self.check(what, self.bytes())
    }

    /// Checks that it shares no byte with `other`, unless both begin at the same address.
    pub(super) fn check_apart(&self, other: &Self) -> Result<(), DeviceError> {
        let (one, two) = (self.address(), other.address());
        let bytes = self.bytes().max(other.bytes()) as u64;
        if one == two || one.abs_diff(two) >= bytes {
            return Ok(());
        }
        Err(DeviceError::other("a copy between regions that overlap: this is a defect of repro"))
    }
}

/// The storage of a [`HostBuffer`], which its device can copy from and to. Aligned for every type of number.
pub(super) trait HostStorage {
    fn bytes(&self) -> &[u8];
    fn bytes_mut(&mut self) -> &mut [u8];
}

/// Waits for work that may still be using a host buffer.
pub(super) type CompletionWait = Rc<dyn Fn()>;

/// Host memory that a device copies from and to; read and written as numbers.
///
/// Copies are queued and run later. Access to the numbers waits for pending copies first, so that nobody reads what is being
/// written, nor writes what is being read.
pub struct HostBuffer {
    storage: Box<dyn HostStorage>,
    bytes: usize,
    pending: RefCell<Vec<CompletionWait>>,
}

impl HostBuffer {
    /// A buffer of the first `bytes` bytes of a storage.
    pub(super) fn new(storage: impl HostStorage + 'static, bytes: usize) -> Self {
        Self { storage: Box::new(storage), bytes, pending: RefCell::default() }
    }

    /// Ordinary memory of so many bytes, all 0, for work without a device; none when there is not enough.
    pub fn pageable(bytes: usize) -> Option<Self> {
        let words = bytes.div_ceil(size_of::<u64>());
        let mut storage = Vec::new();
        storage.try_reserve_exact(words).ok()?;
        storage.resize(words, 0_u64);
        Some(Self::new(storage, bytes))
    }

    /// The contents as numbers of this type, as many as fit. Waits for copies that still use the buffer.
    pub fn numbers<T: Pod>(&self) -> &[T] {
        self.wait();
        let whole = self.bytes / size_of::<T>() * size_of::<T>();
        bytemuck::cast_slice(&self.storage()[..whole])
    }

    /// As [`HostBuffer::numbers`], to be written.
    pub fn numbers_mut<T: Pod>(&mut self) -> &mut [T] {
        self.wait();
        let whole = self.bytes / size_of::<T>() * size_of::<T>();
        bytemuck::cast_slice_mut(&mut self.storage_mut()[..whole])
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The bytes that copies use, without waiting for any.
    pub(super) fn storage(&self) -> &[u8] {
        &self.storage.bytes()[..self.bytes]
    }

    pub(super) fn storage_mut(&mut self) -> &mut [u8] {
        &mut self.storage.bytes_mut()[..self.bytes]
    }

    /// Notes that queued work uses this buffer; `done` waits for that work.
    pub(super) fn used_by(&self, done: &CompletionWait) {
        let mut pending = self.pending.borrow_mut();
        if !pending.iter().any(|known| Rc::ptr_eq(known, done)) {
            pending.push(done.clone());
        }
    }

    fn wait(&self) {
        self.pending.take().iter().for_each(|done| done());
    }
}

impl Drop for HostBuffer {
    fn drop(&mut self) {
        self.wait();
    }
}

impl HostStorage for Vec<u64> {
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self)
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(self)
    }
}

/// Memory of a device that another library of this process owns, for [`Device::import_memory`](crate::Device::import_memory).
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
    /// Until `owner` is dropped, kernels of the device that the driver says the bytes lie on may read them, and nobody writes them. What
    /// wrote them before is done, or queued so that the device's default stream waits for it.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn whoever_touches_a_buffer_waits_once_for_each_queue_that_uses_it() {
        let buffer = HostBuffer::pageable(18).unwrap();
        let waited = Rc::new(Cell::new(0));
        let count = waited.clone();
        let done: CompletionWait = Rc::new(move || count.set(count.get() + 1));
        buffer.used_by(&done);
        buffer.used_by(&done);
        assert_eq!(buffer.numbers::<f32>(), [0.0; 4]);
        assert_eq!(buffer.numbers::<u16>(), [0; 9]);
        assert_eq!(waited.get(), 1);
    }

    #[test]
    fn a_region_beyond_its_buffer_is_refused() {
        let buffer = Buffer { address: 64, bytes: 8, owner: Box::new(()) };
        assert_eq!(buffer.part(4..8).check("it", 4), Ok(()));
        assert!(buffer.part(4..8).check("it", 3).is_err());
        assert!(buffer.part(4..9).check("it", 9).unwrap_err().message.contains("needs 5 bytes"));
        assert_eq!(buffer.part(4..8).address(), 68);
        assert!(buffer.part(0..4).check_apart(&buffer.part(2..6)).is_err());
        assert_eq!(buffer.part(0..4).check_apart(&buffer.part(4..8)), Ok(()));
        assert_eq!(buffer.part(0..4).check_apart(&buffer.part(0..4)), Ok(()));
    }
}
