//! A solve on several devices with all that it needs.

use super::COPIES;
use super::device_shard::DeviceShard;
use super::parts::{Checksum, HostMatrix, MatrixMut, StagingBuffer, total};
use super::plan::Plan;
use super::rounds::{LONGEST_ROUND, RoundDriver};
use super::timeline::{Span, Timeline};
use super::transport::{Collectives, Copies, Shares, Transport};
use crate::distributed::team::Team;
use crate::{
    Block, BlockSink, Clock, DeviceTimes, Parameters, PreparedSolve, ShardedSolve, Target, TimingPoint,
};
use repro_device::{Device, DeviceError, FailureKind, HostBuffer, Queue};
use repro_graph::Blocks;
use std::ops::Range;
use std::rc::Rc;

pub struct DistributedSolve {
    // Fields are dropped in this order: what lives on devices goes before them.
    transport: Box<dyn Transport>,
    timelines: Vec<Timeline>,
    staging: Option<StagingBuffer>,
    lanes: Vec<DeviceShard>,
    plan: Plan,
    target: Target,
    team: Rc<Team>,
}

/// Makes what each device of this process needs, and gives the devices peer access to each other.
fn make_lanes(
    devices: &[Rc<dyn Device>],
    numbers: Range<usize>,
    plan: Plan,
    target: Target,
    parameters: &Parameters,
) -> Result<Vec<DeviceShard>, DeviceError> {
    for device in devices {
        for other in devices.iter().filter(|other| other.info().ordinal != device.info().ordinal) {
            device.enable_peer_access(&**other)?;
        }
    }
    devices
        .iter()
        .zip(numbers)
        .map(|(device, number)| DeviceShard::new(device, number, plan, target, parameters))
        .collect()
}

/// What this process has made ready, once every process is ready for the same plan.
///
/// # Errors
/// When a process is not ready, or would solve by another plan, as it may with GPUs of another kind: the same error in each, so that none
/// of them waits for the others. A process that has lost its device ends at once.
fn agree_on_plan<T>(team: &Team, own: Result<T, DeviceError>, plan: Plan) -> Result<T, DeviceError> {
    if team.is_alone() || own.as_ref().is_err_and(|error| error.kind == FailureKind::Lost) {
        return own;
    }
    let answer = own.as_ref().map(|_| plan).map_err(|error| error.message.clone());
    let all: Vec<Result<Plan, String>> = team.gather(answer)?;
    for (answer, member) in all.into_iter().zip(team.members()) {
        let other = answer.map_err(|problem| DeviceError::other(format!("{member}: {problem}")))?;
        if other != plan {
            return Err(DeviceError::other(format!(
                "{} would solve with {plan}, and {member} with {other}: give tile, depth and rows by --param, or use GPUs of one kind",
                team.this_member()
            )));
        }
    }
    own
}

impl DistributedSolve {
    /// Makes a solve on the first of `devices`, as many as this process gives.
    pub fn new(
        plan: Plan,
        target: Target,
        devices: &[Rc<dyn Device>],
        team: &Rc<Team>,
        parameters: &Parameters,
    ) -> Result<Self, DeviceError> {
        let shares = Shares { devices: plan.grid.devices(), processes: team.members().len() };
        let own = shares.devices_of(team.this_member().rank);
        let devices = &devices[..own.len()];
        let emulated = devices.first().is_some_and(|device| device.info().emulated);
        let copies = team.is_alone() && (emulated || COPIES.value_in(parameters) == 1);
        let by_nccl = plan.grid.devices() > 1 && !copies;
        let made = make_lanes(devices, own, plan, target, parameters);
        let made = made.and_then(|lanes| if by_nccl { team.nccl().map(|_| lanes) } else { Ok(lanes) });
        let lanes = agree_on_plan(team, made, plan)?;
        let transport: Box<dyn Transport> =
            if by_nccl { Box::new(Collectives::join(&lanes, plan.grid, team)?) } else { Box::new(Copies) };
        let timelines = devices.iter().map(Timeline::of).collect();
        let staging = devices.first().map(StagingBuffer::new);
        Ok(Self { transport, timelines, staging, lanes, plan, target, team: team.clone() })
    }

    fn queues(&self) -> Vec<&dyn Queue> {
        self.lanes.iter().map(DeviceShard::main).collect()
    }

    fn element_bytes(&self) -> usize {
        self.target.element.bytes()
    }

    /// Whether half of the tasks suffice: of a matrix that is declared symmetric, if all processes together find that it is.
    fn agree_on_symmetry(&mut self) -> Result<bool, DeviceError> {
        if !self.target.symmetric {
            return Ok(false);
        }
        for (lane, timeline) in self.lanes.iter().zip(&mut self.timelines) {
            timeline.time(Span::Compute, lane.main(), || lane.begin_sum(Checksum::Asymmetry))?;
        }
        let sums = self.team.gather(total(&self.lanes)?)?;
        Ok(sums.into_iter().fold(0, u64::wrapping_add) == 0)
    }

    fn solve_rounds(&mut self, vertices: usize) -> Result<(), DeviceError> {
        let block = self.plan.block();
        assert!(vertices == self.plan.n || vertices.is_multiple_of(block), "vertex {vertices} ends no round");
        let rounds = vertices.div_ceil(block);
        self.timelines.iter_mut().try_for_each(Timeline::begin)?;
        let halves = self.agree_on_symmetry()?;
        let patience = LONGEST_ROUND;
        #[cfg(feature = "fault-injection")]
        let patience = super::faults::patience(&self.lanes, patience);
        let mut running = RoundDriver {
            lanes: &self.lanes,
            transport: &mut *self.transport,
            timelines: &mut self.timelines,
            patience,
            halves,
        };
        let done = running.run(rounds);
        if done.is_err() {
            // Where there are several processes, others may be lost, and what is queued waits for them.
            self.transport.abort();
        }
        done?;
        self.timelines.iter_mut().try_for_each(Timeline::end)
    }
}

impl ShardedSolve for DistributedSolve {
    fn transport(&self) -> Option<String> {
        (self.plan.grid.devices() > 1).then(|| self.transport.name())
    }

    fn round(&self) -> usize {
        self.plan.block()
    }

    fn blocks(&self) -> Vec<Block> {
        self.lanes.iter().flat_map(DeviceShard::blocks).collect()
    }

    fn load(&mut self, graph: &dyn Blocks) -> Result<(), DeviceError> {
        let Some(staging) = &mut self.staging else { return Ok(()) };
        self.lanes.iter().try_for_each(|lane| staging.load(lane, graph))
    }

    fn solve(&mut self, vertices: usize, clock: &mut dyn Clock) -> Result<Vec<DeviceTimes>, DeviceError> {
        clock.record_point(TimingPoint::Packed, &self.queues())?;
        #[cfg(feature = "fault-injection")]
        super::faults::before(&self.lanes)?;
        self.solve_rounds(vertices)?;
        #[cfg(feature = "fault-injection")]
        super::faults::after(&self.lanes)?;
        clock.record_point(TimingPoint::Solved, &self.queues())?;
        self.lanes.iter().try_for_each(|lane| lane.main().synchronize())?;
        Ok(self
            .lanes
            .iter()
            .zip(&self.timelines)
            .filter_map(|(lane, timeline)| timeline.times(lane.number))
            .collect())
    }

    fn row(&mut self, row: usize) -> Result<Vec<(usize, Vec<u8>)>, DeviceError> {
        let bytes = self.element_bytes();
        let mut pieces = Vec::new();
        for lane in self.lanes.iter().filter(|lane| lane.rows.has(row / self.plan.block())) {
            let own_row = lane.rows.on_device(row / self.plan.block()) + row % self.plan.block();
            let start = own_row * lane.pitch_bytes();
            let mut host = lane.device.allocate_host(lane.pitch_bytes())?;
            lane.main().download(lane.memory.matrix.part(start..start + lane.pitch_bytes()), &mut host)?;
            let numbers = host.numbers::<u8>();
            for (columns, first) in lane.columns.pieces() {
                let numbers = &numbers[first * bytes..][..columns.len() * bytes];
                pieces.push((columns.start, numbers.to_vec()));
            }
        }
        Ok(pieces)
    }

    fn digest(&mut self) -> Result<u64, DeviceError> {
        self.lanes.iter().try_for_each(|lane| lane.begin_sum(Checksum::Digest))?;
        total(&self.lanes)
    }

    fn store(&mut self, take: &mut BlockSink) -> Result<(), DeviceError> {
        let Some(staging) = &mut self.staging else { return Ok(()) };
        self.lanes.iter().try_for_each(|lane| staging.store(lane, take))
    }
}

impl PreparedSolve for DistributedSolve {
    fn run(
        &mut self,
        graph: &HostBuffer,
        distances: &mut HostBuffer,
        clock: &mut dyn Clock,
    ) -> Result<(), DeviceError> {
        let matrix = HostMatrix { n: self.plan.n, element: self.target.element, numbers: graph.numbers() };
        clock.record_point(TimingPoint::Start, &self.queues())?;
        self.load(&matrix)?;
        clock.record_point(TimingPoint::CopiedIn, &self.queues())?;
        clock.record_point(TimingPoint::Packed, &self.queues())?;
        self.solve_rounds(self.plan.n)?;
        clock.record_point(TimingPoint::Solved, &self.queues())?;
        clock.record_point(TimingPoint::Unpacked, &self.queues())?;
        let mut all =
            MatrixMut { n: self.plan.n, element: self.target.element, numbers: distances.numbers_mut() };
        self.store(&mut |block, numbers| {
            all.write(block, numbers);
            Ok(())
        })?;
        clock.record_point(TimingPoint::CopiedOut, &self.queues())
    }

    fn sharded(&mut self) -> Option<&mut dyn ShardedSolve> {
        Some(self)
    }
}
