//! One scheduler of a multiprocessor that issues the instructions of a loop in order, clock by clock. `docs/machine-code.md` says what
//! it takes into account and what not.

use crate::loops::TaskLoop;
use crate::step::Step;
use scheduler::{Lack, Scheduler};

mod scheduler;

/// Rounds of every warp before the clocks count, and while they do.
const WARM_UP_ROUNDS: u64 = 4;
const ROUNDS: u64 = 16;

/// Where the clocks went: each either issued an instruction or lacked something for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    pub issue: u64,
    /// Reads of the register file that were behind.
    pub banks: u64,
    /// The pipe of minima, comparisons and integer additions.
    pub minimum_pipe: u64,
    /// The pipes of float additions and integer products.
    pub other_pipes: u64,
    /// Turns in shared memory, and loads that came later for them.
    pub shared_memory: u64,
    /// Stalls that the compiler asked for, and latencies.
    pub waiting: u64,
}

/// The model's result for a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Warps of the scheduler.
    pub warps: u64,
    /// Tasks of a lane of all warps in `clocks`.
    pub tasks: u64,
    pub clocks: u64,
    pub split: Split,
}

impl Estimate {
    /// Some clocks of this estimate, for two tasks.
    pub fn of_two_tasks(&self, clocks: u64) -> f64 {
        2.0 * clocks as f64 / self.tasks as f64
    }

    /// Clocks and tasks while every warp goes through the loop once, the clocks rounded.
    pub fn of_round(&self) -> (u64, u64) {
        ((self.clocks + ROUNDS / 2) / ROUNDS, self.tasks / ROUNDS)
    }
}

impl TaskLoop<'_> {
    /// How long `warps` warps of a scheduler take for it. None of what is no loop, of one without tasks, and without encodings.
    pub fn estimate(&self, warps: u64) -> Option<Estimate> {
        if !self.repeats || self.code.tasks == 0 || warps == 0 {
            return None;
        }
        let steps: Vec<Step> = self.instructions.iter().map(Step::of).collect::<Option<_>>()?;
        let round = steps.len() as u64 * warps;
        let mut scheduler = Scheduler::new(&steps, usize::try_from(warps).ok()?);
        let mut estimate =
            Estimate { warps, tasks: self.code.tasks * warps * ROUNDS, clocks: 0, split: Split::default() };
        let mut issued = 0;
        while issued < round * (WARM_UP_ROUNDS + ROUNDS) {
            let counts = issued >= round * WARM_UP_ROUNDS;
            let lack = scheduler.clock();
            issued += u64::from(lack.is_none());
            if counts {
                estimate.clocks += 1;
                *estimate.split.place(lack) += 1;
            }
        }
        Some(estimate)
    }
}

impl Split {
    fn place(&mut self, lack: Option<Lack>) -> &mut u64 {
        match lack {
            None => &mut self.issue,
            Some(Lack::Banks) => &mut self.banks,
            Some(Lack::MinimumPipe) => &mut self.minimum_pipe,
            Some(Lack::OtherPipes) => &mut self.other_pipes,
            Some(Lack::SharedMemory) => &mut self.shared_memory,
            Some(Lack::Waiting) => &mut self.waiting,
        }
    }
}

#[cfg(test)]
mod tests;
