//! One scheduler of a multiprocessor that issues the instructions of a loop in order, clock by clock. The README says what it takes into
//! account and what not.

use crate::kernel::Loop;
use scheduler::{Scheduler, StallReason};
use std::collections::BTreeMap;
use step::Step;

pub mod numbers;
mod scheduler;
mod step;
#[cfg(test)]
mod tests;

/// Rounds of every warp before the clocks count, and while they do.
const WARM_UP_ROUNDS: u64 = 4;
const ROUNDS: u64 = 16;

/// The model's result for a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Warps of the scheduler.
    pub warps: u64,
    /// Tasks of a lane of all warps in `clocks`.
    pub tasks: u64,
    pub clocks: u64,
    /// Of those, the clocks that issued nothing, by what was lacking.
    pub lacking: BTreeMap<StallReason, u64>,
}

impl Estimate {
    /// Some clocks of this estimate, for two tasks.
    pub fn of_two_tasks(&self, clocks: u64) -> f64 {
        2.0 * clocks as f64 / self.tasks as f64
    }
}

impl Loop<'_> {
    /// How long `warps` warps of a scheduler take for it. None of what is no loop, and of one without tasks.
    pub fn estimate(&self, warps: u64) -> Option<Estimate> {
        if !self.repeats || self.code.tasks == 0 || warps == 0 {
            return None;
        }
        let steps: Vec<Step> = self.instructions.iter().map(Step::of).collect();
        let round = steps.len() as u64 * warps;
        let mut scheduler = Scheduler::new(&steps, usize::try_from(warps).ok()?);
        let mut estimate =
            Estimate { warps, tasks: self.code.tasks * warps * ROUNDS, clocks: 0, lacking: BTreeMap::new() };
        let mut issued = 0;
        while issued < round * (WARM_UP_ROUNDS + ROUNDS) {
            let counts = issued >= round * WARM_UP_ROUNDS;
            let lack = scheduler.clock();
            issued += u64::from(lack.is_none());
            if counts {
                estimate.clocks += 1;
                lack.into_iter().for_each(|lack| *estimate.lacking.entry(lack).or_default() += 1);
            }
        }
        Some(estimate)
    }
}
