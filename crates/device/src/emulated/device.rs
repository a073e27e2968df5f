//! The emulated device behind [`Device`].

use super::Instruments;
use super::counts::LaunchCounts;
use super::finding::{Finding, Findings};
use super::launch::{self, Job};
use super::memory::Memory;
use super::module::{Entry, Module};
use super::toolchain::Toolchain;
use crate::{
    Argument, Buffer, Device, DeviceError, DeviceInfo, Event, HostBuffer, Kernel, KernelResources,
    KernelSource, Launch, LaunchGraph, MemoryInfo,
};
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

/// A device that runs kernels on the CPU. What is queued is done at once.
pub struct EmulatedDevice {
    info: DeviceInfo,
    toolchain: Toolchain,
    instruments: Instruments,
    memories: RefCell<Vec<Weak<Memory>>>,
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
    /// Opens the device with these instruments.
    ///
    /// # Errors
    /// When there is no C++ compiler; the message says how to get one.
    pub fn open(instruments: Instruments) -> Result<Self, DeviceError> {
        let toolchain = Toolchain::find()?;
        let info = DeviceInfo {
            ordinal: 0,
            name: "emulated CUDA device".to_string(),
            uuid: "emulated".to_string(),
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
        Ok(Self {
            info,
            toolchain,
            instruments,
            memories: RefCell::default(),
            launches: Cell::new(0),
            counts: RefCell::default(),
            findings: RefCell::default(),
            problem: RefCell::default(),
        })
    }

    /// What was found since it was last asked. Nothing of it fails a later [`Device::synchronize`].
    pub fn take_findings(&self) -> Vec<Finding> {
        self.problem.take();
        self.findings.borrow_mut().take()
    }

    fn memory_of(buffer: &Buffer) -> Result<&Memory, DeviceError> {
        buffer
            ._owner
            .downcast_ref::<Rc<Memory>>()
            .map(|memory| &**memory)
            .ok_or_else(|| DeviceError::other("a buffer of another device: this is a defect of repro"))
    }

    fn check_room(what: &str, needed: usize, has: usize) -> Result<(), DeviceError> {
        if needed <= has {
            return Ok(());
        }
        Err(DeviceError::other(format!(
            "{what} needs {needed} bytes and the buffer has {has}: this is a defect of repro"
        )))
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
            return Err(refused(format!(
                "{} threads a block: expected 1 to {MOST_THREADS}",
                launch.threads()
            )));
        }
        if launch.grid.0 == 0 || launch.grid.1 == 0 || launch.grid.1 > 65_535 {
            let (x, y) = launch.grid;
            return Err(refused(format!(
                "a grid of {x} x {y} blocks: expected at least 1 x 1, at most 65535 in y"
            )));
        }
        if launch.dynamic_shared_bytes > MOST_DYNAMIC_SHARED_BYTES {
            return Err(refused(format!(
                "{} bytes of dynamic shared memory: at most {MOST_DYNAMIC_SHARED_BYTES} fit",
                launch.dynamic_shared_bytes
            )));
        }
        Ok(())
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
        let share = if self.instruments.check { 24 } else { 1 };
        let free = repro_graph::available_memory().map_or(u64::MAX, |free| free / share);
        Ok(MemoryInfo { free, total: free })
    }

    fn allocate(&self, bytes: usize) -> Result<Buffer, DeviceError> {
        let memory = Memory::allocate(bytes, self.instruments.check)
            .ok_or_else(|| DeviceError::out_of_memory("an emulated buffer", bytes as u64, 0))?;
        let memory = Rc::new(memory);
        let mut known = self.memories.borrow_mut();
        known.retain(|weak| weak.strong_count() > 0);
        if known.len() >= usize::from(u16::MAX) {
            return Err(DeviceError::other("more than 65534 buffers at once on the emulated device"));
        }
        known.push(Rc::downgrade(&memory));
        Ok(Buffer { address: memory.address() as u64, bytes, _owner: Box::new(memory) })
    }

    fn allocate_host(&self, entries: usize) -> Result<HostBuffer, DeviceError> {
        HostBuffer::pageable(entries)
            .ok_or_else(|| DeviceError::out_of_memory("a host buffer", (entries * 4) as u64, 0))
    }

    fn load(&self, source: &KernelSource, kernels: &[&'static str]) -> Result<Vec<Kernel>, DeviceError> {
        let path = self.toolchain.library(source, kernels, self.instruments)?;
        let module = Module::load(&path, source).inspect_err(|_| {
            // Kept, it would fail every time; the next load compiles it again.
            let _ = std::fs::remove_file(&path);
        })?;
        let module = Rc::new(module);
        kernels
            .iter()
            .map(|&name| {
                let (entry, arity) = module.entry(name)?;
                let loaded = Loaded { module: module.clone(), entry, arity };
                Ok(Kernel { name, handle: 0, owner: Box::new(loaded) })
            })
            .collect()
    }

    fn resources(&self, kernel: &Kernel, _: u32, _: u32) -> Result<KernelResources, DeviceError> {
        Err(DeviceError::other(format!("{}: an emulated kernel has no registers to tell of", kernel.name)))
    }

    fn resident_blocks(&self, _kernel: &Kernel, threads: u32) -> Result<u32, DeviceError> {
        Ok((MOST_THREADS / threads.max(1)).max(1))
    }

    fn upload(&self, from: &HostBuffer, to: &Buffer, entries: usize) -> Result<(), DeviceError> {
        let bytes = entries * size_of::<f32>();
        Self::check_room("a copy to the device", bytes, (from.len() * size_of::<f32>()).min(to.bytes))?;
        let memory = Self::memory_of(to)?;
        memory.write_floats(&from[..entries]);
        memory.fill(bytes);
        Ok(())
    }

    fn download(&self, from: &Buffer, to: &mut HostBuffer, entries: usize) -> Result<(), DeviceError> {
        let bytes = entries * size_of::<f32>();
        Self::check_room("a copy from the device", bytes, (to.len() * size_of::<f32>()).min(from.bytes))?;
        to[..entries].copy_from_slice(Self::memory_of(from)?.floats(entries));
        Ok(())
    }

    fn copy(&self, from: &Buffer, to: &Buffer, bytes: usize) -> Result<(), DeviceError> {
        Self::check_room("a copy within the device", bytes, from.bytes.min(to.bytes))?;
        let to = Self::memory_of(to)?;
        Self::memory_of(from)?.copy_to(to, bytes);
        to.fill(bytes);
        Ok(())
    }

    fn launch(&self, kernel: &Kernel, launch: Launch, arguments: &[Argument]) -> Result<(), DeviceError> {
        let loaded = kernel
            .owner
            .downcast_ref::<Loaded>()
            .ok_or_else(|| DeviceError::other(format!("{} belongs to another device", kernel.name)))?;
        Self::check_launch(kernel, launch)?;
        Self::check_shared(kernel, loaded.module.shared_bytes_in(kernel.name))?;
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
        // A kernel reads as many of the eight bytes as its parameter has.
        let values: Vec<u64> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Buffer(buffer) => buffer.address,
                Argument::Int(int) => u64::from(int.cast_unsigned()),
                Argument::Float(float) => u64::from(float.to_bits()),
            })
            .collect();
        let pointers: Vec<usize> =
            values.iter().map(|value| std::ptr::from_ref(value).cast::<c_void>() as usize).collect();
        let owners: Vec<Rc<Memory>> = self.memories.borrow().iter().filter_map(Weak::upgrade).collect();
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
        let outcome = launch::run(&job, kernel.name);
        let stopped = job.stopped.into_inner();
        let mut findings = self.findings.borrow_mut();
        let first = outcome.findings.first().map(ToString::to_string);
        outcome.findings.into_iter().for_each(|finding| findings.add(finding));
        if stopped {
            *self.problem.borrow_mut() =
                outcome.problem.or(first).or(Some("a launch was not finished".into()));
        }
        // Those of the functions that it calls are known from their use.
        Self::check_shared(kernel, outcome.counts.shared_bytes)?;
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

    fn capture(&self, _: &mut dyn FnMut() -> Result<(), DeviceError>) -> Result<LaunchGraph, DeviceError> {
        Err(DeviceError::other("the emulated device has no graphs: what is queued is done at once"))
    }

    fn replay(&self, _graph: &LaunchGraph) -> Result<(), DeviceError> {
        Err(DeviceError::other("the emulated device has no graphs: what is queued is done at once"))
    }

    fn event(&self) -> Result<Event, DeviceError> {
        Err(DeviceError::other("the emulated device has no clock: its seconds would mean nothing"))
    }

    fn record(&self, _event: &Event) -> Result<(), DeviceError> {
        Err(DeviceError::other("the emulated device has no clock: its seconds would mean nothing"))
    }

    fn seconds_between(&self, _start: &Event, _end: &Event) -> Result<f64, DeviceError> {
        Err(DeviceError::other("the emulated device has no clock: its seconds would mean nothing"))
    }

    /// Tells what the checker found since the last time.
    fn synchronize(&self) -> Result<(), DeviceError> {
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

    fn take_counts(&self) -> Vec<LaunchCounts> {
        self.counts.take()
    }
}
