//! Blocked Floyd-Warshall on several devices: a sharded matrix, panels that are broadcast, and the next round's panels made during a
//! round's other tiles. docs/several-gpus.md has the algorithm and the reasons.

mod device_shard;
#[cfg(feature = "fault-injection")]
mod faults;
mod kernels;
mod parts;
mod plan;
mod prepared_solve;
mod rounds;
mod symmetry;
#[cfg(test)]
mod tests;
mod timeline;
mod transport;

use crate::distributed::team::Team;
use crate::register_blocked::{self, DEPTH, TILE, check_tile, half_suffices};
use crate::{
    BatchMode, Capabilities, Cost, Devices, Implementation, KernelSet, Layout, Parameter, Parameters,
    PreparedSolve, Problem, Solver, Target, Traffic, check_batch,
};
pub use plan::TimeEstimate;
use plan::{Grid, Plan, Sizes};
use prepared_solve::DistributedSolve;
use repro_device::DeviceError;
use repro_graph::ElementType;
use std::rc::Rc;
pub use transport::Shares;

/// The name of the only implementation by which several processes solve together.
pub const NAME: &str = "distributed-blocked";

/// How many devices a solve runs on.
pub const DEVICES: Parameter =
    Parameter::new("devices", "devices that the matrix is shared among", 1, 1..=1024);

/// The shape of the grid that they form.
pub const ROWS: Parameter = Parameter::new(
    "rows",
    "rows of the grid that the devices form, a divisor of their number; 0: by the model, and with half=1 as many as there are, up to eight",
    0,
    0..=1024,
);

const RUN: Parameter = Parameter::new(
    "run",
    "tiles that a block of the update does before another block may have its place",
    1,
    1..=64,
);

const COPIES: Parameter = Parameter::new(
    "copies",
    "1: GPUs of one process copy panels to each other; 0: they have NCCL broadcast them, as GPUs of several processes do",
    1,
    0..=1,
);

/// Off by default: panels come in more and smaller pieces, which takes longer than all tasks do in small graphs.
const HALF: Parameter = Parameter {
    meaning: "1: of weights that are declared symmetric half of the tasks, on one column of devices; 0: all tasks",
    default: 0,
    ..register_blocked::HALF
};

pub fn implementation() -> Implementation {
    let summary = "blocked, on one device or several: a shard of the matrix each, panels broadcast while tiles are computed";
    let source = "beyond the papers: the larger graphs that gaioso-2013 leaves to future work";
    let of = |devices, rows| Parameters::from([("devices", devices), ("rows", rows)]);
    let deep = |devices, rows| of(devices, rows).with("tile", 64).with("depth", 2);
    Implementation {
        parameters: (&[DEVICES, ROWS, TILE, DEPTH, RUN, COPIES, HALF]).into(),
        verified_with: vec![of(2, 0), deep(2, 0).with("half", 1), of(3, 1), deep(4, 2), of(6, 2), of(9, 3)],
        ..Implementation::new(NAME, summary, source, DistributedMethod)
    }
}

/// What the model says of a solve of `n` vertices on `devices` devices, eight a host, of `tasks_per_s` each: rows and columns of the
/// fastest grid, and its times. Of a symmetric matrix, one column of devices of one host does half of the tasks.
pub fn estimate(
    n: usize,
    devices: usize,
    element: ElementType,
    tasks_per_s: f64,
    symmetric: bool,
) -> ((usize, usize), TimeEstimate) {
    let machine = plan::MachineModel { tasks_per_s, ..plan::MachineModel::default() };
    let grid = machine.fastest_grid(n, devices, element, symmetric);
    ((grid.rows, grid.columns), machine.estimate(n, grid, element, symmetric))
}

struct DistributedMethod;

/// Whether half of the tasks suffice if the matrix proves to be symmetric, as it is declared: on one column of devices, which those of one
/// host form unless another grid is asked for. It does not depend on n, so that records can say it of all sizes.
fn may_halve(target: Target, parameters: &Parameters) -> bool {
    let devices = DEVICES.value_in(parameters);
    let is_column = match ROWS.value_in(parameters) {
        0 => devices as usize <= plan::MachineModel::default().devices_a_host,
        rows => rows == devices,
    };
    is_column && half_suffices(target) && HALF.value_in(parameters) == 1
}

/// The grid that is asked for, or the one that the model finds fastest.
fn grid(n: usize, target: Target, parameters: &Parameters) -> Grid {
    let devices = DEVICES.value_in(parameters) as usize;
    match ROWS.value_in(parameters) as usize {
        0 if may_halve(target, parameters) => Grid { rows: devices, columns: 1 },
        0 => plan::fastest_grid(n, devices, target.element),
        rows => Grid { rows, columns: devices / rows },
    }
}

/// How a problem is solved, and what kernels are compiled for: symmetric where half of the tasks may suffice.
fn planned(problem: &Problem, on: Target, parameters: &Parameters) -> (Plan, Target) {
    let target = on.with_weights(problem);
    let target = Target { symmetric: may_halve(target, parameters), ..target };
    let grid = grid(problem.n, target, parameters);
    (Plan::new(problem.n, grid, target, parameters), target)
}

impl Solver for DistributedMethod {
    fn capabilities(&self, parameters: &Parameters) -> Capabilities {
        let devices = DEVICES.value_in(parameters) as usize;
        let undirected = Target { symmetric: true, ..Target::default() };
        Capabilities {
            elements: (&[ElementType::F32, ElementType::I32, ElementType::U16]).into(),
            devices: devices..=devices,
            halves: may_halve(undirected, parameters),
            ..Capabilities::on_device()
        }
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        let (devices, rows) = (DEVICES.value_in(parameters), ROWS.value_in(parameters));
        if rows > 0 && !devices.is_multiple_of(rows) {
            return Err(format!(
                "a grid of {rows} rows cannot have {devices} devices: choose a divisor of {devices} as rows, or 0 for the model's choice"
            ));
        }
        check_tile(parameters)
    }

    fn traffic(&self, _: &Parameters) -> Traffic {
        Traffic::of_tiles(512)
    }

    fn cost(&self, problem: &Problem, parameters: &Parameters) -> Cost {
        let (plan, target) = planned(problem, Target::of(problem), parameters);
        // The first device has the most.
        let bytes = Sizes::new(&plan, plan.rows_of(0), plan.columns_of(0), target).all() as u64;
        let tasks = if target.symmetric { problem.symmetric_task_count() } else { problem.full_task_count() };
        Cost { tasks, ..Cost::new(problem, bytes) }
    }

    fn kernels(&self, target: Target, parameters: &Parameters) -> Option<KernelSet> {
        Some(KernelSet {
            source: kernels::source(target, parameters),
            uses: kernels::kernels(target),
            layout: Layout::RowMajor,
            batch_mode: BatchMode::No,
            launches_per_sync: None,
        })
    }

    fn load(
        &self,
        element: ElementType,
        devices: &Devices,
        parameters: &Parameters,
    ) -> Result<(), DeviceError> {
        devices.iter().try_for_each(|device| {
            kernels::load_kernels(&**device, Target::on(device.info(), element), parameters)
        })
    }

    fn prepare(
        &self,
        problem: &Problem,
        devices: &Devices,
        parameters: &Parameters,
    ) -> Result<Box<dyn PreparedSolve>, DeviceError> {
        check_batch(problem.graphs, false).map_err(DeviceError::other)?;
        prepare_in(&Rc::new(Team::default()), problem, devices, parameters)
    }
}

/// Makes ready a solve of all processes of a team, each with its share of the devices that the parameters ask for, the first ones of its own.
///
/// # Errors
/// When a process has too few or they have no room, or it cannot reach the others.
pub fn prepare_in(
    team: &Rc<Team>,
    problem: &Problem,
    devices: &Devices,
    parameters: &Parameters,
) -> Result<Box<dyn PreparedSolve>, DeviceError> {
    DistributedMethod.check(parameters).map_err(DeviceError::other)?;
    let shares = Shares { devices: DEVICES.value_in(parameters) as usize, processes: team.members().len() };
    let needed = shares.devices_of(team.this_member().rank).len();
    let few = || {
        let has = devices.len();
        DeviceError::unavailable(format!("this process has {has} devices and needs {needed}"))
    };
    let first = devices.first().filter(|_| devices.len() >= needed).ok_or_else(few)?;
    let (plan, target) = planned(problem, Target::on(first.info(), problem.element), parameters);
    Ok(Box::new(DistributedSolve::new(plan, target, devices, team, parameters)?))
}
