//! The host's clock around a foreign program that solves.

use repro_base::Seconds;
use repro_base::{Point, Scope};
use repro_device::Clock;
use repro_device::{DeviceError, Queue};
use std::time::Instant;

/// [`Scope::Program`] of a solve, [`Scope::ProgramSolve`] of it alone, and [`Scope::ProgramOwn`], which the program adds itself.
#[derive(Default)]
pub struct ProgramClock {
    /// In the order of [`Point`].
    at: [Option<Instant>; 6],
    own: Option<f64>,
}

impl ProgramClock {
    /// Of the last solve, by a program for which these scopes have a meaning.
    pub fn read(&self, scopes: &[Scope]) -> Seconds {
        let between = |start: Point, end: Point| {
            let (start, end) = (self.at[start as usize]?, self.at[end as usize]?);
            Some(end.duration_since(start).as_secs_f64())
        };
        let read = [
            (Scope::ProgramOwn, self.own),
            (Scope::ProgramSolve, between(Point::Packed, Point::Solved)),
            (Scope::Program, between(Point::Start, Point::CopiedOut)),
        ];
        let wanted = read.into_iter().filter(|(scope, _)| scopes.contains(scope));
        wanted.filter_map(|(scope, seconds)| Some((scope, seconds?))).collect()
    }
}

impl Clock for ProgramClock {
    fn reached(&mut self, point: Point, _: &[&dyn Queue]) -> Result<(), DeviceError> {
        if point == Point::Start {
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
mod tests {
    use super::*;
    use std::thread::sleep;
    use std::time::Duration;

    #[test]
    fn the_solve_lies_within_the_whole_and_none_is_called_a_kernels() {
        let mut clock = ProgramClock::default();
        for point in
            [Point::Start, Point::CopiedIn, Point::Packed, Point::Solved, Point::Unpacked, Point::CopiedOut]
        {
            clock.reached(point, &[]).unwrap();
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
        clock.reached(Point::Start, &[]).unwrap();
        assert_eq!(clock.read(&Scope::PROGRAM), Seconds::default());
    }
}
