//! The shared memory of one block: variables of fixed size, and memory whose size the launch gives. In the kernel's library
//! both are thread-local variables; an image is one copy of them.

use crate::shadow::{ShadowWord, WORD};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Range;

/// What swizzled copies want; offsets then have the alignment that addresses have.
const ALIGNMENT: usize = 1024;
/// What fresh shared memory is filled with: not a number, so that using it shows in any result.
const FRESH: u8 = 0xff;

/// Shared memory, and what is known of its words.
pub struct SharedMemoryImage {
    start: *mut u8,
    bytes: usize,
    pub shadow: Vec<ShadowWord>,
}

impl SharedMemoryImage {
    /// None when the host has not as much memory.
    pub fn new(bytes: usize, shadowed: bool) -> Option<Self> {
        let bytes = bytes.max(1).next_multiple_of(ALIGNMENT);
        let layout = Layout::from_size_align(bytes, ALIGNMENT).ok()?;
        // SAFETY: the layout has at least one byte.
        let start = unsafe { alloc_zeroed(layout) };
        let words = if shadowed { bytes / WORD } else { 0 };
        (!start.is_null()).then(|| Self {
            start,
            bytes,
            shadow: std::iter::repeat_with(ShadowWord::default).take(words).collect(),
        })
    }

    pub fn address(&self) -> usize {
        self.start as usize
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether a block with so many bytes can have it, one that is checked too if `shadowed`.
    pub fn serves(&self, bytes: usize, shadowed: bool) -> bool {
        self.bytes >= bytes && (!shadowed || !self.shadow.is_empty())
    }

    /// Whether it has all of these bytes.
    pub fn holds(&self, address: usize, bytes: usize) -> bool {
        let offset = address.wrapping_sub(self.address());
        offset < self.bytes && bytes <= self.bytes - offset
    }

    /// Sets these of its bytes to what nothing wrote.
    pub fn reset(&mut self, bytes: Range<usize>) {
        assert!(bytes.start <= bytes.end && bytes.end <= self.bytes);
        // SAFETY: in bounds; no kernel runs meanwhile.
        unsafe { self.start.add(bytes.start).write_bytes(FRESH, bytes.len()) };
    }

    /// Writes `value` at this offset, where nothing but it is.
    pub fn put<T: Copy>(&mut self, at: usize, value: T) {
        assert!(at + size_of::<T>() <= self.bytes);
        // SAFETY: in bounds; no reference to the image's bytes exists.
        unsafe { self.start.add(at).cast::<T>().write_unaligned(value) };
    }
}

impl Drop for SharedMemoryImage {
    fn drop(&mut self) {
        if let Ok(layout) = Layout::from_size_align(self.bytes, ALIGNMENT) {
            // SAFETY: allocated with this very layout and freed once.
            unsafe { dealloc(self.start, layout) };
        }
    }
}
