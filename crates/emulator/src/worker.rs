//! One host thread that runs blocks of a launch: their CUDA threads as fibers, resumed in turns.
//!
//! A fiber runs one thread after another until one of them has to wait, and keeps that one; the next fiber goes on with the
//! next thread. A kernel without barriers needs one fiber a block. In the usual order one block, or one cluster, runs at a
//! time. When it can only wait for others, more are started, as many as a GPU of this size would hold. In every other order
//! as many as that run side by side from the beginning.

use crate::access::ANY;
use crate::barriers::Cluster;
use crate::block::{Block, ThreadState};
use crate::context::LaunchContext;
use crate::copies::Transfer;
use crate::history::HappensBefore;
use crate::launch::{WorkerBuffers, WorkerReport};
use crate::mbarrier::Mbarrier;
use crate::request::{FiberYielder, Request};
use crate::stack::{BuiltinVariables, StackSlot, ThreadHeader, with_head};
use crate::trap::{self, TrapCause};
use crate::{image::SharedMemoryImage, order, shape};
use corosensei::{Coroutine, CoroutineResult};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// Rounds in which threads only looked at memory again, and those in which they also met at barriers and in warps, after which
/// the wait is taken to have no end.
const MOST_ROUNDS_OF_POLLS: u32 = 2_000;
const MOST_ROUNDS: u32 = 200_000;
/// Rounds in which threads met and polled the same memory again, after which the wait is taken to have no end.
const MOST_POLLING_ROUNDS: u32 = 10_000;

/// What follows a request.
pub enum RequestOutcome {
    Answer(u64),
    Wait(ThreadState),
    /// Its thread has left the kernel.
    Ended,
    /// The launch cannot go on.
    Stop,
}

/// The launch cannot go on.
pub struct LaunchAborted;

/// Runs blocks of one launch on the calling host thread.
pub struct Worker<'a> {
    pub job: &'a LaunchContext<'a>,
    pub pool: &'a mut WorkerBuffers,
    pub tally: &'a mut WorkerReport,
    pub blocks: Vec<Block>,
    pub mbarriers: FxHashMap<usize, Mbarrier>,
    /// How many were.
    pub initialised: u16,
    pub clusters: FxHashMap<u32, Cluster>,
    /// Copies whose bytes have not moved yet, by number.
    pub transfers: Vec<Transfer>,
    pub last_transfer: u64,
    /// Counts what may let others go on, and what only meetings of threads brought about.
    pub progress: u64,
    pub meetings: u64,
    /// Counts polled reads: of memory that others may change.
    pub polled_reads: u64,
    /// Those of them at another place of memory than the thread's last.
    pub moves: u64,
    pub ticks: u64,
    /// Other launches, for the checker.
    pub before: Rc<HappensBefore<'a>>,
}

/// Runs blocks until none is left or one cannot go on.
pub fn run_blocks(job: &LaunchContext, pool: &mut WorkerBuffers, tally: &mut WorkerReport) {
    let mut worker = Worker {
        job,
        pool,
        tally,
        blocks: Vec::new(),
        mbarriers: FxHashMap::default(),
        initialised: 0,
        clusters: FxHashMap::default(),
        transfers: Vec::new(),
        last_transfer: 0,
        progress: 0,
        meetings: 0,
        polled_reads: 0,
        moves: 0,
        ticks: 0,
        before: Rc::new(HappensBefore::of(job.place)),
    };
    if worker.run().is_err() {
        job.stop();
        // An earlier error explains more than this later one.
        (0..worker.blocks.len()).for_each(|at| worker.check_trace(at));
    }
    drop(worker);
    job.quiet.end();
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        self.abandon_threads();
    }
}

/// What a fiber is resumed with to run this thread from its beginning; 0 ends it.
fn beginning(thread: u32) -> u64 {
    u64::from(thread) + 1
}

impl Worker<'_> {
    fn run(&mut self) -> Result<(), LaunchAborted> {
        let mut idle = 0;
        let mut idle_meetings = 0;
        let mut polling_rounds = 0u32;
        let mut epoch = self.job.quiet.epoch();
        // In which it was counted as idle.
        let mut counted = None;
        loop {
            if self.blocks.is_empty() && !self.start_cluster(true)? {
                return Ok(());
            }
            // In every order but the usual one all that fit run side by side.
            while self.job.seed > 0 && self.start_cluster(false)? {}
            let before = (self.progress, self.meetings);
            let (reads, moves) = (self.polled_reads, self.moves);
            // What was in vain before another host thread changed something says nothing of what it is now.
            let now = self.job.quiet.epoch();
            if now != epoch {
                (epoch, idle, idle_meetings) = (now, 0, 0);
            }
            self.round()?;
            self.retire()?;
            if self.progress != before.0 {
                self.job.quiet.change();
                (idle, idle_meetings) = (0, 0);
                continue;
            }
            let again = self.polled_reads != reads && self.moves == moves;
            if self.meetings != before.1 {
                let weight = if again { MOST_ROUNDS / MOST_POLLING_ROUNDS } else { 1 };
                idle_meetings = u32::saturating_add(idle_meetings, weight);
                polling_rounds = u32::wrapping_add(polling_rounds, u32::from(self.polled_reads != reads));
                // What they look for between their meetings may be for copies to bring, or for blocks that have not started.
                if self.polled_reads != reads && polling_rounds.is_multiple_of(16) {
                    if self.land_transfers() || self.start_cluster(false)? {
                        self.job.quiet.change();
                    }
                    std::thread::yield_now();
                }
                if idle_meetings < MOST_ROUNDS || !(again || self.somebody_polls()) {
                    continue;
                }
            }
            if self.land_transfers() || self.start_cluster(false)? {
                self.job.quiet.change();
                continue;
            }
            // Whoever does so much at a time is given fewer turns.
            idle += if self.somebody_loops() { MOST_ROUNDS_OF_POLLS / 8 } else { 1 };
            let polls = self.let_tries_end() | self.somebody_polls() | again;
            let in_vain = idle > MOST_ROUNDS_OF_POLLS || idle_meetings >= MOST_ROUNDS;
            if !polls || in_vain && self.job.quiet.is_over(epoch, &mut counted) {
                self.report_stuck(if idle_meetings >= MOST_ROUNDS { reads } else { u64::MAX });
                return Err(LaunchAborted);
            }
            if self.job.stopped.load(Ordering::Relaxed) {
                return Err(LaunchAborted);
            }
            std::thread::yield_now();
        }
    }

    /// Starts the blocks of the next cluster, at least when `needed`. False when none is left, or no room for one.
    fn start_cluster(&mut self, needed: bool) -> Result<bool, LaunchAborted> {
        if self.job.stopped.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let threads = self.job.cluster_blocks * self.job.threads();
        let fits = |held: u32| (needed || held + threads <= self.job.most_threads).then_some(held + threads);
        if self.job.resident.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fits).is_err() {
            return Ok(false);
        }
        let Some(cluster) = self.job.take_cluster() else {
            self.job.resident.fetch_sub(threads, Ordering::SeqCst);
            return Ok(false);
        };
        for (rank, place) in self.job.blocks_of(cluster).into_iter().enumerate() {
            self.start_block(cluster, rank as u32, place)?;
        }
        self.clusters.insert(cluster, Cluster::default());
        self.progress += 1;
        Ok(true)
    }

    fn start_block(&mut self, cluster: u32, rank: u32, place: shape::Extent) -> Result<(), LaunchAborted> {
        let job = self.job;
        let number = shape::number_of(place, job.launch.grid);
        let dynamic = job.launch.dynamic_shared_bytes as usize;
        let bytes = job.module.image_bytes(dynamic);
        let image = match self.pool.images.pop().filter(|image| image.serves(bytes, job.instruments.check)) {
            Some(image) => Some(image),
            None => SharedMemoryImage::new(bytes, job.instruments.check),
        };
        let Some(image) = image else {
            self.tally.problem =
                Some(format!("no memory for {bytes} bytes of shared memory: choose smaller blocks"));
            return Err(LaunchAborted);
        };
        self.pool.serial = self.pool.serial.wrapping_add(1).max(1);
        let trace = self.pool.traces.pop().unwrap_or_default();
        let order = Rc::new(order::of_threads(job.seed, number, job.threads()));
        let mut block = Block::new(number, self.pool.serial, image, trace, order);
        (block.rank, block.cluster) = (rank, cluster);
        job.module.begin_block(&mut block.image, &job.launch);
        block.indexes = BuiltinVariables::of(&job.launch, place, rank);
        self.tally.counts.blocks += 1;
        self.tally.counts.threads += u64::from(job.threads());
        self.blocks.push(block);
        Ok(())
    }

    /// Lets every thread of every block run that can.
    fn round(&mut self) -> Result<(), LaunchAborted> {
        for at in 0..self.blocks.len() {
            // Whoever looks at memory again and again has one turn, also where its threads meet in between.
            let mut polls = true;
            let mut before = (self.progress, self.polled_reads, self.meetings);
            while self.turns(at, polls)? {
                if polls || self.progress != before.0 {
                    polls = false;
                    before = (self.progress, self.polled_reads, self.meetings);
                } else if self.polled_reads != before.1 && self.meetings != before.2 {
                    break;
                }
            }
        }
        self.pass_cluster_barriers();
        Ok(())
    }

    /// A turn for each thread of a block that can have one. Whether there is more to do for the block.
    fn turns(&mut self, at: usize, polls: bool) -> Result<bool, LaunchAborted> {
        self.resolve_exchanges(at);
        let order = self.blocks[at].order.clone();
        let mut ran = false;
        for &thread in order.iter() {
            let it = &mut self.blocks[at].threads[thread as usize];
            let answer = match it.status {
                ThreadState::Ready(answer) => answer,
                ThreadState::Polls { .. } if polls => 0,
                _ => continue,
            };
            let Some(fiber) = it.fiber.take() else { continue };
            ran = true;
            self.resume(at, thread, fiber, answer)?;
        }
        while self.blocks[at].started < order.len() {
            ran = true;
            self.start_fiber(at)?;
        }
        Ok(ran || self.pass_barrier(at))
    }

    /// A fiber for the next thread of a block that has not started.
    fn start_fiber(&mut self, at: usize) -> Result<(), LaunchAborted> {
        let bounds = self.job.instruments.bounds;
        let kept = self.pool.slots.pop().map_or_else(StackSlot::new, Ok);
        let mut slot = match kept.and_then(|slot| if bounds { slot.with_shadow() } else { Ok(slot) }) {
            Ok(slot) => slot,
            Err(error) => {
                self.tally.problem =
                    Some(format!("no stack for an emulated thread ({error}): choose smaller blocks"));
                return Err(LaunchAborted);
            }
        };
        let block = &mut self.blocks[at];
        slot.set_head(ThreadHeader {
            image: block.image.address(),
            image_bytes: block.image.bytes(),
            recorder: std::ptr::from_mut(&mut *block.recorder) as usize,
            context: 0,
            indexes_offset: self.job.module.indexes_offset,
            indexes: block.indexes,
        });
        let (entry, arguments, extent) = (self.job.entry, self.job.arguments(), self.job.launch.block);
        let fiber = Coroutine::with_stack(slot, move |switch: &FiberYielder, first: u64| {
            // SAFETY: this runs on the slot whose head was just set.
            unsafe { with_head(|head| head.context = std::ptr::from_ref(switch) as usize) };
            let mut go = first;
            while go != 0 {
                let (x, y, z) = shape::place_of((go - 1) as u32, extent);
                // SAFETY: as above.
                unsafe { with_head(|head| head.indexes.thread = [x, y, z]) };
                // SAFETY: the kernel of a loaded library, with as many arguments as it takes and of at least their bytes. What
                // it does to memory is checked where that is asked for; otherwise it is as trusted as any kernel.
                unsafe { entry(arguments) };
                go = switch.suspend(Request::NEXT_THREAD);
            }
        });
        let thread = self.next_thread(at).unwrap_or(0);
        self.resume(at, thread, fiber, beginning(thread))
    }

    /// The next thread of a block to start.
    fn next_thread(&mut self, at: usize) -> Option<u32> {
        let block = &mut self.blocks[at];
        let thread = block.order.get(block.started).copied()?;
        block.started += 1;
        Some(thread)
    }

    /// From here on, what kernel code of the block does is done by `thread`.
    fn enter(&mut self, at: usize, thread: u32) {
        if self.job.instruments.any() {
            self.blocks[at].begin_segment(thread);
        }
    }

    /// Runs a fiber until its thread has to wait or no thread is left for it.
    fn resume(
        &mut self,
        at: usize,
        thread: u32,
        mut fiber: crate::block::Fiber,
        answer: u64,
    ) -> Result<(), LaunchAborted> {
        let mut thread = thread;
        let mut answer = answer;
        self.enter(at, thread);
        loop {
            let block = &mut self.blocks[at];
            block.recorder.open(&mut block.trace);
            let (handler, limit) = (fiber.trap_handler(), &self.job.limit);
            let run = || fiber.resume(answer);
            let (result, trap) = trap::resume(handler, &self.job.module.image, &limit.is_over, run);
            if trap.is_none_or(|trap| trap.cause != TrapCause::Time) {
                block.recorder.take(&mut block.trace);
            }
            let CoroutineResult::Yield(request) = result else {
                let slot = fiber.into_stack();
                let Some(trap) = trap else {
                    self.pool.slots.push(slot);
                    return Ok(());
                };
                self.report_trap(at, thread, trap);
                return Err(LaunchAborted);
            };
            if limit.is_over() {
                self.blocks[at].threads[thread as usize].fiber = Some(fiber);
                self.report_end_of_time(at, thread, request.place());
                return Err(LaunchAborted);
            }
            match self.answer(at, thread, &request) {
                RequestOutcome::Answer(given) => answer = given,
                RequestOutcome::Wait(status) => {
                    let it = &mut self.blocks[at].threads[thread as usize];
                    (it.status, it.fiber) = (status, Some(fiber));
                    return Ok(());
                }
                RequestOutcome::Ended => {
                    self.end_thread(at, thread);
                    answer = match self.next_thread(at) {
                        Some(next) => {
                            thread = next;
                            self.enter(at, thread);
                            beginning(thread)
                        }
                        None => 0,
                    };
                }
                RequestOutcome::Stop => {
                    self.blocks[at].threads[thread as usize].fiber = Some(fiber);
                    return Err(LaunchAborted);
                }
            }
        }
    }

    fn end_thread(&mut self, at: usize, thread: u32) {
        self.check_left_copies(at, thread);
        let block = &mut self.blocks[at];
        let own = block
            .trace
            .segments
            .last()
            .filter(|last| last.thread == thread)
            .map_or(usize::MAX, |last| last.start);
        let last = block.trace.accesses.get(own..).and_then(<[_]>::last).map(|access| access.place);
        let it = &mut block.threads[thread as usize];
        it.status = ThreadState::Done;
        it.last_place = last.unwrap_or(it.last_place);
        self.progress += 1;
    }

    /// Puts away clusters whose blocks have all ended.
    fn retire(&mut self) -> Result<(), LaunchAborted> {
        let running: Vec<u32> =
            self.blocks.iter().filter(|block| !block.is_done()).map(|block| block.cluster).collect();
        if self.blocks.iter().all(|block| running.contains(&block.cluster)) {
            return Ok(());
        }
        self.land_transfers();
        for at in 0..self.blocks.len() {
            if !running.contains(&self.blocks[at].cluster) {
                self.check_trace(at);
                self.check_visitors(at);
            }
        }
        let mut at = 0;
        while at < self.blocks.len() {
            if running.contains(&self.blocks[at].cluster) {
                at += 1;
                continue;
            }
            let block = self.blocks.remove(at);
            self.clusters.remove(&block.cluster);
            self.job.resident.fetch_sub(self.job.threads(), Ordering::SeqCst);
            self.mbarriers.retain(|address, _| !block.image.holds(*address, 1));
            let mut trace = block.trace;
            trace.clear();
            self.pool.traces.push(trace);
            self.pool.images.push(block.image);
            self.progress += 1;
        }
        Ok(())
    }

    /// Abandons every waiting thread.
    fn abandon_threads(&mut self) {
        for block in &mut self.blocks {
            for thread in &mut block.threads {
                let Some(mut fiber) = thread.fiber.take() else { continue };
                // SAFETY: the frames given up are those of a kernel and of what passes requests on, which own nothing that
                // needs dropping.
                unsafe { fiber.force_reset() };
            }
        }
        self.blocks.clear();
    }

    fn somebody_loops(&self) -> bool {
        let loops = |status: &ThreadState| matches!(status, ThreadState::Polls { address: ANY, .. });
        self.blocks.iter().any(|block| block.threads.iter().any(|thread| loops(&thread.status)))
    }

    fn somebody_polls(&self) -> bool {
        let polls =
            |status: &ThreadState| matches!(status, ThreadState::Polls { .. } | ThreadState::Ready(_));
        self.blocks.iter().any(|block| block.threads.iter().any(|thread| polls(&thread.status)))
    }
}
