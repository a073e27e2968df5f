//! A matrix that no memory holds whole: each device has a shard, and processes that a launcher started answer as one.

mod graph;
mod team;

use crate::device::{Device, DeviceError};
use crate::distributed::solver::{self, prepare_in};
use crate::graph::write::NpyWriter;
use crate::implementation::{Clock, NoClock, PreparedSolve, Problem, ShardedSolve, require_device};
use crate::measure::hardware::{Hardware, LoadedProblem};
use crate::plan::Variant;
use crate::protocol::{
    CountReply, DeviceSample, Failure, FailureCause, GraphRequest, Reply, Request, Result, SampleReply,
};
use crate::timing::{CountingClock, Scope, SolveClock};
pub use graph::host_memory;
use graph::{ShardedGraph, groups_of};
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;
use team::give_up;
pub use team::{all_gather, barrier, lost, share_devices};

/// Iterations of k in a piece of a warm-up, rounded up to whole rounds: a whole solve may take minutes.
const WARM_UP: usize = 1024;

/// A graph with what solves it, of which this process has shards. It is solved together with all processes.
pub struct ShardedMatrix {
    // Dropped first: it lives on devices. The only solve that is kept, as a shard takes most of a device.
    prepared: Option<(Variant, Box<dyn PreparedSolve>)>,
    graph: ShardedGraph,
    /// Whether the result on the devices was found right in all processes.
    is_right: bool,
}

/// The graph, and what solves it with the shards of this process.
type ReadySolve<'a> = (&'a mut ShardedGraph, &'a mut dyn ShardedSolve);

impl LoadedProblem for ShardedMatrix {
    fn answer(&mut self, on: &mut Hardware, variant: &Variant, request: &Request) -> Result<Reply> {
        Ok(match request {
            Request::Prepare { warm_up_s, .. } => {
                Reply::Prepared { others_load: None, transport: self.warm_up(on, variant, *warm_up_s)? }
            }
            Request::Sample { .. } => Reply::Sampled(Box::new(self.sample(on, variant)?)),
            Request::Check { .. } => self.solve(on, variant, &mut NoClock).map(|_| Reply::Right)?,
            Request::Count { .. } => Reply::Counted(Box::new(self.count(on, variant)?)),
            Request::StoreDistances { path, .. } => {
                self.store_distances(on, variant, path).map(|()| Reply::Right)?
            }
            _ => return Err(Failure::other("internal error: a sharded matrix has no such request")),
        })
    }
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

    /// The graph and its solve, which is prepared, if that is still to do, once every process has found room for its shards.
    fn ready(&mut self, on: &mut Hardware, variant: &Variant) -> Result<ReadySolve<'_>> {
        if !self.has_prepared(variant) {
            (self.prepared, self.is_right) = (None, false);
            let own = on.open_for(variant);
            let team = &on.team;
            let count = barrier(team, own.and_then(|count| self.check_room(&on.devices[..count], variant)))?;
            let mut prepared = self.prepare(on, variant, count).map_err(|failure| match failure.cause {
                // After a lost device nothing works here, not even an orderly answer.
                FailureCause::DeviceLost => give_up(team, failure),
                _ => failure,
            });
            let groups = match &mut prepared {
                Ok(prepared) => shards(&mut **prepared).map(|shards| groups_of(&shards.blocks(), count)),
                Err(failure) => Err(failure.clone()),
            };
            self.graph.expect(all_gather(team, groups)?.concat())?;
            self.prepared = Some((variant.clone(), prepared?));
        }
        let (_, prepared) = self.prepared.as_mut().ok_or_else(|| Failure::other("nothing was prepared"))?;
        Ok((&mut self.graph, shards(&mut **prepared)?))
    }

    /// Prepares the solve of this process's shards on `count` devices.
    fn prepare(&self, on: &Hardware, variant: &Variant, count: usize) -> Result<Box<dyn PreparedSolve>> {
        let Hardware { team, devices, .. } = on;
        let (problem, parameters) = (&self.graph.problem, &variant.parameters);
        if team.is_alone() {
            return Ok(variant.known()?.solver.prepare(problem, &devices[..count], parameters)?);
        }
        if variant.implementation.name() != solver::NAME {
            let problem =
                format!("{} solves in one process: start it without a launcher", variant.implementation);
            return Err(Failure::new(FailureCause::Unavailable, problem));
        }
        Ok(prepare_in(team, problem, devices, parameters)?)
    }

    /// Checks that each of these devices of this process has room for its shard, and returns their number.
    fn check_room(&self, devices: &[Rc<dyn Device>], variant: &Variant) -> Result<usize> {
        let problem = &self.graph.problem;
        variant.solves(problem.n, problem.element).map_err(Failure::other)?;
        let needed = variant.known()?.solver.cost(problem, &variant.parameters).bytes;
        for device in devices {
            let free = device.memory()?.free;
            if needed > free {
                let problem = format!(
                    "n = {} needs {} MiB on each device, and device {} has {} MiB free: use more devices or a smaller n",
                    problem.n,
                    needed >> 20,
                    device.info().ordinal,
                    free >> 20
                );
                return Err(Failure::out_of_memory(problem));
            }
        }
        Ok(devices.len())
    }

    /// Puts the graph on the devices of all processes, so that none waits for another's reading in the middle of a solve.
    fn put_on(&mut self, on: &mut Hardware, variant: &Variant) -> Result<ReadySolve<'_>> {
        self.is_right = false;
        let (graph, parts) = self.ready(on, variant)?;
        barrier(&on.team, parts.load(&*graph.blocks).map_err(Failure::from))?;
        Ok((graph, parts))
    }

    /// Solves once under `clock`. Returns where the time went on each device of this process, and the result, which all processes together
    /// found right.
    fn solve(&mut self, on: &mut Hardware, variant: &Variant, clock: &mut dyn Clock) -> Result<SampleReply> {
        let (graph, parts) = self.put_on(on, variant)?;
        let team = &on.team;
        // After a failure the others would wait for panels that never come.
        let solved = parts.solve(graph.problem.n, clock);
        let times = solved.map_err(|error| give_up(team, error.into()))?;
        let result = graph.verify(team, parts, variant)?;
        self.is_right = true;
        let of_device = |times| DeviceSample { host: team.this_member().host.clone(), times };
        Ok(SampleReply {
            result,
            devices: times.into_iter().map(of_device).collect(),
            ..SampleReply::default()
        })
    }

    /// Prepares the solve, and does pieces of it untimed until `warm_up_s` have passed: a whole one may take minutes. Processes that
    /// warm up together go on as long as the first of them does. The first sample is verified like all others. Returns what brings panels
    /// from device to device.
    fn warm_up(&mut self, on: &mut Hardware, variant: &Variant, warm_up_s: f64) -> Result<Option<String>> {
        self.ready(on, variant)?;
        let start = Instant::now();
        if warm_up_s > 0.0 && !on.emulates() {
            let (graph, parts) = self.put_on(on, variant)?;
            let (team, piece) = (&on.team, graph.problem.n.min(WARM_UP.next_multiple_of(parts.round())));
            let mut goes_on = true;
            while goes_on {
                parts.solve(piece, &mut NoClock).map_err(|error| give_up(team, error.into()))?;
                goes_on = all_gather(team, Ok(start.elapsed().as_secs_f64() < warm_up_s))?[0];
            }
        }
        Ok(self.ready(on, variant)?.1.transport())
    }

    /// Solves once on devices that count, and verifies. Returns what all processes counted.
    fn count(&mut self, on: &mut Hardware, variant: &Variant) -> Result<CountReply> {
        self.ready(on, variant)?;
        let devices = on.devices.clone();
        let mut clock = CountingClock::new(&devices);
        let result = self.solve(on, variant, &mut clock)?.result;
        let own = clock.take().into_iter().map(|launch| (launch.kernel, launch.counts)).collect();
        let mut counted = CountReply { result, ..CountReply::default() };
        all_gather(&on.team, Ok(own))?.into_iter().for_each(|launches: Vec<_>| counted.add(launches));
        Ok(counted)
    }

    /// Solves once under the clocks of the devices and the host, and verifies.
    fn sample(&mut self, on: &mut Hardware, variant: &Variant) -> Result<SampleReply> {
        self.ready(on, variant)?;
        // Without a device here the other processes report how long it took.
        let mut clock = match on.open_for(variant)? {
            0 => None,
            _ => Some(SolveClock::new(&require_device(&on.devices)?)?),
        };
        on.start_telemetry();
        let solved = match &mut clock {
            Some(clock) => self.solve(on, variant, clock),
            None => self.solve(on, variant, &mut NoClock),
        };
        let telemetry = on.telemetry();
        let solved = solved?;
        let read = clock.map(|clock| clock.read()).transpose()?;
        let scopes = |(kernel, host)| [(Scope::Kernel, kernel), (Scope::HostSynced, host)];
        let own = SampleReply { seconds: read.into_iter().flat_map(scopes).collect(), telemetry, ..solved };
        Ok(all_gather(&on.team, Ok(own))?.into_iter().reduce(slower).unwrap_or_default())
    }

    /// Writes the last result, which all processes have found right, into one `.npy` file, each process its own blocks. The file gets its
    /// name once it is whole.
    fn store_distances(&mut self, on: &mut Hardware, variant: &Variant, path: &Path) -> Result<()> {
        if !(self.is_right && self.has_prepared(variant)) {
            return Err(Failure::other("asked to store before a result was right"));
        }
        let (graph, parts) = self.ready(on, variant)?;
        let (team, Problem { n, element, .. }) = (&on.team, graph.problem);
        let begin = || match path.exists() {
            true => {
                Err(Failure::other(format!("{} exists: remove it, or choose another folder", path.display())))
            }
            false => NpyWriter::begin(path, n, n, element).map_err(Failure::other),
        };
        let begun = barrier(team, team.is_first().then(begin).transpose())?;
        let writer = barrier(team, NpyWriter::open(path, n, element).map_err(Failure::other))?;
        let written = parts.store(&mut |block, numbers| {
            writer.write_block(block, numbers).map_err(|error| DeviceError::other(error.to_string()))
        });
        let synced = written.map_err(Failure::from).and_then(|()| writer.sync().map_err(Failure::other));
        barrier(team, synced)?;
        begun.map_or(Ok(()), NpyWriter::finish).map_err(Failure::other)
    }
}

/// The prepared solve as a sharded one, if it is one.
fn shards(prepared: &mut dyn PreparedSolve) -> Result<&mut dyn ShardedSolve> {
    let none = || Failure::new(FailureCause::Unavailable, "it cannot solve a sharded matrix");
    prepared.sharded().ok_or_else(none)
}

/// Joins the samples of two processes: it took as long as the slower one, and has the devices of both.
fn slower(mut sampled: SampleReply, other: SampleReply) -> SampleReply {
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
    use crate::implementation::DeviceTimes;
    use crate::timing::Scope;

    fn sampled(device: usize, seconds: f64) -> SampleReply {
        let times = DeviceTimes { device, solve: seconds, compute: 0.0, waiting: 0.0, communication: 0.0 };
        SampleReply {
            devices: vec![DeviceSample { host: format!("node{device}"), times }],
            seconds: [(Scope::Kernel, seconds)].into_iter().collect(),
            ..SampleReply::default()
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
