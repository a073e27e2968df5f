//! Solves whose matrix is in parts on the devices.

use super::together::lost;
use super::{Session, no_graph};
use crate::cluster::Processes;
use crate::device::telemetry::Monitor;
use crate::device::{Device, DeviceError};
use crate::graph::RowGroup;
use crate::implementation::{Clock, Machine, Prepared, Problem, Untimed};
use crate::measure::in_parts::{SolvedParts, groups_of, solve_to_pause};
use crate::measure::protocol::{Counted, DeviceSample, Failure, FailureCause, Reply, Sampled};
use crate::measure::uncounted::Uncounted;
use crate::plan::Variant;
use crate::store::{Compared, Verification};
use crate::timing::{PartsClock, Seconds};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// In the place of what is known once all processes have answered.
pub(super) fn until_together() -> (Verification, String) {
    (Verification { how: Compared::Exact, rows: None }, String::new())
}

/// How long the loss of another process may take to be known, which explains most failures of a solve.
const TIME_TO_EXPLAIN: Duration = Duration::from_secs(3);

/// What an emulated device surely does a second: over a million on a machine that does nothing else.
const EMULATED_TASKS_PER_S: f64 = 2e5;

/// How long a process may make no progress in a solve of `n` vertices, with so many a round, while others wait for it. The rounds of GPUs
/// take a few seconds at most. An emulated device reports the first round after the third.
fn longest_stand(n: usize, round: usize, emulates: bool) -> Duration {
    const LEAST: Duration = Duration::from_secs(20);
    let tasks = (n as f64).powi(2) * round as f64;
    if emulates { LEAST.max(Duration::from_secs_f64(tasks / EMULATED_TASKS_PER_S)) } else { LEAST }
}

/// Has others watch a solve of `n` vertices, with so many a round.
fn set_stall(watched: Option<&Processes>, devices: &[Rc<dyn Device>], n: usize, round: usize) {
    let emulates = devices.first().is_some_and(|device| device.info().emulated);
    if let Some(processes) = watched {
        processes.set_stall(longest_stand(n, round, emulates));
    }
}

/// Vertices of a solve of n that these devices surely do a second; 0 where nothing is known of them.
fn least_vertices_per_s(devices: &[Rc<dyn Device>], n: usize) -> f64 {
    let emulates = devices.first().is_some_and(|device| device.info().emulated);
    if emulates { EMULATED_TASKS_PER_S / (n.max(1) as f64).powi(2) } else { 0.0 }
}

/// Ends the group of a process that cannot go on in the middle of what all do together. Alone it has failed, and nothing else.
fn give_up(group: Option<&Processes>, failure: Failure) -> Failure {
    let Some(group) = group else { return failure };
    let explained = group.check_within(TIME_TO_EXPLAIN);
    lost(explained.err().unwrap_or_else(|| group.fail(&format!("it cannot go on: {}", failure.message))))
}

impl Session {
    /// Prepares the variant's solve, if that is still to do, once every process has found room for its part. It is the only one that is
    /// kept: a part takes most of a device.
    pub(super) fn make_parts_ready(&mut self, variant: &Variant) -> Result<(), Failure> {
        if self.prepared.iter().any(|(known, ..)| known == variant) {
            return Ok(());
        }
        self.prepared.clear();
        let checked = self.check_parts(variant);
        let (count, needed) = self.once_all_have(checked)?;
        let problem = self.problem()?;
        let made = self.prepare_parts(variant, &problem, count);
        let made = match made {
            // Nothing works here any more, an orderly answer included.
            Err(failure) if failure.cause == FailureCause::DeviceLost => return Err(self.give_up(failure)),
            made => made,
        };
        let (prepared, groups) =
            made.map_or_else(|failure| (None, Err(failure)), |(it, groups)| (Some(it), Ok(groups)));
        let groups = self.of_all(groups)?;
        self.in_parts.as_mut().ok_or_else(no_graph)?.expect(groups.concat())?;
        self.prepared.extend(prepared.map(|prepared| (variant.clone(), needed, prepared)));
        Ok(())
    }

    /// What solves the parts of this process, with their rows.
    fn prepare_parts(
        &self,
        variant: &Variant,
        problem: &Problem,
        count: usize,
    ) -> Result<(Box<dyn Prepared>, Vec<RowGroup>), Failure> {
        let machine = Machine { devices: &self.devices[..count], group: self.group() };
        let mut prepared = variant.known()?.method.prepare(problem, machine, &variant.parameters)?;
        let Some(parts) = prepared.in_parts() else {
            let problem = format!("{} cannot solve a matrix that is in parts", variant.implementation);
            return Err(Failure::new(FailureCause::Unavailable, problem));
        };
        let groups = groups_of(&parts.blocks(), count);
        Ok((prepared, groups))
    }

    /// How many devices of this process the variant takes and how many bytes on each, where they have those.
    fn check_parts(&mut self, variant: &Variant) -> Result<(usize, u64), Failure> {
        let count = self.open_for(variant)?;
        let problem = self.problem()?;
        let (known, parameters) = (variant.known()?, &variant.parameters);
        known.takes(problem.element, parameters).map_err(DeviceError::other)?;
        known.check(parameters).map_err(DeviceError::other)?;
        known.fits(problem.n, parameters).map_err(DeviceError::other)?;
        let needed = known.method.bytes(&problem, parameters);
        for device in &self.devices[..count] {
            let free = device.memory()?.free;
            if needed > free {
                let problem = format!(
                    "n = {} needs {} MiB on each device, and device {} has {} MiB free: use more devices or a smaller n",
                    problem.n,
                    needed >> 20,
                    device.info().ordinal,
                    free >> 20
                );
                return Err(Failure::new(FailureCause::OutOfMemory, problem));
            }
        }
        Ok((count, needed))
    }

    /// Solves once and verifies what this process has of the result. The state is kept meanwhile where that is asked for.
    pub(super) fn solve_in_parts(
        &mut self,
        variant: &Variant,
        clock: &mut dyn Clock,
    ) -> Result<SolvedParts, Failure> {
        self.make_parts_ready(variant)?;
        let (watched, group) = (self.watched.clone(), self.group().clone());
        let (Some((.., prepared)), Some(graph)) = (self.prepared.last_mut(), self.in_parts.as_mut()) else {
            return Err(no_graph());
        };
        let Some(parts) = prepared.in_parts() else { return Err(no_graph()) };
        let n = graph.problem().n;
        set_stall(watched.as_deref(), &self.devices, n, parts.round());
        let solved = if graph.keeps_states() {
            let vertices_per_s = least_vertices_per_s(&self.devices, n);
            graph.solve_in_pieces(parts, &*group, watched.as_deref(), vertices_per_s, clock)
        } else {
            graph.put_on(parts).and_then(|()| {
                let _work = watched.as_ref().map(|processes| processes.work(&variant.to_string()));
                Ok(SolvedParts { times: graph.solve(parts, clock)?, ..SolvedParts::default() })
            })
        };
        // The others wait for panels that never come.
        let solved = solved.map_err(|failure| give_up(watched.as_deref(), failure))?;
        self.found = Some(graph.find(parts, variant, &solved)?);
        Ok(solved)
    }

    fn give_up(&self, failure: Failure) -> Failure {
        give_up(self.watched.as_deref(), failure)
    }

    /// Does pieces of solves untimed until so many seconds have passed: a whole solve may take minutes. Processes that warm up together go
    /// on as long as the first of them does. The first sample is verified like all others.
    pub(super) fn warm_up_in_parts(&mut self, variant: &Variant, warm_up_s: f64) -> Result<Reply, Failure> {
        self.make_parts_ready(variant)?;
        let emulates = self.devices.first().is_some_and(|device| device.info().emulated);
        let start = Instant::now();
        let mut done = 0;
        loop {
            let goes_on = !emulates && start.elapsed().as_secs_f64() < warm_up_s;
            if !self.as_first_decides(goes_on)? {
                let transport = self.transport();
                return Ok(Reply::Prepared { others_load: None, transport });
            }
            done = self.solve_piece(variant, done)?;
        }
    }

    /// Goes on with an untimed solve of which so many vertices are done, to its next pause. How many are done then; 0 at its end.
    fn solve_piece(&mut self, variant: &Variant, done: usize) -> Result<usize, Failure> {
        let (Some((.., prepared)), Some(graph)) = (self.prepared.last_mut(), self.in_parts.as_ref()) else {
            return Err(no_graph());
        };
        let parts = prepared.in_parts().ok_or_else(no_graph)?;
        let watched = self.watched.as_deref();
        let n = graph.problem().n;
        set_stall(watched, &self.devices, n, parts.round());
        let loaded = if done == 0 { graph.put_on(parts) } else { Ok(()) };
        let solved = loaded.and_then(|()| {
            let _work = watched.map(|processes| processes.work(&variant.to_string()));
            solve_to_pause(parts, n, done, &mut Untimed)
        });
        solved.map_err(|failure| give_up(watched, failure))
    }

    /// What brings panels from device to device in the solve that is prepared.
    fn transport(&mut self) -> Option<String> {
        let (.., prepared) = self.prepared.last_mut()?;
        prepared.in_parts().and_then(|parts| parts.transport())
    }

    /// Solves once under `clock`, which counts. What it counted is to be added where it is that of a whole solve.
    pub(super) fn count_in_parts(
        &mut self,
        variant: &Variant,
        clock: &mut dyn Clock,
    ) -> Result<Counted, Failure> {
        let solved = self.solve_in_parts(variant, clock)?;
        let (verification, digest) = until_together();
        let uncounted = Uncounted::of(&solved);
        Ok(Counted { kernels: Vec::new(), uncounted, verification, digest, notes: solved.refused })
    }

    pub(super) fn sample_in_parts(&mut self, variant: &Variant) -> Result<Sampled, Failure> {
        self.make_parts_ready(variant)?;
        if let Some(monitor) = &self.monitor {
            monitor.start();
        }
        let solved = self.time_in_parts(variant);
        let telemetry = self.monitor.as_ref().and_then(Monitor::stop);
        let (seconds, SolvedParts { times, start, refused, .. }) = solved?;
        let host = self.group().own().host.clone();
        let devices = times.into_iter().map(|times| DeviceSample { host: host.clone(), times }).collect();
        let (verification, digest) = until_together();
        // The seconds are of what was left to do: records scale them to a whole solve, and say so.
        let iterations = (start > 0).then(|| self.problem().map(|problem| problem.n - start)).transpose()?;
        Ok(Sampled {
            seconds,
            iterations,
            verification,
            digest,
            telemetry,
            others_load: None,
            devices,
            notes: refused,
        })
    }

    /// Without a device here the others tell how long it took.
    fn time_in_parts(&mut self, variant: &Variant) -> Result<(Seconds, SolvedParts), Failure> {
        if self.open_for(variant)? == 0 {
            return Ok((Seconds::default(), self.solve_in_parts(variant, &mut Untimed)?));
        }
        let mut clock = PartsClock::new(&self.timed(variant)?)?;
        let solved = self.solve_in_parts(variant, &mut clock)?;
        Ok((clock.read(), solved))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_large_graphs_on_emulated_devices_may_stand_for_minutes() {
        assert_eq!(longest_stand(262_144, 512, false), Duration::from_secs(20));
        assert_eq!(longest_stand(100, 64, true), Duration::from_secs(20));
        assert_eq!(longest_stand(1000, 64, true), Duration::from_secs(320));
    }
}
