//! Broadcasts by NCCL, between the GPUs of one process or of many.

use super::lane::Lane;
use super::plan::Grid;
use super::transport::{Call, Line, Transport};
use crate::distributed::nccl::{BroadcastCall, Communicator, Joining, Nccl, broadcast_all, join_all};
use crate::distributed::team::Team;
use repro_device::{DeviceError, FailureKind, Region};
use std::collections::BTreeMap;

/// Bytes of a communicator's number.
const ID: usize = 128;

/// A communicator for each line of more than one device that has devices of this process.
pub struct Collectives {
    communicators: BTreeMap<(usize, Line), Communicator>,
    grid: Grid,
    name: String,
}

/// The lines that panels go along.
fn lines(grid: Grid) -> Vec<Line> {
    let rows = (0..grid.rows).map(Line::Row).filter(|_| grid.columns > 1);
    let columns = (0..grid.columns).map(Line::Column).filter(|_| grid.rows > 1);
    rows.chain(columns).collect()
}

/// Numbers for the communicators of all lines, of which rank 0 makes one for each.
fn ids(lines: &[Line], nccl: &Nccl, team: &Team) -> Result<Vec<[u8; ID]>, DeviceError> {
    let mut made = Vec::new();
    for _ in lines.iter().filter(|_| team.is_first()) {
        made.extend_from_slice(&nccl.unique_id()?);
    }
    Ok(team.broadcast(&made)?.as_chunks::<ID>().0.to_vec())
}

impl Collectives {
    /// Joins the devices of all processes, which are ready for it.
    ///
    /// # Errors
    /// When NCCL is not to be had, or a device or process cannot join. Of several processes the others wait for one that cannot, so that
    /// its device is lost to them.
    pub fn join(lanes: &[Lane], grid: Grid, team: &Team) -> Result<Self, DeviceError> {
        Self::join_ready(lanes, grid, team).map_err(|error| match team.is_alone() {
            true => error,
            false => DeviceError::new(FailureKind::Lost, error.message),
        })
    }

    fn join_ready(lanes: &[Lane], grid: Grid, team: &Team) -> Result<Self, DeviceError> {
        let nccl = team.nccl()?;
        let lines = lines(grid);
        let ids = ids(&lines, &nccl, team)?;
        let mut communicators = BTreeMap::new();
        // Rows first and then columns: every device joins one of each, and waits for the others of it.
        let is_row = |line: &Line| matches!(line, Line::Row(_));
        for of_rows in [true, false] {
            let mut joining = Vec::new();
            let mut keys = Vec::new();
            for (line, id) in lines.iter().zip(&ids).filter(|(line, _)| is_row(line) == of_rows) {
                let devices = line.devices(grid);
                for (rank, number) in devices.iter().enumerate() {
                    if let Some(lane) = lanes.iter().find(|lane| lane.number == *number) {
                        joining.push(Joining { device: &*lane.device, id, rank, size: devices.len() });
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
    fn connect<'l>(&mut self, lanes: &'l [Lane]) -> Result<(), DeviceError> {
        let grid = self.grid;
        let along = |line: Line, lane: &'l Lane, region: Region<'l>| Call {
            device: lane.number,
            line,
            root: line.devices(grid)[0],
            queue: &*lane.wire,
            region,
        };
        if grid.columns > 1 {
            let calls = lanes.iter().map(|lane| along(Line::Row(lane.row), lane, lane.left_panel(0)));
            self.broadcast(&calls.collect::<Vec<_>>())?;
        }
        if grid.rows > 1 {
            let panel = |lane: &'l Lane| lane.right_panel(0, 0..lane.columns.tiles());
            let calls = lanes.iter().map(|lane| along(Line::Column(lane.column), lane, panel(lane)));
            self.broadcast(&calls.collect::<Vec<_>>())?;
        }
        lanes.iter().try_for_each(|lane| lane.wire.synchronize())
    }
}

impl Transport for Collectives {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn broadcast(&mut self, calls: &[Call]) -> Result<(), DeviceError> {
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
    fn one_dimension_has_one_line_and_two_have_one_of_each() {
        assert_eq!(lines(Grid { rows: 1, columns: 1 }), []);
        assert_eq!(lines(Grid { rows: 4, columns: 1 }), [Line::Column(0)]);
        assert_eq!(
            lines(Grid { rows: 2, columns: 2 }),
            [Line::Row(0), Line::Row(1), Line::Column(0), Line::Column(1)]
        );
    }
}
