//! One solve with all that a program spends on it.

use crate::device::{DeviceError, HostBuffer};
use crate::implementation::{Clock, Prepared};
use std::time::Instant;

/// Solves in memory that is allocated for each solve and freed after it, and takes its time: pogorilyy-cuda counts
/// the allocation of device memory, the copies, the creation of threads and synchronization by the CPU among what a solve costs.
pub struct Everything<'a> {
    prepared: &'a mut dyn Prepared,
    /// [`Scope::Everything`](crate::implementation::Scope) of the last solve.
    pub seconds: f64,
}

impl<'a> Everything<'a> {
    /// Gives back the memory of `prepared`, which is without when this is dropped.
    ///
    /// # Errors
    /// When it cannot be given back.
    pub fn of(prepared: &'a mut dyn Prepared) -> Result<Self, DeviceError> {
        prepared.free()?;
        Ok(Self { prepared, seconds: 0.0 })
    }
}

impl Prepared for Everything<'_> {
    fn run(
        &mut self,
        graph: &HostBuffer,
        distances: &mut HostBuffer,
        clock: &mut dyn Clock,
    ) -> Result<(), DeviceError> {
        let start = Instant::now();
        self.prepared.allocate()?;
        self.prepared.run(graph, distances, clock)?;
        self.prepared.collect()?;
        self.prepared.free()?;
        self.seconds = start.elapsed().as_secs_f64();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implementation::Untimed;
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

    impl Prepared for Slow {
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
        let mut everything = Everything::of(&mut slow).unwrap();
        everything.run(&graph, &mut distances, &mut Untimed).unwrap();
        let seconds = everything.seconds;
        assert!((8e-3..1.0).contains(&seconds), "{seconds}");
        assert_eq!(slow.0, ["free", "allocate", "run", "collect", "free"]);
    }

    #[test]
    fn what_keeps_its_memory_says_so() {
        struct Keeps;
        impl Prepared for Keeps {
            fn run(
                &mut self,
                _: &HostBuffer,
                _: &mut HostBuffer,
                _: &mut dyn Clock,
            ) -> Result<(), DeviceError> {
                Ok(())
            }
        }
        let error = Everything::of(&mut Keeps).err().unwrap();
        assert!(error.message.contains("leave scope everything out"), "{}", error.message);
        assert_eq!(Keeps.allocate().unwrap_err(), error);
    }
}
