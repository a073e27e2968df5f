//! One solve with all that a program spends on it.

use crate::device::{DeviceError, HostBuffer};
use crate::implementation::{PreparedSolve, Untimed};
use std::time::Instant;

/// Solves in memory that is allocated for this solve and freed after it, and takes its time: pogorilyy-cuda counts
/// the allocation of device memory, the copies, the creation of threads and synchronization by the CPU among what a solve costs.
/// Gives the seconds of [`Scope::Everything`](crate::implementation::Scope). `prepared` is without its memory afterwards.
///
/// # Errors
/// When its memory cannot be given back or had again, and what the solver reports.
pub fn time_everything(
    prepared: &mut dyn PreparedSolve,
    graph: &HostBuffer,
    distances: &mut HostBuffer,
) -> Result<f64, DeviceError> {
    prepared.free()?;
    let start = Instant::now();
    prepared.allocate()?;
    prepared.run(graph, distances, &mut Untimed)?;
    prepared.collect()?;
    prepared.free()?;
    Ok(start.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implementation::Clock;
    use std::thread::sleep;
    use std::time::Duration;

    /// Takes 2 ms for each call, and keeps their names.
    struct Slow(Vec<&'static str>);

    impl Slow {
        fn called(&mut self, name: &'static str) -> Result<(), DeviceError> {
            sleep(Duration::from_millis(2));
            self.0.push(name);
            Ok(())
        }
    }

    impl PreparedSolve for Slow {
        fn run(&mut self, _: &HostBuffer, _: &mut HostBuffer, _: &mut dyn Clock) -> Result<(), DeviceError> {
            self.called("run")
        }

        fn collect(&mut self) -> Result<(), DeviceError> {
            self.called("collect")
        }

        fn free(&mut self) -> Result<(), DeviceError> {
            self.called("free")
        }

        fn allocate(&mut self) -> Result<(), DeviceError> {
            self.called("allocate")
        }
    }

    #[test]
    fn everything_is_from_allocating_to_freeing() {
        let mut slow = Slow(Vec::new());
        let [graph, mut distances] = [(); 2].map(|()| HostBuffer::pageable(8).unwrap());
        let seconds = time_everything(&mut slow, &graph, &mut distances).unwrap();
        assert!((8e-3..1.0).contains(&seconds), "{seconds}");
        assert_eq!(slow.0, ["free", "allocate", "run", "collect", "free"]);
    }
}
