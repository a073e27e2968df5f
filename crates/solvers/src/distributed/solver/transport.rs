//! How panels come from one device to others: by copies, or by broadcasts of NCCL, between the GPUs of one process or of many.

use super::device_shard::DeviceShard;
use super::plan::Grid;
use crate::distributed::nccl::{BroadcastCall, Communicator, JoinRequest, Nccl, broadcast_all, join_all};
use crate::distributed::team::Team;
use repro_device::{BufferSlice, DeviceError, FailureKind, Queue};
use std::collections::BTreeMap;

/// Devices that a panel goes to: those of one row of the grid, or of one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GridLine {
    Row(usize),
    Column(usize),
}

impl GridLine {
    /// Its devices, in order.
    pub fn devices(self, grid: Grid) -> Vec<usize> {
        match self {
            Self::Row(row) => (0..grid.columns).map(|column| row * grid.columns + column).collect(),
            Self::Column(column) => (0..grid.rows).map(|row| row * grid.columns + column).collect(),
        }
    }
}

/// What one device of this process does in a broadcast: it sends the region, or receives it.
pub struct BroadcastOp<'a> {
    /// The device's number among all.
    pub device: usize,
    pub line: GridLine,
    /// The number of the device that sends.
    pub root: usize,
    /// The queue of the broadcast.
    pub queue: &'a dyn Queue,
    pub region: BufferSlice<'a>,
}

/// Whatever brings panels to other devices. Every process makes the calls of its devices, in the same order as the others.
pub trait Transport {
    /// What it is, for records.
    fn name(&self) -> String;

    /// Queues broadcasts. Of those along one line from one root, `calls` has each device's together, and in the same order for all devices.
    ///
    /// # Errors
    /// When a device or another process refuses.
    fn broadcast(&mut self, calls: &[BroadcastOp]) -> Result<(), DeviceError>;

    /// Whether it still works.
    ///
    /// # Errors
    /// When it does not.
    fn check(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Has queued broadcasts, and dropping this, no longer wait for other processes: one of them may be lost.
    fn abort(&self) {}
}

/// A process's share of the devices: every one has as many, but for the last ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    pub devices: usize,
    pub processes: usize,
}

impl Shares {
    fn most(self) -> usize {
        self.devices.div_ceil(self.processes).max(1)
    }

    /// The devices of this process, by their numbers among all.
    pub fn devices_of(self, process: usize) -> std::ops::Range<usize> {
        let first = (process * self.most()).min(self.devices);
        first..(first + self.most()).min(self.devices)
    }

    /// How many devices `process` gives, where each process has as many as `had` says; None where one has too few.
    pub fn given_by(self, process: usize, had: &[usize]) -> Option<usize> {
        let is_enough = had.iter().enumerate().all(|(process, had)| *had >= self.devices_of(process).len());
        is_enough.then(|| self.devices_of(process).len())
    }
}

/// Copies between the devices of one process.
pub struct Copies;

impl Transport for Copies {
    fn name(&self) -> String {
        "copies between devices".into()
    }

    fn broadcast(&mut self, calls: &[BroadcastOp]) -> Result<(), DeviceError> {
        let mut lines: BTreeMap<(usize, GridLine), Vec<&BroadcastOp>> = BTreeMap::new();
        for call in calls {
            lines.entry((call.root, call.line)).or_default().push(call);
        }
        lines.iter().try_for_each(|((root, _), calls)| send(*root, calls))
    }
}

/// Queues the copies of one line.
fn send(root: usize, calls: &[&BroadcastOp]) -> Result<(), DeviceError> {
    let all: Vec<&[&BroadcastOp]> = calls.chunk_by(|one, next| one.device == next.device).collect();
    let nobody = || DeviceError::other("nobody sends a panel: this is a defect of repro");
    let own = all.iter().find(|calls| calls[0].device == root).ok_or_else(nobody)?;
    let queue = own[0].queue;
    let ready = queue.event()?;
    queue.record(&ready)?;
    for calls in all.iter().filter(|calls| calls[0].device != root) {
        let to = calls[0].queue;
        to.wait(&ready)?;
        own.iter()
            .zip(*calls)
            .try_for_each(|(own, call)| to.copy(own.region.clone(), call.region.clone()))?;
        let copied = to.event()?;
        to.record(&copied)?;
        queue.wait(&copied)?;
    }
    Ok(())
}

/// Bytes of a communicator's number.
const ID: usize = 128;

/// The communicators of this process's devices, one for each line of more than one device that they are in.
pub struct Collectives {
    communicators: BTreeMap<(usize, GridLine), Communicator>,
    grid: Grid,
    name: String,
}

/// The lines that panels go along.
fn lines(grid: Grid) -> Vec<GridLine> {
    let rows = (0..grid.rows).map(GridLine::Row).filter(|_| grid.columns > 1);
    let columns = (0..grid.columns).map(GridLine::Column).filter(|_| grid.rows > 1);
    rows.chain(columns).collect()
}

/// Numbers for the communicators of all lines, made by rank 0.
fn ids(lines: &[GridLine], nccl: &Nccl, team: &Team) -> Result<Vec<[u8; ID]>, DeviceError> {
    let mut made = Vec::new();
    for _ in lines.iter().filter(|_| team.is_first()) {
        made.extend_from_slice(&nccl.unique_id()?);
    }
    Ok(team.broadcast(&made)?.as_chunks::<ID>().0.to_vec())
}

impl Collectives {
    /// Joins the devices of all processes once all have their shards ready; `lanes` are the devices of this one.
    ///
    /// # Errors
    /// When NCCL is not found, or a device or process cannot join. Where there are several processes, the others wait for one that cannot
    /// join: the error is then [`FailureKind::Lost`].
    pub fn join(lanes: &[DeviceShard], grid: Grid, team: &Team) -> Result<Self, DeviceError> {
        Self::join_ready(lanes, grid, team).map_err(|error| match team.is_alone() {
            true => error,
            false => DeviceError::new(FailureKind::Lost, error.message),
        })
    }

    fn join_ready(lanes: &[DeviceShard], grid: Grid, team: &Team) -> Result<Self, DeviceError> {
        let nccl = team.nccl()?;
        let lines = lines(grid);
        let ids = ids(&lines, &nccl, team)?;
        let mut communicators = BTreeMap::new();
        // Rows first and then columns: every device joins one of each, and waits for the others of it.
        let is_row = |line: &GridLine| matches!(line, GridLine::Row(_));
        for of_rows in [true, false] {
            let mut joining = Vec::new();
            let mut keys = Vec::new();
            for (line, id) in lines.iter().zip(&ids).filter(|(line, _)| is_row(line) == of_rows) {
                let devices = line.devices(grid);
                for (rank, number) in devices.iter().enumerate() {
                    if let Some(lane) = lanes.iter().find(|lane| lane.number == *number) {
                        joining.push(JoinRequest { device: &*lane.device, id, rank, size: devices.len() });
                        keys.push((*number, *line));
                    }
                }
            }
            communicators.extend(keys.into_iter().zip(join_all(&nccl, &joining, &mut || Ok(()))?));
        }
        let name = format!("NCCL {}", nccl.version());
        let mut joined = Self { communicators, grid, name };
        joined.connect(lanes)?;
        Ok(joined)
    }

    /// Broadcasts what panels happen to hold. NCCL connects devices at their first broadcast, which is to be outside of every clock.
    fn connect<'l>(&mut self, lanes: &'l [DeviceShard]) -> Result<(), DeviceError> {
        let grid = self.grid;
        let along = |line: GridLine, lane: &'l DeviceShard, region: BufferSlice<'l>| BroadcastOp {
            device: lane.number,
            line,
            root: line.devices(grid)[0],
            queue: &*lane.wire,
            region,
        };
        if grid.columns > 1 {
            let calls = lanes.iter().map(|lane| along(GridLine::Row(lane.row), lane, lane.left_panel(0)));
            self.broadcast(&calls.collect::<Vec<_>>())?;
        }
        if grid.rows > 1 {
            let panel = |lane: &'l DeviceShard| lane.right_panel(0, 0..lane.columns.tiles());
            let calls = lanes.iter().map(|lane| along(GridLine::Column(lane.column), lane, panel(lane)));
            self.broadcast(&calls.collect::<Vec<_>>())?;
        }
        lanes.iter().try_for_each(|lane| lane.wire.synchronize())
    }
}

impl Transport for Collectives {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn broadcast(&mut self, calls: &[BroadcastOp]) -> Result<(), DeviceError> {
        let mut queued = Vec::new();
        for call in calls {
            let missing =
                || DeviceError::other("a broadcast without a communicator: this is a defect of repro");
            let communicator = self.communicators.get(&(call.device, call.line)).ok_or_else(missing)?;
            let root = call.line.devices(self.grid).iter().position(|device| *device == call.root);
            queued.push(BroadcastCall {
                communicator,
                queue: call.queue,
                region: call.region.clone(),
                root: root.ok_or_else(missing)?,
            });
        }
        broadcast_all(&queued)
    }

    fn check(&self) -> Result<(), DeviceError> {
        self.communicators.values().try_for_each(Communicator::check)
    }

    fn abort(&self) {
        self.communicators.values().for_each(Communicator::abort);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_device_is_in_one_process() {
        let of = |devices, processes| {
            let shares = Shares { devices, processes };
            (0..processes).map(|process| shares.devices_of(process)).collect::<Vec<_>>()
        };
        assert_eq!(of(4, 2), [0..2, 2..4]);
        assert_eq!(of(2, 4), [0..1, 1..2, 2..2, 2..2]);
        assert_eq!(of(5, 2), [0..3, 3..5]);
    }

    #[test]
    fn processes_give_equally_many_devices_and_the_last_ones_what_is_left() {
        let given = |had: &[usize], devices| -> Vec<_> {
            let shares = Shares { devices, processes: had.len() };
            (0..had.len()).map(|process| shares.given_by(process, had)).collect()
        };
        assert_eq!(given(&[2, 2], 2), [Some(1), Some(1)]);
        assert_eq!(given(&[2, 2], 3), [Some(2), Some(1)]);
        assert_eq!(given(&[1; 4], 2), [Some(1), Some(1), Some(0), Some(0)]);
        assert_eq!(given(&[1; 4], 4), [Some(1); 4]);
        assert_eq!(given(&[1; 4], 5), [None; 4]);
        assert_eq!(given(&[2, 0], 2), [None; 2]);
    }
}
