//! The time of each kernel of a solve: an event before each launch.

use repro_base::Point;
use repro_device::Clock;
use repro_device::{Device, DeviceError, Event, Queue};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// All launches of one kernel in one solve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelSeconds {
    pub kernel: String,
    pub launches: u64,
    /// From an event before each launch to the one before the next: what the device waits for between two launches
    /// included.
    pub seconds: f64,
}

/// Measures the time of each kernel of a solve on one queue.
pub struct KernelClock {
    device: Rc<dyn Device>,
    launches: Vec<(String, Event)>,
    end: Option<Event>,
}

impl KernelClock {
    pub fn new(device: &Rc<dyn Device>) -> Self {
        Self { device: device.clone(), launches: Vec::new(), end: None }
    }

    /// Of the last solve, in the order in which the kernels were first launched.
    ///
    /// # Errors
    /// When it did not end.
    pub fn read(&self) -> Result<Vec<KernelSeconds>, DeviceError> {
        let ends = self.launches.iter().map(|(_, event)| event).skip(1).chain(&self.end);
        let mut kernels: Vec<KernelSeconds> = Vec::new();
        for ((name, start), end) in self.launches.iter().zip(ends) {
            let seconds = self.device.seconds_between(start, end)?;
            match kernels.iter_mut().find(|known| known.kernel == *name) {
                Some(known) => {
                    known.launches += 1;
                    known.seconds += seconds;
                }
                None => kernels.push(KernelSeconds { kernel: name.clone(), launches: 1, seconds }),
            }
        }
        Ok(kernels)
    }
}

impl Clock for KernelClock {
    fn reached(&mut self, point: Point, queues: &[&dyn Queue]) -> Result<(), DeviceError> {
        match (point, queues) {
            (Point::Start, _) => self.launches.clear(),
            (Point::Solved, [queue, ..]) => {
                let end = queue.event()?;
                queue.record(&end)?;
                self.end = Some(end);
            }
            _ => {}
        }
        Ok(())
    }

    fn launching(&mut self, kernel: &str, queue: &dyn Queue) -> Result<(), DeviceError> {
        let event = queue.event()?;
        queue.record(&event)?;
        self.launches.push((kernel.to_string(), event));
        Ok(())
    }
}
