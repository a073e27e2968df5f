//! One block on one host thread: its CUDA threads as fibers, switched at barriers and at warp operations.
//!
//! A fiber runs one thread after another until one of them has to wait, and keeps that one; the next fiber goes on with the
//! next thread. A kernel without barriers needs one fiber a block.

use super::finding::FindingKind;
use super::hooks::Indexes;
use super::launch::{Job, Raw, Tally};
use super::memory::{self, ShadowCursor};
use super::module::Entry;
use super::shadow::{Fault, Touch, WORD, Who, Word};
use super::trace::{Access, Kind, Space, Trace};
use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// Room for a thread's local variables; kernels that fit a GPU's registers need little.
const STACK_BYTES: usize = 64 << 10;
const WARP: usize = 32;

/// Why a fiber stops running.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pause {
    /// At the block's barrier.
    Barrier { place: u32 },
    /// At an operation of its warp.
    Exchange(Exchange),
    /// For good: the thread did what it cannot be let do.
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExchangeKind {
    Sync,
    Shuffle,
    Ballot,
}

/// What a thread brings to an operation of its warp.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    pub kind: ExchangeKind,
    /// The lanes that take part.
    pub mask: u32,
    pub value: u64,
    /// The lane whose value a shuffle wants.
    pub source: u32,
    pub place: u32,
}

/// What a thread waits for.
#[derive(Clone, Copy)]
enum Status {
    Done,
    Barrier {
        place: u32,
    },
    Exchange(Exchange),
    /// To be resumed with this answer.
    Ready(u64),
}

type Switch = Yielder<u64, Pause>;

/// A thread that has to wait, and the fiber that keeps it.
struct Fiber {
    coroutine: Coroutine<u64, Pause, (), DefaultStack>,
    switch: *const Switch,
    stack: (usize, usize),
}

/// What a host thread keeps from block to block and launch to launch.
#[derive(Default)]
pub(super) struct Pool {
    stacks: Vec<DefaultStack>,
    trace: Trace,
    /// Of shared memory, by word.
    shared: Vec<Word>,
    dynamic: Vec<Word>,
    dynamic_memory: Vec<u128>,
    /// Tells the blocks that this host thread ran apart.
    serial: u32,
}

/// What the hooks of the running block see.
pub(super) struct Context<'a> {
    job: &'a Job<'a>,
    traced: bool,
    indexes: *mut Indexes,
    /// Addresses of the library's thread-local block.
    shared: Range<usize>,
    dynamic: Range<usize>,
    next_thread: Cell<u32>,
    thread: Cell<u32>,
    /// The running fiber's: lowest address and length.
    stack: Cell<(usize, usize)>,
    switch: Cell<*const Switch>,
    trace: RefCell<Trace>,
    expected_store: Cell<usize>,
    /// What stopped a thread for good.
    stopped: Cell<Option<Stop>>,
}

/// An access that was not let happen.
#[derive(Clone, Copy)]
pub(super) struct Stop {
    pub place: u32,
    /// Address, bytes and kind; none for an index beyond the end of an array.
    pub access: Option<(usize, usize, Kind)>,
}

impl Context<'_> {
    /// Takes note of an access of the running thread. Does not return when it is outside of everything.
    pub fn access(&self, address: usize, bytes: usize, kind: Kind, place: usize) {
        let (low, length) = self.stack.get();
        if address.wrapping_sub(low) < length {
            return;
        }
        let within = |range: &Range<usize>| range.contains(&address) && bytes <= range.end - address;
        let (space, at) = if within(&self.shared) {
            (Space::Shared, address - self.shared.start)
        } else if let Some(index) = self.job.memory_at(address, bytes) {
            (Space::Global(index), address)
        } else if within(&self.dynamic) {
            (Space::Dynamic, address - self.dynamic.start)
        } else {
            self.stop(Stop { place: self.place_of(place), access: Some((address, bytes, kind)) });
            return;
        };
        let place = self.place_of(place);
        let mut trace = self.trace.borrow_mut();
        if kind == Kind::Write && self.expected_store.get() == address && bytes == WORD {
            self.expected_store.set(0);
            let index = trace.accesses.len();
            trace.deliberate.push((index, word_at(address)));
        }
        // Ranges are of any size; the hardware moves at most 16 bytes at once.
        let mut done = 0;
        while done < bytes {
            let part = (bytes - done).min(16);
            trace.accesses.push(Access { at: (at + done) as u64, place, bytes: part as u8, kind, space });
            done += part;
        }
    }

    /// The next store to this address may race if it changes nothing.
    pub fn expect_deliberate_store(&self, address: usize) {
        self.expected_store.set(address);
    }

    pub fn stop_beyond_array(&self, place: usize) {
        self.stop(Stop { place: self.place_of(place), access: None });
    }

    fn stop(&self, stop: Stop) {
        self.stopped.set(Some(stop));
        self.pause(Pause::Stopped);
    }

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
    fn run_threads(&self, switch: &Switch, entry: Entry, arguments: *mut *mut std::ffi::c_void) {
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
    fn enter(&self, thread: u32, warp_epoch: u32) {
        self.thread.set(thread);
        let width = self.job.launch.block.0;
        // SAFETY: this host thread's own indexes, which live as long as the library; kernels read them only while a fiber
        // runs, and none does now.
        unsafe { (*self.indexes).thread = [thread % width, thread / width, 0] };
        if self.traced {
            self.trace.borrow_mut().begin(thread, warp_epoch);
        }
    }
}

/// The four bytes at an address that a kernel is about to access, or has.
fn word_at(address: usize) -> u32 {
    // SAFETY: an access of these bytes by a kernel was found to be in bounds of live memory.
    unsafe { (address as *const u32).read_unaligned() }
}

/// Runs blocks of one launch on the calling host thread.
pub(super) struct Worker<'a> {
    context: &'a Context<'a>,
    job: &'a Job<'a>,
    pool: &'a mut Pool,
    tally: &'a mut Tally,
    statuses: Vec<Status>,
    fibers: Vec<Option<Fiber>>,
    warp_epochs: Vec<u32>,
    epoch: u32,
    block: u32,
}

/// Runs blocks until none is left or one cannot go on.
pub(super) fn run_blocks(job: &Job, pool: &mut Pool, tally: &mut Tally, next: impl Fn() -> Option<u32>) {
    let (indexes, shared) = job.module.of_this_thread();
    let dynamic_bytes = job.launch.dynamic_shared_bytes as usize;
    pool.dynamic_memory.resize(pool.dynamic_memory.len().max(dynamic_bytes.div_ceil(16)), 0);
    pool.shared.resize(pool.shared.len().max(shared.len().div_ceil(WORD)), Word::default());
    pool.dynamic.resize(pool.dynamic.len().max(dynamic_bytes.div_ceil(WORD)), Word::default());
    let dynamic = pool.dynamic_memory.as_mut_ptr() as usize;
    let context = Context {
        job,
        traced: job.instruments.any(),
        indexes,
        shared,
        dynamic: dynamic..dynamic + dynamic_bytes,
        next_thread: Cell::new(0),
        thread: Cell::new(0),
        stack: Cell::new((0, 0)),
        switch: Cell::new(std::ptr::null()),
        trace: RefCell::new(std::mem::take(&mut pool.trace)),
        expected_store: Cell::new(0),
        stopped: Cell::new(None),
    };
    // SAFETY: as in `enter`.
    unsafe {
        (*indexes).block_extent = [job.launch.block.0, job.launch.block.1, 1];
        (*indexes).grid_extent = [job.launch.grid.0, job.launch.grid.1, 1];
    }
    let threads = job.threads() as usize;
    let mut worker = Worker {
        context: &context,
        job,
        pool,
        tally,
        statuses: vec![Status::Done; threads],
        fibers: std::iter::repeat_with(|| None).take(threads).collect(),
        warp_epochs: vec![0; threads.div_ceil(WARP)],
        epoch: 0,
        block: 0,
    };
    super::hooks::with_context(&context, || {
        while let Some(block) = next() {
            if !worker.run(block) {
                job.stop();
                break;
            }
        }
    });
    pool.trace = context.trace.into_inner();
    pool.trace.clear();
}

impl Worker<'_> {
    /// Runs one block. False when it could not be run to its end.
    fn run(&mut self, block: u32) -> bool {
        self.block = block;
        self.epoch = 0;
        self.pool.serial = self.pool.serial.wrapping_add(1);
        self.statuses.fill(Status::Done);
        self.warp_epochs.fill(0);
        self.context.next_thread.set(0);
        let width = self.job.launch.grid.0;
        // SAFETY: as in `Context::enter`.
        unsafe { (*self.context.indexes).block = [block % width, block / width, 0] };
        self.context.trace.borrow_mut().clear();
        self.tally.counts.blocks += 1;
        self.tally.counts.threads += u64::from(self.job.threads());
        let finished = self.start_threads() && self.run_to_the_end();
        if finished {
            self.end_interval();
        }
        finished
    }

    fn start_threads(&mut self) -> bool {
        while self.context.next_thread.get() < self.job.threads() {
            let stack = match self.pool.stacks.pop() {
                Some(stack) => stack,
                None => match DefaultStack::new(STACK_BYTES) {
                    Ok(stack) => stack,
                    Err(error) => {
                        self.tally.problem =
                            Some(format!("no stack for an emulated thread ({error}): choose smaller blocks"));
                        return false;
                    }
                },
            };
            let range = (stack.limit().get(), stack.base().get() - stack.limit().get());
            let context = std::ptr::from_ref(self.context).cast::<Context<'static>>();
            let (entry, arguments) = (self.job.entry, self.job.arguments());
            let coroutine = Coroutine::with_stack(stack, move |switch: &Switch, _: u64| {
                // SAFETY: the context outlives the worker, and every fiber ends or is given up before that.
                unsafe { &*context }.run_threads(switch, entry, arguments);
            });
            let fiber = Fiber { coroutine, switch: std::ptr::null(), stack: range };
            if !self.resume(fiber, 0) {
                return false;
            }
        }
        true
    }

    /// Runs a fiber until it pauses or ends. False when its thread was stopped for good.
    fn resume(&mut self, mut fiber: Fiber, answer: u64) -> bool {
        self.context.switch.set(fiber.switch);
        self.context.stack.set(fiber.stack);
        match fiber.coroutine.resume(answer) {
            CoroutineResult::Return(()) => self.pool.stacks.push(fiber.coroutine.into_stack()),
            CoroutineResult::Yield(pause) => {
                let thread = self.context.thread.get() as usize;
                fiber.switch = self.context.switch.get();
                self.fibers[thread] = Some(fiber);
                self.statuses[thread] = match pause {
                    Pause::Barrier { place } => Status::Barrier { place },
                    Pause::Exchange(exchange) => Status::Exchange(exchange),
                    Pause::Stopped => {
                        self.report_stop(thread as u32);
                        self.give_up();
                        return false;
                    }
                };
            }
        }
        true
    }

    /// Abandons every waiting thread of the block.
    fn give_up(&mut self) {
        for fiber in self.fibers.iter_mut().filter_map(Option::take) {
            let mut coroutine = fiber.coroutine;
            // SAFETY: the frames given up are those of a kernel and of hooks, which own nothing that needs dropping.
            unsafe { coroutine.force_reset() };
            self.pool.stacks.push(coroutine.into_stack());
        }
        self.statuses.fill(Status::Done);
    }

    fn run_to_the_end(&mut self) -> bool {
        loop {
            self.resolve_exchanges();
            let mut resumed = false;
            for thread in 0..self.statuses.len() {
                if let Status::Ready(answer) = self.statuses[thread]
                    && let Some(fiber) = self.fibers[thread].take()
                {
                    self.statuses[thread] = Status::Done;
                    self.context.enter(thread as u32, self.warp_epochs[thread / WARP]);
                    resumed = true;
                    if !self.resume(fiber, answer) {
                        return false;
                    }
                }
            }
            if resumed {
                continue;
            }
            let waiting = || self.statuses.iter().enumerate().filter(|(_, it)| !matches!(it, Status::Done));
            if waiting().next().is_none() {
                return true;
            }
            let stuck = waiting().find_map(|(thread, status)| match status {
                Status::Exchange(exchange) => Some((thread as u32, *exchange)),
                _ => None,
            });
            if let Some((thread, exchange)) = stuck {
                self.report_stuck_warp(thread, &exchange);
                self.give_up();
                return false;
            }
            self.pass_barrier();
        }
    }

    /// All waiting threads are at the block's barrier.
    fn pass_barrier(&mut self) {
        let mut first: Option<(usize, u32)> = None;
        let mut apart: Option<(usize, u32)> = None;
        let mut gone: Option<usize> = None;
        for (thread, status) in self.statuses.iter().enumerate() {
            match (status, first) {
                (Status::Barrier { place }, None) => first = Some((thread, *place)),
                (Status::Barrier { place }, Some((_, known))) if *place != known => {
                    apart = apart.or(Some((thread, *place)));
                }
                (Status::Done, _) => gone = gone.or(Some(thread)),
                _ => {}
            }
        }
        if let Some((thread, place)) = first
            && self.job.instruments.check
        {
            if let Some(gone) = gone {
                self.report(
                    FindingKind::DivergentBarrier,
                    thread as u32,
                    place,
                    Raw::Left { other: gone as u32 },
                );
            } else if let Some((other, other_place)) = apart {
                let raw = Raw::Elsewhere { other: other as u32, place: other_place };
                self.report(FindingKind::DivergentBarrier, thread as u32, place, raw);
            }
        }
        self.end_interval();
        self.epoch += 1;
        self.tally.counts.barriers += 1;
        for status in &mut self.statuses {
            if matches!(status, Status::Barrier { .. }) {
                *status = Status::Ready(0);
            }
        }
    }

    /// Answers every operation of a warp at which all lanes that it names have arrived.
    fn resolve_exchanges(&mut self) {
        for warp in 0..self.warp_epochs.len() {
            let first = warp * WARP;
            let lanes = (self.statuses.len() - first).min(WARP);
            for lane in 0..lanes {
                let Status::Exchange(exchange) = self.statuses[first + lane] else { continue };
                if let Some(values) = self.gathered(first, lanes, lane, &exchange) {
                    self.answer(first, &exchange, &values);
                    self.warp_epochs[warp] += 1;
                    self.tally.counts.warp_operations += 1;
                }
            }
        }
    }

    /// What each lane brings, once all that `exchange` names are at the same operation; a lane that has left brings nothing.
    fn gathered(
        &self,
        first: usize,
        lanes: usize,
        own: usize,
        exchange: &Exchange,
    ) -> Option<[Option<u64>; WARP]> {
        if exchange.mask >> own & 1 == 0 {
            return None;
        }
        let mut values = [None; WARP];
        for (lane, value) in values.iter_mut().enumerate().take(lanes) {
            if exchange.mask >> lane & 1 == 0 {
                continue;
            }
            match self.statuses[first + lane] {
                Status::Exchange(other) if other.mask == exchange.mask && other.kind == exchange.kind => {
                    *value = Some(other.value);
                }
                _ => return None,
            }
        }
        Some(values)
    }

    fn answer(&mut self, first: usize, exchange: &Exchange, values: &[Option<u64>; WARP]) {
        let ballot = values
            .iter()
            .enumerate()
            .filter(|(_, value)| value.is_some_and(|bits| bits != 0))
            .fold(0u64, |ballot, (lane, _)| ballot | 1 << lane);
        for lane in (0..WARP).filter(|lane| values[*lane].is_some()) {
            let status = &mut self.statuses[first + lane];
            let Status::Exchange(own) = *status else { continue };
            *status = Status::Ready(match exchange.kind {
                ExchangeKind::Sync => 0,
                ExchangeKind::Ballot => ballot,
                // From a lane that does not take part the value is undefined; its own is as good as any.
                ExchangeKind::Shuffle => values[own.source as usize % WARP].unwrap_or(own.value),
            });
        }
    }

    /// Checks and counts what was done since the last barrier.
    fn end_interval(&mut self) {
        if !self.context.traced {
            return;
        }
        let mut trace = self.context.trace.take();
        if self.job.instruments.check {
            self.check(&trace);
        }
        if self.job.instruments.count {
            let (module, used) = (self.job.module, &mut self.tally.shared_used);
            self.tally.counts.add_interval(&trace, self.statuses.len(), |access| {
                if access.space == Space::Shared
                    && let Some((index, _)) = module.shared_at(access.at)
                {
                    *used |= 1 << (index % 64);
                }
            });
        }
        trace.clear();
        *self.context.trace.borrow_mut() = trace;
    }

    /// The threads of a warp go through their accesses side by side, between two operations of the warp: nothing orders
    /// them there, and together they mostly touch neighbours.
    fn check(&mut self, trace: &Trace) {
        let mut cursor = ShadowCursor::default();
        let warp_of = |at: usize| (trace.segments[at].thread / WARP as u32, trace.segments[at].warp_epoch);
        let mut from = 0;
        while from < trace.segments.len() {
            let beyond = |at: &usize| warp_of(*at) != warp_of(from);
            let to = (from..trace.segments.len()).find(beyond).unwrap_or(trace.segments.len());
            let longest = (from..to).map(|at| trace.of(at).1.len()).max().unwrap_or(0);
            for turn in 0..longest {
                for at in from..to {
                    let (start, accesses) = trace.of(at);
                    if let Some(access) = accesses.get(turn) {
                        self.check_access(&mut cursor, trace, at, start + turn, access);
                    }
                }
            }
            from = to;
        }
    }

    fn check_access<'b>(
        &mut self,
        cursor: &mut ShadowCursor<'b>,
        trace: &Trace,
        segment: usize,
        index: usize,
        access: &Access,
    ) where
        Self: 'b,
    {
        let segment = trace.segments[segment];
        let touch = Touch {
            mask: 0,
            reads: access.kind != Kind::Write,
            writes: access.kind != Kind::Read,
            atomic: access.kind == Kind::Atomic,
            // Shared memory's addresses are not kept; nothing there is declared to race.
            silent: access.kind == Kind::Write
                && matches!(access.space, Space::Global(_))
                && trace.before(index).is_some_and(|bits| bits == word_at(access.at as usize)),
        };
        let who = Who {
            block: self.block,
            epoch: self.epoch,
            warp_epoch: segment.warp_epoch,
            thread: segment.thread,
            place: access.place,
        };
        let fault = match access.space {
            Space::Global(memory) => {
                let memory = self.job.memories[usize::from(memory)];
                cursor.access(memory, self.job.serial, who, access.at as usize, access.bytes, touch)
            }
            Space::Shared => touch_shared(&mut self.pool.shared, self.pool.serial, who, access, touch),
            Space::Dynamic => touch_shared(&mut self.pool.dynamic, self.pool.serial, who, access, touch),
        };
        if let Some(fault) = fault {
            self.report_fault(access, who, fault);
        }
    }

    fn report_fault(&mut self, access: &Access, who: Who, fault: Fault) {
        let kind = match fault {
            Fault::Unwritten => FindingKind::Unwritten,
            Fault::Race { other, .. } if other.block == who.block => FindingKind::RaceInBlock,
            Fault::Race { .. } => FindingKind::RaceBetweenBlocks,
        };
        self.report(kind, who.thread, access.place, Raw::Fault { access: *access, fault });
    }

    fn report_stop(&mut self, thread: u32) {
        if let Some(stop) = self.context.stopped.take() {
            self.report(FindingKind::OutOfBounds, thread, stop.place, Raw::Stop(stop));
        }
    }

    fn report_stuck_warp(&mut self, thread: u32, exchange: &Exchange) {
        let raw = Raw::StuckWarp { mask: exchange.mask, waiting: self.lanes_waiting(thread) };
        self.report(FindingKind::DivergentBarrier, thread, exchange.place, raw);
    }

    /// The lanes of a thread's warp that wait at an operation of the warp.
    fn lanes_waiting(&self, thread: u32) -> u32 {
        let first = thread as usize / WARP * WARP;
        let lanes = self.statuses[first..].iter().take(WARP).enumerate();
        lanes
            .filter(|(_, status)| matches!(status, Status::Exchange(_)))
            .fold(0, |mask, (lane, _)| mask | 1 << lane)
    }

    fn report(&mut self, kind: FindingKind, thread: u32, place: u32, raw: Raw) {
        self.tally.report(kind, self.block, thread, place, raw);
    }
}

/// Takes note of an access to a block's own memory, and says what is wrong with it.
fn touch_shared(shadow: &mut [Word], scope: u32, who: Who, access: &Access, touch: Touch) -> Option<Fault> {
    let mut fault = None;
    for (word, mask) in memory::words(access.at, access.bytes) {
        if let Some(word) = shadow.get_mut(word) {
            fault = fault.or(word.access(scope, false, who, Touch { mask, ..touch }));
        }
    }
    fault
}
