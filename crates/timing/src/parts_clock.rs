//! The time of a solve whose matrix is sharded, which may pause between its rounds.

use super::clock::{record_on_all, synchronize_all};
use repro_device::Clock;
use repro_device::{Device, DeviceError, Event, Queue};
use repro_types::Seconds;
use repro_types::{Point, Scope};
use std::rc::Rc;
use std::time::Instant;

/// [`Scope::Kernel`] by the first device's events and [`Scope::HostSynced`] by the host's clock around the same work. Copies to and
/// from host memory are no part of such a solve: what is not [`Point::Packed`] or [`Point::Solved`] is passed over. Times of a solve in
/// several pieces add up, without what lies between them.
pub struct PartsClock {
    device: Rc<dyn Device>,
    events: [Event; 2],
    begun: Instant,
    /// Of the pieces so far, by the events and by the host.
    seconds: (f64, f64),
}

impl PartsClock {
    /// # Errors
    /// When the device has no events left.
    pub fn new(device: &Rc<dyn Device>) -> Result<Self, DeviceError> {
        let event = || device.queue().event();
        let events = [event()?, event()?];
        Ok(Self { device: device.clone(), events, begun: Instant::now(), seconds: (0.0, 0.0) })
    }

    /// Of all pieces so far.
    pub fn read(&self) -> Seconds {
        let (kernel, host) = self.seconds;
        Seconds::from_iter([(Scope::Kernel, kernel), (Scope::HostSynced, host)])
    }
}

impl Clock for PartsClock {
    fn reached(&mut self, point: Point, queues: &[&dyn Queue]) -> Result<(), DeviceError> {
        match point {
            Point::Packed => {
                synchronize_all(queues)?;
                self.begun = Instant::now();
                record_on_all(&self.events[0], queues)
            }
            Point::Solved => {
                record_on_all(&self.events[1], queues)?;
                synchronize_all(queues)?;
                self.seconds.1 += self.begun.elapsed().as_secs_f64();
                self.seconds.0 += self.device.seconds_between(&self.events[0], &self.events[1])?;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
