//! Samples by the host's clock, as pogorilyy-cuda took them: once as one must not, and once as one may.

use super::clock::{EventClock, synchronize_all};
use super::scope::Seconds;
use repro_device::{Device, DeviceError, Queue};
use repro_solvers::{Clock, Point, Scope};
use std::rc::Rc;
use std::time::Instant;

/// Seconds since the start of a solve at which its points were told, by the host's clock.
struct HostClock {
    start: Instant,
    /// In the order of [`Point`].
    at: [f64; 6],
}

impl HostClock {
    fn new() -> Self {
        Self { start: Instant::now(), at: [0.0; 6] }
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

/// The pitfall. The host's clock stops as soon as the last launch is queued, and the copy that follows waits for the work:
/// [`Scope::HostUnsynced`] and [`Scope::CopyOutUnsynced`]. For pageable memory.
pub struct UnsynchronizedClock(HostClock);

impl Default for UnsynchronizedClock {
    fn default() -> Self {
        Self(HostClock::new())
    }
}

impl UnsynchronizedClock {
    /// Of the last solve.
    pub fn read(&self) -> Seconds {
        Seconds::from_iter([
            (Scope::HostUnsynced, self.0.between(Point::Packed, Point::Solved)),
            (Scope::CopyOutUnsynced, self.0.between(Point::Solved, Point::CopiedOut)),
        ])
    }
}

impl Clock for UnsynchronizedClock {
    fn reached(&mut self, point: Point, queues: &[&dyn Queue]) -> Result<(), DeviceError> {
        if matches!(point, Point::Packed | Point::CopiedOut) {
            synchronize_all(queues)?;
        }
        self.0.note(point);
        Ok(())
    }
}

/// The cure: the host's clock, with the device idle whenever it is read. [`Scope::HostSynced`], both copies, and
/// [`Scope::TotalPageable`]. For pageable memory.
pub struct SynchronizedClock(HostClock);

impl Default for SynchronizedClock {
    fn default() -> Self {
        Self(HostClock::new())
    }
}

impl SynchronizedClock {
    /// Of the last solve.
    pub fn read(&self) -> Seconds {
        Seconds::from_iter([
            (Scope::HostSynced, self.0.between(Point::Packed, Point::Solved)),
            (Scope::CopyInPageable, self.0.between(Point::Start, Point::CopiedIn)),
            (Scope::CopyOutPageable, self.0.between(Point::Unpacked, Point::CopiedOut)),
            (Scope::TotalPageable, self.0.between(Point::Start, Point::CopiedOut)),
        ])
    }
}

impl Clock for SynchronizedClock {
    fn reached(&mut self, point: Point, queues: &[&dyn Queue]) -> Result<(), DeviceError> {
        synchronize_all(queues)?;
        self.0.note(point);
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
        Ok(Self { host: HostClock::new(), events: EventClock::new(device)? })
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
