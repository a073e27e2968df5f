//! The buffer into which kernel code writes its accesses, one for each block. The functions in runtime.cpp fill it. They
//! leave the kernel only when an access is to memory that none of the last accesses were to.

use crate::trace::{Access, Trace};

/// What accesses may be to without asking. The same as in runtime.cpp.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct TrackedRange {
    start: usize,
    bytes: usize,
    tag: usize,
}

const RANGES: usize = 8;
/// Accesses that one interval begins with room for, and those after which it is looked through early.
const ROOM: usize = 1 << 12;
pub const MOST: usize = 1 << 22;

/// Laid out as in runtime.cpp.
#[repr(C)]
pub struct Recorder {
    next: *mut Access,
    end: *mut Access,
    expected: usize,
    ranges: [TrackedRange; RANGES],
    turn: usize,
}

impl Recorder {
    pub fn new() -> Box<Self> {
        Box::new(Self {
            next: std::ptr::null_mut(),
            end: std::ptr::null_mut(),
            expected: usize::MAX,
            ranges: [TrackedRange::default(); RANGES],
            turn: 0,
        })
    }

    /// Lets kernel code write behind the accesses of `trace`, which must stay where it is until [`Recorder::take`].
    pub fn open(&mut self, trace: &mut Trace) {
        if trace.accesses.len() == trace.accesses.capacity() {
            trace.accesses.reserve(ROOM.max(trace.accesses.len()));
        }
        let spare = trace.accesses.spare_capacity_mut().as_mut_ptr_range();
        (self.next, self.end) = (spare.start.cast(), spare.end.cast());
    }

    /// Takes what kernel code wrote since [`Recorder::open`] into `trace`, the same one.
    pub fn take(&mut self, trace: &mut Trace) {
        let written = self.next as usize - trace.accesses.spare_capacity_mut().as_ptr() as usize;
        let count = written / size_of::<Access>();
        // SAFETY: `next` began at the first spare element and moved on over elements that kernel code wrote whole; it never
        // passed `end`, which is the capacity's.
        unsafe { trace.accesses.set_len(trace.accesses.len() + count) };
    }

    /// The next store to this address is asked about; none with `usize::MAX`.
    pub fn expect(&mut self, address: usize) {
        self.expected = address;
    }

    /// Accesses inside of these bytes are written down without asking, with this tag.
    pub fn remember(&mut self, start: usize, bytes: usize, tag: u16) {
        self.ranges[self.turn % RANGES] = TrackedRange { start, bytes, tag: usize::from(tag) };
        self.turn += 1;
    }

    /// Everything is asked about again.
    pub fn forget(&mut self) {
        self.ranges = [TrackedRange::default(); RANGES];
        self.turn = 0;
    }
}
