//! A matrix that no memory holds whole: each device has a shard, and processes that a launcher started answer as one.

mod graph;
mod team;

use crate::device::DeviceError;
use crate::distributed::solver::{self, prepare_in};
use crate::graph::RowGroup;
use crate::graph::write::NpyWriter;
use crate::implementation::{
    Clock, DeviceTimes, PreparedSolve, Problem, ShardedSolve, Untimed, require_device,
};
use crate::measure::hardware::{Hardware, Matrix};
use crate::plan::Variant;
use crate::protocol::{
    Counted, DeviceSample, Failure, FailureCause, GraphRequest, Reply, Request, Result, RightResult, Sampled,
};
use crate::timing::{CountingClock, PartsClock, Seconds};
pub use graph::host_memory;
use graph::{ShardedGraph, groups_of};
use std::path::Path;
use std::time::Instant;
use team::give_up;
pub use team::{all_gather, barrier, lost, own_share, share_devices};

/// Vertices that a piece of a warm-up goes through, at least: a whole solve may take minutes.
const WARM_UP: usize = 1024;

/// A graph with what solves it, of which this process has shards.
pub struct ShardedMatrix {
    // Dropped first: it lives on devices. The only solve that is kept, as a shard takes most of a device.
    prepared: Option<(Variant, Box<dyn PreparedSolve>)>,
    graph: ShardedGraph,
    /// Whether the result on the devices was found right in all processes.
    is_right: bool,
}

impl ShardedMatrix {
    /// Opens the graph that is asked for.
    ///
    /// # Errors
    /// When there is no such graph.
    pub fn load(request: &GraphRequest) -> Result<Self> {
        Ok(Self { prepared: None, graph: ShardedGraph::load(request)?, is_right: false })
    }

    fn has_prepared(&self, variant: &Variant) -> bool {
        self.prepared.as_ref().is_some_and(|(known, _)| known == variant)
    }

    /// The shards of the solve that was prepared last.
    fn parts(&mut self) -> Result<(&mut ShardedGraph, &mut dyn ShardedSolve)> {
        let prepared = self.prepared.as_mut().and_then(|(_, prepared)| prepared.sharded());
        let parts = prepared.ok_or_else(|| Failure::other("asked to solve before anything was prepared"))?;
        Ok((&mut self.graph, parts))
    }
}

impl Matrix for ShardedMatrix {
    fn answer(&mut self, on: &mut Hardware, variant: &Variant, request: &Request) -> Result<Reply> {
        let taken = on.open_for(variant);
        ShardSession { matrix: self, on, variant, taken }.answer(request)
    }
}

/// One variant, which solves the matrix together with all processes.
struct ShardSession<'a> {
    matrix: &'a mut ShardedMatrix,
    on: &'a Hardware,
    variant: &'a Variant,
    /// How many devices of this process it takes, the first ones, or why it cannot have as many.
    taken: Result<usize>,
}

impl ShardSession<'_> {
    fn answer(&mut self, request: &Request) -> Result<Reply> {
        Ok(match request {
            Request::Prepare { warm_up_s, .. } => {
                Reply::Prepared { others_load: None, transport: self.warm_up(*warm_up_s)? }
            }
            Request::Sample { .. } => Reply::Sampled(Box::new(self.sample()?)),
            Request::Check { .. } => {
                self.solve(&mut Untimed)?;
                Reply::Right
            }
            Request::Count { .. } => Reply::Counted(Box::new(self.count()?)),
            Request::StoreDistances { path, .. } => {
                self.store_distances(path)?;
                Reply::Right
            }
            _ => {
                return Err(Failure::other(
                    "internal error: this request is not supported for a sharded matrix",
                ));
            }
        })
    }

    /// Prepares the variant's solve, if that is still to do, once every process has found room for its shard.
    fn make_ready(&mut self) -> Result<()> {
        if self.matrix.has_prepared(self.variant) {
            return Ok(());
        }
        (self.matrix.prepared, self.matrix.is_right) = (None, false);
        let team = &self.on.team;
        let count = barrier(team, self.check_room())?;
        let prepared = self.prepare(count).map_err(|failure| match failure.cause {
            // Nothing works here any more, an orderly answer included.
            FailureCause::DeviceLost => give_up(team, failure),
            _ => failure,
        });
        let groups = prepared.as_ref().map(|(_, groups)| groups.clone()).map_err(Clone::clone);
        self.matrix.graph.expect(all_gather(team, groups)?.concat())?;
        self.matrix.prepared = Some((self.variant.clone(), prepared?.0));
        Ok(())
    }

    /// What solves the shards of this process on so many devices, with their rows.
    fn prepare(&self, count: usize) -> Result<(Box<dyn PreparedSolve>, Vec<RowGroup>)> {
        let unavailable = |problem: &str| {
            let problem = format!("{} {problem}", self.variant.implementation);
            Failure::new(FailureCause::Unavailable, problem)
        };
        let Hardware { team, devices, .. } = self.on;
        let (problem, parameters) = (self.matrix.graph.problem(), &self.variant.parameters);
        let mut prepared = match team.is_alone() {
            true => self.variant.known()?.solver.prepare(problem, &devices[..count], parameters)?,
            false if self.variant.implementation.name() == solver::NAME => {
                prepare_in(team, problem, devices, parameters)?
            }
            false => return Err(unavailable("solves in one process: start it without a launcher")),
        };
        let parts = prepared.sharded().ok_or_else(|| unavailable("cannot solve a sharded matrix"))?;
        let groups = groups_of(&parts.blocks(), count);
        Ok((prepared, groups))
    }

    /// How many devices of this process the variant takes, where they have room for its shards.
    fn check_room(&self) -> Result<usize> {
        let count = self.taken.clone()?;
        let problem = self.matrix.graph.problem();
        self.variant.solves(problem.n, problem.element).map_err(Failure::other)?;
        let needed = self.variant.known()?.solver.cost(problem, &self.variant.parameters).bytes;
        for device in &self.on.devices[..count] {
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
        Ok(count)
    }

    /// Puts the graph on the devices of all processes. Only then does none wait for another's reading in the middle of a solve.
    fn put_on(&mut self) -> Result<()> {
        self.matrix.is_right = false;
        let (graph, parts) = self.matrix.parts()?;
        barrier(&self.on.team, graph.put_on(parts))
    }

    /// Solves once under `clock`: where the time went on each device of this process, and the result, which all processes together found
    /// right.
    fn solve(&mut self, clock: &mut dyn Clock) -> Result<(Vec<DeviceTimes>, RightResult)> {
        self.make_ready()?;
        self.put_on()?;
        let team = &self.on.team;
        let (graph, parts) = self.matrix.parts()?;
        // The others wait for panels that never come.
        let solved = parts.solve(graph.problem().n, clock);
        let times = solved.map_err(|error| give_up(team, error.into()))?;
        let found = all_gather(team, graph.find(parts))?;
        let result = graph.conclude(self.variant, found)?;
        self.matrix.is_right = true;
        Ok((times, result))
    }

    /// Makes the solve ready, and does pieces of it untimed until so many seconds have passed: a whole one may take minutes. Processes that
    /// warm up together go on as long as the first of them does. The first sample is verified like all others. Gives what brings panels
    /// from device to device.
    fn warm_up(&mut self, warm_up_s: f64) -> Result<Option<String>> {
        self.make_ready()?;
        let (team, start) = (&self.on.team, Instant::now());
        let mut is_loaded = false;
        loop {
            let goes_on = !self.on.emulates() && start.elapsed().as_secs_f64() < warm_up_s;
            if !all_gather(team, Ok(goes_on))?[0] {
                return Ok(self.matrix.parts()?.1.transport());
            }
            if !is_loaded {
                self.put_on()?;
            }
            is_loaded = true;
            let (graph, parts) = self.matrix.parts()?;
            let piece = graph.problem().n.min(WARM_UP.next_multiple_of(parts.round()));
            parts.solve(piece, &mut Untimed).map_err(|error| give_up(team, error.into()))?;
        }
    }

    /// Solves once on devices that count, and verifies. What all processes counted.
    fn count(&mut self) -> Result<Counted> {
        let mut clock = CountingClock::new(&self.on.devices);
        let (_, result) = self.solve(&mut clock)?;
        let own = clock.take().into_iter().map(|launch| (launch.kernel, launch.counts)).collect();
        let mut counted = Counted { result, ..Counted::default() };
        all_gather(&self.on.team, Ok(own))?.into_iter().for_each(|launches: Vec<_>| counted.add(launches));
        Ok(counted)
    }

    /// Solves once under the clocks of the devices and the host, and verifies.
    fn sample(&mut self) -> Result<Sampled> {
        self.make_ready()?;
        self.on.start_telemetry();
        let solved = self.time();
        let telemetry = self.on.telemetry();
        let (seconds, times, result) = solved?;
        let team = &self.on.team;
        let host = &team.own().host;
        let devices = times.into_iter().map(|times| DeviceSample { host: host.clone(), times }).collect();
        let own = Sampled { seconds, telemetry, devices, result, ..Sampled::default() };
        let mut all = all_gather(team, Ok(own))?.into_iter();
        let first = all.next().unwrap_or_default();
        Ok(all.fold(first, slower))
    }

    /// Without a device here the other processes report how long it took.
    fn time(&mut self) -> Result<(Seconds, Vec<DeviceTimes>, RightResult)> {
        if self.taken.clone()? == 0 {
            let (times, result) = self.solve(&mut Untimed)?;
            return Ok((Seconds::default(), times, result));
        }
        let mut clock = PartsClock::new(&require_device(&self.on.devices)?)?;
        let (times, result) = self.solve(&mut clock)?;
        Ok((clock.read(), times, result))
    }

    /// Writes the last result, which all processes have found right, into one `.npy` file, each process its own blocks. The file has its
    /// name once it is whole.
    fn store_distances(&mut self, path: &Path) -> Result<()> {
        if !(self.matrix.is_right && self.matrix.has_prepared(self.variant)) {
            return Err(Failure::other("asked to store before a result was right"));
        }
        let team = &self.on.team;
        let Problem { n, element, .. } = *self.matrix.graph.problem();
        let begin = || match path.exists() {
            true => {
                Err(Failure::other(format!("{} exists: remove it, or choose another folder", path.display())))
            }
            false => NpyWriter::begin(path, n, n, element).map_err(Failure::other),
        };
        let begun = barrier(team, team.is_first().then(begin).transpose())?;
        let writer = begun.map_or_else(|| NpyWriter::open(path, n, element).map_err(Failure::other), Ok);
        let writer = barrier(team, writer)?;
        barrier(team, self.write_blocks(&writer))?;
        barrier(team, if team.is_first() { writer.finish().map_err(Failure::other) } else { Ok(()) })
    }

    fn write_blocks(&mut self, writer: &NpyWriter) -> Result<()> {
        self.matrix.parts()?.1.store(&mut |block, numbers| {
            writer.write_block(block, numbers).map_err(|error| DeviceError::other(error.to_string()))
        })?;
        writer.sync().map_err(Failure::other)
    }
}

/// A sample of two processes: it took as long as the slower one, and has the devices of both.
fn slower(mut sampled: Sampled, other: Sampled) -> Sampled {
    for (scope, seconds) in other.seconds.iter() {
        let longer = sampled.seconds.get(scope).map_or(seconds, |known| known.max(seconds));
        sampled.seconds.extend([(scope, longer)]);
    }
    sampled.devices.extend(other.devices);
    sampled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::Scope;

    fn sampled(device: usize, seconds: f64) -> Sampled {
        let times = DeviceTimes { device, solve: seconds, compute: 0.0, waiting: 0.0, communication: 0.0 };
        Sampled {
            devices: vec![DeviceSample { host: format!("node{device}"), times }],
            seconds: [(Scope::Kernel, seconds)].into_iter().collect(),
            ..Sampled::default()
        }
    }

    #[test]
    fn a_sample_takes_as_long_as_the_slowest_process_and_has_the_devices_of_all() {
        let all = [sampled(0, 2.0), sampled(1, 3.0), sampled(2, 1.0)];
        let sampled = all.into_iter().reduce(slower).unwrap();
        assert_eq!(sampled.seconds.get(Scope::Kernel), Some(3.0));
        let devices: Vec<_> =
            sampled.devices.iter().map(|one| (one.times.device, one.host.as_str())).collect();
        assert_eq!(devices, [(0, "node0"), (1, "node1"), (2, "node2")]);
    }
}
