//! What the launches of a solve do, on a device that counts.

use repro_device::Clock;
use repro_device::emulated::LaunchCounts;
use repro_device::{Device, DeviceError, Queue};
use repro_types::Point;
use std::rc::Rc;

/// Takes the counts of a solve's own launches: not those that change the layout.
pub struct CountingClock<'a> {
    devices: &'a [Rc<dyn Device>],
    launches: Vec<LaunchCounts>,
}

impl<'a> CountingClock<'a> {
    pub fn new(devices: &'a [Rc<dyn Device>]) -> Self {
        Self { devices, launches: Vec::new() }
    }

    /// Of the last solve, device by device. Empty on devices that do not count.
    pub fn take(self) -> Vec<LaunchCounts> {
        self.launches
    }
}

impl Clock for CountingClock<'_> {
    fn reached(&mut self, point: Point, _: &[&dyn Queue]) -> Result<(), DeviceError> {
        if matches!(point, Point::Packed | Point::Solved) {
            self.launches = self.devices.iter().flat_map(|device| device.take_counts()).collect();
        }
        Ok(())
    }

    fn counted_elsewhere(&mut self, launches: Vec<LaunchCounts>) {
        self.launches = launches;
    }
}
