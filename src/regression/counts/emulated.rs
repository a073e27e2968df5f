//! Figures from one verified solve on the emulated device.

use super::N;
use super::figure::{Figure, KernelFigures, KernelKey};
use super::subject::Subject;
use crate::device::emulated::{Counts, EmulatedDevice, Finding, Instruments, LaunchCounts};
use crate::device::{Device, DeviceError};
use crate::graph::RandomGraph;
use crate::implementation::Implementation;
use crate::inspect::solve_counted;
use crate::measure::{GraphRequest, LoadedGraph};
use crate::plan::{GraphSource, Limits};
use std::rc::Rc;

/// The whole result is compared.
const LIMITS: Limits =
    Limits { warm_up_s: 0.0, sample_s: 0.0, full_cell_s: 0.0, whole_reference_n: N, reference_rows: N };

/// Solves a graph that all subjects solve, and counts kernel by kernel.
///
/// To be called in a pool of one thread: blocks that may meet the distances of others before or after these were lowered
/// store more or less often, by who was faster. One after another they do the same every time.
///
/// # Errors
/// When the kernels do not compile for the host, cannot be run, or give a wrong result.
pub(super) fn figures(
    subject: &Subject,
    implementation: &Implementation,
) -> Result<KernelFigures, DeviceError> {
    implementation.fits(N, &subject.parameters).map_err(DeviceError::other)?;
    let source = GraphSource::Random(RandomGraph::complete(1));
    let graph = GraphRequest::whole(source, implementation.usual_element(), N, LIMITS);
    let failed = |failure: crate::measure::Failure| DeviceError::other(failure.message);
    let mut graph = LoadedGraph::load(&graph, None).map_err(failed)?;
    let needed = *implementation.capabilities(&subject.parameters).devices.start();
    let open = |ordinal| {
        EmulatedDevice::open_another(ordinal, Instruments::COUNT).map(|device| Rc::new(device) as _)
    };
    let devices: Vec<Rc<dyn Device>> = (0..needed).map(open).collect::<Result<_, _>>()?;
    let (launches, found) = solve_counted(implementation, &subject.parameters, &devices, &mut graph)?;
    Finding::in_short(&found).map_or(Ok(()), |found| Err(DeviceError::other(found)))?;
    devices.iter().try_for_each(|device| device.queue().synchronize())?;
    graph.verify().map_err(failed)?;
    Ok(by_kernel(subject, &launches))
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
            let threads = launch.threads();
            Figure::ALL.iter().filter_map(|one| Some((*one, one.counted(&counts, threads)?))).collect()
        });
    }
    figures
}
