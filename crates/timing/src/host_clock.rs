//! Samples by the host's clock, as pogorilyy-cuda took them: once without waiting for the device, which is wrong, and once with it.

use super::clock::synchronize_all;
use repro_base::Seconds;
use repro_base::{Scope, TimingPoint};
use repro_device::Clock;
use repro_device::{DeviceError, Queue};
use std::time::{Instant, SystemTime};

/// The host's clock, read whenever a solve has queued everything up to a point.
pub struct HostClock {
    start: Instant,
    /// Seconds since the start, in the order of [`TimingPoint`].
    at: [f64; 6],
    /// By the operating system's clock: when the launches began, and the seconds that they took by it. None where it was set back
    /// meanwhile.
    system: (SystemTime, Option<f64>),
    /// Whether the device is idle whenever the clock is read, and not only before the launches and at the end.
    synchronized: bool,
}

impl HostClock {
    /// The pitfall: the clock stops as soon as the last launch is queued, and the copy that follows waits for the work.
    pub fn unsynchronized() -> Self {
        Self { start: Instant::now(), at: [0.0; 6], system: (SystemTime::now(), None), synchronized: false }
    }

    /// The cure: the clock is read only when the device is idle.
    pub fn synchronized() -> Self {
        Self { synchronized: true, ..Self::unsynchronized() }
    }

    /// The seconds of the last solve, whose buffers were pageable: [`Scope::HostUnsynced`] and [`Scope::CopyOutUnsynced`], or
    /// [`Scope::HostSynced`], both copies, and [`Scope::OsSynced`] unless the system's clock was set back.
    pub fn read(&self) -> Seconds {
        if !self.synchronized {
            return Seconds::from_iter([
                (Scope::HostUnsynced, self.between(TimingPoint::Packed, TimingPoint::Solved)),
                (Scope::CopyOutUnsynced, self.between(TimingPoint::Solved, TimingPoint::CopiedOut)),
            ]);
        }
        let mut seconds = Seconds::from_iter([
            (Scope::HostSynced, self.between(TimingPoint::Packed, TimingPoint::Solved)),
            (Scope::CopyInPageable, self.between(TimingPoint::Start, TimingPoint::CopiedIn)),
            (Scope::CopyOutPageable, self.between(TimingPoint::Unpacked, TimingPoint::CopiedOut)),
        ]);
        seconds.extend(self.system.1.map(|system| (Scope::OsSynced, system)));
        seconds
    }

    fn note(&mut self, point: TimingPoint) {
        if point == TimingPoint::Start {
            self.start = Instant::now();
        }
        self.at[point as usize] = self.start.elapsed().as_secs_f64();
    }

    fn between(&self, start: TimingPoint, end: TimingPoint) -> f64 {
        self.at[end as usize] - self.at[start as usize]
    }
}

impl Clock for HostClock {
    fn record_point(&mut self, point: TimingPoint, queues: &[&dyn Queue]) -> Result<(), DeviceError> {
        if self.synchronized || matches!(point, TimingPoint::Packed | TimingPoint::CopiedOut) {
            synchronize_all(queues)?;
        }
        // The operating system's clock is read outside of the other.
        if self.synchronized && point == TimingPoint::Packed {
            self.system.0 = SystemTime::now();
        }
        self.note(point);
        if self.synchronized && point == TimingPoint::Solved {
            let seconds = self.system.0.elapsed().ok().map(|system| system.as_secs_f64());
            self.system.1 = seconds.filter(|seconds| *seconds > 0.0);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::tests::POINTS;
    use std::thread::sleep;
    use std::time::Duration;

    /// Reads `clock` as in a solve on no queue of which each part takes 2 ms; `before` is done before the clock hears of a point.
    fn solve(clock: &mut HostClock, before: impl Fn(&mut HostClock, TimingPoint)) -> Seconds {
        for point in POINTS {
            sleep(Duration::from_millis(2));
            before(clock, point);
            clock.record_point(point, &[]).unwrap();
        }
        clock.read()
    }

    #[test]
    fn the_operating_systems_clock_reads_no_less_than_the_hosts_within_it() {
        let seconds = solve(&mut HostClock::synchronized(), |_, _| {});
        let (host, system) = (seconds.get(Scope::HostSynced).unwrap(), seconds.get(Scope::OsSynced).unwrap());
        // It may be slewed meanwhile, by half a thousandth.
        assert!(host >= 2e-3 && system >= host * 0.999 && system < 1.0, "{host} {system}");
    }

    #[test]
    fn nothing_is_said_by_an_operating_systems_clock_that_was_set_back() {
        let mut clock = HostClock::synchronized();
        let seconds = solve(&mut clock, |clock, point| {
            if point == TimingPoint::Solved {
                clock.system.0 += Duration::from_secs(3600);
            }
        });
        assert_eq!(seconds.get(Scope::OsSynced), None);
        assert!(seconds.get(Scope::HostSynced).is_some());
        // It reads the next solve as well.
        assert!(solve(&mut clock, |_, _| {}).get(Scope::OsSynced).is_some());
    }

    #[test]
    fn the_clock_that_does_not_wait_reads_the_launches_and_the_copy_that_follows_alone() {
        let seconds = solve(&mut HostClock::unsynchronized(), |_, _| {});
        let scopes: Vec<Scope> = seconds.iter().map(|(scope, _)| scope).collect();
        assert_eq!(scopes, [Scope::HostUnsynced, Scope::CopyOutUnsynced]);
    }
}
