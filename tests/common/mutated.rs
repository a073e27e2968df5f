//! Implementations of the catalogue with kernels that were changed on purpose, and solves on the emulated device.

use repro::device::emulated::{EmulatedDevice, LaunchCounts};
use repro::device::{Device, DeviceError, DeviceInfo, HostBuffer, KernelSource};
use repro::graph::{DistanceMatrix, ElementType};
use repro::implementation::{
    Batches, Implementation, KernelUse, Launcher, Layout, Machine, Parameters, Problem, Schedule, Scheduled,
    Solve, Target, find,
};
use repro::timing::CountingClock;
use std::rc::Rc;
use std::sync::Arc;

/// The schedule of an implementation with other kernels.
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
        summary: original.summary.clone(),
        source: original.source.clone(),
        traffic: original.traffic,
        parameters: original.parameters.clone(),
        method: Scheduled::of(Mutated { original, source }),
    }
}

impl Mutated {
    fn original(&self) -> &dyn Schedule {
        self.original.schedule().unwrap()
    }
}

// SAFETY: the launches are the original's; what its kernels do wrong the emulated device is there to find.
unsafe impl Schedule for Mutated {
    fn source(&self, target: Target, _: &Parameters) -> KernelSource {
        self.source.clone().for_element(target.element)
    }

    fn kernels(&self, target: Target, parameters: &Parameters) -> Vec<KernelUse> {
        self.original().kernels(target, parameters)
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        self.original().check(parameters)
    }

    fn fits_on(&self, device: &DeviceInfo, target: Target, parameters: &Parameters) -> Result<(), String> {
        self.original().fits_on(device, target, parameters)
    }

    fn layout(&self, parameters: &Parameters) -> Layout {
        self.original().layout(parameters)
    }

    fn batches(&self) -> Batches {
        self.original().batches()
    }

    fn scratch_bytes(&self, n: usize, target: Target, parameters: &Parameters) -> usize {
        self.original().scratch_bytes(n, target, parameters)
    }

    fn solve(&self, on: &Solve, launch: &mut Launcher) -> Result<(), DeviceError> {
        self.original().solve(on, launch)
    }
}

/// The kernels of an implementation.
pub fn source_of(implementation: &str, parameters: &Parameters) -> KernelSource {
    find(implementation).unwrap().schedule().unwrap().source(Target::default(), parameters)
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
    let machine = Machine::of(&devices);
    let mut prepared = implementation.method.prepare(&problem, machine, parameters).unwrap();
    let [mut input, mut output] = [(); 2].map(|()| HostBuffer::pageable(n * n * 4).unwrap());
    input.numbers_mut()[..n * n].copy_from_slice(graph.as_slice());
    output.numbers_mut().fill(f32::NAN);
    let mut clock = CountingClock::new(&devices);
    prepared.run(&input, &mut output, &mut clock).unwrap();
    (clock.take(), output.numbers()[..n * n].to_vec())
}
