//! One sample by the device's own clock, of a whole matrix and of a sharded one, on the CPU, and around a foreign program; the time of each
//! kernel; and what launches do, on a device that counts.

use repro_base::{Scope, Seconds, TimingPoint};
use repro_device::emulated::LaunchCounts;
use repro_device::{Clock, Device, DeviceError, Event, Queue};
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use std::time::Instant;

/// Records `event` when all work that is queued on `queues` is done, and lets no queue go on before. Events of several devices cannot be
/// compared: what several do is timed by the first one's clock, from before any begins until all have ended.
pub(super) fn record_on_all(event: &Event, queues: &[&dyn Queue]) -> Result<(), DeviceError> {
    let [first, others @ ..] = queues else {
        return Err(DeviceError::other("a device's clock was read on the CPU: this is a defect of repro"));
    };
    for other in others {
        let done = other.event()?;
        other.record(&done)?;
        first.wait(&done)?;
    }
    first.record(event)?;
    others.iter().try_for_each(|other| other.wait(event))
}

pub(super) fn synchronize_all(queues: &[&dyn Queue]) -> Result<(), DeviceError> {
    queues.iter().try_for_each(|queue| queue.synchronize())
}

/// The events of a solve's points: the scopes of [`Scope::USUAL`]. All work is queued without waiting, so that the device's own events
/// enclose work and no host latency that the queue can hide.
pub struct EventClock {
    device: Rc<dyn Device>,
    /// In the order of [`TimingPoint`].
    events: [Event; 6],
    start: Instant,
    host: f64,
}

impl EventClock {
    /// # Errors
    /// When the device has no events left.
    pub fn new(device: &Rc<dyn Device>) -> Result<Self, DeviceError> {
        let event = || device.queue().event();
        let events = [event()?, event()?, event()?, event()?, event()?, event()?];
        Ok(Self { device: device.clone(), events, start: Instant::now(), host: 0.0 })
    }

    /// The seconds of the last solve, by scope.
    ///
    /// # Errors
    /// When the solve did not end.
    pub fn read(&self) -> Result<Seconds, DeviceError> {
        Ok(Seconds::from_iter([
            (Scope::Kernel, self.between(TimingPoint::Packed, TimingPoint::Solved)?),
            (Scope::Device, self.between(TimingPoint::CopiedIn, TimingPoint::Unpacked)?),
            (Scope::Total, self.between(TimingPoint::Start, TimingPoint::CopiedOut)?),
            (Scope::Host, self.host),
        ]))
    }

    fn between(&self, start: TimingPoint, end: TimingPoint) -> Result<f64, DeviceError> {
        self.device.seconds_between(&self.events[start as usize], &self.events[end as usize])
    }
}

impl Clock for EventClock {
    fn record_point(&mut self, point: TimingPoint, queues: &[&dyn Queue]) -> Result<(), DeviceError> {
        if point == TimingPoint::Start {
            synchronize_all(queues)?;
            self.start = Instant::now();
        }
        record_on_all(&self.events[point as usize], queues)?;
        if point == TimingPoint::CopiedOut {
            synchronize_all(queues)?;
            self.host = self.start.elapsed().as_secs_f64();
        }
        Ok(())
    }
}

/// The host's clock around a solve on the CPU. Every scope has the time of the solve.
#[derive(Default)]
pub struct CpuClock {
    start: Option<Instant>,
    seconds: f64,
}

impl CpuClock {
    /// The seconds of the last solve, for every scope.
    pub fn read(&self) -> Seconds {
        Seconds::same(self.seconds)
    }
}

impl Clock for CpuClock {
    fn record_point(&mut self, point: TimingPoint, _: &[&dyn Queue]) -> Result<(), DeviceError> {
        match point {
            TimingPoint::Packed => self.start = Some(Instant::now()),
            TimingPoint::Solved => {
                self.seconds = self.start.map_or(0.0, |start| start.elapsed().as_secs_f64())
            }
            _ => {}
        }
        Ok(())
    }
}

/// [`Scope::Kernel`] by the first device's events and [`Scope::HostSynced`] by the host's clock around the same work, for what is timed
/// without copies: shards, a process's first solve, a CUDA graph. Points other than [`TimingPoint::Packed`] and [`TimingPoint::Solved`] are
/// passed over. Times of a solve in several pieces add up, without what lies between the pieces.
pub struct SolveClock {
    device: Rc<dyn Device>,
    events: [Event; 2],
    begun: Instant,
    /// Seconds of the pieces that ended, by the events and by the host.
    seconds: Option<(f64, f64)>,
    wants_graph: bool,
}

impl SolveClock {
    /// # Errors
    /// When the device has no events left.
    pub fn new(device: &Rc<dyn Device>) -> Result<Self, DeviceError> {
        let event = || device.queue().event();
        let events = [event()?, event()?];
        let (device, begun) = (device.clone(), Instant::now());
        Ok(Self { device, events, begun, seconds: None, wants_graph: false })
    }

    /// The same for launches as one CUDA graph, which is made before.
    ///
    /// # Errors
    /// As of [`SolveClock::new`].
    pub fn of_graph(device: &Rc<dyn Device>) -> Result<Self, DeviceError> {
        Ok(Self { wants_graph: true, ..Self::new(device)? })
    }

    /// The seconds of the pieces by the events and by the host.
    ///
    /// # Errors
    /// When no piece ended.
    pub fn read(&self) -> Result<(f64, f64), DeviceError> {
        self.seconds.ok_or_else(|| {
            DeviceError::other("a clock was read before its solve ended: this is a defect of repro")
        })
    }
}

impl Clock for SolveClock {
    fn record_point(&mut self, point: TimingPoint, queues: &[&dyn Queue]) -> Result<(), DeviceError> {
        match point {
            TimingPoint::Packed => {
                synchronize_all(queues)?;
                self.begun = Instant::now();
                record_on_all(&self.events[0], queues)
            }
            TimingPoint::Solved => {
                record_on_all(&self.events[1], queues)?;
                synchronize_all(queues)?;
                let host = self.begun.elapsed().as_secs_f64();
                let kernel = self.device.seconds_between(&self.events[0], &self.events[1])?;
                let (kernels, hosts) = self.seconds.unwrap_or_default();
                self.seconds = Some((kernels + kernel, hosts + host));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn wants_graph(&self) -> bool {
        self.wants_graph
    }
}

/// Takes the counts of a solve's own launches: not those that change the layout.
pub struct CountingClock<'a> {
    devices: &'a [Rc<dyn Device>],
    launches: Vec<LaunchCounts>,
}

impl<'a> CountingClock<'a> {
    pub fn new(devices: &'a [Rc<dyn Device>]) -> Self {
        Self { devices, launches: Vec::new() }
    }

    /// The counts of the last solve's launches, device by device. Empty on devices that do not count.
    pub fn take(self) -> Vec<LaunchCounts> {
        self.launches
    }
}

impl Clock for CountingClock<'_> {
    fn record_point(&mut self, point: TimingPoint, _: &[&dyn Queue]) -> Result<(), DeviceError> {
        if matches!(point, TimingPoint::Packed | TimingPoint::Solved) {
            self.launches = self.devices.iter().flat_map(|device| device.take_counts()).collect();
        }
        Ok(())
    }

    fn add_external_counts(&mut self, launches: Vec<LaunchCounts>) {
        self.launches = launches;
    }
}

/// All launches of one kernel in one solve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelSeconds {
    pub kernel: String,
    pub launches: u64,
    /// From the event before each launch to the event before the next one. Waits of the device between two launches are included.
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

    /// The seconds of each kernel in the last solve, in the order in which the kernels were first launched.
    ///
    /// # Errors
    /// When the solve did not end.
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
    fn record_point(&mut self, point: TimingPoint, queues: &[&dyn Queue]) -> Result<(), DeviceError> {
        match (point, queues) {
            (TimingPoint::Start, _) => self.launches.clear(),
            (TimingPoint::Solved, [queue, ..]) => {
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

/// Clock of a program: [`Scope::Program`], [`Scope::ProgramSolve`] of the solve alone, [`Scope::ProgramOwn`] as the program reports it.
#[derive(Default)]
pub struct ProgramClock {
    /// In the order of [`TimingPoint`].
    at: [Option<Instant>; 6],
    own: Option<f64>,
}

impl ProgramClock {
    /// The seconds of the last solve in those of `scopes` that were measured.
    pub fn read(&self, scopes: &[Scope]) -> Seconds {
        let between = |start: TimingPoint, end: TimingPoint| {
            let (start, end) = (self.at[start as usize]?, self.at[end as usize]?);
            Some(end.duration_since(start).as_secs_f64())
        };
        let read = [
            (Scope::ProgramOwn, self.own),
            (Scope::ProgramSolve, between(TimingPoint::Packed, TimingPoint::Solved)),
            (Scope::Program, between(TimingPoint::Start, TimingPoint::CopiedOut)),
        ];
        let wanted = read.into_iter().filter(|(scope, _)| scopes.contains(scope));
        wanted.filter_map(|(scope, seconds)| Some((scope, seconds?))).collect()
    }
}

impl Clock for ProgramClock {
    fn record_point(&mut self, point: TimingPoint, _: &[&dyn Queue]) -> Result<(), DeviceError> {
        if point == TimingPoint::Start {
            *self = Self::default();
        }
        self.at[point as usize] = Some(Instant::now());
        Ok(())
    }

    fn own_seconds(&mut self, seconds: f64) {
        self.own = Some(seconds);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::thread::sleep;
    use std::time::Duration;

    pub(crate) const POINTS: [TimingPoint; 6] = [
        TimingPoint::Start,
        TimingPoint::CopiedIn,
        TimingPoint::Packed,
        TimingPoint::Solved,
        TimingPoint::Unpacked,
        TimingPoint::CopiedOut,
    ];

    #[test]
    fn the_solve_lies_within_the_whole_and_none_is_called_a_kernels() {
        let mut clock = ProgramClock::default();
        for point in POINTS {
            clock.record_point(point, &[]).unwrap();
            sleep(Duration::from_millis(2));
        }
        let seconds = clock.read(&Scope::PROGRAM);
        let (solve, whole) =
            (seconds.get(Scope::ProgramSolve).unwrap(), seconds.get(Scope::Program).unwrap());
        assert!(solve >= 2e-3 && whole >= solve + 8e-3, "{solve} {whole}");
        assert_eq!(seconds.iter().count(), 2);
        clock.own_seconds(0.5);
        assert_eq!(clock.read(&Scope::PROGRAM).get(Scope::ProgramOwn), Some(0.5));
        let alone: Vec<Scope> = clock.read(&[Scope::Program]).iter().map(|(scope, _)| scope).collect();
        assert_eq!(alone, [Scope::Program]);
        // What a program claimed of one solve is nothing of the next.
        clock.record_point(TimingPoint::Start, &[]).unwrap();
        assert_eq!(clock.read(&Scope::PROGRAM), Seconds::default());
    }
}
