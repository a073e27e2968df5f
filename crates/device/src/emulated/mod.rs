//! The emulated device of `repro-emulator` as a [`Device`](crate::Device): what a schedule queues on it is checked and counted.

mod queue;

pub use repro_emulator::{
    BankCounts, COMPILER_VARIABLE, Counts, FIELDS, Finding, FindingKind, GlobalCounts, Instruments,
    LaunchCounts, Options, SECTOR_BYTES, SharedCounts, SourceLocation, Toolchain, cache_folder,
};

use crate::device::downcast_handle;
use crate::launch::KernelCache;
use crate::{
    Buffer, Device, DeviceError, DeviceInfo, Event, ForeignMemory, HostBuffer, Kernel, KernelResources,
    KernelSource, MemoryInfo, Priority, Queue,
};
use queue::EmulatedQueue;
use repro_base::files::FolderError;
use repro_emulator::{DeviceMemory, Emulator, EmulatorError, Source};
use std::any::Any;

impl From<EmulatorError> for DeviceError {
    fn from(error: EmulatorError) -> Self {
        match error {
            EmulatorError::Unavailable(words) => Self::unavailable(words),
            EmulatorError::OutOfMemory { what, bytes } => Self::out_of_memory(&what, bytes, 0),
            EmulatorError::Refused(words) => Self::other(words),
        }
    }
}

/// The C++ compiler that emulated kernels would be compiled with.
///
/// # Errors
/// When there is none; the message says how to get one.
pub fn toolchain() -> Result<Toolchain, DeviceError> {
    Ok(Toolchain::find()?)
}

/// Memory that another library owns. To drop it needs no wait: emulated work is done when it is queued.
struct ImportedMemory {
    // Dropped in this order.
    _memory: DeviceMemory,
    _owner: Box<dyn Send>,
}

/// A device that runs kernels on the CPU.
pub struct EmulatedDevice {
    info: DeviceInfo,
    emulator: Emulator,
    queue: EmulatedQueue,
    loaded: KernelCache,
}

impl EmulatedDevice {
    /// Opens the first device with these instruments.
    ///
    /// # Errors
    /// When there is no C++ compiler; the message says how to get one.
    pub fn open(instruments: Instruments) -> Result<Self, DeviceError> {
        Self::open_ordinal(0, instruments)
    }

    /// Opens the device of this number. Every number is valid: each call makes a device.
    ///
    /// # Errors
    /// As [`EmulatedDevice::open`].
    pub fn open_ordinal(ordinal: usize, instruments: Instruments) -> Result<Self, DeviceError> {
        Self::open_with(ordinal, Self::default_options(instruments))
    }

    /// Opens the device of this number with these options, for example another compute capability or order.
    ///
    /// # Errors
    /// As [`EmulatedDevice::open`], and when the compute capability cannot be emulated.
    pub fn open_with(ordinal: usize, options: Options) -> Result<Self, DeviceError> {
        let emulator = Emulator::open(options)?;
        let info = DeviceInfo {
            ordinal,
            name: "emulated CUDA device".to_string(),
            uuid: if ordinal == 0 { "emulated".to_string() } else { format!("emulated-{ordinal}") },
            compute_capability: emulator.capability(),
            multiprocessors: emulator.options().multiprocessors,
            // The memory is the host's, whose record has it; how much of it is free changes from run to run.
            memory_bytes: 0,
            l2_bytes: 0,
            shared_bytes_per_multiprocessor: u64::from(emulator.most_dynamic_shared_bytes()),
            shared_bytes_per_block: u64::from(emulator.most_dynamic_shared_bytes()),
            registers_per_multiprocessor: 0,
            threads_per_multiprocessor: emulator.most_threads(),
            clock_mhz: 0,
            driver_cuda: String::new(),
            emulated: true,
        };
        let queue = EmulatedQueue::of(emulator.stream());
        Ok(Self { info, emulator, queue, loaded: KernelCache::default() })
    }

    /// The options of [`EmulatedDevice::open`]: the emulator's own, and as cache the folder that has the compiled kernels for GPUs, too.
    pub fn default_options(instruments: Instruments) -> Options {
        let mut options = Options::new(instruments);
        // A folder that is refused here is refused again, with its reason, when a kernel is to be kept.
        options.cache = cache_folder()
            .unwrap_or_else(|(FolderError::Unmakable { path, .. } | FolderError::Unsafe { path, .. })| path);
        options
    }

    /// The options that it was opened with.
    pub fn options(&self) -> &Options {
        self.emulator.options()
    }

    /// Takes the findings since the last call. They do not fail a later [`Queue::synchronize`] any more.
    pub fn take_findings(&self) -> Vec<Finding> {
        self.emulator.take_findings()
    }
}

impl Device for EmulatedDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn compiler(&self) -> Result<String, DeviceError> {
        Ok(self.emulator.toolchain().version().to_string())
    }

    fn memory(&self) -> Result<MemoryInfo, DeviceError> {
        let share = self.emulator.host_bytes_a_byte();
        let free = repro_graph::available_memory().map_or(u64::MAX, |free| free / share);
        Ok(MemoryInfo { free, total: free })
    }

    fn allocate(&self, bytes: usize) -> Result<Buffer, DeviceError> {
        let memory = self.emulator.allocate(bytes)?;
        Ok(Buffer { address: memory.address(), bytes, owner: Box::new(memory) })
    }

    fn import_memory(&self, memory: ForeignMemory) -> Result<Buffer, DeviceError> {
        let ForeignMemory { address, bytes, owner } = memory;
        // SAFETY: whoever made it promised that the bytes may be read until its owner is dropped, which is after the result and every clone
        // of that. Copies take no buffer of this kind, and a kernel writes only what its launch lets it.
        let _memory = unsafe { self.emulator.adopt(address, bytes)? };
        Ok(Buffer { address, bytes, owner: Box::new(ImportedMemory { _memory, _owner: owner }) })
    }

    fn allocate_host(&self, bytes: usize) -> Result<HostBuffer, DeviceError> {
        HostBuffer::pageable(bytes)
            .ok_or_else(|| DeviceError::out_of_memory("a host buffer", bytes as u64, 0))
    }

    fn load(&self, source: &KernelSource, kernels: &[&str]) -> Result<Vec<Kernel>, DeviceError> {
        self.loaded.get_or(source, kernels, || {
            if source.text.is_empty() && source.cubin.is_some() {
                return Err(DeviceError::unavailable(format!(
                    "{} is machine code, which runs on a GPU alone: give the CUDA source to run it on the emulated device",
                    source.file
                )));
            }
            let source = Source {
                // Architecture-specific targets such as sm_90a came with 9.0.
                architecture_specific: source.architecture_specific && self.info.compute_capability >= (9, 0),
                ..Source::new(&*source.file, source.expanded())
            };
            let loaded = self.emulator.load(&source, kernels)?;
            let known = |(kernel, name): (repro_emulator::KernelHandle, &&str)| {
                let parameters = kernel.parameter_bytes().into();
                Kernel::new(name, Some(parameters), kernel)
            };
            Ok(loaded.into_iter().zip(kernels).map(known).collect())
        })
    }

    fn resources(&self, kernel: &Kernel, _: u32, _: u32) -> Result<KernelResources, DeviceError> {
        Err(DeviceError::other(format!("{}: an emulated kernel has no registers to tell of", kernel.name)))
    }

    fn max_active_blocks(
        &self,
        _: &Kernel,
        threads: u32,
        dynamic_shared_bytes: u32,
    ) -> Result<u32, DeviceError> {
        let by_shared = self.emulator.most_dynamic_shared_bytes() / dynamic_shared_bytes.max(1);
        Ok((self.emulator.most_threads() / threads.max(1)).min(by_shared).max(1))
    }

    fn queue(&self) -> &dyn Queue {
        &self.queue
    }

    fn new_queue(&self, _: Priority) -> Result<Box<dyn Queue>, DeviceError> {
        Ok(Box::new(EmulatedQueue::of(self.emulator.stream())))
    }

    fn enable_peer_access(&self, other: &dyn Device) -> Result<(), DeviceError> {
        self.emulator.reach(&downcast_handle::<Self>(other.as_any(), "a device")?.emulator);
        Ok(())
    }

    fn is_complete(&self, _: &Event) -> Result<bool, DeviceError> {
        // Work is done when it is queued.
        Ok(true)
    }

    fn seconds_between(&self, _start: &Event, _end: &Event) -> Result<f64, DeviceError> {
        Err(DeviceError::other("the emulated device has no clock: its seconds would mean nothing"))
    }

    fn take_counts(&self) -> Vec<LaunchCounts> {
        self.emulator.take_counts()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
