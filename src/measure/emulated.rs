//! One solve in this process on emulated devices, launch by launch.

use crate::device::Device;
use crate::device::emulated::{Counts, EmulatedDevice, Finding, Instruments, LaunchCounts};
use crate::external::ExternalProcesses;
use crate::graph::RandomGraph;
use crate::implementation::{self, Implementation, Parameters, Problem};
use crate::measure::whole::{LoadedGraph, Memory};
use crate::plan::{GraphSource, Limits};
use crate::protocol::{Failure, GraphRequest};
use crate::timing::CountingClock;
use std::rc::Rc;

/// The whole result is compared.
const LIMITS: Limits = Limits {
    warm_up_s: 0.0,
    sample_s: 0.0,
    full_cell_s: 0.0,
    whole_reference_n: usize::MAX,
    reference_rows: 64,
};

/// The graph of `n` vertices that an implementation is looked at on.
///
/// # Errors
/// When there is no memory for it.
pub fn complete_graph(implementation: &Implementation, n: usize) -> Result<LoadedGraph, Failure> {
    let source = GraphSource::Random(RandomGraph::complete(1));
    LoadedGraph::load(&GraphRequest::whole(source, implementation.usual_element(), n, LIMITS), &[], None)
}

/// One solve on emulated devices with some instruments.
pub struct EmulatedSolve {
    pub compiler: String,
    pub launches: Vec<LaunchCounts>,
    pub findings: Vec<Finding>,
}

impl EmulatedSolve {
    /// On as many devices as the implementation needs.
    ///
    /// # Errors
    /// What cannot be had, or is refused.
    pub fn run(
        implementation: &Implementation,
        parameters: &Parameters,
        graph: &mut LoadedGraph,
        instruments: Instruments,
    ) -> Result<Self, Failure> {
        let needed = *implementation.capabilities(parameters).devices.start();
        let open = |ordinal| EmulatedDevice::open_another(ordinal, instruments).map(Rc::new);
        let opened: Vec<Rc<EmulatedDevice>> = (0..needed.max(1)).map(open).collect::<Result<_, _>>()?;
        let devices: Vec<Rc<dyn Device>> = opened.iter().map(|device| device.clone() as _).collect();
        let mut processes = ExternalProcesses::default();
        let mut prepared = processes.prepare(implementation, graph.problem(), &devices, parameters)?;
        let mut clock = CountingClock::new(&devices);
        graph.solve(Memory::PageLocked, |weights, distances| prepared.run(weights, distances, &mut clock))?;
        let mut findings: Vec<Finding> = opened.iter().flat_map(|device| device.take_findings()).collect();
        findings.extend(processes.take_findings());
        devices.iter().try_for_each(|device| device.queue().synchronize())?;
        Ok(Self { compiler: devices[0].compiler()?, launches: clock.take(), findings })
    }

    /// What all launches of a kernel of an implementation did, and its tasks. None where it was not launched.
    pub fn of_kernel(
        &self,
        implementation: &Implementation,
        parameters: &Parameters,
        problem: &Problem,
        kernel: &str,
    ) -> Option<(Counts, Option<u64>)> {
        let mut launches = self.launches.iter().filter(|launch| launch.kernel == kernel).peekable();
        launches.peek()?;
        let counts = sum(launches);
        Some((counts, implementation::tasks_of(implementation, parameters, kernel, problem, counts.blocks)))
    }

    /// What all launches did.
    pub fn total(&self) -> Counts {
        sum(&self.launches)
    }
}

fn sum<'a>(launches: impl IntoIterator<Item = &'a LaunchCounts>) -> Counts {
    let mut sum = Counts::default();
    launches.into_iter().for_each(|launch| sum += launch.counts);
    sum
}
