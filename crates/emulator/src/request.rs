//! What a CUDA thread asks of the emulator. It is suspended until the scheduler has an answer.

use std::ffi::c_void;

/// A request, laid out as runtime.cpp writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Request {
    kind: u64,
    pub numbers: [u64; 8],
    /// Where in the code, as an offset into the library.
    place: u64,
}

macro_rules! requests {
    ($($name:ident),*) => {
        /// The kinds of requests, numbered as in runtime.cpp.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum RequestKind { $($name),* }
        const ALL: &[RequestKind] = &[$(RequestKind::$name),*];
    };
}
requests!(
    NextThread,
    Locate,
    Range,
    Deliberate,
    BeyondArray,
    AtomicBegin,
    AtomicEnd,
    Fence,
    ProxyFence,
    Barrier,
    Exchange,
    ClusterArrive,
    ClusterWait,
    Pause,
    Copy,
    CopyCommit,
    CopyWait,
    CopyArrive,
    Mbarrier,
    Bulk,
    Tensor,
    BulkCommit,
    BulkWait,
    FromShared,
    MapShared,
    SpaceOf,
    DependentsLaunch,
    DependencyWait,
    Misuse,
    Clock,
    Heap,
    HeapFree,
    Print
);

impl Request {
    /// Asks for the block's next thread, when a fiber's last one has ended.
    pub const NEXT_THREAD: Self = Self { kind: 0, numbers: [0; 8], place: 0 };

    pub fn kind(&self) -> Option<RequestKind> {
        ALL.get(self.kind as usize).copied()
    }

    pub fn place(&self) -> u32 {
        self.place as u32
    }

    pub fn number(&self, at: usize) -> u32 {
        self.numbers[at] as u32
    }

    pub fn address(&self, at: usize) -> usize {
        self.numbers[at] as usize
    }
}

/// Switches from a CUDA thread to the scheduler.
pub type FiberYielder = corosensei::Yielder<u64, Request>;

/// Suspends the running CUDA thread with a request, and returns the answer. Called by kernel code on that thread's stack.
///
/// # Safety
/// `context` is the [`FiberYielder`] of the running fiber, and `request` points to a request.
pub unsafe extern "C" fn ask(context: *mut c_void, request: *const Request) -> u64 {
    // SAFETY: as the caller promises; the switch lives as long as its fiber.
    unsafe { (*context.cast::<FiberYielder>()).suspend(*request) }
}
