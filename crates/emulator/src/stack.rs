//! Stacks of CUDA threads. Each lies in a slot whose address is a multiple of the slot's size. The code in runtime.cpp finds
//! the slot's head, with what belongs to the running thread and its block, from the stack pointer alone.

use crate::guards;
use crate::launch::{self, Extent, Launch};
use corosensei::stack::{Stack, StackPointer};
use std::num::NonZeroUsize;

/// Bytes a slot: the head, a guard, and the stack. CUDA gives a thread at most 512 KiB of local memory. The same in runtime.cpp.
pub const SLOT_BYTES: usize = 1 << 20;
const PAGE: usize = 4096;
/// Bytes below the stack: the page of the head, and the guard page that a stack overflow hits. The same in runtime.cpp.
pub const BELOW: usize = 2 * PAGE;

/// threadIdx and the rest, as runtime.hpp has them.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct BuiltinVariables {
    pub thread: [u32; 3],
    pub block: [u32; 3],
    pub block_extent: [u32; 3],
    pub grid_extent: [u32; 3],
    pub cluster_extent: [u32; 3],
    pub cluster_block: [u32; 3],
    pub dynamic_bytes: u32,
}

impl BuiltinVariables {
    /// The built-in variables of thread 0 of the block at `place`, which has this rank in its cluster.
    pub fn new(launch: &Launch, place: Extent, rank: u32) -> Self {
        let triple = |(x, y, z): Extent| [x, y, z];
        Self {
            thread: [0; 3],
            block: triple(place),
            block_extent: triple(launch.block),
            grid_extent: triple(launch.grid),
            cluster_extent: triple(launch.cluster),
            cluster_block: triple(launch::place_of(rank, launch.cluster)),
            dynamic_bytes: launch.dynamic_shared_bytes,
        }
    }
}

/// What kernel code finds at the start of its slot. The same as in runtime.cpp. The checker lets no access of a kernel through to it.
#[repr(C)]
pub struct ThreadHeader {
    /// The shared memory of the thread's block, as the library's thread-local block.
    pub image: usize,
    pub image_bytes: usize,
    /// The address of the block's `Recorder`, into which accesses are written.
    pub recorder: usize,
    /// The address of the fiber's `FiberYielder`, by which kernel code asks the emulator.
    pub context: usize,
    /// Where the library's thread-local block has room for the indexes.
    pub indexes_offset: usize,
    pub indexes: BuiltinVariables,
}

/// One slot. Memory is taken page by page as it is touched.
pub struct StackSlot {
    start: usize,
    has_shadow: bool,
}

impl StackSlot {
    /// # Errors
    /// When the system gives no more memory.
    pub fn new() -> std::io::Result<Self> {
        let failed = |address: *mut libc::c_void| address == libc::MAP_FAILED;
        // SAFETY: fresh private memory, at an address of the system's choice; twice the size, of which the parts beside the
        // aligned slot are given back at once. The guard page is inside of the slot.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let whole = libc::mmap(
                std::ptr::null_mut(),
                2 * SLOT_BYTES,
                libc::PROT_READ | libc::PROT_WRITE,
                flags,
                -1,
                0,
            );
            if failed(whole) {
                return Err(std::io::Error::last_os_error());
            }
            let whole = whole as usize;
            let start = whole.next_multiple_of(SLOT_BYTES);
            if start > whole {
                libc::munmap(whole as *mut libc::c_void, start - whole);
            }
            let rest = whole + SLOT_BYTES - start;
            if rest > 0 {
                libc::munmap((start + SLOT_BYTES) as *mut libc::c_void, rest);
            }
            let slot = Self { start, has_shadow: false };
            if libc::mprotect((start + PAGE) as *mut libc::c_void, PAGE, libc::PROT_NONE) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            Ok(slot)
        }
    }

    /// This slot with a shadow of its stack. Code stopped inside a function leaves marks there: such a slot is not used again.
    ///
    /// # Errors
    /// When the system gives no more memory.
    pub fn with_shadow(mut self) -> std::io::Result<Self> {
        if !self.has_shadow {
            guards::map(guards::shadow_of(self.start), SLOT_BYTES >> 3, false)?;
            self.has_shadow = true;
        }
        Ok(self)
    }

    /// Writes the head that kernel code reads.
    pub fn set_head(&mut self, head: ThreadHeader) {
        // SAFETY: the slot's first page, which is readable, writable and aligned, and nobody else's.
        unsafe { (self.start as *mut ThreadHeader).write(head) };
    }
}

// SAFETY: base and limit are those of the slot's memory, both multiples of the page size; the guard is inside.
unsafe impl Stack for StackSlot {
    fn base(&self) -> StackPointer {
        NonZeroUsize::new(self.start + SLOT_BYTES).unwrap_or(NonZeroUsize::MIN)
    }

    fn limit(&self) -> StackPointer {
        NonZeroUsize::new(self.start + BELOW - PAGE).unwrap_or(NonZeroUsize::MIN)
    }
}

impl Drop for StackSlot {
    fn drop(&mut self) {
        if self.has_shadow {
            // SAFETY: mapped in `with_shadow`, and still nobody else's.
            unsafe { libc::munmap(guards::shadow_of(self.start) as *mut libc::c_void, SLOT_BYTES >> 3) };
        }
        // SAFETY: mapped in `new`, and no thread runs on it any more: a coroutine owns its stack.
        unsafe { libc::munmap(self.start as *mut libc::c_void, SLOT_BYTES) };
    }
}

/// Changes what the code on this stack finds in its head.
///
/// # Safety
/// The caller runs on the stack of a [`StackSlot`] whose head was set.
pub unsafe fn with_head(change: impl FnOnce(&mut ThreadHeader)) {
    let here = 0u8;
    let start = std::ptr::from_ref(&here) as usize & !(SLOT_BYTES - 1);
    // SAFETY: as the caller promises, a head is there; kernel code alone reads it, later.
    change(unsafe { &mut *(start as *mut ThreadHeader) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_has_room_for_the_local_memory_of_a_cuda_thread() {
        let slot = StackSlot::new().unwrap();
        assert!(slot.base().get() - slot.limit().get() > (512 << 10) + PAGE);
    }
}
