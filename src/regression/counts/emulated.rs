//! Figures from one verified solve on the emulated device.

use super::N;
use super::figure::{Figure, KernelFigures, KernelKey};
use super::subject::Subject;
use crate::device::emulated::{Counts, EmulatedDevice, Instruments, LaunchCounts};
use crate::device::{Device, DeviceError};
use crate::graph::{DistanceMatrix, RandomGraph, Reference, generate};
use crate::implementation::{Schedule, Solver, WorkingMemory, cpu_parallel};

/// The graph that all subjects solve and what must come of it.
pub(super) struct Exercise {
    graph: DistanceMatrix,
    reference: Reference,
}

impl Exercise {
    pub(super) fn new() -> Result<Self, DeviceError> {
        let failed = |error: &dyn std::fmt::Display| DeviceError::other(format!("the graph: {error}"));
        let graph = generate(&RandomGraph::complete(1), N).map_err(|error| failed(&error))?;
        let reference =
            Reference::whole(&graph, N, 1, &cpu_parallel::solve).map_err(|error| failed(&error))?;
        Ok(Self { graph, reference })
    }

    /// Solves it and counts, kernel by kernel.
    ///
    /// To be called in a pool of one thread: blocks that may meet the distances of others before or after these were lowered
    /// store more or less often, by who was faster. One after another they do the same every time.
    ///
    /// # Errors
    /// When the kernels do not compile for the host, cannot be run, or give a wrong result.
    pub(super) fn figures(
        &self,
        subject: &Subject,
        schedule: &'static dyn Schedule,
    ) -> Result<KernelFigures, DeviceError> {
        schedule.fits(N, &subject.parameters).map_err(DeviceError::other)?;
        let device = EmulatedDevice::open(Instruments::COUNT)?;
        let solver = Solver::load(&device, schedule, &subject.parameters)?;
        let mut memory = WorkingMemory::allocate(&device, N)?;
        memory.make_room(&device, solver.layout())?;
        let mut input = device.allocate_host(N * N)?;
        let mut output = device.allocate_host(N * N)?;
        input.copy_from_slice(self.graph.as_slice());
        // What a solver leaves unwritten shows.
        output.fill(f32::NAN);
        let launches = solver.run(&device, &memory, N, &input, &mut output)?;
        device.synchronize()?;
        self.reference
            .check(&output)
            .map_err(|error| DeviceError::other(format!("wrong result: {error}")))?;
        Ok(by_kernel(subject, &launches))
    }
}

fn by_kernel(subject: &Subject, launches: &[LaunchCounts]) -> KernelFigures {
    let mut figures = KernelFigures::new();
    for launch in launches {
        let key = KernelKey {
            implementation: subject.name.clone(),
            params: subject.parameters.to_string(),
            kernel: launch.kernel.clone(),
        };
        figures.entry(key).or_insert_with(|| {
            let mut counts = Counts::default();
            let of_kernel = launches.iter().filter(|other| other.kernel == launch.kernel);
            of_kernel.for_each(|launch| counts += launch.counts);
            let threads = u64::from(launch.block.0) * u64::from(launch.block.1);
            Figure::ALL.iter().filter_map(|one| Some((*one, one.counted(&counts, threads)?))).collect()
        });
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::super::figure::Tool;
    use super::*;

    #[test]
    fn every_figure_of_the_emulated_device_is_taken() {
        for figure in Figure::ALL {
            let counted = figure.counted(&Counts::default(), 1);
            assert_eq!(counted.is_some(), figure.tool() == Tool::Emulated, "{}", figure.name());
        }
    }
}
