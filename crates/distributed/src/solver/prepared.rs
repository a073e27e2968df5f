//! A solve on several devices with all that it needs.

use super::COPIES;
use super::agreement::{Agreed, Way, once_all_are_ready};
use super::collectives::Collectives;
use super::lane::Lane;
use super::parts::{Matrix, MatrixMut, Staging};
use super::plan::Plan;
use super::rounds::{LONGEST_ROUND, Rounds};
use super::sums::{Sum, total};
use super::timeline::{Span, Timeline};
use super::transport::{Copies, Shares, Transport, lost};
use crate::nccl::Nccl;
use repro_device::{Device, DeviceError, HostBuffer, Queue};
use repro_graph::Blocks;
use repro_solvers::Group;
use repro_solvers::{
    Block, Clock, DeviceTimes, Machine, Parameters, Point, Prepared, ShardedSolve, TakeBlock, Target,
};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

pub struct DistributedSolve {
    // Fields are dropped in this order: what lives on devices goes before them.
    transport: Box<dyn Transport>,
    timelines: Vec<Timeline>,
    staging: Option<Staging>,
    lanes: Vec<Lane>,
    plan: Plan,
    target: Target,
    group: Arc<dyn Group>,
    /// Of all solves, as other processes are told.
    steps: u64,
}

/// What is needed on each device of this process, which reach each other then.
fn make_lanes(
    devices: &[Rc<dyn Device>],
    numbers: Range<usize>,
    plan: Plan,
    target: Target,
    parameters: &Parameters,
) -> Result<Vec<Lane>, DeviceError> {
    for device in devices {
        for other in devices.iter().filter(|other| other.info().ordinal != device.info().ordinal) {
            device.reach(&**other)?;
        }
    }
    devices
        .iter()
        .zip(numbers)
        .map(|(device, number)| Lane::new(device, number, plan, target, parameters))
        .collect()
}

impl DistributedSolve {
    pub fn new(
        plan: Plan,
        target: Target,
        machine: Machine,
        shares: Shares,
        parameters: &Parameters,
    ) -> Result<Self, DeviceError> {
        let own = shares.of(machine.group.own().rank);
        let devices = &machine.devices[..own.len()];
        let emulated = devices.first().is_some_and(|device| device.info().emulated);
        let copies = parameters.get(&COPIES) == 1 && machine.group.members().len() == 1;
        let way = match devices.first() {
            None => Way::Any,
            Some(_) if emulated || copies || plan.grid.devices() == 1 => Way::Copies,
            Some(_) => Way::Nccl,
        };
        let made = make_lanes(devices, own.clone(), plan, target, parameters);
        let made = made.and_then(|lanes| match way {
            Way::Nccl => Nccl::open().map(|_| lanes),
            _ => Ok(lanes),
        });
        let own_plan = devices.first().map(|_| plan);
        let (lanes, Agreed { way, plan: of_others }) =
            once_all_are_ready(&**machine.group, made, way, own_plan)?;
        let plan = own_plan.or(of_others).unwrap_or(plan);
        let transport: Box<dyn Transport> = match way {
            Way::Nccl => Box::new(Collectives::join(&lanes, plan.grid, shares, machine.group)?),
            Way::Any | Way::Copies => Box::new(Copies {
                grid: plan.grid,
                shares,
                group: machine.group.clone(),
                devices: own.zip(devices.iter().cloned()).collect(),
            }),
        };
        let timelines = devices.iter().map(Timeline::of).collect();
        let staging = devices.first().map(Staging::new);
        Ok(Self {
            transport,
            timelines,
            staging,
            lanes,
            plan,
            target,
            group: machine.group.clone(),
            steps: 0,
        })
    }

    fn queues(&self) -> Vec<&dyn Queue> {
        self.lanes.iter().map(Lane::main).collect()
    }

    fn element_bytes(&self) -> usize {
        self.target.element.bytes()
    }

    /// Whether half of the tasks suffice: of a matrix that is declared symmetric, if all processes together find that it is.
    fn halves(&mut self) -> Result<bool, DeviceError> {
        if !self.target.symmetric {
            return Ok(false);
        }
        for (lane, timeline) in self.lanes.iter().zip(&mut self.timelines) {
            timeline.time(Span::Compute, lane.main(), || lane.begin_sum(Sum::Asymmetry))?;
        }
        let own = total(&self.lanes)?.to_le_bytes();
        let all = match self.group.members() {
            [_] => vec![own.to_vec()],
            _ => self.group.exchange(&own).map_err(lost)?,
        };
        // What is no sum is none of a symmetric matrix.
        let sums = all.iter().map(|sum| sum.as_slice().try_into().map_or(1, u64::from_le_bytes));
        Ok(sums.fold(0, u64::wrapping_add) == 0)
    }

    fn solve_rounds(&mut self, vertices: usize) -> Result<(), DeviceError> {
        let block = self.plan.block();
        assert!(vertices == self.plan.n || vertices.is_multiple_of(block), "vertex {vertices} ends no round");
        let rounds = vertices.div_ceil(block);
        self.timelines.iter_mut().try_for_each(Timeline::begin)?;
        let halves = self.halves()?;
        let patience = LONGEST_ROUND;
        #[cfg(feature = "fault-injection")]
        let patience = super::faults::patience(&self.lanes, patience);
        let mut running = Rounds {
            lanes: &self.lanes,
            transport: &mut *self.transport,
            group: &*self.group,
            timelines: &mut self.timelines,
            patience,
            halves,
        };
        running.run(rounds, &mut self.steps)?;
        self.timelines.iter_mut().try_for_each(Timeline::end)
    }
}

impl ShardedSolve for DistributedSolve {
    fn grid(&self) -> (usize, usize) {
        (self.plan.grid.rows, self.plan.grid.columns)
    }

    fn transport(&self) -> Option<String> {
        (self.plan.grid.devices() > 1).then(|| self.transport.name())
    }

    fn round(&self) -> usize {
        self.plan.block()
    }

    fn blocks(&self) -> Vec<Block> {
        self.lanes.iter().flat_map(Lane::blocks).collect()
    }

    fn load(&mut self, graph: &dyn Blocks) -> Result<(), DeviceError> {
        let Some(staging) = &mut self.staging else { return Ok(()) };
        self.lanes.iter().try_for_each(|lane| staging.load(lane, graph))
    }

    fn solve(&mut self, vertices: usize, clock: &mut dyn Clock) -> Result<Vec<DeviceTimes>, DeviceError> {
        clock.reached(Point::Packed, &self.queues())?;
        #[cfg(feature = "fault-injection")]
        super::faults::before(&self.lanes)?;
        self.solve_rounds(vertices)?;
        #[cfg(feature = "fault-injection")]
        super::faults::after(&self.lanes)?;
        clock.reached(Point::Solved, &self.queues())?;
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
            lane.main().download(lane.matrix.part(start..start + lane.pitch_bytes()), &mut host)?;
            let numbers = host.numbers::<u8>();
            for (columns, first) in lane.columns.pieces() {
                let numbers = &numbers[first * bytes..][..columns.len() * bytes];
                pieces.push((columns.start, numbers.to_vec()));
            }
        }
        Ok(pieces)
    }

    fn digest(&mut self) -> Result<u64, DeviceError> {
        self.lanes.iter().try_for_each(|lane| lane.begin_sum(Sum::Digest))?;
        total(&self.lanes)
    }

    fn store(&mut self, take: &mut TakeBlock) -> Result<(), DeviceError> {
        let Some(staging) = &mut self.staging else { return Ok(()) };
        self.lanes.iter().try_for_each(|lane| staging.store(lane, take))
    }
}

impl Prepared for DistributedSolve {
    fn run(
        &mut self,
        graph: &HostBuffer,
        distances: &mut HostBuffer,
        clock: &mut dyn Clock,
    ) -> Result<(), DeviceError> {
        if self.group.members().len() > 1 {
            return Err(DeviceError::other(
                "several processes hold no whole matrix: set sharded = true in the experiment",
            ));
        }
        let matrix = Matrix { n: self.plan.n, element: self.target.element, numbers: graph.numbers() };
        clock.reached(Point::Start, &self.queues())?;
        self.load(&matrix)?;
        clock.reached(Point::CopiedIn, &self.queues())?;
        clock.reached(Point::Packed, &self.queues())?;
        self.solve_rounds(self.plan.n)?;
        clock.reached(Point::Solved, &self.queues())?;
        clock.reached(Point::Unpacked, &self.queues())?;
        let mut all =
            MatrixMut { n: self.plan.n, element: self.target.element, numbers: distances.numbers_mut() };
        self.store(&mut |block, numbers| {
            all.write(block, numbers);
            Ok(())
        })?;
        clock.reached(Point::CopiedOut, &self.queues())
    }

    fn sharded(&mut self) -> Option<&mut dyn ShardedSolve> {
        Some(self)
    }
}
