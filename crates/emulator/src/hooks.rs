//! What emulated kernels call back: the one place where their code and ours meet on a host thread.

use super::context::{Context, Exchange, ExchangeKind, Pause};
use super::shadow::Meant;
use super::trace::Kind;
use std::cell::Cell;
use std::ffi::c_void;

/// threadIdx, blockIdx, blockDim and gridDim, as cuda.hpp has them.
#[repr(C)]
pub(crate) struct Indexes {
    pub thread: [u32; 3],
    pub block: [u32; 3],
    pub block_extent: [u32; 3],
    pub grid_extent: [u32; 3],
}

/// The same as in runtime.cpp.
#[repr(C)]
pub(crate) struct Hooks {
    access: extern "C" fn(usize, usize, u32, usize),
    range: extern "C" fn(usize, usize, u32, usize),
    deliberate_store: extern "C" fn(usize, u32),
    beyond_array: extern "C" fn(usize),
    barrier: extern "C" fn(usize),
    exchange: extern "C" fn(u32, u32, u64, u32, usize) -> u64,
    dynamic_shared: extern "C" fn() -> *mut c_void,
}

pub(crate) static HOOKS: Hooks =
    Hooks { access, range, deliberate_store, beyond_array, barrier, exchange, dynamic_shared };

thread_local! {
    /// The block that this host thread is running.
    static CURRENT: Cell<*const Context<'static>> = const { Cell::new(std::ptr::null()) };
}

/// Runs `work` with `context` as what the hooks on this host thread work on.
pub(crate) fn with_context<T>(context: &Context, work: impl FnOnce() -> T) -> T {
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            CURRENT.set(std::ptr::null());
        }
    }
    CURRENT.set(std::ptr::from_ref(context).cast());
    let _reset = Reset;
    work()
}

fn current() -> &'static Context<'static> {
    // SAFETY: hooks are called by kernels alone, which run inside `with_context` on this host thread. The lifetimes are
    // longer than the truth, and no hook keeps the reference.
    unsafe { &*CURRENT.get() }
}

fn kind_of(kind: u32) -> Kind {
    match kind {
        0 => Kind::Read,
        1 => Kind::Write,
        _ => Kind::Atomic,
    }
}

extern "C" fn access(address: usize, bytes: usize, kind: u32, place: usize) {
    current().access(address, bytes, kind_of(kind), place);
}

extern "C" fn range(address: usize, bytes: usize, kind: u32, place: usize) {
    current().access_range(address, bytes, kind_of(kind), place);
}

extern "C" fn deliberate_store(address: usize, allowed: u32) {
    let meant = if allowed == 0 { Meant::SameBits } else { Meant::Lower };
    current().expect_deliberate_store(address, meant);
}

extern "C" fn beyond_array(place: usize) {
    current().stop_beyond_array(place);
}

extern "C" fn barrier(place: usize) {
    let context = current();
    context.pause(Pause::Barrier { place: context.place_of(place) });
}

extern "C" fn exchange(kind: u32, mask: u32, value: u64, source: u32, place: usize) -> u64 {
    let kind = match kind {
        0 => ExchangeKind::Sync,
        1 => ExchangeKind::Shuffle,
        _ => ExchangeKind::Ballot,
    };
    let context = current();
    context.pause(Pause::Exchange(Exchange { kind, mask, value, source, place: context.place_of(place) }))
}

extern "C" fn dynamic_shared() -> *mut c_void {
    current().dynamic_shared() as *mut c_void
}
