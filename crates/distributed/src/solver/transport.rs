//! How panels come from one device to others.

use super::plan::Grid;
use repro_device::{Device, DeviceError, FailureKind, Queue, Region};
use repro_solvers::{Group, GroupError};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Devices that a panel goes to: those of one row of the grid, or of one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    Row(usize),
    Column(usize),
}

impl Line {
    /// Its devices, in order.
    pub fn devices(self, grid: Grid) -> Vec<usize> {
        match self {
            Self::Row(row) => (0..grid.columns).map(|column| row * grid.columns + column).collect(),
            Self::Column(column) => (0..grid.rows).map(|row| row * grid.columns + column).collect(),
        }
    }
}

/// What one device of this process has to do with a broadcast: it sends the region, or it is filled there.
pub struct Call<'a> {
    /// The device's number among all.
    pub device: usize,
    pub line: Line,
    /// The number of the device that sends.
    pub root: usize,
    /// On which it is queued.
    pub queue: &'a dyn Queue,
    pub region: Region<'a>,
}

/// Whatever brings panels to other devices. Every process makes the calls of its devices, in the same order as the others.
pub trait Transport {
    /// What it is, for records.
    fn name(&self) -> String;

    /// Queues broadcasts. Those of one line from one device have the same order on all devices, and each device's follow each other.
    ///
    /// # Errors
    /// When a device or another process refuses.
    fn broadcast(&mut self, calls: &[Call]) -> Result<(), DeviceError>;

    /// Whether it still works.
    ///
    /// # Errors
    /// When it does not.
    fn check(&self) -> Result<(), DeviceError>;
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
    pub fn of(self, process: usize) -> std::ops::Range<usize> {
        let first = (process * self.most()).min(self.devices);
        first..(first + self.most()).min(self.devices)
    }

    pub fn owner(self, device: usize) -> usize {
        device / self.most()
    }
}

pub fn lost(error: GroupError) -> DeviceError {
    DeviceError::new(FailureKind::Lost, error.to_string())
}

/// Copies between the devices of a process, and through host memory to those of others.
pub struct Copies {
    pub grid: Grid,
    pub shares: Shares,
    pub group: Arc<dyn Group>,
    /// Of this process, by their numbers among all.
    pub devices: BTreeMap<usize, Rc<dyn Device>>,
}

impl Transport for Copies {
    fn name(&self) -> String {
        if self.group.members().len() > 1 { "TCP".into() } else { "copies between devices".into() }
    }

    fn broadcast(&mut self, calls: &[Call]) -> Result<(), DeviceError> {
        let mut lines: BTreeMap<(usize, Line), Vec<&Call>> = BTreeMap::new();
        for call in calls {
            lines.entry((call.root, call.line)).or_default().push(call);
        }
        // All that is sent goes before anything is waited for.
        for ((root, line), calls) in &lines {
            if self.devices.contains_key(root) {
                self.send(*root, *line, calls)?;
            }
        }
        for ((root, _), calls) in &lines {
            if !self.devices.contains_key(root) {
                self.receive(*root, calls)?;
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), DeviceError> {
        self.group.check().map_err(lost)
    }
}

impl Copies {
    fn send(&self, root: usize, line: Line, calls: &[&Call]) -> Result<(), DeviceError> {
        let all: Vec<&[&Call]> = calls.chunk_by(|one, next| one.device == next.device).collect();
        let own = all.iter().find(|calls| calls[0].device == root).ok_or_else(|| defect("nobody sends"))?;
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
        let own_process = self.group.own().rank;
        let mut others: Vec<usize> =
            line.devices(self.grid).into_iter().map(|device| self.shares.owner(device)).collect();
        others.dedup();
        others.retain(|process| *process != own_process);
        if others.is_empty() {
            return Ok(());
        }
        let device = self.devices.get(&root).ok_or_else(|| defect("a sender without a device"))?;
        for call in *own {
            let mut host = device.allocate_host(call.region.bytes())?;
            queue.download(call.region.clone(), &mut host)?;
            for process in &others {
                self.group.send(*process, host.numbers::<u8>()).map_err(lost)?;
            }
        }
        Ok(())
    }

    fn receive(&self, root: usize, calls: &[&Call]) -> Result<(), DeviceError> {
        let all: Vec<&[&Call]> = calls.chunk_by(|one, next| one.device == next.device).collect();
        let most = all.first().map_or(0, |calls| calls.len());
        (0..most).try_for_each(|at| self.receive_one(root, all.iter().filter_map(|calls| calls.get(at))))
    }

    fn receive_one<'a>(
        &self,
        root: usize,
        calls: impl Iterator<Item = &'a &'a Call<'a>>,
    ) -> Result<(), DeviceError> {
        let bytes = self.group.receive(self.shares.owner(root)).map_err(lost)?;
        for call in calls {
            if call.region.bytes() != bytes.len() {
                return Err(defect(&format!("{} bytes came for {}", bytes.len(), call.region.bytes())));
            }
            let device =
                self.devices.get(&call.device).ok_or_else(|| defect("a receiver without a device"))?;
            let mut host = device.allocate_host(bytes.len())?;
            host.numbers_mut::<u8>().copy_from_slice(&bytes);
            call.queue.upload(&host, call.region.clone())?;
        }
        Ok(())
    }
}

fn defect(what: &str) -> DeviceError {
    DeviceError::other(format!("{what}: this is a defect of repro"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_device_is_in_one_process() {
        let of = |devices, processes| {
            let shares = Shares { devices, processes };
            (0..processes).map(|process| shares.of(process)).collect::<Vec<_>>()
        };
        assert_eq!(of(4, 2), [0..2, 2..4]);
        assert_eq!(of(2, 4), [0..1, 1..2, 2..2, 2..2]);
        assert_eq!(of(5, 2), [0..3, 3..5]);
        assert_eq!(Shares { devices: 5, processes: 2 }.owner(3), 1);
    }

    #[test]
    fn lines_of_a_grid_are_its_rows_and_columns() {
        let grid = Grid { rows: 2, columns: 3 };
        assert_eq!(Line::Row(1).devices(grid), [3, 4, 5]);
        assert_eq!(Line::Column(2).devices(grid), [2, 5]);
    }
}
