//! Implementations of the catalogue with kernels that were changed on purpose, and solves on the emulated device.

use repro::device::emulated::{EmulatedDevice, LaunchCounts};
use repro::device::{Device, DeviceError, HostBuffer, Kernel, KernelSource};
use repro::graph::{DistanceMatrix, ElementType};
use repro::implementation::{
    Capabilities, Cost, Implementation, KernelSet, LaunchList, LaunchSite, Parameters, Problem, Solver,
    Target, find,
};
use repro::timing::CountingClock;
use std::rc::Rc;
use std::sync::Arc;

/// An implementation's solver with other kernels.
struct Mutated {
    original: Arc<Implementation>,
    source: KernelSource,
}

/// The implementation of this name with the kernels of `text`, whose headers are in place.
pub fn mutated(name: &str, parameters: &Parameters, text: String) -> Implementation {
    let original = find(name).unwrap();
    let source = KernelSource { text: text.into(), ..source_of(name, parameters) };
    Implementation {
        name: original.name.clone(),
        parameters: original.parameters.clone(),
        ..Implementation::new("", "", "", Mutated { original, source })
    }
}

impl Solver for Mutated {
    fn capabilities(&self, parameters: &Parameters) -> Capabilities {
        self.original.capabilities(parameters)
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        self.original.check(parameters)
    }

    fn cost(&self, problem: &Problem, parameters: &Parameters) -> Cost {
        self.original.solver.cost(problem, parameters)
    }

    fn kernels(&self, target: Target, parameters: &Parameters) -> Option<KernelSet> {
        let source = self.source.clone().for_element(target.element);
        Some(KernelSet { source, ..self.original.kernels(target, parameters)? })
    }

    fn launches(&self, on: &LaunchSite, kernels: &[Kernel]) -> Result<LaunchList, DeviceError> {
        self.original.solver.launches(on, kernels)
    }
}

/// The kernels of an implementation.
pub fn source_of(implementation: &str, parameters: &Parameters) -> KernelSource {
    find(implementation).unwrap().kernels(Target::default(), parameters).unwrap().source
}

/// `text` with the occurrence of this index, counted from 0, replaced.
pub fn with_one_replaced(text: &str, index: usize, old: &str, new: &str) -> String {
    let (at, _) = text.match_indices(old).nth(index).unwrap();
    format!("{}{new}{}", &text[..at], &text[at + old.len()..])
}

/// What the launches of one solve did, where they are counted, and its result. What was found is left with the device.
pub fn solve_on(
    device: &Rc<EmulatedDevice>,
    implementation: &Implementation,
    parameters: &Parameters,
    graph: &DistanceMatrix,
) -> (Vec<LaunchCounts>, Vec<f32>) {
    let devices: [Rc<dyn Device>; 1] = [device.clone()];
    let (n, weights) = (graph.n(), graph.survey().weights.range);
    let problem = Problem::one(n, ElementType::F32, weights);
    let mut prepared = implementation.solver.prepare(&problem, &devices, parameters).unwrap();
    let [mut input, mut output] = [(); 2].map(|()| HostBuffer::pageable(n * n * 4).unwrap());
    input.numbers_mut()[..n * n].copy_from_slice(graph.as_slice());
    output.numbers_mut().fill(f32::NAN);
    let mut clock = CountingClock::new(&devices);
    prepared.run(&input, &mut output, &mut clock).unwrap();
    (clock.take(), output.numbers()[..n * n].to_vec())
}
