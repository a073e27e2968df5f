//! Schedules of the catalogue with kernels that were changed on purpose.

use repro::device::{Buffer, Device, DeviceError, Kernel, KernelSource};
use repro::implementation::{Body, KernelUse, Layout, Parameters, Schedule, find};

/// The schedule of an implementation with other kernels.
pub struct Mutated {
    original: &'static dyn Schedule,
    source: KernelSource,
}

impl Mutated {
    /// The schedule of `implementation` with the kernels of `text`, whose headers are in place.
    pub fn schedule(implementation: &str, parameters: &Parameters, text: String) -> &'static Self {
        let original = schedule_of(implementation);
        let file = original.source(parameters).file;
        let source = KernelSource { file, text: Box::leak(text.into_boxed_str()) };
        Box::leak(Box::new(Self { original, source }))
    }
}

impl Schedule for Mutated {
    fn source(&self, _: &Parameters) -> KernelSource {
        self.source
    }

    fn kernels(&self, parameters: &Parameters) -> Vec<KernelUse> {
        self.original.kernels(parameters)
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        self.original.check(parameters)
    }

    fn layout(&self) -> Layout {
        self.original.layout()
    }

    fn solve(
        &self,
        device: &dyn Device,
        kernels: &[Kernel],
        data: &Buffer,
        n: usize,
        parameters: &Parameters,
    ) -> Result<(), DeviceError> {
        self.original.solve(device, kernels, data, n, parameters)
    }
}

pub fn schedule_of(implementation: &str) -> &'static dyn Schedule {
    match find(implementation).unwrap().body {
        Body::Device(schedule) => schedule,
        Body::Cpu(_) => panic!("{implementation} needs no device"),
    }
}

/// `text` with the occurrence of this index, counted from 0, replaced.
pub fn with_one_replaced(text: &str, index: usize, old: &str, new: &str) -> String {
    let (at, _) = text.match_indices(old).nth(index).unwrap();
    format!("{}{new}{}", &text[..at], &text[at + old.len()..])
}
