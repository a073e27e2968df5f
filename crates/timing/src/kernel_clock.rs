//! The time of each kernel of a solve: a device whose launches have events between them.

use super::clock::Bench;
use repro_device::{
    Argument, Buffer, Device, DeviceError, DeviceInfo, Event, HostBuffer, Kernel, KernelResources,
    KernelSource, Launch, LaunchGraph, MemoryInfo,
};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// All launches of one kernel in one solve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelSeconds {
    pub kernel: String,
    pub launches: u64,
    /// From an event before each launch to the one before the next: what the device waits for between two launches
    /// included.
    pub seconds: f64,
}

/// Solves once and tells the time of each kernel, in the order in which they were first launched.
///
/// # Errors
/// Whatever the device reports.
pub fn time_by_kernel(
    bench: Bench,
    input: &HostBuffer,
    output: &mut HostBuffer,
) -> Result<Vec<KernelSeconds>, DeviceError> {
    let Bench { device, solver, memory, n, .. } = bench;
    let marked = Marked { device, events: RefCell::default() };
    device.upload(input, &memory.matrix, n * n)?;
    solver.pack(device, memory, n)?;
    solver.solve(&marked, memory, n)?;
    let end = device.event()?;
    device.record(&end)?;
    solver.unpack(device, memory, n)?;
    device.download(&memory.matrix, output, n * n)?;
    device.synchronize()?;
    let events = marked.events.into_inner();
    let ends = events.iter().map(|(_, event)| event).skip(1).chain([&end]);
    let mut kernels: Vec<KernelSeconds> = Vec::new();
    for ((name, start), end) in events.iter().zip(ends) {
        let seconds = device.seconds_between(start, end)?;
        match kernels.iter_mut().find(|known| known.kernel == *name) {
            Some(known) => {
                known.launches += 1;
                known.seconds += seconds;
            }
            None => kernels.push(KernelSeconds { kernel: (*name).to_string(), launches: 1, seconds }),
        }
    }
    Ok(kernels)
}

/// A device that records an event before each launch.
struct Marked<'a> {
    device: &'a dyn Device,
    events: RefCell<Vec<(&'static str, Event)>>,
}

impl Device for Marked<'_> {
    fn launch(&self, kernel: &Kernel, launch: Launch, arguments: &[Argument]) -> Result<(), DeviceError> {
        let event = self.device.event()?;
        self.device.record(&event)?;
        self.events.borrow_mut().push((kernel.name, event));
        self.device.launch(kernel, launch, arguments)
    }

    fn info(&self) -> &DeviceInfo {
        self.device.info()
    }

    fn compiler(&self) -> Result<String, DeviceError> {
        self.device.compiler()
    }

    fn memory(&self) -> Result<MemoryInfo, DeviceError> {
        self.device.memory()
    }

    fn allocate(&self, bytes: usize) -> Result<Buffer, DeviceError> {
        self.device.allocate(bytes)
    }

    fn allocate_host(&self, entries: usize) -> Result<HostBuffer, DeviceError> {
        self.device.allocate_host(entries)
    }

    fn load(&self, source: &KernelSource, kernels: &[&'static str]) -> Result<Vec<Kernel>, DeviceError> {
        self.device.load(source, kernels)
    }

    fn resources(
        &self,
        kernel: &Kernel,
        threads: u32,
        dynamic_shared_bytes: u32,
    ) -> Result<KernelResources, DeviceError> {
        self.device.resources(kernel, threads, dynamic_shared_bytes)
    }

    fn resident_blocks(&self, kernel: &Kernel, threads: u32) -> Result<u32, DeviceError> {
        self.device.resident_blocks(kernel, threads)
    }

    fn upload(&self, from: &HostBuffer, to: &Buffer, entries: usize) -> Result<(), DeviceError> {
        self.device.upload(from, to, entries)
    }

    fn download(&self, from: &Buffer, to: &mut HostBuffer, entries: usize) -> Result<(), DeviceError> {
        self.device.download(from, to, entries)
    }

    fn copy(&self, from: &Buffer, to: &Buffer, bytes: usize) -> Result<(), DeviceError> {
        self.device.copy(from, to, bytes)
    }

    fn event(&self) -> Result<Event, DeviceError> {
        self.device.event()
    }

    fn record(&self, event: &Event) -> Result<(), DeviceError> {
        self.device.record(event)
    }

    fn seconds_between(&self, start: &Event, end: &Event) -> Result<f64, DeviceError> {
        self.device.seconds_between(start, end)
    }

    fn capture(
        &self,
        queue: &mut dyn FnMut() -> Result<(), DeviceError>,
    ) -> Result<LaunchGraph, DeviceError> {
        self.device.capture(queue)
    }

    fn replay(&self, graph: &LaunchGraph) -> Result<(), DeviceError> {
        self.device.replay(graph)
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        self.device.synchronize()
    }
}
