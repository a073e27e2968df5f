//! A matrix in shards on the devices of this process and of others.

use super::agree::{all_gather, barrier, give_up};
use super::graph::{ResultCheck, ShardedGraph, groups_of};
use crate::device::telemetry::Monitor;
use crate::device::{Device, DeviceError};
use crate::distributed::solver::{self, prepare_in};
use crate::distributed::team::Team;
use crate::graph::RowGroup;
use crate::graph::write::NpyWriter;
use crate::implementation::{
    Clock, DeviceTimes, PreparedSolve, Problem, ShardedSolve, Untimed, require_device,
};
use crate::plan::Variant;
use crate::protocol::{
    Counted, DeviceSample, Failure, FailureCause, GraphRequest, Reply, Request, Result, RightResult, Sampled,
};
use crate::timing::{CountingClock, PartsClock, Seconds};
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

/// Vertices that a piece of a warm-up goes through, at least: a whole solve may take minutes.
const WARM_UP: usize = 1024;

/// What this process gives to a solve by a variant.
pub struct Share<'a> {
    pub variant: &'a Variant,
    pub team: &'a Rc<Team>,
    /// All that this process has open.
    pub devices: &'a [Rc<dyn Device>],
    /// How many of them it takes, the first ones, or why it cannot have as many.
    pub taken: Result<usize>,
    /// Sees how the first one fares.
    pub monitor: Option<&'a Monitor>,
}

impl Share<'_> {
    fn emulates(&self) -> bool {
        self.devices.first().is_some_and(|device| device.info().emulated)
    }
}

/// A graph with what solves it, of which this process has shards.
pub struct ShardedMatrix {
    // Dropped first: it lives on devices. The only solve that is kept, as a shard takes most of a device.
    prepared: Option<(Variant, Box<dyn PreparedSolve>)>,
    graph: ShardedGraph,
    /// What the last solve gave here, until the answer is made of it.
    pub(super) found: Option<ResultCheck>,
    /// Whether the result on the devices was found right in all processes.
    is_right: bool,
}

impl ShardedMatrix {
    /// Opens the graph that is asked for.
    ///
    /// # Errors
    /// When there is no such graph.
    pub fn load(request: &GraphRequest) -> Result<Self> {
        Ok(Self { prepared: None, graph: ShardedGraph::load(request)?, found: None, is_right: false })
    }

    /// Does what is asked for with the variant, together with all processes.
    ///
    /// # Errors
    /// What any process reports, or a number that is wrong here.
    pub fn answer(&mut self, share: &Share, request: &Request) -> Result<Reply> {
        Ok(match request {
            Request::Prepare { warm_up_s, .. } => {
                Reply::Prepared { others_load: None, transport: self.warm_up(share, *warm_up_s)? }
            }
            Request::Sample { .. } => Reply::Sampled(Box::new(self.sample(share)?)),
            Request::Check { .. } => {
                self.solve(share, &mut Untimed)?;
                Reply::Right
            }
            Request::Count { .. } | Request::CountBeside { .. } => {
                Reply::Counted(Box::new(self.count(share)?))
            }
            Request::StoreDistances { path, .. } => {
                self.store_distances(share, path)?;
                Reply::Right
            }
            _ => return Err(Failure::other("asked for what is not done with a sharded matrix")),
        })
    }

    pub(super) fn problem(&self) -> &Problem {
        self.graph.problem()
    }

    /// What all processes found together: the right result.
    pub(super) fn conclude(&mut self, found: ResultCheck) -> Result<RightResult> {
        let result = self.graph.conclude(found)?;
        self.is_right = true;
        Ok(result)
    }

    /// Whether the devices have a result of the variant that all processes found right.
    pub(super) fn has_right_result_of(&self, variant: &Variant) -> bool {
        self.is_right && self.has_prepared(variant)
    }

    fn has_prepared(&self, variant: &Variant) -> bool {
        self.prepared.as_ref().is_some_and(|(known, _)| known == variant)
    }

    /// Prepares the variant's solve, if that is still to do, once every process has found room for its shard.
    fn make_ready(&mut self, share: &Share) -> Result<()> {
        if self.has_prepared(share.variant) {
            return Ok(());
        }
        (self.prepared, self.is_right) = (None, false);
        let count = barrier(share.team, self.check_room(share))?;
        let (prepared, groups) = match self.prepare(share, count) {
            // Nothing works here any more, an orderly answer included.
            Err(failure) if failure.cause == FailureCause::DeviceLost => {
                return Err(give_up(share.team, failure));
            }
            Err(failure) => (None, Err(failure)),
            Ok((prepared, groups)) => (Some(prepared), Ok(groups)),
        };
        let groups = all_gather(share.team, groups)?;
        self.graph.expect(groups.concat())?;
        self.prepared = prepared.map(|prepared| (share.variant.clone(), prepared));
        Ok(())
    }

    /// What solves the shards of this process on so many devices, with their rows.
    fn prepare(&self, share: &Share, count: usize) -> Result<(Box<dyn PreparedSolve>, Vec<RowGroup>)> {
        let Share { variant, team, devices, .. } = share;
        let (problem, parameters) = (self.problem(), &variant.parameters);
        let mut prepared = match team.is_alone() {
            true => variant.known()?.solver.prepare(problem, &devices[..count], parameters)?,
            false if variant.implementation.name() == solver::NAME => {
                prepare_in(team, problem, devices, parameters)?
            }
            false => {
                let problem =
                    format!("{} solves in one process: start it without a launcher", variant.implementation);
                return Err(Failure::new(FailureCause::Unavailable, problem));
            }
        };
        let Some(parts) = prepared.sharded() else {
            let problem = format!("{} cannot solve a sharded matrix", variant.implementation);
            return Err(Failure::new(FailureCause::Unavailable, problem));
        };
        let groups = groups_of(&parts.blocks(), count);
        Ok((prepared, groups))
    }

    /// How many devices of this process the variant takes, where they have room for its shards.
    fn check_room(&self, share: &Share) -> Result<usize> {
        let count = share.taken.clone()?;
        let problem = self.problem();
        let (known, parameters) = (share.variant.known()?, &share.variant.parameters);
        known.takes(problem.element, parameters).map_err(DeviceError::other)?;
        known.check(parameters).map_err(DeviceError::other)?;
        known.fits(problem.n, parameters).map_err(DeviceError::other)?;
        let needed = known.solver.cost(problem, parameters).bytes;
        for device in &share.devices[..count] {
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

    /// Solves once under `clock` and verifies what this process has of the result. Where the time went on each of its devices.
    fn solve(&mut self, share: &Share, clock: &mut dyn Clock) -> Result<Vec<DeviceTimes>> {
        self.make_ready(share)?;
        self.put_on(share)?;
        let parts = parts_of(&mut self.prepared)?;
        // The others wait for panels that never come.
        let solved = parts.solve(self.graph.problem().n, clock);
        let times = solved.map_err(|error| give_up(share.team, error.into()))?;
        self.found = Some(self.graph.find(parts, share.variant)?);
        Ok(times)
    }

    /// Makes the solve ready, and does pieces of it untimed until so many seconds have passed: a whole one may take minutes. Processes that
    /// warm up together go on as long as the first of them does. The first sample is verified like all others. Gives what brings panels
    /// from device to device.
    fn warm_up(&mut self, share: &Share, warm_up_s: f64) -> Result<Option<String>> {
        self.make_ready(share)?;
        let start = Instant::now();
        let mut is_loaded = false;
        loop {
            let goes_on = !share.emulates() && start.elapsed().as_secs_f64() < warm_up_s;
            if !all_gather(share.team, Ok(goes_on))?[0] {
                return Ok(parts_of(&mut self.prepared)?.transport());
            }
            if !is_loaded {
                self.put_on(share)?;
            }
            is_loaded = true;
            let parts = parts_of(&mut self.prepared)?;
            let piece = self.graph.problem().n.min(WARM_UP.next_multiple_of(parts.round()));
            parts.solve(piece, &mut Untimed).map_err(|error| give_up(share.team, error.into()))?;
        }
    }

    /// Puts the graph on the devices of all processes. Only then does none wait for another's reading in the middle of a solve.
    fn put_on(&mut self, share: &Share) -> Result<()> {
        self.is_right = false;
        barrier(share.team, self.graph.put_on(parts_of(&mut self.prepared)?))
    }

    /// Solves once on devices that count, and verifies.
    fn count(&mut self, share: &Share) -> Result<Counted> {
        let mut clock = CountingClock::new(share.devices);
        self.solve(share, &mut clock)?;
        let mut counted = Counted::default();
        counted.add(clock.take().into_iter().map(|launch| (launch.kernel, launch.counts)));
        Ok(counted)
    }

    /// Solves once under the clocks of the devices and the host, and verifies.
    fn sample(&mut self, share: &Share) -> Result<Sampled> {
        self.make_ready(share)?;
        if let Some(monitor) = share.monitor {
            monitor.start();
        }
        let solved = self.time(share);
        let telemetry = share.monitor.and_then(Monitor::stop);
        let (seconds, times) = solved?;
        let host = &share.team.own().host;
        let devices = times.into_iter().map(|times| DeviceSample { host: host.clone(), times }).collect();
        Ok(Sampled { telemetry, devices, seconds, ..Sampled::default() })
    }

    /// Without a device here the other processes report how long it took.
    fn time(&mut self, share: &Share) -> Result<(Seconds, Vec<DeviceTimes>)> {
        if share.taken.clone()? == 0 {
            return Ok((Seconds::default(), self.solve(share, &mut Untimed)?));
        }
        let mut clock = PartsClock::new(&require_device(share.devices)?)?;
        let times = self.solve(share, &mut clock)?;
        Ok((clock.read(), times))
    }

    /// Writes the last result, which all processes have found right, into one `.npy` file, each process its own blocks. The file has its
    /// name once it is whole.
    fn store_distances(&mut self, share: &Share, path: &Path) -> Result<()> {
        if !self.has_right_result_of(share.variant) {
            return Err(Failure::other("asked to store before a result was right"));
        }
        let team = share.team;
        let exists = || format!("{} exists: remove it, or choose another folder", path.display());
        let is_there = team.is_first() && path.exists();
        barrier(team, if is_there { Err(Failure::other(exists())) } else { Ok(()) })?;
        let problem = *self.problem();
        let begin = || NpyWriter::begin(path, problem.n, problem.n, problem.element).map_err(Failure::other);
        let writer = match barrier(team, team.is_first().then(begin).transpose())? {
            Some(writer) => Ok(writer),
            None => NpyWriter::open(path, problem.n, problem.element).map_err(Failure::other),
        };
        let writer = barrier(team, writer)?;
        barrier(team, self.write_blocks(&writer))?;
        let finished = if team.is_first() { writer.finish().map_err(Failure::other) } else { Ok(()) };
        barrier(team, finished)
    }

    fn write_blocks(&mut self, writer: &NpyWriter) -> Result<()> {
        parts_of(&mut self.prepared)?.store(&mut |block, numbers| {
            writer.write_block(block, numbers).map_err(|error| DeviceError::other(error.to_string()))
        })?;
        writer.sync().map_err(Failure::other)
    }
}

/// The shards of the solve that was prepared last.
fn parts_of(prepared: &mut Option<(Variant, Box<dyn PreparedSolve>)>) -> Result<&mut dyn ShardedSolve> {
    let prepared = prepared.as_mut().and_then(|(_, prepared)| prepared.sharded());
    prepared.ok_or_else(|| Failure::other("asked to solve before anything was prepared"))
}
