//! Figures from one verified solve on the emulated device.

use super::N;
use super::figure::{Figure, KernelFigures, KernelKey, Value};
use super::subject::Subject;
use crate::device::emulated::{Counts, EmulatedDevice, Instruments, LaunchCounts};
use crate::device::{Device, DeviceError};
use crate::experiment::{GraphRequest, GraphSource, Limits, LoadedGraph, solve_counted};
use crate::graph::{ElementType, RandomGraph};
use crate::implementation::Implementation;
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
    let graph = GraphRequest { source, element: ElementType::F32, n: N, limits: LIMITS };
    let failed = |failure: crate::experiment::Failure| DeviceError::other(failure.message);
    let mut graph = LoadedGraph::load(&graph, None).map_err(failed)?;
    let device: Rc<dyn Device> = Rc::new(EmulatedDevice::open(Instruments::COUNT)?);
    let devices = [device];
    let launches = solve_counted(implementation, &subject.parameters, &devices, &mut graph)?;
    devices[0].queue().synchronize()?;
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
            of_counts(&counts, threads).map(|(figure, amount)| (figure, Value::whole(amount))).into()
        });
    }
    figures
}

fn of_counts(counts: &Counts, threads: u64) -> [(Figure, u64); 21] {
    let Counts { global_load, global_store, shared_load, shared_store, .. } = counts;
    [
        (Figure::Launches, counts.launches),
        (Figure::Blocks, counts.blocks),
        (Figure::BlockThreads, threads),
        (Figure::Barriers, counts.barriers),
        (Figure::WarpOperations, counts.warp_operations),
        (Figure::Atomics, counts.atomics),
        (Figure::GlobalLoadRequests, global_load.requests),
        (Figure::GlobalLoadBytes, global_load.bytes),
        (Figure::GlobalLoadSectors, global_load.sectors),
        (Figure::GlobalStoreRequests, global_store.requests),
        (Figure::GlobalStoreBytes, global_store.bytes),
        (Figure::GlobalStoreSectors, global_store.sectors),
        (Figure::SharedLoadRequests, shared_load.requests),
        (Figure::SharedLoadBytes, shared_load.bytes),
        (Figure::SharedLoadSteps32, shared_load.banks_32.steps),
        (Figure::SharedLoadSteps16, shared_load.banks_16.steps),
        (Figure::SharedStoreRequests, shared_store.requests),
        (Figure::SharedStoreBytes, shared_store.bytes),
        (Figure::SharedStoreSteps32, shared_store.banks_32.steps),
        (Figure::SharedStoreSteps16, shared_store.banks_16.steps),
        (Figure::SharedBlockBytes, counts.shared_bytes + counts.dynamic_shared_bytes),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::figure::Tool;
    use super::*;

    #[test]
    fn every_figure_of_the_emulated_device_is_taken() {
        let taken: Vec<Figure> = of_counts(&Counts::default(), 1).iter().map(|(figure, _)| *figure).collect();
        let all = Figure::ALL.iter().copied().filter(|figure| figure.tool() == Tool::Emulated);
        assert_eq!(taken, all.collect::<Vec<_>>());
    }
}
