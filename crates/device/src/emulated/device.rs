//! The emulated device behind [`Device`].

use super::Instruments;
use super::counts::LaunchCounts;
use super::finding::{Finding, Findings};
use super::launch::{self, Job};
use super::memory::Memory;
use super::module::{Entry, Module};
use super::queue::EmulatedQueue;
use super::toolchain::Toolchain;
use crate::launch::LoadedKernels;
use crate::{
    Buffer, Device, DeviceError, DeviceInfo, Event, HostBuffer, Kernel, KernelResources, KernelSource,
    Launch, MemoryInfo, Priority, Queue,
};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::rc::{Rc, Weak};
use std::sync::atomic::AtomicBool;

/// Shared memory that a block may have when the launch gives its size, as on compute capability 9.0.
const MOST_DYNAMIC_SHARED_BYTES: u32 = 227 << 10;
/// The same on every host, so that counts are. Few, so that small graphs have more tiles than persistent blocks.
const MULTIPROCESSORS: u32 = 2;
/// Shared memory of fixed size that a kernel may have, as ptxas allows on every GPU since 2010.
const MOST_STATIC_SHARED_BYTES: u64 = 48 << 10;
/// Threads a block, as on every GPU since 2010.
const MOST_THREADS: u32 = 1024;

/// A device that runs kernels on the CPU. What is queued is done at once, whichever queue it is on: that is an order which events
/// allow, since none is waited for before it was recorded.
pub struct EmulatedDevice {
    info: DeviceInfo,
    toolchain: Toolchain,
    state: Rc<State>,
    queue: EmulatedQueue,
    loaded: LoadedKernels,
}

/// The allocations of one device.
type Memories = Rc<RefCell<Vec<Weak<Memory>>>>;

/// What a device and its queues share.
pub(super) struct State {
    instruments: Instruments,
    memories: Memories,
    /// Those of the other devices that this one reaches.
    reached: RefCell<Vec<Memories>>,
    launches: Cell<u32>,
    counts: RefCell<Vec<LaunchCounts>>,
    findings: RefCell<Findings>,
    /// Why a launch could not be run to its end.
    problem: RefCell<Option<String>>,
}

/// A kernel of a loaded library.
struct Loaded {
    module: Rc<Module>,
    entry: Entry,
    arity: usize,
}

impl EmulatedDevice {
    /// Opens the first device with these instruments.
    ///
    /// # Errors
    /// When there is no C++ compiler; the message says how to get one.
    pub fn open(instruments: Instruments) -> Result<Self, DeviceError> {
        Self::open_another(0, instruments)
    }

    /// Opens the device of this number. There are as many as are asked for.
    ///
    /// # Errors
    /// As [`EmulatedDevice::open`].
    pub fn open_another(ordinal: usize, instruments: Instruments) -> Result<Self, DeviceError> {
        let toolchain = Toolchain::find()?;
        let info = DeviceInfo {
            ordinal,
            name: "emulated CUDA device".to_string(),
            uuid: if ordinal == 0 { "emulated".to_string() } else { format!("emulated-{ordinal}") },
            compute_capability: (9, 0),
            multiprocessors: MULTIPROCESSORS,
            // That of the host, whose record has it; what is free of it changes from run to run.
            memory_bytes: 0,
            l2_bytes: 0,
            shared_bytes_per_multiprocessor: u64::from(MOST_DYNAMIC_SHARED_BYTES),
            registers_per_multiprocessor: 0,
            threads_per_multiprocessor: MOST_THREADS,
            clock_mhz: 0,
            driver_cuda: String::new(),
            emulated: true,
        };
        let state = Rc::new(State {
            instruments,
            memories: Memories::default(),
            reached: RefCell::default(),
            launches: Cell::new(0),
            counts: RefCell::default(),
            findings: RefCell::default(),
            problem: RefCell::default(),
        });
        let queue = EmulatedQueue::of(state.clone());
        Ok(Self { info, toolchain, state, queue, loaded: LoadedKernels::default() })
    }

    /// What was found since it was last asked. Nothing of it fails a later [`Device::synchronize`].
    pub fn take_findings(&self) -> Vec<Finding> {
        self.state.problem.take();
        self.state.findings.borrow_mut().take()
    }
}

impl Device for EmulatedDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn compiler(&self) -> Result<String, DeviceError> {
        Ok(self.toolchain.version().to_string())
    }

    fn memory(&self) -> Result<MemoryInfo, DeviceError> {
        // The shadow of a word takes more than a dozen words.
        let share = if self.state.instruments.check { 24 } else { 1 };
        let free = repro_graph::available_memory().map_or(u64::MAX, |free| free / share);
        Ok(MemoryInfo { free, total: free })
    }

    fn allocate(&self, bytes: usize) -> Result<Buffer, DeviceError> {
        let memory = Memory::allocate(bytes, self.state.instruments.check)
            .ok_or_else(|| DeviceError::out_of_memory("an emulated buffer", bytes as u64, 0))?;
        let memory = Rc::new(memory);
        let mut known = self.state.memories.borrow_mut();
        known.retain(|weak| weak.strong_count() > 0);
        if known.len() >= usize::from(u16::MAX) {
            return Err(DeviceError::other("more than 65534 buffers at once on the emulated device"));
        }
        known.push(Rc::downgrade(&memory));
        Ok(Buffer { address: memory.address() as u64, bytes, owner: Box::new(memory) })
    }

    fn allocate_host(&self, bytes: usize) -> Result<HostBuffer, DeviceError> {
        HostBuffer::pageable(bytes)
            .ok_or_else(|| DeviceError::out_of_memory("a host buffer", bytes as u64, 0))
    }

    fn load(&self, source: &KernelSource, kernels: &[&str]) -> Result<Vec<Kernel>, DeviceError> {
        self.loaded.get_or(source, kernels, || {
            let path = self.toolchain.library(source, kernels, self.state.instruments)?;
            let module = Module::load(&path, source).inspect_err(|_| {
                // Kept, it would fail every time; the next load compiles it again.
                let _ = std::fs::remove_file(&path);
            })?;
            let module = Rc::new(module);
            let load = |name: &&str| {
                let (entry, arity) = module.entry(name)?;
                Ok(Kernel::new(name, Loaded { module: module.clone(), entry, arity }))
            };
            kernels.iter().map(load).collect()
        })
    }

    fn resources(&self, kernel: &Kernel, _: u32, _: u32) -> Result<KernelResources, DeviceError> {
        Err(DeviceError::other(format!("{}: an emulated kernel has no registers to tell of", kernel.name)))
    }

    fn resident_blocks(
        &self,
        _: &Kernel,
        threads: u32,
        dynamic_shared_bytes: u32,
    ) -> Result<u32, DeviceError> {
        let by_shared = MOST_DYNAMIC_SHARED_BYTES / dynamic_shared_bytes.max(1);
        Ok((MOST_THREADS / threads.max(1)).min(by_shared).max(1))
    }

    fn queue(&self) -> &dyn Queue {
        &self.queue
    }

    fn new_queue(&self, _: Priority) -> Result<Box<dyn Queue>, DeviceError> {
        Ok(Box::new(EmulatedQueue::of(self.state.clone())))
    }

    fn reach(&self, other: &dyn Device) -> Result<(), DeviceError> {
        let other: &Self = other
            .as_any()
            .downcast_ref()
            .ok_or_else(|| DeviceError::other("only devices of one kind reach each other"))?;
        let mut reached = self.state.reached.borrow_mut();
        if !reached.iter().any(|known| Rc::ptr_eq(known, &other.state.memories)) {
            reached.push(other.state.memories.clone());
        }
        Ok(())
    }

    fn seconds_between(&self, _start: &Event, _end: &Event) -> Result<f64, DeviceError> {
        Err(DeviceError::other("the emulated device has no clock: its seconds would mean nothing"))
    }

    fn take_counts(&self) -> Vec<LaunchCounts> {
        self.state.counts.take()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl State {
    /// Runs a launch whose arguments lie where these pointers lead.
    pub(super) fn launch(
        &self,
        kernel: &Kernel,
        launch: Launch,
        arguments: &[*mut c_void],
    ) -> Result<(), DeviceError> {
        let loaded: &Loaded = kernel.handle()?;
        check_launch(kernel, launch)?;
        check_shared(kernel, loaded.module.shared_bytes_in(&kernel.name))?;
        if arguments.len() != loaded.arity {
            return Err(DeviceError::other(format!(
                "launching {}: {} arguments for {} parameters: this is a defect of its schedule",
                kernel.name,
                arguments.len(),
                loaded.arity
            )));
        }
        if self.problem.borrow().is_some() {
            // As on a GPU, nothing runs after a fault until it was heard of.
            return Ok(());
        }
        let pointers: Vec<usize> = arguments.iter().map(|pointer| *pointer as usize).collect();
        let reached = self.reached.borrow();
        let all = std::iter::once(&self.memories).chain(reached.iter());
        let owners: Vec<Rc<Memory>> = all
            .flat_map(|memories| memories.borrow().iter().filter_map(Weak::upgrade).collect::<Vec<_>>())
            .collect();
        let memories: Vec<&Memory> = owners.iter().map(|memory| &**memory).collect();
        self.launches.set(self.launches.get().wrapping_add(1));
        let job = Job {
            module: &loaded.module,
            entry: loaded.entry,
            pointers: &pointers,
            launch,
            instruments: self.instruments,
            serial: self.launches.get(),
            memories: &memories,
            stopped: AtomicBool::new(false),
        };
        let outcome = launch::run(&job, &kernel.name);
        let stopped = job.stopped.into_inner();
        let mut findings = self.findings.borrow_mut();
        let first = outcome.findings.first().map(ToString::to_string);
        outcome.findings.into_iter().for_each(|finding| findings.add(finding));
        if stopped {
            *self.problem.borrow_mut() =
                outcome.problem.or(first).or(Some("a launch was not finished".into()));
        }
        // Those of the functions that it calls are known from their use.
        check_shared(kernel, outcome.counts.shared_bytes)?;
        if self.instruments.count {
            self.counts.borrow_mut().push(LaunchCounts {
                kernel: kernel.name.to_string(),
                grid: launch.grid,
                block: launch.block,
                counts: outcome.counts,
            });
        }
        Ok(())
    }

    /// Tells what the checker found since the last time.
    pub(super) fn synchronize(&self) -> Result<(), DeviceError> {
        let problem = self.problem.take();
        let findings = self.findings.borrow_mut().take();
        let more = findings.len().saturating_sub(1);
        match (findings.into_iter().next(), problem) {
            (None, None) => Ok(()),
            (None, Some(problem)) => Err(DeviceError::other(problem)),
            (Some(first), _) if more == 0 => Err(DeviceError::other(format!("checker: {first}"))),
            (Some(first), _) => {
                Err(DeviceError::other(format!("checker: {first} (and {more} more findings)")))
            }
        }
    }
}

fn check_shared(kernel: &Kernel, bytes: u64) -> Result<(), DeviceError> {
    if bytes <= MOST_STATIC_SHARED_BYTES {
        return Ok(());
    }
    Err(DeviceError::other(format!(
        "launching {}: {bytes} bytes of __shared__ variables: at most {MOST_STATIC_SHARED_BYTES} fit on a GPU, have the \
         launch give the size of larger ones",
        kernel.name
    )))
}

fn check_launch(kernel: &Kernel, launch: Launch) -> Result<(), DeviceError> {
    let refused = |problem: String| DeviceError::other(format!("launching {}: {problem}", kernel.name));
    if !(1..=MOST_THREADS).contains(&launch.threads()) {
        return Err(refused(format!("{} threads a block: expected 1 to {MOST_THREADS}", launch.threads())));
    }
    let (x, y, z) = launch.grid;
    if x == 0 || y == 0 || z == 0 || y.max(z) > 65_535 {
        let shape = if z == 1 { format!("{x} x {y}") } else { format!("{x} x {y} x {z}") };
        return Err(refused(format!(
            "a grid of {shape} blocks: expected at least 1 x 1, at most 65535 in y and in z"
        )));
    }
    if launch.cluster != (1, 1, 1) {
        return Err(refused("the emulated device has no clusters: launch it without".to_string()));
    }
    if launch.dynamic_shared_bytes > MOST_DYNAMIC_SHARED_BYTES {
        return Err(refused(format!(
            "{} bytes of dynamic shared memory: at most {MOST_DYNAMIC_SHARED_BYTES} fit",
            launch.dynamic_shared_bytes
        )));
    }
    Ok(())
}
