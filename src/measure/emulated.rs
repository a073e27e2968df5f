//! One solve in this process on emulated devices, launch by launch.

use crate::device::Device;
use crate::device::emulated::{Counts, EmulatedDevice, Finding, Instruments, LaunchCounts};
use crate::external::ExternalProcesses;
use crate::graph::RandomGraph;
use crate::implementation::{Implementation, Parameters, Problem, tasks_of};
use crate::measure::whole_matrix::{HostMemory, LoadedGraph};
use crate::plan::{GraphSource, Limits};
use crate::protocol::{Failure, GraphRequest, ResultProof};
use crate::timing::CountingClock;
use std::rc::Rc;

/// One solve of a dense random graph on emulated devices with some instruments.
pub struct EmulatedSolve<'a> {
    implementation: &'a Implementation,
    parameters: &'a Parameters,
    problem: Problem,
    pub launches: Vec<LaunchCounts>,
    pub findings: Vec<Finding>,
    /// How the whole result was verified, or what is wrong with it.
    pub result: Result<ResultProof, Failure>,
}

impl<'a> EmulatedSolve<'a> {
    /// Solves a graph of `n` vertices on as many devices as the implementation needs.
    ///
    /// # Errors
    /// What cannot be had, or is refused.
    pub fn run(
        implementation: &'a Implementation,
        parameters: &'a Parameters,
        n: usize,
        instruments: Instruments,
    ) -> Result<Self, Failure> {
        implementation.fits(n, parameters).map_err(Failure::other)?;
        let source = GraphSource::Random(RandomGraph::complete(1));
        let limits = Limits { whole_reference_n: usize::MAX, ..Limits::default() };
        let request = GraphRequest::whole(source, implementation.usual_element(), n, limits);
        let mut graph = LoadedGraph::load(&request, &[], None)?;
        let needed = implementation.devices(parameters).max(1);
        let open = |ordinal| EmulatedDevice::open_ordinal(ordinal, instruments).map(Rc::new);
        let opened: Vec<Rc<EmulatedDevice>> = (0..needed).map(open).collect::<Result<_, _>>()?;
        let devices: Vec<Rc<dyn Device>> = opened.iter().map(|device| device.clone() as _).collect();
        let mut processes = ExternalProcesses::default();
        let mut prepared = processes.prepare(implementation, graph.problem(), &devices, parameters)?;
        let mut clock = CountingClock::new(&devices);
        graph.solve(HostMemory::PageLocked, |weights, distances| {
            prepared.run(weights, distances, &mut clock)
        })?;
        let mut findings: Vec<Finding> = opened.iter().flat_map(|device| device.take_findings()).collect();
        findings.extend(processes.take_findings());
        devices.iter().try_for_each(|device| device.queue().synchronize())?;
        let (problem, result) = (*graph.problem(), graph.verify());
        Ok(Self { implementation, parameters, problem, launches: clock.take(), findings, result })
    }

    /// The counts of all wanted launches together. None where there are none.
    pub fn counts(&self, wanted: impl Fn(&LaunchCounts) -> bool) -> Option<Counts> {
        let counts = self.launches.iter().filter(|launch| wanted(launch)).map(|launch| launch.counts);
        counts.reduce(|mut sum, counts| {
            sum += counts;
            sum
        })
    }

    /// The counts of all launches of a kernel together, and its tasks. None where it was not launched.
    pub fn of_kernel(&self, kernel: &str) -> Option<(Counts, Option<u64>)> {
        let counts = self.counts(|launch| launch.kernel == kernel)?;
        let (implementation, problem) = (self.implementation, &self.problem);
        Some((counts, tasks_of(implementation, self.parameters, kernel, problem, counts.blocks)))
    }
}
