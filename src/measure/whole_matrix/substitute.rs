//! Solves by implementations that are no part of this program.

use super::{HostMemory, LoadedGraph, VariantSession};
use crate::implementation::{NoClock, Scope};
use crate::protocol::{Failure, FailureCause, Result};
use crate::timing::Seconds;
use std::time::{Duration, Instant};

/// Bytes between the addresses of two samples: what the driver aligns memory to.
const OFFSET: usize = 2 << 20;
/// The number of samples after which addresses repeat.
const OFFSETS: usize = 61;
/// How long a GPU takes to reach its full clock again.
const WARM_UP: Duration = Duration::from_millis(300);
/// How long a device that has nothing to do may take to say so.
const IDLE_S: f64 = 1e-3;
/// By how much of a solve, and by how many seconds, the host's clock may show more than the device's.
const SHARE_BESIDE: f64 = 0.05;
const BESIDE_S: f64 = 5e-3;

/// What is wrong with a solve, if anything, where the device worked on for `after` seconds when the result was there, and two clocks showed
/// these seconds for it.
fn gap(after: f64, by_events: Option<f64>, by_host: Option<f64>) -> Option<String> {
    if after > IDLE_S {
        return Some(format!("the device worked on for {after:.3e} s after the last event of the solve"));
    }
    let (events, host) = by_events.zip(by_host)?;
    (host > events * (1.0 + SHARE_BESIDE) + BESIDE_S).then(|| {
        format!("the GPU events enclose {events:.3e} s but the host measured {host:.3e} s: part of the solve is not timed")
    })
}

/// A graph in the place of the one that is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Substitute {
    /// The graph of this number of the same kind; where there is no other, the same with its vertices in another order.
    Next(u64),
    /// A cycle through all vertices, by this seed.
    Cycle(u64),
}

/// The graph with the longest paths.
pub(super) const LONGEST_PATHS: Substitute = Substitute::Cycle(1);

impl VariantSession<'_> {
    /// Does `work` with the variant prepared anew, on `substitute` in place of the graph that is loaded. Whatever a
    /// user kernel remembers of earlier solves, by content or by address, is of no use then. `work` must leave the graph as it was.
    pub(super) fn on_substitute<T>(
        &mut self,
        substitute: Substitute,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let (Substitute::Next(number) | Substitute::Cycle(number)) = substitute;
        let made = LoadedGraph::load(&self.matrix.graph.request, &self.on.devices, Some(substitute))?;
        self.forget();
        let mut kept = std::mem::replace(&mut self.matrix.graph, made);
        // Hashed here, and not between the solves that keep a GPU awake and the one that is timed.
        let before = self.matrix.graph.input_digest();
        let done = self.ready_elsewhere(number, &mut kept).and_then(|()| {
            let done = work(self)?;
            if self.matrix.graph.input_digest() != before {
                let problem = "the implementation modified its input graph in host memory";
                return Err(Failure::new(FailureCause::WrongResult, problem));
            }
            Ok(done)
        });
        // The prepared solve was for the graph that is dropped now.
        self.forget();
        self.matrix.graph = kept;
        done
    }

    /// Has the variant prepared anew before it solves again.
    pub(super) fn forget(&mut self) {
        self.matrix.solves.retain(|known| known.variant != *self.variant);
    }

    /// Prepares the variant at other addresses than before, and solves the earlier graph so that a GPU keeps its clock.
    fn ready_elsewhere(&mut self, number: u64, before: &mut LoadedGraph) -> Result<()> {
        let device = self.on.devices.first().filter(|_| self.variant.needs_device()).cloned();
        // Takes the place of the earlier buffers, where there is room for both.
        let between = device.as_ref().map(|device| device.allocate((1 + number as usize % OFFSETS) * OFFSET));
        let (_, prepared) = self.matrix.ready(self.on, self.variant)?;
        drop(between);
        let Some(device) = device.filter(|device| !device.info().emulated) else { return Ok(()) };
        let start = Instant::now();
        while start.elapsed() < WARM_UP {
            before.solve(HostMemory::PageLocked, |weights, distances| {
                prepared.run(weights, distances, &mut NoClock)
            })?;
            prepared.collect()?;
        }
        device.reset_caches()?;
        Ok(())
    }

    /// Solves once more on another graph of the kind, and on one with the longest paths, and verifies both, where the variant is a
    /// user kernel's: it may remember the first, or take all paths to be as short as in this kind of graph.
    pub(super) fn check_again(&mut self) -> Result<()> {
        let others = [Substitute::Next(0), LONGEST_PATHS];
        if self.variant.is_external() { self.check_on(&others) } else { Ok(()) }
    }

    /// Solves each of these graphs, and verifies the results.
    pub(super) fn check_on(&mut self, others: &[Substitute]) -> Result<()> {
        others.iter().try_for_each(|other| {
            let solve = |solver: &mut Self| solver.solve_verified(HostMemory::PageLocked, &mut NoClock);
            match self.on_substitute(*other, solve) {
                // With too many vertices for the type there is no such cycle: another graph at other addresses takes its place.
                Err(failure) if *other == LONGEST_PATHS && failure.cause == FailureCause::Graph => {
                    self.check_on(&[Substitute::Next(1)])
                }
                checked => checked.map(drop),
            }
        })
    }

    /// Checks that a solve on a GPU was over when its last event was reached: nothing else works on, and the host's clock agrees.
    ///
    /// # Errors
    /// When it was not.
    pub(super) fn check_end(&self, seconds: &Seconds) -> Result<()> {
        let Some(device) = self.on.gpu().filter(|_| self.variant.needs_device()) else { return Ok(()) };
        let start = Instant::now();
        device.synchronize_all()?;
        let after = start.elapsed().as_secs_f64();
        let problem = gap(after, seconds.get(Scope::Total), seconds.get(Scope::Host));
        problem.map_or(Ok(()), |problem| Err(Failure::new(FailureCause::WrongResult, problem)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_outside_of_the_events_is_noticed_and_a_slow_host_is_not() {
        assert_eq!(gap(2e-5, Some(1.0), Some(1.04)), None);
        assert_eq!(gap(2e-5, Some(1e-4), Some(4e-3)), None);
        assert_eq!(gap(2e-5, None, Some(4e-3)), None);
        assert!(gap(0.5, Some(1.0), Some(1.0)).unwrap().contains("worked on for 5.000e-1 s"));
        assert!(gap(2e-5, Some(0.1), Some(1.0)).unwrap().contains("part of the solve is not timed"));
    }
}
