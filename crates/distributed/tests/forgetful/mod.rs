//! Devices whose queues forget to wait once, and take note of what that leaves without order.

mod order;

pub use order::{Log, QueueId, Step, Wait};

use repro_device::emulated::EmulatedDevice;
use repro_device::{
    Argument, Buffer, Device, DeviceError, DeviceInfo, Event, ForeignMemory, HostBuffer, Kernel,
    KernelResources, KernelSource, Launch, LaunchGraph, MemoryInfo, Priority, Queue, Region, Rows,
};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What the queues of all devices share.
pub struct Forgotten {
    left_out: Option<usize>,
    waits: Cell<usize>,
    /// All calls, those included that were left out.
    pub log: RefCell<Log>,
}

impl Forgotten {
    /// The wait of this number is left out.
    pub fn new(left_out: Option<usize>) -> Rc<Self> {
        Rc::new(Self { left_out, waits: Cell::new(0), log: RefCell::default() })
    }
}

/// A device whose queues forget to wait once.
pub struct Forgetful {
    inner: Rc<EmulatedDevice>,
    queue: ForgetfulQueue,
    queues: Cell<usize>,
}

impl Forgetful {
    pub fn new(number: usize, inner: &Rc<EmulatedDevice>, forgotten: &Rc<Forgotten>) -> Self {
        let forgotten = forgotten.clone();
        let queue = ForgetfulQueue { inner: inner.clone(), own: None, id: (number, 0), forgotten };
        Self { inner: inner.clone(), queue, queues: Cell::new(1) }
    }
}

struct ForgetfulQueue {
    inner: Rc<EmulatedDevice>,
    /// None: the one that the device has anyway.
    own: Option<Box<dyn Queue>>,
    id: QueueId,
    forgotten: Rc<Forgotten>,
}

impl ForgetfulQueue {
    fn inner(&self) -> &dyn Queue {
        self.own.as_deref().unwrap_or_else(|| self.inner.queue())
    }

    fn note(&self, step: Step) {
        self.forgotten.log.borrow_mut().0.push((self.id, step));
    }
}

/// Events that are waited for stay where they are until then.
fn address(event: &Event) -> usize {
    std::ptr::from_ref(event) as usize
}

impl Queue for ForgetfulQueue {
    unsafe fn launch(
        &self,
        kernel: &Kernel,
        launch: Launch,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        self.note(Step::Work);
        // SAFETY: as the caller promised.
        unsafe { self.inner().launch(kernel, launch, arguments) }
    }
    fn upload(&self, from: &HostBuffer, to: Region) -> Result<(), DeviceError> {
        self.note(Step::Work);
        self.inner().upload(from, to)
    }
    fn download(&self, from: Region, to: &mut HostBuffer) -> Result<(), DeviceError> {
        self.note(Step::Work);
        self.note(Step::HostWaits);
        self.inner().download(from, to)
    }
    fn upload_rows(&self, from: &HostBuffer, to: Region, rows: Rows) -> Result<(), DeviceError> {
        self.note(Step::Work);
        self.inner().upload_rows(from, to, rows)
    }
    fn download_rows(&self, from: Region, to: &mut HostBuffer, rows: Rows) -> Result<(), DeviceError> {
        self.note(Step::Work);
        self.note(Step::HostWaits);
        self.inner().download_rows(from, to, rows)
    }
    fn copy(&self, from: Region, to: Region) -> Result<(), DeviceError> {
        self.note(Step::Work);
        self.inner().copy(from, to)
    }
    fn event(&self) -> Result<Event, DeviceError> {
        self.inner().event()
    }
    fn record(&self, event: &Event) -> Result<(), DeviceError> {
        self.note(Step::Record(address(event)));
        self.inner().record(event)
    }
    fn wait(&self, event: &Event) -> Result<(), DeviceError> {
        self.note(Step::Wait(address(event)));
        let number = self.forgotten.waits.replace(self.forgotten.waits.get() + 1);
        let forgets = self.forgotten.left_out == Some(number);
        if forgets { Ok(()) } else { self.inner().wait(event) }
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
        self.note(Step::HostWaits);
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
    fn adopt(&self, memory: ForeignMemory) -> Result<Buffer, DeviceError> {
        self.inner.adopt(memory)
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
        let id = (self.queue.id.0, self.queues.replace(self.queues.get() + 1));
        let forgotten = self.queue.forgotten.clone();
        Ok(Box::new(ForgetfulQueue { inner: self.inner.clone(), own, id, forgotten }))
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
