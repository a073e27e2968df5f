//! Figures from one verified solve on the emulated device.

use super::N;
use super::metric::{CountMetric, KernelFigures, Value};
use super::target::CountTarget;
use crate::device::emulated::{Counts, Finding, Instruments};
use crate::measure::{EmulatedSolve, Failure, complete_graph};
use crate::store::counted;
use std::collections::BTreeMap;
use strum::VariantArray;

/// Solves a graph that all targets solve, and counts kernel by kernel.
///
/// On one thread: blocks that may meet the distances of others before or after these were lowered store more or less often, by who
/// was faster. One after another they do the same every time.
///
/// # Errors
/// When the kernels do not compile for the host, cannot be run, or give a wrong result.
pub(super) fn figures(target: &CountTarget) -> Result<KernelFigures, Failure> {
    let Some(implementation) = &target.implementation else { return Ok(KernelFigures::new()) };
    implementation.fits(N, &target.parameters).map_err(Failure::other)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let none = |error| format!("no thread to run kernels in ({error}): stop something else");
    let launches = pool.map_err(|error| Failure::other(none(error)))?.install(|| {
        let mut graph = complete_graph(implementation, N)?;
        let solve = EmulatedSolve::run(implementation, &target.parameters, &mut graph, Instruments::COUNT)?;
        Finding::in_short(&solve.findings).map_or(Ok(()), |found| Err(Failure::other(found)))?;
        graph.verify().map(|_| solve.launches)
    })?;
    let mut kernels: BTreeMap<&str, (u64, Counts)> = BTreeMap::new();
    for launch in &launches {
        let (_, counts) = kernels.entry(&launch.kernel).or_insert((launch.threads(), Counts::default()));
        *counts += launch.counts;
    }
    let figures = |(kernel, (threads, counts)): (&str, (u64, Counts))| {
        let value = |metric| match metric {
            CountMetric::BlockThreads => Some(threads),
            CountMetric::SharedBlockBytes => Some(counts.shared_bytes + counts.dynamic_shared_bytes),
            counter => counted(&counts, counter.into()),
        };
        let figures = CountMetric::VARIANTS.iter().filter_map(|&one| Some((one, Value::Whole(value(one)?))));
        (target.key(kernel), figures.collect())
    };
    Ok(kernels.into_iter().map(figures).collect())
}
