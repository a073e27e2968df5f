//! Devices whose queues forget to wait once, and take note of what that leaves without order.

use repro_device::emulated::EmulatedDevice;
use repro_device::{
    Argument, Buffer, BufferSlice, Device, DeviceError, DeviceInfo, Event, ForeignMemory, HostBuffer, Kernel,
    KernelResources, KernelSource, Launch, LaunchGraph, MemoryInfo, PitchedRows, Priority, Queue,
};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
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
    fn upload(&self, from: &HostBuffer, to: BufferSlice) -> Result<(), DeviceError> {
        self.note(Step::Work);
        self.inner().upload(from, to)
    }
    fn download(&self, from: BufferSlice, to: &mut HostBuffer) -> Result<(), DeviceError> {
        self.note(Step::Work);
        self.note(Step::HostWaits);
        self.inner().download(from, to)
    }
    fn upload_rows(&self, from: &HostBuffer, to: BufferSlice, rows: PitchedRows) -> Result<(), DeviceError> {
        self.note(Step::Work);
        self.inner().upload_rows(from, to, rows)
    }
    fn download_rows(
        &self,
        from: BufferSlice,
        to: &mut HostBuffer,
        rows: PitchedRows,
    ) -> Result<(), DeviceError> {
        self.note(Step::Work);
        self.note(Step::HostWaits);
        self.inner().download_rows(from, to, rows)
    }
    fn copy(&self, from: BufferSlice, to: BufferSlice) -> Result<(), DeviceError> {
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
    fn import_memory(&self, memory: ForeignMemory) -> Result<Buffer, DeviceError> {
        self.inner.import_memory(memory)
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
    fn max_active_blocks(&self, kernel: &Kernel, threads: u32, shared: u32) -> Result<u32, DeviceError> {
        self.inner.max_active_blocks(kernel, threads, shared)
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
    fn enable_peer_access(&self, other: &dyn Device) -> Result<(), DeviceError> {
        self.inner.enable_peer_access(other)
    }
    fn is_complete(&self, event: &Event) -> Result<bool, DeviceError> {
        self.inner.is_complete(event)
    }
    fn seconds_between(&self, start: &Event, end: &Event) -> Result<f64, DeviceError> {
        self.inner.seconds_between(start, end)
    }
    fn as_any(&self) -> &dyn Any {
        self.inner.as_any()
    }
}

// What queues, events and the host's waits put in order, known from the calls alone: no memory is looked at.

/// A queue: the number of its device, and its own number there. The one that a device has anyway is the first.
pub type QueueId = (usize, usize);

/// What was called on a queue. Events are known by their addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A launch or a copy.
    Work,
    HostWaits,
    Record(usize),
    Wait(usize),
}

/// Of each queue, how many of its launches and copies come before something.
pub type Before = BTreeMap<QueueId, usize>;

fn join(one: &mut Before, other: &Before) {
    for (queue, count) in other {
        let own = one.entry(*queue).or_default();
        *own = (*own).max(*count);
    }
}

/// One wait for an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    pub queue: QueueId,
    /// Where the event was recorded last; the queue itself where it was nowhere.
    pub other: QueueId,
    /// How much work the other had been given by then.
    pub behind: usize,
}

/// All calls, in the host's order.
#[derive(Debug, Default)]
pub struct Log(pub Vec<(QueueId, Step)>);

impl Log {
    pub fn waits(&self) -> Vec<Wait> {
        self.replay(None).1
    }

    /// Of each launch and copy, its queue and what comes before it, with the wait of this number left out.
    pub fn order_without(&self, left_out: Option<usize>) -> Vec<(QueueId, Before)> {
        self.replay(left_out).0
    }

    fn replay(&self, left_out: Option<usize>) -> (Vec<(QueueId, Before)>, Vec<Wait>) {
        let mut queues: BTreeMap<QueueId, Before> = BTreeMap::new();
        let mut host = Before::new();
        let mut events: BTreeMap<usize, (QueueId, Before)> = BTreeMap::new();
        let (mut works, mut waits) = (Vec::new(), Vec::new());
        for (queue, step) in &self.0 {
            let own = queues.entry(*queue).or_default();
            match step {
                Step::Work => {
                    join(own, &host);
                    works.push((*queue, own.clone()));
                    *own.entry(*queue).or_default() += 1;
                }
                Step::HostWaits => join(&mut host, own),
                Step::Record(event) => {
                    events.insert(*event, (*queue, own.clone()));
                }
                Step::Wait(event) => {
                    let (other, before) = events.get(event).cloned().unwrap_or((*queue, Before::new()));
                    let behind = before.get(&other).copied().unwrap_or(0);
                    if left_out != Some(waits.len()) {
                        join(own, &before);
                    }
                    waits.push(Wait { queue: *queue, other, behind });
                }
            }
        }
        (works, waits)
    }
}
