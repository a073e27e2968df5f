//! One CUDA device: its context and the driver calls behind [`Device`].

use super::compiler::Compiler;
use super::memory::{AdoptedMemory, DeviceMemory, PinnedMemory, device_of};
use super::queue::{CudaQueue, LoadedFunction, own_event};
use super::{ensure_driver, supported_cuda};
use crate::device::downcast_handle;
use crate::launch::KernelCache;
use crate::{
    Buffer, Device, DeviceError, DeviceInfo, Event, FailureKind, ForeignMemory, HostBuffer, Kernel,
    KernelResources, KernelSource, MemoryInfo, Priority, Queue,
};
use cudarc::driver::{
    CudaContext, CudaFunction, DriverError, result, sys, sys::CUdevice_attribute as Attribute,
};
use cudarc::nvrtc::Ptx;
use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

/// The answer for two GPUs without a direct connection: the driver then copies through the host, and NCCL does so itself.
const NO_PEER_ACCESS: sys::CUresult = sys::CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
/// The answer where peer access is enabled already.
const ALREADY_ENABLED: sys::CUresult = sys::CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;

/// A CUDA device. Its queues are non-default streams, so that graph capture stays possible.
pub struct CudaDevice {
    context: Arc<CudaContext>,
    queue: CudaQueue,
    info: DeviceInfo,
    compiler: Result<Compiler, DeviceError>,
    loaded: KernelCache,
}

impl CudaDevice {
    /// How many devices this process sees, numbered from 0: those of the machine, or of CUDA_VISIBLE_DEVICES where it is set.
    ///
    /// # Errors
    /// [`FailureKind::Unavailable`] when there is no driver or it sees none.
    pub fn count() -> Result<usize, DeviceError> {
        ensure_driver()?;
        let count =
            result::device::get_count().map_err(|error| describe("counting the CUDA devices", error))?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// Opens the device that CUDA numbers `ordinal`.
    ///
    /// # Errors
    /// [`FailureKind::Unavailable`] when there is no driver or no such device.
    pub fn open(ordinal: usize) -> Result<Self, DeviceError> {
        let count = Self::count()?;
        if ordinal >= count {
            return Err(DeviceError::unavailable(format!(
                "no device cuda:{ordinal}: the driver sees {count}, numbered from 0 (see repro doctor)"
            )));
        }
        let open = || -> Result<_, DriverError> {
            let context = CudaContext::new(ordinal)?;
            // SAFETY: cudarc's own tracking is not relied on: queues are ordered by events, and memory is freed synchronously.
            unsafe { context.disable_event_tracking() };
            let queue = CudaQueue::new(&context, Priority::Usual)?;
            let info = read_info(&context, ordinal)?;
            Ok((context, queue, info))
        };
        let (context, queue, mut info) =
            open().map_err(|error| describe(&format!("opening cuda:{ordinal}"), error))?;
        info.driver_cuda = supported_cuda()?;
        let compiler = Compiler::new(info.compute_capability);
        Ok(Self { context, queue, info, compiler, loaded: KernelCache::default() })
    }

    /// Its primary context, which other libraries use too.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Bytes of each parameter of a kernel, which drivers report from CUDA 12.4 on.
    fn parameter_bytes(&self, function: &CudaFunction) -> Option<Rc<[usize]>> {
        let version: Vec<u32> =
            self.info.driver_cuda.split('.').filter_map(|part| part.parse().ok()).collect();
        if version < vec![12, 4] {
            return None;
        }
        let mut all = Vec::new();
        loop {
            let (mut offset, mut bytes) = (0, 0);
            // SAFETY: the function's module is alive, both variables outlive the call, and the driver is new enough to have the call.
            let code = unsafe {
                sys::cuFuncGetParamInfo(function.cu_function(), all.len(), &mut offset, &mut bytes)
            };
            match code {
                sys::CUresult::CUDA_SUCCESS => all.push(bytes),
                // There is no parameter of this number.
                sys::CUresult::CUDA_ERROR_INVALID_VALUE => return Some(all.into()),
                _ => return None,
            }
        }
    }

    fn compiler_or_reason(&self) -> Result<&Compiler, DeviceError> {
        self.compiler.as_ref().map_err(Clone::clone)
    }
}

fn read_info(context: &Arc<CudaContext>, ordinal: usize) -> Result<DeviceInfo, DriverError> {
    let attribute = |which| context.attribute(which).map(|value| u32::try_from(value).unwrap_or(0));
    let (major, minor) = context.compute_capability()?;
    Ok(DeviceInfo {
        ordinal,
        name: context.name()?,
        uuid: format_uuid(&context.uuid()?),
        compute_capability: (major as u32, minor as u32),
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        memory_bytes: context.total_mem()? as u64,
        l2_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?.into(),
        shared_bytes_per_multiprocessor: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
        )?
        .into(),
        shared_bytes_per_block: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?
            .into(),
        registers_per_multiprocessor: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
        )?,
        threads_per_multiprocessor: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        clock_mhz: attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)? / 1000,
        driver_cuda: String::new(),
        emulated: false,
    })
}

/// The form that nvidia-smi and NVML use: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.
pub(super) fn format_uuid(uuid: &sys::CUuuid) -> String {
    let hex: Vec<String> = uuid.bytes.iter().map(|byte| format!("{:02x}", *byte as u8)).collect();
    let part = |range: std::ops::Range<usize>| hex[range].concat();
    format!("GPU-{}-{}-{}-{}-{}", part(0..4), part(4..6), part(6..8), part(8..10), part(10..16))
}

/// Makes this context current on the calling thread, for the driver and for other libraries.
pub fn make_current(context: &CudaContext) -> Result<(), DeviceError> {
    context.bind_to_thread().map_err(|error| describe("making a device current", error))
}

/// Turns a driver's error code into one line and a kind of failure.
pub(super) fn describe(action: &str, error: DriverError) -> DeviceError {
    use sys::CUresult as Code;
    let (kind, remedy) = match error.0 {
        Code::CUDA_ERROR_OUT_OF_MEMORY => {
            (FailureKind::OutOfMemory, "choose a smaller n or stop other programs on this device")
        }
        Code::CUDA_ERROR_NO_DEVICE | Code::CUDA_ERROR_INVALID_DEVICE => {
            (FailureKind::Unavailable, "check nvidia-smi and CUDA_VISIBLE_DEVICES")
        }
        Code::CUDA_ERROR_ILLEGAL_ADDRESS
        | Code::CUDA_ERROR_MISALIGNED_ADDRESS
        | Code::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | Code::CUDA_ERROR_LAUNCH_FAILED
        | Code::CUDA_ERROR_LAUNCH_TIMEOUT
        | Code::CUDA_ERROR_ASSERT => {
            (FailureKind::Lost, "the kernel is at fault: run it under compute-sanitizer")
        }
        Code::CUDA_ERROR_DEVICE_UNAVAILABLE
        | Code::CUDA_ERROR_ECC_UNCORRECTABLE
        | Code::CUDA_ERROR_DEINITIALIZED
        | Code::CUDA_ERROR_CONTEXT_IS_DESTROYED
        | Code::CUDA_ERROR_UNKNOWN => {
            (FailureKind::Lost, "the device stopped answering: check nvidia-smi and the kernel log")
        }
        Code::CUDA_ERROR_NO_BINARY_FOR_GPU | Code::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => (
            FailureKind::Other,
            "the compiler is newer than the driver: choose an older NVRTC (see repro doctor) or update the driver",
        ),
        _ => (FailureKind::Other, "see repro doctor"),
    };
    let name = format!("{:?}", error.0);
    DeviceError::new(kind, format!("{action} failed with {name}: {remedy}"))
}

impl Device for CudaDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn compiler(&self) -> Result<String, DeviceError> {
        self.compiler_or_reason().map(Compiler::version)
    }

    fn memory(&self) -> Result<MemoryInfo, DeviceError> {
        let (free, total) =
            self.context.mem_get_info().map_err(|error| describe("asking for free memory", error))?;
        Ok(MemoryInfo { free: free as u64, total: total as u64 })
    }

    fn allocate(&self, bytes: usize) -> Result<Buffer, DeviceError> {
        let memory = DeviceMemory::allocate(&self.context, bytes)
            .map_err(|error| describe(&format!("allocating {bytes} bytes of device memory"), error))?;
        Ok(Buffer { address: memory.address, bytes, owner: Box::new(memory) })
    }

    fn import_memory(&self, memory: ForeignMemory) -> Result<Buffer, DeviceError> {
        let ForeignMemory { address, bytes, owner } = memory;
        // From here on, even on an error, its owner gets it back only after all work that might read it.
        let owner = Box::new(AdoptedMemory::new(&self.context, owner));
        let own = self.info.ordinal;
        let found = device_of(&self.context, address)
            .map_err(|error| describe("asking whose memory an array is in", error))?;
        if found != Some(own) {
            let found =
                found.map_or("no GPU's memory".to_string(), |other| format!("memory of cuda:{other}"));
            return Err(DeviceError::other(format!(
                "an array that is said to be on cuda:{own} is at {address:#x}, which is {found}: copy it to cuda:{own}"
            )));
        }
        // The queue is ordered with no stream of the owner, the default stream included.
        self.synchronize_all()?;
        Ok(Buffer { address, bytes, owner })
    }

    fn allocate_host(&self, bytes: usize) -> Result<HostBuffer, DeviceError> {
        let memory = PinnedMemory::allocate(&self.context, bytes)
            .map_err(|error| describe(&format!("page-locking {bytes} bytes of host memory"), error))?;
        Ok(HostBuffer::new(memory, bytes))
    }

    fn load(&self, source: &KernelSource, kernels: &[&str]) -> Result<Vec<Kernel>, DeviceError> {
        self.loaded.get_or(source, kernels, || {
            let loaded = |image| self.context.load_module(Ptx::from_binary(image));
            let compiled = || self.compiler_or_reason()?.compile(source);
            let module = match source.cubin.as_ref().map(|code| loaded(code.to_vec())) {
                Some(module) if module.is_ok() || source.text.is_empty() => module,
                // Drivers of an earlier CUDA do not take code of a later one.
                _ => loaded(compiled()?),
            };
            let module = module.map_err(|error| describe(&format!("loading {}", source.file), error))?;
            let load = |name: &&str| {
                let function = module.load_function(name).map_err(|error| {
                    describe(&format!("finding the kernel {name} in {}", source.file), error)
                })?;
                let shared = function.shared_size_bytes();
                let shared = shared.map_err(|error| {
                    describe(&format!("asking how much shared memory {name} takes"), error)
                })?;
                let parameters = self.parameter_bytes(&function);
                let loaded = LoadedFunction { function, shared_bytes: shared as u32 };
                Ok(Kernel::new(name, parameters, loaded))
            };
            kernels.iter().map(load).collect()
        })
    }

    fn resources(
        &self,
        kernel: &Kernel,
        threads: u32,
        dynamic_shared_bytes: u32,
    ) -> Result<KernelResources, DeviceError> {
        let loaded: &LoadedFunction = kernel.handle()?;
        let failed = |error| describe(&format!("reading the resources of {}", kernel.name), error);
        Ok(KernelResources {
            kernel: kernel.name.to_string(),
            registers: loaded.function.num_regs().map_err(failed)? as u32,
            shared_bytes: loaded.shared_bytes + dynamic_shared_bytes,
            local_bytes: loaded.function.local_size_bytes().map_err(failed)? as u32,
            threads,
            resident_blocks: self.max_active_blocks(kernel, threads, dynamic_shared_bytes)?,
        })
    }

    fn max_active_blocks(
        &self,
        kernel: &Kernel,
        threads: u32,
        dynamic_shared_bytes: u32,
    ) -> Result<u32, DeviceError> {
        let loaded: &LoadedFunction = kernel.handle()?;
        loaded.allow_dynamic_shared(kernel, dynamic_shared_bytes)?;
        loaded
            .function
            .occupancy_max_active_blocks_per_multiprocessor(threads, dynamic_shared_bytes as usize, None)
            .map_err(|error| describe(&format!("asking how many blocks of {} fit", kernel.name), error))
    }

    fn queue(&self) -> &dyn Queue {
        &self.queue
    }

    fn new_queue(&self, priority: Priority) -> Result<Box<dyn Queue>, DeviceError> {
        let queue = CudaQueue::new(&self.context, priority)
            .map_err(|error| describe("creating another queue", error))?;
        Ok(Box::new(queue))
    }

    fn synchronize_all(&self) -> Result<(), DeviceError> {
        self.context.synchronize().map_err(|error| describe("waiting for the device", error))
    }

    fn reset_caches(&self) -> Result<(), DeviceError> {
        let reset = || -> Result<(), DriverError> {
            self.context.bind_to_thread()?;
            // SAFETY: it takes nothing, and the context is bound.
            unsafe { sys::cuCtxResetPersistingL2Cache() }.result()
        };
        reset().map_err(|error| describe("resetting the L2 cache", error))
    }

    fn enable_peer_access(&self, other: &dyn Device) -> Result<(), DeviceError> {
        let other: &Self = downcast_handle(other.as_any(), "a device")?;
        if self.info.ordinal == other.info.ordinal {
            return Ok(());
        }
        let failed = |error| {
            let action = format!("cuda:{} reaching cuda:{}", self.info.ordinal, other.info.ordinal);
            describe(&action, error)
        };
        self.context.bind_to_thread().map_err(failed)?;
        // SAFETY: both contexts are alive, and this device's is current.
        let answer = unsafe { sys::cuCtxEnablePeerAccess(other.context.cu_ctx(), 0) };
        match answer {
            ALREADY_ENABLED | NO_PEER_ACCESS => Ok(()),
            _ => answer.result().map_err(failed),
        }
    }

    fn is_complete(&self, event: &Event) -> Result<bool, DeviceError> {
        let event = own_event(event)?.cu_event();
        // SAFETY: the event is alive.
        match unsafe { sys::cuEventQuery(event) } {
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            answer => {
                answer.result().map(|()| true).map_err(|error| describe("the work on the device", error))
            }
        }
    }

    fn seconds_between(&self, start: &Event, end: &Event) -> Result<f64, DeviceError> {
        let milliseconds = own_event(start)?
            .elapsed_ms(own_event(end)?)
            .map_err(|error| describe("reading the event clock", error))?;
        Ok(f64::from(milliseconds) * 1e-3)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
