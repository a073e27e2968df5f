//! The state of a scheduler with its reads of the register file, and one clock of it.

use super::numbers::{BANKS, MEMORY_QUEUE, PIPE_CLOCKS, READ_LATENCY, READS_BEHIND, SLOTS};
use super::step::{Pipe, Step};
use crate::kernel::RegisterRead;

/// Why nothing was issued, the nearest to being issued first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StallReason {
    /// Reads of the register file were behind.
    Banks,
    /// The pipe of minima, comparisons and integer additions was busy.
    MinimumPipe,
    /// The pipes of float additions and integer products were.
    OtherPipes,
    /// There were too many turns in shared memory, or loads came later for them.
    SharedMemory,
    /// Stalls that the compiler asked for, and latencies.
    Waiting,
}

/// When a barrier is free, and when it would be had its access not had to wait for a turn.
#[derive(Clone, Copy, Default)]
struct Barrier {
    free: u64,
    without_queue: u64,
}

#[derive(Clone, Default)]
struct Warp {
    /// The step that is next.
    at: usize,
    /// When its stall is over.
    ready: u64,
    barriers: [Barrier; 6],
}

#[derive(Default)]
pub(super) struct Scheduler<'a> {
    steps: &'a [Step],
    warps: Vec<Warp>,
    now: u64,
    /// The warp that is asked first.
    first: usize,
    kept: ReuseCache,
    /// When each is free again: the reads of the banks, the pipes, memory.
    banks: [u64; BANKS],
    minimum: u64,
    product: u64,
    float: u64,
    memory: u64,
}

impl<'a> Scheduler<'a> {
    pub(super) fn new(steps: &'a [Step], warps: usize) -> Self {
        Self { steps, warps: vec![Warp::default(); warps], ..Self::default() }
    }

    /// Issues an instruction of the first warp that has one, or returns what it lacked.
    pub(super) fn clock(&mut self) -> Option<StallReason> {
        let count = self.warps.len();
        let mut lack = Some(StallReason::Waiting);
        for turn in 0..count {
            let warp = (self.first + turn) % count;
            match self.lack(warp) {
                None => {
                    self.issue(warp);
                    lack = None;
                    break;
                }
                this => lack = lack.min(this),
            }
        }
        self.now += 1;
        lack
    }

    /// What the next instruction of this warp lacks.
    fn lack(&self, warp: usize) -> Option<StallReason> {
        let state = &self.warps[warp];
        let step = &self.steps[state.at];
        if state.ready > self.now {
            return Some(StallReason::Waiting);
        }
        let mut late = None;
        for (index, barrier) in state.barriers.iter().enumerate() {
            if step.control.waits & 1 << index != 0 && barrier.free > self.now {
                let queued = barrier.without_queue <= self.now;
                late = late.max(Some(if queued { StallReason::SharedMemory } else { StallReason::Waiting }));
            }
        }
        if late.is_some() {
            return late;
        }
        let needed = self.kept.needed(warp, &step.reads);
        let behind = |bank: usize| needed[bank] > 0 && self.banks[bank] >= self.now + READS_BEHIND;
        if (0..BANKS).any(behind) {
            return Some(StallReason::Banks);
        }
        let busy = |until: u64| until > self.now;
        match step.unit {
            Pipe::Minimum if busy(self.minimum) => Some(StallReason::MinimumPipe),
            Pipe::Product if busy(self.product) => Some(StallReason::OtherPipes),
            Pipe::Float if busy(self.product) && busy(self.float) => Some(StallReason::OtherPipes),
            Pipe::Memory { .. } if self.memory >= self.now + MEMORY_QUEUE => Some(StallReason::SharedMemory),
            _ => None,
        }
    }

    fn issue(&mut self, warp: usize) {
        let step = &self.steps[self.warps[warp].at];
        let needed = self.kept.needed(warp, &step.reads);
        self.kept.read(warp, &step.reads);
        for (bank, needed) in needed.into_iter().enumerate().filter(|(_, needed)| *needed > 0) {
            self.banks[bank] = self.banks[bank].max(self.now) + needed;
        }
        let pipe = self.now + PIPE_CLOCKS;
        let mut turn = self.now;
        match step.unit {
            Pipe::Minimum => self.minimum = pipe,
            Pipe::Product => self.product = pipe,
            Pipe::Float if self.float <= self.now => self.float = pipe,
            Pipe::Float => self.product = pipe,
            Pipe::Memory { clocks, .. } => {
                turn = turn.max(self.memory);
                self.memory = turn + clocks;
            }
            Pipe::None => {}
        }
        let control = step.control;
        let state = &mut self.warps[warp];
        for (barrier, latency) in
            [(control.write_barrier, step.latency), (control.read_barrier, READ_LATENCY)]
        {
            if let Some(barrier) = barrier.and_then(|index| state.barriers.get_mut(usize::from(index))) {
                barrier.free = barrier.free.max(turn + latency);
                barrier.without_queue = barrier.without_queue.max(self.now + latency);
            }
        }
        // No warp issues twice in a clock.
        state.ready = self.now + u64::from(control.stall.max(1));
        state.at = (state.at + 1) % self.steps.len();
        self.first = if control.stays { warp } else { (warp + 1) % self.warps.len() };
    }
}

/// The bank of a register.
fn bank(register: u8) -> usize {
    usize::from(register) % BANKS
}

/// What the slots keep: of each bank one register of one warp, until another instruction reads that bank through that slot.
#[derive(Clone, Debug, Default)]
pub struct ReuseCache {
    slots: [[Option<(usize, u8)>; BANKS]; SLOTS],
}

impl ReuseCache {
    fn holds(&self, warp: usize, read: &RegisterRead) -> bool {
        self.slots[read.slot][bank(read.register)] == Some((warp, read.register))
    }

    /// Reads of each bank that an instruction of `warp` makes now.
    pub fn needed(&self, warp: usize, reads: &[RegisterRead]) -> [u64; BANKS] {
        let mut needed = [0; BANKS];
        for read in reads.iter().filter(|read| !self.holds(warp, read)) {
            needed[bank(read.register)] += 1;
        }
        needed
    }

    /// After that instruction.
    pub fn read(&mut self, warp: usize, reads: &[RegisterRead]) {
        for read in reads {
            let held = self.holds(warp, read);
            let slot = &mut self.slots[read.slot][bank(read.register)];
            if read.kept {
                *slot = Some((warp, read.register));
            } else if !held {
                *slot = None;
            }
        }
    }
}
