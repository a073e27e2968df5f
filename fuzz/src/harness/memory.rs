//! An allocator that counts, so that an input which takes more memory than it should is seen.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Nothing gets more than this, whatever it asks for: a reader at fault shall not take the machine with it.
const HARD_LIMIT: usize = 4 << 30;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, counted. To be a program's `#[global_allocator]`.
pub struct Counting;

// SAFETY: hands every call through to the system's allocator, or refuses by null as allowed.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taking(layout.size(), || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        taking(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let moved = taking(size, || unsafe { System.realloc(pointer, layout, size) });
        if !moved.is_null() {
            NOW.fetch_sub(layout.size(), Relaxed);
        }
        moved
    }
}

fn taking(size: usize, take: impl FnOnce() -> *mut u8) -> *mut u8 {
    let now = NOW.fetch_add(size, Relaxed).saturating_add(size);
    PEAK.fetch_max(now, Relaxed);
    let taken = if now > HARD_LIMIT { std::ptr::null_mut() } else { take() };
    if taken.is_null() {
        NOW.fetch_sub(size, Relaxed);
    }
    taken
}

/// Starts to look for the next peak. Gives the bytes that are taken now.
pub fn watch() -> usize {
    let now = NOW.load(Relaxed);
    PEAK.store(now, Relaxed);
    now
}

/// The most bytes that were taken at once since [`watch`].
pub fn peak() -> usize {
    PEAK.load(Relaxed)
}
