//! One host thread that runs blocks of a launch: their CUDA threads as fibers, resumed in turns.
//!
//! A fiber runs one thread after another until one of them has to wait, and keeps that one; the next fiber goes on with the
//! next thread. A kernel without barriers needs one fiber a block. In the usual order one block, or one cluster, runs at a
//! time. When it can only wait for others, more are started, as many as a GPU of this size would hold. In every other order,
//! that many run side by side from the beginning.

use crate::barriers::{Barriers, pass_barrier};
use crate::block::{
    ANY, Block, BlockClock, BlockMemory, ClusterPlace, Exchanges, Fiber, Thread, ThreadOrder, ThreadState,
    WarpLanes,
};
use crate::context::LaunchContext;
use crate::copies::Transfers;
use crate::deadlock::{report_end_of_time, report_stuck, report_trap};
use crate::history::HappensBefore;
use crate::mbarrier::let_tries_end;
use crate::module::SharedMemoryImage;
use crate::report::{Recorder, WorkerReport};
use crate::request::{FiberYielder, HostBlocks, Request};
use crate::resident::{LaunchAbort, LaunchResult, ProgressCounters, RequestOutcome, ResidentBlocks, Site};
use crate::shadow::BenignRace;
use crate::stack::{BuiltinVariables, StackSlot, ThreadHeader, with_head};
use crate::trace::Trace;
use crate::trap::{self, TrapCause};
use crate::warps::resolve_exchanges;
use crate::{launch, order};
use corosensei::{Coroutine, CoroutineResult};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// After this many rounds in which threads only polled memory, or in which they also met at barriers and in warps, the wait is
/// taken to have no end.
const MOST_ROUNDS_OF_POLLS: u32 = 2_000;
const MOST_ROUNDS: u32 = 200_000;
/// After this many rounds in which threads met and polled the same memory again, the wait is taken to have no end.
const MOST_POLLING_ROUNDS: u32 = 10_000;

/// What a host thread keeps from block to block and launch to launch.
#[derive(Default)]
pub struct WorkerBuffers {
    slots: Vec<StackSlot>,
    images: Vec<SharedMemoryImage>,
    traces: Vec<Trace>,
    /// Distinguishes the blocks that this host thread ran.
    serial: u32,
}

/// Runs blocks of one launch on the calling host thread.
struct Worker<'a> {
    machine: HostBlocks<'a>,
    buffers: &'a mut WorkerBuffers,
}

/// Runs blocks until none is left or one cannot go on.
pub fn run_blocks(launch: &LaunchContext, buffers: &mut WorkerBuffers, report: &mut WorkerReport) {
    let all = ResidentBlocks {
        launch,
        found: report,
        blocks: Vec::new(),
        progress: ProgressCounters::default(),
        mbarriers: FxHashMap::default(),
        before: Rc::new(HappensBefore::of(launch.spec.place)),
    };
    let (barriers, transfers) = (Barriers::default(), Transfers::default());
    let machine = HostBlocks { all, barriers, transfers, ticks: 0 };
    let mut worker = Worker { machine, buffers };
    if worker.run().is_err() {
        launch.stop();
        // A mistake in accesses not checked yet came earlier, and explains more than this error.
        let all = &mut worker.machine.all;
        (0..all.blocks.len()).for_each(|at| all.check_trace(at));
    }
    drop(worker);
    launch.quiescence.end();
}

impl Drop for Worker<'_> {
    /// Abandons every waiting thread.
    fn drop(&mut self) {
        for thread in self.machine.all.threads_mut() {
            let Some(mut fiber) = thread.fiber.take() else { continue };
            // SAFETY: the frames given up are those of a kernel and of what passes requests on, which own nothing that
            // needs dropping.
            unsafe { fiber.force_reset() };
        }
    }
}

/// What a fiber is resumed with to run this thread from its beginning; 0 ends it.
fn beginning(thread: u32) -> u64 {
    u64::from(thread) + 1
}

impl Worker<'_> {
    fn run(&mut self) -> LaunchResult<()> {
        let launch = self.machine.all.launch;
        let mut idle = 0;
        let mut idle_meetings = 0;
        let mut polling_rounds = 0u32;
        let mut epoch = launch.quiescence.epoch();
        // The epoch in which this host thread was last counted as idle.
        let mut counted = None;
        loop {
            if self.machine.all.blocks.is_empty() && !self.start_cluster(true)? {
                return Ok(());
            }
            // In every order but the usual one all that fit run side by side.
            while launch.spec.seed > 0 && self.start_cluster(false)? {}
            let before = self.machine.all.progress;
            // Idle rounds do not count any more after another host thread has changed something.
            let now = launch.quiescence.epoch();
            if now != epoch {
                (epoch, idle, idle_meetings) = (now, 0, 0);
            }
            self.round()?;
            self.retire();
            let after = self.machine.all.progress;
            if after.changes != before.changes {
                launch.quiescence.change();
                (idle, idle_meetings) = (0, 0);
                continue;
            }
            let has_polled = after.polled_reads != before.polled_reads;
            let again = has_polled && after.moves == before.moves;
            if after.meetings != before.meetings {
                let weight = if again { MOST_ROUNDS / MOST_POLLING_ROUNDS } else { 1 };
                idle_meetings = u32::saturating_add(idle_meetings, weight);
                polling_rounds = u32::wrapping_add(polling_rounds, u32::from(has_polled));
                // What they poll between their meetings may come from copies, or from blocks that have not started.
                if has_polled && polling_rounds.is_multiple_of(16) {
                    if self.land_transfers() || self.start_cluster(false)? {
                        launch.quiescence.change();
                    }
                    std::thread::yield_now();
                }
                if idle_meetings < MOST_ROUNDS || !(again || self.does_somebody_poll()) {
                    continue;
                }
            }
            if self.land_transfers() || self.start_cluster(false)? {
                launch.quiescence.change();
                continue;
            }
            // A thread that makes very many accesses in each turn is given fewer turns.
            idle += if self.does_somebody_loop() { MOST_ROUNDS_OF_POLLS / 8 } else { 1 };
            let polls = let_tries_end(&mut self.machine.all) | self.does_somebody_poll() | again;
            let in_vain = idle > MOST_ROUNDS_OF_POLLS || idle_meetings >= MOST_ROUNDS;
            if !polls || in_vain && launch.quiescence.is_over(epoch, &mut counted) {
                let reads = if idle_meetings >= MOST_ROUNDS { before.polled_reads } else { u64::MAX };
                report_stuck(&mut self.machine, reads);
                return Err(LaunchAbort);
            }
            if launch.stopped.load(Ordering::Relaxed) {
                return Err(LaunchAbort);
            }
            std::thread::yield_now();
        }
    }

    /// Starts the blocks of the next cluster, if it has room or is `needed`. False when none is started.
    fn start_cluster(&mut self, needed: bool) -> LaunchResult<bool> {
        let launch = self.machine.all.launch;
        if launch.stopped.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let threads = launch.cluster_blocks * launch.threads();
        let fits =
            |held: u32| (needed || held + threads <= launch.spec.most_threads).then_some(held + threads);
        if launch.resident.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fits).is_err() {
            return Ok(false);
        }
        let Some(cluster) = launch.take_cluster() else {
            launch.resident.fetch_sub(threads, Ordering::SeqCst);
            return Ok(false);
        };
        for (rank, place) in (0..).zip(launch.blocks_of(cluster)) {
            self.start_block(cluster, rank, place)?;
        }
        self.machine.barriers.begin_cluster(cluster);
        self.machine.all.progress.changes += 1;
        Ok(true)
    }

    fn start_block(&mut self, cluster: u32, rank: u32, place: launch::Extent) -> LaunchResult<()> {
        let (all, buffers) = (&mut self.machine.all, &mut *self.buffers);
        let (spec, threads) = (&all.launch.spec, all.launch.threads());
        let number = launch::number_of(place, spec.shape.grid);
        let bytes = spec.module.image_bytes(spec.shape.dynamic_shared_bytes as usize);
        let checks = spec.instruments.check;
        let kept = buffers.images.pop().filter(|image| image.serves(bytes, checks));
        let Some(mut image) = kept.or_else(|| SharedMemoryImage::new(bytes, checks)) else {
            all.found.problem =
                Some(format!("no memory for {bytes} bytes of shared memory: choose smaller blocks"));
            return Err(LaunchAbort);
        };
        spec.module.begin_block(&mut image, &spec.shape);
        buffers.serial = buffers.serial.wrapping_add(1).max(1);
        let trace = buffers.traces.pop().unwrap_or_default();
        all.found.counts.blocks += 1;
        all.found.counts.threads += u64::from(threads);
        all.blocks.push(Block {
            number,
            cluster: ClusterPlace { first: cluster, rank },
            serial: buffers.serial,
            memory: BlockMemory { image, visitors: FxHashMap::default() },
            recorder: Recorder::new(),
            trace,
            threads: std::iter::repeat_with(Thread::default).take(threads as usize).collect(),
            turns: ThreadOrder {
                order: Rc::new(order::of_threads(spec.seed, number, threads)),
                started: 0,
                indexes: BuiltinVariables::new(&spec.shape, place, rank),
            },
            expected: (usize::MAX, BenignRace::SameBits),
            clock: BlockClock { tick: 1, fenced: None },
            last_bulk: 0,
            exchanges: Exchanges { lanes: vec![WarpLanes::default(); threads as usize], pending: false },
        });
        Ok(())
    }

    /// Lets every thread of every block run that can.
    fn round(&mut self) -> LaunchResult<()> {
        for at in 0..self.machine.all.blocks.len() {
            // A thread that polls has one turn a round, also where threads of its block meet in between.
            let mut polls = true;
            let mut before = self.machine.all.progress;
            while self.turns(at, polls)? {
                let now = self.machine.all.progress;
                if polls || now.changes != before.changes {
                    polls = false;
                    before = now;
                } else if now.polled_reads != before.polled_reads && now.meetings != before.meetings {
                    break;
                }
            }
        }
        self.machine.barriers.pass_cluster_barriers(&mut self.machine.all);
        Ok(())
    }

    /// Gives a turn to each thread of a block that can run. Returns whether there is more to do for the block.
    fn turns(&mut self, at: usize, polls: bool) -> LaunchResult<bool> {
        resolve_exchanges(&mut self.machine.all, at);
        let order = self.machine.all.blocks[at].turns.order.clone();
        let mut ran = false;
        for &thread in order.iter() {
            let it = &mut self.machine.all.blocks[at].threads[thread as usize];
            let answer = match it.state {
                ThreadState::Ready(answer) => answer,
                ThreadState::Polls { .. } if polls => 0,
                _ => continue,
            };
            let Some(fiber) = it.fiber.take() else { continue };
            ran = true;
            self.resume(at, thread, fiber, answer)?;
        }
        while self.machine.all.blocks[at].turns.started < order.len() {
            ran = true;
            self.start_fiber(at)?;
        }
        Ok(ran || pass_barrier(&mut self.machine.all, at))
    }

    /// Starts a fiber for the next thread of a block that has not started.
    fn start_fiber(&mut self, at: usize) -> LaunchResult<()> {
        let all = &mut self.machine.all;
        let launch = all.launch;
        let bounds = launch.spec.instruments.bounds;
        let kept = self.buffers.slots.pop().map_or_else(StackSlot::new, Ok);
        let mut slot = match kept.and_then(|slot| if bounds { slot.with_shadow() } else { Ok(slot) }) {
            Ok(slot) => slot,
            Err(error) => {
                all.found.problem =
                    Some(format!("no stack for an emulated thread ({error}): choose smaller blocks"));
                return Err(LaunchAbort);
            }
        };
        let block = &mut all.blocks[at];
        slot.set_head(ThreadHeader {
            image: block.memory.image.address(),
            image_bytes: block.memory.image.bytes(),
            recorder: std::ptr::from_mut(&mut *block.recorder) as usize,
            context: 0,
            indexes_offset: launch.spec.module.indexes_offset,
            indexes: block.turns.indexes,
        });
        let arguments = launch.spec.pointers.as_ptr().cast_mut().cast();
        let (entry, extent) = (launch.spec.entry, launch.spec.shape.block);
        let fiber = Coroutine::with_stack(slot, move |switch: &FiberYielder, first: u64| {
            // SAFETY: this runs on the slot whose head was just set.
            unsafe { with_head(|head| head.context = std::ptr::from_ref(switch) as usize) };
            let mut go = first;
            while go != 0 {
                let (x, y, z) = launch::place_of((go - 1) as u32, extent);
                // SAFETY: as above.
                unsafe { with_head(|head| head.indexes.thread = [x, y, z]) };
                // SAFETY: the kernel of a loaded library, with as many arguments as it takes and of at least their bytes. What
                // it does to memory is checked where that is asked for; otherwise it is as trusted as any kernel.
                unsafe { entry(arguments) };
                go = switch.suspend(Request::NEXT_THREAD);
            }
        });
        let thread = block.next_thread().unwrap_or(0);
        self.resume(at, thread, fiber, beginning(thread))
    }

    /// Runs a fiber until its thread has to wait or no thread is left for it.
    fn resume(&mut self, at: usize, first: u32, mut fiber: Fiber, answer: u64) -> LaunchResult<()> {
        let launch = self.machine.all.launch;
        let (mut thread, mut answer) = (first, answer);
        // From here on, what kernel code of the block does is done by this thread.
        let enter = |block: &mut Block, thread| {
            if launch.spec.instruments.any() {
                block.begin_segment(thread);
            }
        };
        enter(&mut self.machine.all.blocks[at], thread);
        loop {
            let block = &mut self.machine.all.blocks[at];
            block.recorder.open(&mut block.trace);
            let (handler, limit) = (fiber.trap_handler(), &launch.limit);
            let run = || fiber.resume(answer);
            let (result, trap) = trap::resume(handler, &launch.spec.module.image, &limit.is_over, run);
            if trap.is_none_or(|trap| trap.cause != TrapCause::Time) {
                block.recorder.take(&mut block.trace);
            }
            let CoroutineResult::Yield(request) = result else {
                let slot = fiber.into_stack();
                let Some(trap) = trap else {
                    self.buffers.slots.push(slot);
                    return Ok(());
                };
                report_trap(&mut self.machine.all, at, thread, trap);
                return Err(LaunchAbort);
            };
            let outcome = if limit.is_over() {
                report_end_of_time(&mut self.machine.all, Site { at, thread, place: request.place() });
                Err(LaunchAbort)
            } else {
                self.machine.answer(at, thread, &request)
            };
            let block = &mut self.machine.all.blocks[at];
            let it = &mut block.threads[thread as usize];
            match outcome {
                Ok(RequestOutcome::Answer(given)) => answer = given,
                Ok(RequestOutcome::Wait(state)) => {
                    (it.state, it.fiber) = (state, Some(fiber));
                    return Ok(());
                }
                Ok(RequestOutcome::Ended) => {
                    block.end_thread(thread);
                    self.machine.all.progress.changes += 1;
                    let block = &mut self.machine.all.blocks[at];
                    let next = block.next_thread();
                    answer = next.map_or(0, beginning);
                    if let Some(next) = next {
                        thread = next;
                        enter(block, thread);
                    }
                }
                Err(aborted) => {
                    it.fiber = Some(fiber);
                    return Err(aborted);
                }
            }
        }
    }

    fn land_transfers(&mut self) -> bool {
        self.machine.transfers.land(&mut self.machine.all, |_| true)
    }

    /// Puts away clusters whose blocks have all ended.
    fn retire(&mut self) {
        let blocks = &self.machine.all.blocks;
        let running: Vec<u32> =
            blocks.iter().filter(|block| !block.is_done()).map(|block| block.cluster.first).collect();
        if blocks.iter().all(|block| running.contains(&block.cluster.first)) {
            return;
        }
        self.land_transfers();
        let HostBlocks { all, barriers, transfers, .. } = &mut self.machine;
        for at in 0..all.blocks.len() {
            if !running.contains(&all.blocks[at].cluster.first) {
                all.check_trace(at);
                all.check_visitors(at);
            }
        }
        let (left, ended): (Vec<_>, Vec<_>) = std::mem::take(&mut all.blocks)
            .into_iter()
            .partition(|block| running.contains(&block.cluster.first));
        all.blocks = left;
        for block in ended {
            barriers.forget(&block);
            transfers.mbarriers.forget(all, &block);
            all.launch.resident.fetch_sub(all.launch.threads(), Ordering::SeqCst);
            let mut trace = block.trace;
            trace.clear();
            self.buffers.traces.push(trace);
            self.buffers.images.push(block.memory.image);
            all.progress.changes += 1;
        }
    }

    fn is_some_thread(&self, is_it: impl Fn(&ThreadState) -> bool) -> bool {
        let mut threads = self.machine.all.blocks.iter().flat_map(|block| &block.threads);
        threads.any(|thread| is_it(&thread.state))
    }

    fn does_somebody_loop(&self) -> bool {
        self.is_some_thread(|state| matches!(state, ThreadState::Polls { address: ANY, .. }))
    }

    fn does_somebody_poll(&self) -> bool {
        self.is_some_thread(|state| matches!(state, ThreadState::Polls { .. } | ThreadState::Ready(_)))
    }
}
