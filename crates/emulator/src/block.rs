//! One block on one host thread: its CUDA threads as fibers, switched at barriers and at warp operations.
//!
//! A fiber runs one thread after another until one of them has to wait, and keeps that one; the next fiber goes on with the
//! next thread. A kernel without barriers needs one fiber a block.
//!
//! A barrier is passed once every thread that has not left the kernel waits at one. It is found divergent when a thread has
//! left, or when two wait at barriers at different places of the code; on a GPU either is undefined. Places are all that is
//! told apart: threads that come to the same barrier in different turns of a loop, or by different calls of a function that
//! was not inlined, are taken to meet there, though a turn that some skip is as undefined. Of a warp's operations, each ends
//! when all lanes that its mask names wait at one of that kind with that mask; when some never do, the launch ends.

use super::context::{Context, Exchange, ExchangeKind, Pause, Switch, Wrong};
use super::finding::FindingKind;
use super::launch::{Job, Raw, Tally};
use super::shadow::{WORD, Word};
use super::trace::Trace;
use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, CoroutineResult};

/// Room for a thread's local variables; kernels that fit a GPU's registers need little.
const STACK_BYTES: usize = 64 << 10;
/// Threads a warp.
pub(crate) const WARP: usize = 32;

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

/// A thread that has to wait, and the fiber that keeps it.
struct Fiber {
    coroutine: Coroutine<u64, Pause, (), DefaultStack>,
    switch: *const Switch,
    stack: (usize, usize),
}

/// What a host thread keeps from block to block and launch to launch.
#[derive(Default)]
pub(crate) struct Pool {
    stacks: Vec<DefaultStack>,
    trace: Trace,
    /// Of shared memory, by word.
    pub shared: Vec<Word>,
    pub dynamic: Vec<Word>,
    dynamic_memory: Vec<u128>,
    /// Tells the blocks that this host thread ran apart.
    pub serial: u32,
}

/// Runs blocks of one launch on the calling host thread.
pub(crate) struct Worker<'a> {
    pub context: &'a Context<'a>,
    pub job: &'a Job<'a>,
    pub pool: &'a mut Pool,
    pub tally: &'a mut Tally,
    statuses: Vec<Status>,
    fibers: Vec<Option<Fiber>>,
    warp_epochs: Vec<u32>,
    pub epoch: u32,
    pub block: u32,
}

/// Runs blocks until none is left or one cannot go on.
pub(crate) fn run_blocks(job: &Job, pool: &mut Pool, tally: &mut Tally, next: impl Fn() -> Option<u32>) {
    let (indexes, shared) = job.module.of_this_thread();
    let dynamic_bytes = job.launch.dynamic_shared_bytes as usize;
    pool.dynamic_memory.resize(pool.dynamic_memory.len().max(dynamic_bytes.div_ceil(16)), 0);
    pool.shared.resize(pool.shared.len().max(shared.len().div_ceil(WORD)), Word::default());
    pool.dynamic.resize(pool.dynamic.len().max(dynamic_bytes.div_ceil(WORD)), Word::default());
    let dynamic = pool.dynamic_memory.as_mut_ptr() as usize;
    let trace = std::mem::take(&mut pool.trace);
    let context = Context::new(job, indexes, shared, dynamic..dynamic + dynamic_bytes, trace);
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
    tally.shared_used |= context.shared_used.get();
    pool.trace = context.into_trace();
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
        self.context.begin_block(block);
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
                        self.give_up();
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
                    // Shuffles and votes move values and order nothing in memory.
                    if exchange.kind == ExchangeKind::Sync {
                        self.warp_epochs[warp] += 1;
                    }
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
                // Only lanes that have not left are waited for.
                Status::Done => {}
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

    fn report_stop(&mut self, thread: u32) {
        if let Some(stop) = self.context.stopped.take() {
            let kind = match stop.wrong {
                Wrong::Misaligned(_) => FindingKind::Misaligned,
                Wrong::BeyondArray | Wrong::Outside { .. } | Wrong::BesideShared { .. } => {
                    FindingKind::OutOfBounds
                }
            };
            self.report(kind, thread, stop.place, Raw::Stop(stop));
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

    pub fn report(&mut self, kind: FindingKind, thread: u32, place: u32, raw: Raw) {
        self.tally.report(kind, self.block, thread, place, raw);
    }
}
