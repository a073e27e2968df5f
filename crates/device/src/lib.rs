//! Devices that run kernels: memory, copies, launches and events behind one trait, so that the host schedule of an
//! implementation is the same on every device.
//!
//! Work on a device is queued in order and runs asynchronously; [`Device::synchronize`] waits for it and reports what
//! went wrong in it.

mod cache;
pub mod cuda;
pub mod emulated;
mod error;
pub mod gpus;
mod memory;
mod selection;
mod source;
pub mod telemetry;

pub use cache::cache_folder;
pub use error::{DeviceError, FailureKind};
pub use memory::{Buffer, HostBuffer};
pub use selection::{Selection, SelectionError};
pub use source::{KernelSource, source_hash};

use emulated::LaunchCounts;
use serde::{Deserialize, Serialize};
use std::any::Any;

/// What a device is, as far as results depend on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// The index CUDA gives it.
    pub ordinal: usize,
    pub name: String,
    /// Stable across restarts; tells two devices of one model apart.
    pub uuid: String,
    /// Compute capability, for example (9, 0).
    pub compute_capability: (u32, u32),
    pub multiprocessors: u32,
    /// Device memory, bytes.
    pub memory_bytes: u64,
    pub l2_bytes: u64,
    pub shared_bytes_per_multiprocessor: u64,
    pub registers_per_multiprocessor: u32,
    pub threads_per_multiprocessor: u32,
    /// The highest clock of the multiprocessors that the driver names, MHz.
    pub clock_mhz: u32,
    /// The newest CUDA that the driver supports, for example "13.0".
    pub driver_cuda: String,
    /// Whether it runs kernels on the CPU, to check and to count: its seconds mean nothing and are never measured.
    #[serde(default)]
    pub emulated: bool,
}

/// What the driver says a compiled kernel takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelResources {
    pub kernel: String,
    /// Registers a thread.
    pub registers: u32,
    /// Shared memory a block, static and dynamic, bytes.
    pub shared_bytes: u32,
    /// Local memory a thread, bytes: spills and arrays that did not fit into registers.
    pub local_bytes: u32,
    /// Threads a block in the launches of this kernel.
    pub threads: u32,
    /// Blocks of that many threads that fit on one multiprocessor at once.
    pub resident_blocks: u32,
}

/// Device memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryInfo {
    pub free: u64,
    pub total: u64,
}

/// A kernel ready to be launched on the device that loaded it.
pub struct Kernel {
    /// Its name in the source file.
    pub name: &'static str,
    handle: u64,
    owner: Box<dyn Any>,
}

/// A point in the queue of a device's work, whose time can be read once it was reached.
pub struct Event {
    owner: Box<dyn Any>,
}

/// Launches that can be queued again as one.
pub struct LaunchGraph {
    owner: Box<dyn Any>,
}

/// The shape of one launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Launch {
    /// Blocks in x and y.
    pub grid: (u32, u32),
    /// Threads a block in x and y.
    pub block: (u32, u32),
    /// Shared memory a block beyond what the kernel declares, bytes.
    pub dynamic_shared_bytes: u32,
}

impl Launch {
    /// `grid` blocks of `threads` threads in a row.
    pub fn rows_of(grid: (usize, usize), threads: u32) -> Self {
        // A grid of this size would need more than 2^32 tiles a side, beyond any memory.
        let narrow = |blocks: usize| u32::try_from(blocks).unwrap_or(u32::MAX);
        Self { grid: (narrow(grid.0), narrow(grid.1)), block: (threads, 1), dynamic_shared_bytes: 0 }
    }

    /// Threads a block.
    pub fn threads(&self) -> u32 {
        self.block.0 * self.block.1
    }
}

/// One argument of a launch, in the order of the kernel's parameters.
#[derive(Clone, Copy)]
pub enum Argument<'a> {
    Buffer(&'a Buffer),
    Int(i32),
    Float(f32),
}

/// A device with one queue of work.
pub trait Device {
    fn info(&self) -> &DeviceInfo;

    /// What compiles kernels for this device, with its version.
    ///
    /// # Errors
    /// When there is no compiler: kernels cannot be loaded then.
    fn compiler(&self) -> Result<String, DeviceError>;

    /// # Errors
    /// When the device does not answer.
    fn memory(&self) -> Result<MemoryInfo, DeviceError>;

    /// Device memory for `bytes` bytes, contents undefined; freed when dropped.
    ///
    /// # Errors
    /// [`FailureKind::OutOfMemory`] when it is not to be had.
    fn allocate(&self, bytes: usize) -> Result<Buffer, DeviceError>;

    /// Page-locked host memory for `entries` floats, which copies reach at full speed.
    ///
    /// # Errors
    /// When the host has none to lock.
    fn allocate_host(&self, entries: usize) -> Result<HostBuffer, DeviceError>;

    /// Compiles `source` for this device, or takes it from the cache, and finds `kernels` in it.
    ///
    /// # Errors
    /// When it does not compile or a kernel is missing.
    fn load(&self, source: &KernelSource, kernels: &[&'static str]) -> Result<Vec<Kernel>, DeviceError>;

    /// What `kernel` takes when launched with `threads` threads and so much dynamic shared memory a block.
    ///
    /// # Errors
    /// When the driver does not tell.
    fn resources(
        &self,
        kernel: &Kernel,
        threads: u32,
        dynamic_shared_bytes: u32,
    ) -> Result<KernelResources, DeviceError>;

    /// How many blocks of `threads` threads of `kernel` one multiprocessor holds at once.
    ///
    /// # Errors
    /// When the driver does not tell.
    fn resident_blocks(&self, kernel: &Kernel, threads: u32) -> Result<u32, DeviceError>;

    /// Queues a copy of the first `entries` floats of `from`.
    ///
    /// # Errors
    /// When either is too small or the copy cannot be queued.
    fn upload(&self, from: &HostBuffer, to: &Buffer, entries: usize) -> Result<(), DeviceError>;

    /// Queues a copy of the first `entries` floats of `from`; `to` holds them after [`Device::synchronize`].
    ///
    /// # Errors
    /// When either is too small or the copy cannot be queued.
    fn download(&self, from: &Buffer, to: &mut HostBuffer, entries: usize) -> Result<(), DeviceError>;

    /// Queues a copy of the first `bytes` bytes within the device.
    ///
    /// # Errors
    /// When either is too small or the copy cannot be queued.
    fn copy(&self, from: &Buffer, to: &Buffer, bytes: usize) -> Result<(), DeviceError>;

    /// Queues one launch.
    ///
    /// # Errors
    /// When the device refuses the launch; what goes wrong inside the kernel shows at [`Device::synchronize`].
    fn launch(&self, kernel: &Kernel, launch: Launch, arguments: &[Argument]) -> Result<(), DeviceError>;

    /// Takes up what `queue` queues, launches alone, as a graph, without running it.
    ///
    /// # Errors
    /// When `queue` fails or the device makes no graph of it.
    fn capture(&self, queue: &mut dyn FnMut() -> Result<(), DeviceError>)
    -> Result<LaunchGraph, DeviceError>;

    /// Queues a graph.
    ///
    /// # Errors
    /// When the device refuses it.
    fn replay(&self, graph: &LaunchGraph) -> Result<(), DeviceError>;

    /// A new event, not yet in the queue.
    ///
    /// # Errors
    /// When the device has none left.
    fn event(&self) -> Result<Event, DeviceError>;

    /// Queues `event`.
    ///
    /// # Errors
    /// When it cannot be queued.
    fn record(&self, event: &Event) -> Result<(), DeviceError>;

    /// Seconds on the device's own clock between two events that were reached.
    ///
    /// # Errors
    /// When either was not.
    fn seconds_between(&self, start: &Event, end: &Event) -> Result<f64, DeviceError>;

    /// Waits for all queued work.
    ///
    /// # Errors
    /// What went wrong in that work, a faulting kernel included.
    fn synchronize(&self) -> Result<(), DeviceError>;

    /// What the launches since the last call did to memory, on a device that counts; nothing on others.
    fn take_counts(&self) -> Vec<LaunchCounts> {
        Vec::new()
    }
}
