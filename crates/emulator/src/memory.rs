//! Global memory of the emulated device: host memory, with a shadow where a checker watches.

use crate::clock::ThreadClock;
use crate::shadow::{ShadowScope, ShadowWord, Verdict, Violation, WORD, WordAccess};
use crate::trace::Access;
use std::alloc::{Layout, alloc, dealloc};
use std::ops::Range;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What CUDA aligns allocations to.
const ALIGNMENT: usize = 256;
/// Words of shadow behind one lock: blocks on other cores mostly work elsewhere.
const CHUNK: usize = 256;
/// What fresh memory is filled with: not a number, so that using it shows in any result.
const FRESH: u8 = 0xff;

/// One allocation.
pub(crate) struct Allocation {
    start: *mut u8,
    bytes: usize,
    /// What a kernel file calls it, where that declares it.
    name: Option<String>,
    /// Whether the bytes are somebody else's: a library's, or the host's.
    is_borrowed: bool,
    /// Empty without a checker.
    shadow: Vec<Mutex<Vec<ShadowWord>>>,
}

// SAFETY: `start` is only an address here. Emulated threads access the memory behind it as GPU threads would, and
// everything else goes through the device, which is not shared between host threads and runs no kernel meanwhile.
unsafe impl Send for Allocation {}
// SAFETY: as above; the shadow is behind locks.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// `bytes` bytes, none of them written as far as the shadow knows. None when the host has not as many.
    pub fn allocate(bytes: usize, shadowed: bool) -> Option<Self> {
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()?;
        // SAFETY: the layout has at least one byte.
        let start = unsafe { alloc(layout) };
        if start.is_null() {
            return None;
        }
        // SAFETY: just allocated with at least this many bytes.
        unsafe { start.write_bytes(FRESH, bytes) };
        Some(Self { start, bytes, name: None, is_borrowed: false, shadow: shadow_of(bytes, shadowed) })
    }

    /// A variable of a loaded library.
    ///
    /// # Safety
    /// The library has these bytes for as long as this lives, and they may be written.
    pub unsafe fn variable(name: String, start: usize, bytes: usize, shadowed: bool) -> Self {
        // SAFETY: as the caller promised.
        let mut memory = unsafe { Self::from_host(start, bytes, shadowed) };
        memory.name = Some(name);
        memory
    }

    /// Memory of the host that has a value from the beginning.
    ///
    /// # Safety
    /// The bytes are there for as long as this lives, and they may be written if a kernel or copy writes them.
    pub unsafe fn from_host(start: usize, bytes: usize, shadowed: bool) -> Self {
        let shadow = shadow_of(bytes, shadowed);
        let memory = Self { start: start as *mut u8, bytes, name: None, is_borrowed: true, shadow };
        memory.note_fill(0..bytes);
        memory
    }

    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub fn address(&self) -> usize {
        self.start as usize
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether all of these bytes are in it.
    #[inline]
    pub fn holds(&self, address: usize, bytes: usize) -> bool {
        let offset = address.wrapping_sub(self.address());
        offset <= self.bytes && bytes <= self.bytes - offset
    }

    /// Takes note that something other than a kernel wrote these bytes.
    pub fn note_fill(&self, bytes: Range<usize>) {
        if self.shadow.is_empty() || bytes.is_empty() {
            return;
        }
        let mut held = ShadowCursor::default();
        for (word, mask) in words(bytes.start, bytes.len()) {
            held.chunk(self, word / CHUNK)[word % CHUNK].fill(mask);
        }
    }

    /// Records a copy from or to these bytes; returns its first race with a launch or copy that is not ordered before it.
    pub fn record_copy(
        &self,
        bytes: Range<usize>,
        scope: ShadowScope,
        view: &ThreadClock,
        made: WordAccess,
    ) -> Verdict {
        if self.shadow.is_empty() || bytes.is_empty() {
            return None;
        }
        let mut held = ShadowCursor::default();
        let mut first = None;
        for (word, mask) in words(bytes.start, bytes.len()) {
            let violation =
                held.chunk(self, word / CHUNK)[word % CHUNK].access(scope, view, WordAccess { mask, ..made });
            first = first.or(violation.filter(|violation| matches!(**violation, Violation::Launches { .. })));
        }
        first
    }

    /// Some of its bytes, which it has.
    pub fn bytes_of(&self, bytes: Range<usize>) -> &[u8] {
        assert!(bytes.start <= bytes.end && bytes.end <= self.bytes);
        // SAFETY: in bounds, and every bit pattern is a `u8`; no kernel runs while the device copies.
        unsafe { std::slice::from_raw_parts(self.start.add(bytes.start), bytes.len()) }
    }

    /// Overwrites bytes from `at` on with `from`, which fit.
    pub fn write(&self, at: usize, from: &[u8]) {
        assert!(at <= self.bytes && from.len() <= self.bytes - at);
        // SAFETY: in bounds; `from` is host memory, which no allocation of this device overlaps; no kernel runs meanwhile.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), self.start.add(at), from.len()) };
    }

    /// Copies the range `bytes` to `to` at `at`. The two may be the same memory.
    pub fn copy_to(&self, bytes: Range<usize>, to: &Allocation, at: usize) {
        assert!(bytes.end <= self.bytes && at <= to.bytes && bytes.len() <= to.bytes - at);
        // SAFETY: in bounds of both; `copy` allows them to overlap.
        unsafe { std::ptr::copy(self.start.add(bytes.start), to.start.add(at), bytes.len()) };
    }
}

fn shadow_of(bytes: usize, shadowed: bool) -> Vec<Mutex<Vec<ShadowWord>>> {
    let chunks = if shadowed { bytes.div_ceil(WORD * CHUNK) } else { 0 };
    std::iter::repeat_with(|| Mutex::new(vec![ShadowWord::default(); CHUNK])).take(chunks).collect()
}

/// Device memory, freed with its last clone.
#[derive(Clone)]
pub struct DeviceMemory(pub(crate) Rc<Allocation>);

impl DeviceMemory {
    /// The address of its first byte, as kernels see it.
    pub fn address(&self) -> u64 {
        self.0.address() as u64
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

/// The shadow of global memory as one host thread works on it: it keeps the lock of the chunk that it touched last, since
/// the threads of a warp mostly touch neighbours.
#[derive(Default)]
pub(crate) struct ShadowCursor<'a> {
    held: Option<(usize, MutexGuard<'a, Vec<ShadowWord>>)>,
}

impl<'a> ShadowCursor<'a> {
    /// Records an access within `memory`, and returns what is wrong with it.
    #[inline]
    pub fn access(
        &mut self,
        memory: &'a Allocation,
        scope: ShadowScope,
        view: &ThreadClock,
        access: &Access,
        made: WordAccess,
    ) -> Verdict {
        let words = words(access.address as usize - memory.address(), access.bytes.into());
        first_reportable(words.map(|(word, mask)| {
            let word = &mut self.chunk(memory, word / CHUNK)[word % CHUNK];
            word.access(scope, view, WordAccess { mask, ..made })
        }))
    }

    fn chunk(&mut self, memory: &'a Allocation, index: usize) -> &mut [ShadowWord] {
        let chunk = &memory.shadow[index];
        let identity = std::ptr::from_ref(chunk) as usize;
        let held = match self.held.take() {
            Some(held) if held.0 == identity => held,
            other => {
                // Given back before the next is taken: two host threads never wait for each other.
                drop(other);
                (identity, chunk.lock().unwrap_or_else(PoisonError::into_inner))
            }
        };
        &mut self.held.insert(held).1
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if !self.is_borrowed
            && let Ok(layout) = Layout::from_size_align(self.bytes.max(1), ALIGNMENT)
        {
            // SAFETY: allocated with this very layout and freed once.
            unsafe { dealloc(self.start, layout) };
        }
    }
}

/// Records an access to shared memory, and returns what is wrong with it.
#[inline]
pub(crate) fn access_shared(
    shadow: &mut [ShadowWord],
    scope: ShadowScope,
    view: &ThreadClock,
    offset: u64,
    bytes: u8,
    made: WordAccess,
) -> Verdict {
    first_reportable(words(offset as usize, bytes.into()).filter_map(|(word, mask)| {
        Some(shadow.get_mut(word)?.access(scope, view, WordAccess { mask, ..made }))
    }))
}

/// The violation of an access, from those of its words. Unwritten words count only where all are unwritten: a copied structure has
/// padding, which nobody writes.
#[inline]
fn first_reportable(words: impl Iterator<Item = Verdict>) -> Verdict {
    let (mut first, mut unwritten, mut is_written) = (None, None, false);
    for word in words {
        match word {
            None => is_written = true,
            Some(violation) if *violation == Violation::Unwritten => unwritten = Some(violation),
            violation => first = first.or(violation),
        }
    }
    first.or(if is_written { None } else { unwritten })
}

/// What lies at an address that a kernel was found to access with this many bytes, of which at most eight are listed.
pub(crate) fn bits_at(address: usize, bytes: u8) -> u64 {
    let mut bits = [0; 8];
    let here = &mut bits[..usize::from(bytes).min(8)];
    // SAFETY: an access of these bytes by a kernel was found to be in bounds of live memory.
    unsafe { std::ptr::copy_nonoverlapping(address as *const u8, here.as_mut_ptr(), here.len()) };
    u64::from_le_bytes(bits)
}

/// Copies bytes between places that were found to be in bounds; writes zeros where `from` is None.
pub(crate) fn move_bytes(from: Option<usize>, to: usize, bytes: usize) {
    // SAFETY: both were found to be in bounds of live memory when the copy was begun; `copy` allows them to overlap.
    unsafe {
        match from {
            Some(from) => std::ptr::copy(from as *const u8, to as *mut u8, bytes),
            None => std::ptr::write_bytes(to as *mut u8, 0, bytes),
        }
    }
}

/// The words that `bytes` bytes at `offset` touch, and a mask of the bytes touched in each.
#[inline]
fn words(offset: usize, bytes: usize) -> impl Iterator<Item = (usize, u8)> {
    let end = offset + bytes;
    (offset / WORD..end.div_ceil(WORD)).map(move |word| {
        let from = offset.max(word * WORD) - word * WORD;
        let to = end.min((word + 1) * WORD) - word * WORD;
        (word, ((1u16 << to) - (1u16 << from)) as u8)
    })
}
