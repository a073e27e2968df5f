//! Samples by the host's clock, as pogorilyy-cuda took them: once as one must not, and once as one may.

use super::clock::{EventClock, synchronize_all};
use super::scope::Seconds;
use repro_device::{Device, DeviceError, Queue};
use repro_solvers::{Clock, Point, Scope};
use std::rc::Rc;
use std::time::Instant;

/// The host's clock, read whenever a solve has queued everything up to a point.
pub struct HostClock {
    start: Instant,
    /// Seconds since the start, in the order of [`Point`].
    at: [f64; 6],
    /// Whether the device is idle whenever the clock is read, and not only before the launches and at the end.
    synchronized: bool,
}

impl HostClock {
    /// The pitfall: the clock stops as soon as the last launch is queued, and the copy that follows waits for the work.
    pub fn unsynchronized() -> Self {
        Self { start: Instant::now(), at: [0.0; 6], synchronized: false }
    }

    /// The cure.
    pub fn synchronized() -> Self {
        Self { synchronized: true, ..Self::unsynchronized() }
    }

    /// Of the last solve, whose buffers were pageable: [`Scope::HostUnsynced`] and [`Scope::CopyOutUnsynced`], or
    /// [`Scope::HostSynced`], both copies, and [`Scope::TotalPageable`].
    pub fn read(&self) -> Seconds {
        if !self.synchronized {
            return Seconds::from_iter([
                (Scope::HostUnsynced, self.between(Point::Packed, Point::Solved)),
                (Scope::CopyOutUnsynced, self.between(Point::Solved, Point::CopiedOut)),
            ]);
        }
        Seconds::from_iter([
            (Scope::HostSynced, self.between(Point::Packed, Point::Solved)),
            (Scope::CopyInPageable, self.between(Point::Start, Point::CopiedIn)),
            (Scope::CopyOutPageable, self.between(Point::Unpacked, Point::CopiedOut)),
            (Scope::TotalPageable, self.between(Point::Start, Point::CopiedOut)),
        ])
    }

    fn note(&mut self, point: Point) {
        if point == Point::Start {
            self.start = Instant::now();
        }
        self.at[point as usize] = self.start.elapsed().as_secs_f64();
    }

    fn between(&self, start: Point, end: Point) -> f64 {
        self.at[end as usize] - self.at[start as usize]
    }
}

impl Clock for HostClock {
    fn reached(&mut self, point: Point, queues: &[&dyn Queue]) -> Result<(), DeviceError> {
        if self.synchronized || matches!(point, Point::Packed | Point::CopiedOut) {
            synchronize_all(queues)?;
        }
        self.note(point);
        Ok(())
    }
}

/// The first solve of a process, by the host's clock and by events at once: [`Scope::FirstHost`] and [`Scope::FirstKernel`].
pub struct FirstClock {
    host: HostClock,
    events: EventClock,
}

impl FirstClock {
    /// # Errors
    /// When the device has no events left.
    pub fn new(device: &Rc<dyn Device>) -> Result<Self, DeviceError> {
        Ok(Self { host: HostClock::unsynchronized(), events: EventClock::new(device)? })
    }

    /// Of the solve.
    ///
    /// # Errors
    /// When it did not end.
    pub fn read(&self) -> Result<Seconds, DeviceError> {
        Ok(Seconds::from_iter([
            (Scope::FirstHost, self.host.between(Point::Packed, Point::Solved)),
            (Scope::FirstKernel, self.events.between(Point::Packed, Point::Solved)?),
        ]))
    }
}

impl Clock for FirstClock {
    fn reached(&mut self, point: Point, queues: &[&dyn Queue]) -> Result<(), DeviceError> {
        match point {
            Point::Packed => {
                synchronize_all(queues)?;
                self.host.note(point);
                self.events.reached(point, queues)?;
            }
            Point::Solved => {
                self.events.reached(point, queues)?;
                synchronize_all(queues)?;
                self.host.note(point);
            }
            _ => {}
        }
        Ok(())
    }
}
