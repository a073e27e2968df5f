//! What the hooks of a running block see: which thread runs, and what it did so far.

use super::hooks::Indexes;
use super::launch::Job;
use super::module::Start;
use super::shadow::{Meant, WORD};
use super::trace::{Access, Deliberate, Kind, Space, Trace};
use crate::shape::place_of;
use corosensei::Yielder;
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// Why a fiber stops running.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pause {
    /// At the block's barrier.
    Barrier { place: u32 },
    /// At an operation of its warp.
    Exchange(Exchange),
    /// For good: the thread did what it cannot be let do.
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExchangeKind {
    Sync,
    Shuffle,
    Ballot,
}

/// What a thread brings to an operation of its warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    pub kind: ExchangeKind,
    /// The lanes that take part.
    pub mask: u32,
    pub value: u64,
    /// The lane whose value a shuffle wants.
    pub source: u32,
    pub place: u32,
}

/// Switches from a fiber back to the block's scheduler.
pub(crate) type Switch = Yielder<u64, Pause>;

/// What the hooks of the running block see.
pub(crate) struct Context<'a> {
    job: &'a Job<'a>,
    pub traced: bool,
    indexes: *mut Indexes,
    /// Addresses of the library's thread-local block.
    shared: Range<usize>,
    dynamic: Range<usize>,
    pub next_thread: Cell<u32>,
    pub thread: Cell<u32>,
    /// The running fiber's: lowest address and length.
    pub stack: Cell<(usize, usize)>,
    pub switch: Cell<*const Switch>,
    pub trace: RefCell<Trace>,
    /// One bit a shared variable that a thread accessed.
    pub shared_used: Cell<u64>,
    expected_store: Cell<(usize, Meant)>,
    /// What stopped a thread for good.
    pub stopped: Cell<Option<Stop>>,
}

/// An access that was not let happen.
#[derive(Clone, Copy)]
pub(crate) struct Stop {
    pub place: u32,
    pub wrong: Wrong,
}

/// What is wrong with it.
#[derive(Clone, Copy)]
pub(crate) enum Wrong {
    /// It uses an index beyond the end of an array.
    BeyondArray,
    /// Nothing holds these bytes.
    Outside { address: usize, bytes: usize, kind: Kind },
    /// It is to shared memory and in no variable, or in none alone: at this offset.
    BesideShared { at: u64, bytes: usize, kind: Kind },
    /// Its address is no multiple of its bytes.
    Misaligned(Access),
}

impl<'a> Context<'a> {
    /// For the calling host thread: its indexes, and the addresses of its shared memory of either kind.
    pub fn new(
        job: &'a Job<'a>,
        indexes: *mut Indexes,
        shared: Range<usize>,
        dynamic: Range<usize>,
        trace: Trace,
    ) -> Self {
        let (block, grid) = (job.launch.block, job.launch.grid);
        // SAFETY: this host thread's own indexes, which live as long as the library; kernels read them only while a fiber
        // runs, and none does now.
        unsafe {
            (*indexes).block_extent = block.into();
            (*indexes).grid_extent = grid.into();
        }
        Self {
            job,
            traced: job.instruments.any(),
            indexes,
            shared,
            dynamic,
            next_thread: Cell::new(0),
            thread: Cell::new(0),
            stack: Cell::new((0, 0)),
            switch: Cell::new(std::ptr::null()),
            trace: RefCell::new(trace),
            shared_used: Cell::new(0),
            expected_store: Cell::new((0, Meant::SameBits)),
            stopped: Cell::new(None),
        }
    }

    /// The trace, for the next launch to fill.
    pub fn into_trace(self) -> Trace {
        self.trace.into_inner()
    }

    /// From here on, hooks and indexes speak of `block`, none of whose threads has started.
    pub fn begin_block(&self, block: u32) {
        // SAFETY: as in `new`.
        unsafe { (*self.indexes).block = place_of(block, self.job.launch.grid).into() };
        self.next_thread.set(0);
        self.trace.borrow_mut().clear();
    }

    /// Takes note of an access of the running thread by one instruction, at most 16 bytes. Does not return when it is outside
    /// of everything, or at an address where a GPU has no such instruction.
    #[inline]
    pub fn access(&self, address: usize, bytes: usize, kind: Kind, place: usize) {
        let Some((space, at)) = self.locate(address, bytes, kind, place) else { return };
        let access = Access { at: at as u64, place: self.place_of(place), bytes: bytes as u8, kind, space };
        if bytes.is_power_of_two() && address & (bytes - 1) != 0 {
            self.stop(Stop { place: access.place, wrong: Wrong::Misaligned(access) });
            return;
        }
        let mut trace = self.trace.borrow_mut();
        let (expected, meant) = self.expected_store.get();
        if kind == Kind::Write && expected == address && bytes <= WORD {
            self.expected_store.set((0, meant));
            let index = trace.accesses.len();
            trace.deliberate.push(Deliberate { index, before: bits_at(address, bytes as u8), meant });
        }
        trace.accesses.push(access);
    }

    /// The same for any number of bytes, by as many instructions as their alignment asks for.
    pub fn access_range(&self, address: usize, bytes: usize, kind: Kind, place: usize) {
        let Some((space, at)) = self.locate(address, bytes, kind, place) else { return };
        let place = self.place_of(place);
        let mut trace = self.trace.borrow_mut();
        // The hardware moves at most 16 bytes at once.
        let mut done = 0;
        while done < bytes {
            let part = (bytes - done).min(16);
            trace.accesses.push(Access { at: (at + done) as u64, place, bytes: part as u8, kind, space });
            done += part;
        }
    }

    /// What holds these bytes, and where in it. None for what needs no note. Does not return when nothing holds them.
    #[inline]
    fn locate(&self, address: usize, bytes: usize, kind: Kind, place: usize) -> Option<(Space, usize)> {
        let within = |range: &Range<usize>| range.contains(&address) && bytes <= range.end - address;
        let (low, length) = self.stack.get();
        if within(&self.shared) {
            let offset = address - self.shared.start;
            if self.job.module.is_index(offset as u64) {
                // Not every compiler takes them for constants.
                return None;
            }
            let Some(variable) = self.job.module.shared_holding(offset as u64, bytes as u64) else {
                let wrong = Wrong::BesideShared { at: offset as u64, bytes, kind };
                self.stop(Stop { place: self.place_of(place), wrong });
                return None;
            };
            self.shared_used.set(self.shared_used.get() | 1 << (variable % 64));
            Some((Space::Shared, offset))
        } else if address.wrapping_sub(low) < length {
            // A thread's own variables.
            None
        } else if let Some(index) = self.job.memory_at(address, bytes) {
            Some((Space::Global(index), address))
        } else if within(&self.dynamic) {
            Some((Space::Dynamic, address - self.dynamic.start))
        } else if kind == Kind::Read && self.job.module.is_constant(address, bytes) {
            None
        } else {
            let wrong = Wrong::Outside { address, bytes, kind };
            self.stop(Stop { place: self.place_of(place), wrong });
            None
        }
    }

    /// The next store to this address may race if it does what is meant.
    pub fn expect_deliberate_store(&self, address: usize, meant: Meant) {
        self.expected_store.set((address, meant));
    }

    pub fn stop_beyond_array(&self, place: usize) {
        self.stop(Stop { place: self.place_of(place), wrong: Wrong::BeyondArray });
    }

    fn stop(&self, stop: Stop) {
        self.stopped.set(Some(stop));
        self.pause(Pause::Stopped);
    }

    #[inline]
    pub fn place_of(&self, address: usize) -> u32 {
        self.job.module.place_of(address)
    }

    pub fn dynamic_shared(&self) -> usize {
        self.dynamic.start
    }

    /// Lets the other threads run until this one is resumed with an answer.
    pub fn pause(&self, pause: Pause) -> u64 {
        // SAFETY: set by the running fiber itself, whose switch lives as long as it does.
        unsafe { &*self.switch.get() }.suspend(pause)
    }

    /// The body of a fiber.
    pub fn run_threads(&self, switch: &Switch, entry: Start, arguments: *mut *mut std::ffi::c_void) {
        self.switch.set(switch);
        while self.next_thread.get() < self.job.threads() {
            let thread = self.next_thread.get();
            self.next_thread.set(thread + 1);
            self.enter(thread, 0);
            // SAFETY: the kernel of a loaded library, with as many arguments as it takes and of the kinds that the host
            // schedule gives it. What it does to memory is checked where that is asked for; otherwise it is as trusted
            // as any kernel.
            unsafe { entry(arguments) };
        }
    }

    /// From here on, hooks and indexes speak of `thread`.
    pub fn enter(&self, thread: u32, warp_epoch: u32) {
        self.thread.set(thread);
        // SAFETY: this host thread's own indexes, which live as long as the library; kernels read them only while a fiber
        // runs, and none does now.
        unsafe { (*self.indexes).thread = place_of(thread, self.job.launch.block).into() };
        if self.traced {
            self.trace.borrow_mut().begin(thread, warp_epoch);
        }
    }
}

/// What lies at an address, of at most four bytes, that a kernel is about to access, or has.
pub(crate) fn bits_at(address: usize, bytes: u8) -> u32 {
    let mut bits = [0; WORD];
    let bits_here = &mut bits[..usize::from(bytes).min(WORD)];
    // SAFETY: an access of these bytes by a kernel was found to be in bounds of live memory.
    unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bits_here.as_mut_ptr(), bits_here.len()) };
    u32::from_le_bytes(bits)
}
