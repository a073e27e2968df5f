//! Solves on several emulated devices: right, and ordered by what they wait for.

use repro_device::emulated::{EmulatedDevice, FindingKind, Instruments};
use repro_device::{
    Argument, Buffer, Device, DeviceError, DeviceInfo, Event, HostBuffer, Kernel, KernelResources,
    KernelSource, Launch, LaunchGraph, MemoryInfo, Priority, Queue, Region, Rows,
};
use repro_graph::{DistanceMatrix, RandomGraph, generate, shortest_from, weight_range};
use repro_solvers::{Machine, Output, Parameters, Problem, Untimed, find};
use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

/// Counts the waits of all queues, and leaves one out.
struct Forgotten {
    waits: Cell<usize>,
    left_out: Option<usize>,
}

/// A device whose queues forget to wait once.
struct Forgetful {
    inner: Rc<EmulatedDevice>,
    queue: ForgetfulQueue,
    forgotten: Rc<Forgotten>,
}

struct ForgetfulQueue {
    inner: Rc<EmulatedDevice>,
    /// None: the one that the device has anyway.
    own: Option<Box<dyn Queue>>,
    forgotten: Rc<Forgotten>,
}

impl ForgetfulQueue {
    fn inner(&self) -> &dyn Queue {
        self.own.as_deref().unwrap_or_else(|| self.inner.queue())
    }
}

impl Queue for ForgetfulQueue {
    unsafe fn launch(
        &self,
        kernel: &Kernel,
        launch: Launch,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        // SAFETY: as the caller promised.
        unsafe { self.inner().launch(kernel, launch, arguments) }
    }
    fn upload(&self, from: &HostBuffer, to: Region) -> Result<(), DeviceError> {
        self.inner().upload(from, to)
    }
    fn download(&self, from: Region, to: &mut HostBuffer) -> Result<(), DeviceError> {
        self.inner().download(from, to)
    }
    fn upload_rows(&self, from: &HostBuffer, to: Region, rows: Rows) -> Result<(), DeviceError> {
        self.inner().upload_rows(from, to, rows)
    }
    fn download_rows(&self, from: Region, to: &mut HostBuffer, rows: Rows) -> Result<(), DeviceError> {
        self.inner().download_rows(from, to, rows)
    }
    fn copy(&self, from: Region, to: Region) -> Result<(), DeviceError> {
        self.inner().copy(from, to)
    }
    fn event(&self) -> Result<Event, DeviceError> {
        self.inner().event()
    }
    fn record(&self, event: &Event) -> Result<(), DeviceError> {
        self.inner().record(event)
    }
    fn wait(&self, event: &Event) -> Result<(), DeviceError> {
        let number = self.forgotten.waits.get();
        self.forgotten.waits.set(number + 1);
        if self.forgotten.left_out == Some(number) { Ok(()) } else { self.inner().wait(event) }
    }
    fn capture(
        &self,
        queue: &mut dyn FnMut() -> Result<(), DeviceError>,
    ) -> Result<LaunchGraph, DeviceError> {
        self.inner().capture(queue)
    }
    unsafe fn replay(&self, graph: &LaunchGraph) -> Result<(), DeviceError> {
        // SAFETY: as the caller promised.
        unsafe { self.inner().replay(graph) }
    }
    fn synchronize(&self) -> Result<(), DeviceError> {
        self.inner().synchronize()
    }
    fn as_any(&self) -> &dyn Any {
        self.inner().as_any()
    }
}

impl Device for Forgetful {
    fn info(&self) -> &DeviceInfo {
        self.inner.info()
    }
    fn compiler(&self) -> Result<String, DeviceError> {
        self.inner.compiler()
    }
    fn memory(&self) -> Result<MemoryInfo, DeviceError> {
        self.inner.memory()
    }
    fn allocate(&self, bytes: usize) -> Result<Buffer, DeviceError> {
        self.inner.allocate(bytes)
    }
    fn allocate_host(&self, bytes: usize) -> Result<HostBuffer, DeviceError> {
        self.inner.allocate_host(bytes)
    }
    fn load(&self, source: &KernelSource, kernels: &[&str]) -> Result<Vec<Kernel>, DeviceError> {
        self.inner.load(source, kernels)
    }
    fn resources(&self, kernel: &Kernel, threads: u32, shared: u32) -> Result<KernelResources, DeviceError> {
        self.inner.resources(kernel, threads, shared)
    }
    fn resident_blocks(&self, kernel: &Kernel, threads: u32, shared: u32) -> Result<u32, DeviceError> {
        self.inner.resident_blocks(kernel, threads, shared)
    }
    fn queue(&self) -> &dyn Queue {
        &self.queue
    }
    fn new_queue(&self, priority: Priority) -> Result<Box<dyn Queue>, DeviceError> {
        let own = Some(self.inner.new_queue(priority)?);
        Ok(Box::new(ForgetfulQueue { inner: self.inner.clone(), own, forgotten: self.forgotten.clone() }))
    }
    fn reach(&self, other: &dyn Device) -> Result<(), DeviceError> {
        self.inner.reach(other)
    }
    fn is_reached(&self, event: &Event) -> Result<bool, DeviceError> {
        self.inner.is_reached(event)
    }
    fn seconds_between(&self, start: &Event, end: &Event) -> Result<f64, DeviceError> {
        self.inner.seconds_between(start, end)
    }
    fn as_any(&self) -> &dyn Any {
        self.inner.as_any()
    }
}

/// What the checker found in one solve.
struct Watched {
    waits: usize,
    races: usize,
}

/// Solves on a grid of devices that forget this wait.
fn solve(graph: &DistanceMatrix<f32>, devices: u32, rows: u32, left_out: Option<usize>) -> Watched {
    let forgotten = Rc::new(Forgotten { waits: Cell::new(0), left_out });
    let emulated: Vec<Rc<EmulatedDevice>> = (0..devices as usize)
        .map(|ordinal| Rc::new(EmulatedDevice::open_another(ordinal, Instruments::CHECK).unwrap()))
        .collect();
    let forgetful = |inner: &Rc<EmulatedDevice>| {
        let queue = ForgetfulQueue { inner: inner.clone(), own: None, forgotten: forgotten.clone() };
        Rc::new(Forgetful { inner: inner.clone(), queue, forgotten: forgotten.clone() }) as Rc<dyn Device>
    };
    let all: Vec<Rc<dyn Device>> = emulated.iter().map(forgetful).collect();
    let n = graph.n();
    let problem = Problem {
        n,
        element: repro_graph::ElementType::F32,
        weights: weight_range(graph),
        output: Output::Distances,
    };
    let parameters = Parameters::from([("devices", devices), ("rows", rows), ("tile", 64), ("depth", 1)]);
    let known = find("distributed-blocked").unwrap();
    let mut prepared = known.method.prepare(&problem, Machine::of(&all), &parameters).unwrap();
    let mut input = HostBuffer::pageable(problem.matrix_bytes()).unwrap();
    input.numbers_mut::<f32>()[..n * n].copy_from_slice(graph.as_slice());
    let mut output = HostBuffer::pageable(problem.matrix_bytes()).unwrap();
    prepared.run(&input, &mut output, &mut Untimed).unwrap();
    // In the emulator's own order all is done in time: the result is right whatever is not waited for.
    for source in [0, n / 2, n - 1] {
        let row = &output.numbers::<f32>()[source * n..(source + 1) * n];
        assert_eq!(row, shortest_from(graph, None, source), "row {source}");
    }
    let findings: Vec<_> = emulated.iter().flat_map(|device| device.take_findings()).collect();
    let races = findings.iter().filter(|finding| finding.kind == FindingKind::RaceBetweenLaunches).count();
    assert_eq!(races, findings.len(), "{findings:?}");
    Watched { waits: forgotten.waits.get(), races }
}

fn unnoticed(n: usize, devices: u32, rows: u32) -> (usize, Vec<usize>) {
    let graph = generate::<f32>(&RandomGraph { density: 0.1, ..RandomGraph::complete(7) }, n).unwrap();
    let right = solve(&graph, devices, rows, None);
    assert_eq!(right.races, 0);
    let unnoticed =
        (0..right.waits).filter(|wait| solve(&graph, devices, rows, Some(*wait)).races == 0).collect();
    (right.waits, unnoticed)
}

#[test]
fn a_panel_that_is_read_before_its_broadcast_ended_is_found() {
    let (waits, unnoticed) = unnoticed(193, 2, 2);
    println!("{waits} {unnoticed:?}");
}
