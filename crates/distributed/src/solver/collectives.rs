//! Broadcasts by NCCL, between the GPUs of one process or of many.

use super::lane::Lane;
use super::plan::Grid;
use super::transport::{Call, Line, Shares, Transport, lost};
use crate::nccl::{BroadcastCall, Communicator, Joining, Nccl, broadcast_all_while, join_all_while};
use repro_device::{DeviceError, FailureKind, Region};
use repro_solvers::Group;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of what names a communicator.
const ID: usize = 128;

/// A communicator for each line of more than one device that has devices of this process.
pub struct Collectives {
    communicators: BTreeMap<(usize, Line), Communicator>,
    grid: Grid,
    group: Arc<dyn Group>,
    name: String,
}

/// The lines that panels go along.
fn lines(grid: Grid) -> Vec<Line> {
    let rows = (0..grid.rows).map(Line::Row).filter(|_| grid.columns > 1);
    let columns = (0..grid.columns).map(Line::Column).filter(|_| grid.rows > 1);
    rows.chain(columns).collect()
}

/// Names for the communicators of all lines: the process that has a line's first device makes one, and all get to know it.
fn ids(
    lines: &[Line],
    grid: Grid,
    shares: Shares,
    group: &dyn Group,
    make: &dyn Fn() -> Result<[u8; ID], DeviceError>,
) -> Result<Vec<[u8; ID]>, DeviceError> {
    let owner = |line: &Line| shares.owner(line.devices(grid)[0]);
    let mut own = Vec::new();
    for _ in lines.iter().filter(|line| owner(line) == group.own().rank) {
        own.extend_from_slice(&make()?);
    }
    let all = group.exchange(&own).map_err(lost)?;
    let mut given: Vec<_> = all.iter().map(|ids| ids.as_chunks::<ID>().0.iter()).collect();
    lines
        .iter()
        .map(|line| given[owner(line)].next().copied())
        .collect::<Option<_>>()
        .ok_or_else(|| DeviceError::other("a process named too few communicators: this is a defect of repro"))
}

impl Collectives {
    /// Joins the devices of all processes, which are ready for it.
    ///
    /// # Errors
    /// When NCCL is not to be had, or a device or process cannot join. Of several processes the others wait for one that cannot, so that
    /// its device is lost to them.
    pub fn join(
        lanes: &[Lane],
        grid: Grid,
        shares: Shares,
        group: &Arc<dyn Group>,
    ) -> Result<Self, DeviceError> {
        Self::join_ready(lanes, grid, shares, group).map_err(|error| match group.members() {
            [_] => error,
            _ => DeviceError::new(FailureKind::Lost, error.message),
        })
    }

    fn join_ready(
        lanes: &[Lane],
        grid: Grid,
        shares: Shares,
        group: &Arc<dyn Group>,
    ) -> Result<Self, DeviceError> {
        let nccl = Nccl::open()?;
        let lines = lines(grid);
        let ids = ids(&lines, grid, shares, &**group, &|| nccl.unique_id())?;
        let going_on = || group.check().map_err(lost);
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
            if !joining.is_empty() {
                communicators.extend(keys.into_iter().zip(join_all_while(&nccl, &joining, &going_on)?));
            }
        }
        let name = format!("NCCL {}", nccl.version());
        let mut joined = Self { communicators, grid, group: group.clone(), name };
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
        broadcast_all_while(&queued, &|| self.group.check().map_err(lost))
    }

    fn check(&self) -> Result<(), DeviceError> {
        self.group.check().map_err(lost)?;
        self.communicators.values().try_for_each(Communicator::check)
    }
}

#[cfg(test)]
mod tests {
    use super::super::given::Given;
    use super::*;
    use std::cell::Cell;

    #[test]
    fn one_dimension_has_one_line_and_two_have_one_of_each() {
        assert_eq!(lines(Grid { rows: 1, columns: 1 }), []);
        assert_eq!(lines(Grid { rows: 4, columns: 1 }), [Line::Column(0)]);
        assert_eq!(
            lines(Grid { rows: 2, columns: 2 }),
            [Line::Row(0), Line::Row(1), Line::Column(0), Line::Column(1)]
        );
    }

    #[test]
    fn every_process_gets_the_names_that_the_owners_of_the_lines_made() {
        let (grid, shares) = (Grid { rows: 2, columns: 2 }, Shares { devices: 4, processes: 2 });
        let mut known = vec![Vec::new(); 2];
        let mut found = Vec::new();
        // Twice: only then has each seen what the other gave.
        for rank in [0, 1, 0, 1] {
            let made = Cell::new(10 * rank as u8);
            let make = || {
                made.set(made.get() + 1);
                Ok([made.get(); ID])
            };
            let group = Given::new(rank, known.clone());
            found.push(ids(&lines(grid), grid, shares, &group, &make));
            known = group.all.into_inner().unwrap();
        }
        // The first row and both columns begin on the first process, the second row on the second.
        let names: Vec<u8> = found[2].clone().unwrap().iter().map(|id| id[0]).collect();
        assert_eq!(names, [1, 11, 2, 3]);
        assert_eq!(found[2], found[3]);
        assert!(found[0].is_err(), "the second process had given none");
    }
}
