//! One CUDA device: context, one stream, and the driver calls behind [`Device`].

use super::compiler::Compiler;
use super::memory::{DeviceMemory, PinnedMemory};
use super::probe::{ensure_driver, supported_cuda};
use crate::{
    Argument, Buffer, Device, DeviceError, DeviceInfo, Event, FailureKind, HostBuffer, Kernel,
    KernelResources, KernelSource, Launch, LaunchGraph, MemoryInfo,
};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaGraph, CudaStream, DriverError, result, sys,
    sys::CUdevice_attribute as Attribute,
};
use cudarc::nvrtc::Ptx;
use std::ffi::c_void;
use std::sync::Arc;

/// The most parameters that a kernel of this project takes.
const MOST_ARGUMENTS: usize = 16;

/// Dynamic shared memory a block that every kernel gets without asking.
const GRANTED_SHARED_BYTES: u32 = 48 << 10;

/// A CUDA device with one non-default stream, so that graph capture stays possible.
pub struct CudaDevice {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    info: DeviceInfo,
    compiler: Result<Compiler, DeviceError>,
}

impl CudaDevice {
    /// Opens the device that CUDA numbers `ordinal`.
    ///
    /// # Errors
    /// [`FailureKind::Unavailable`] when there is no driver or no such device.
    pub fn open(ordinal: usize) -> Result<Self, DeviceError> {
        ensure_driver()?;
        let count =
            result::device::get_count().map_err(|error| describe("counting the CUDA devices", error))?;
        if ordinal >= usize::try_from(count).unwrap_or(0) {
            return Err(DeviceError::unavailable(format!(
                "no device cuda:{ordinal}: the driver sees {count}, numbered from 0 (see repro doctor)"
            )));
        }
        let open = || -> Result<_, DriverError> {
            let context = CudaContext::new(ordinal)?;
            // SAFETY: cudarc's own tracking is not relied on: there is one stream, and memory is freed synchronously.
            unsafe { context.disable_event_tracking() };
            let stream = context.new_stream()?;
            let info = read_info(&context, ordinal)?;
            Ok((context, stream, info))
        };
        let (context, stream, mut info) =
            open().map_err(|error| describe(&format!("opening cuda:{ordinal}"), error))?;
        info.driver_cuda = supported_cuda()?;
        let compiler = Compiler::new(info.compute_capability);
        Ok(Self { context, stream, info, compiler })
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
fn format_uuid(uuid: &sys::CUuuid) -> String {
    let hex: Vec<String> = uuid.bytes.iter().map(|byte| format!("{:02x}", *byte as u8)).collect();
    let part = |range: std::ops::Range<usize>| hex[range].concat();
    format!("GPU-{}-{}-{}-{}-{}", part(0..4), part(4..6), part(6..8), part(8..10), part(10..16))
}

/// Turns a driver's error code into one line, and sorts it.
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

fn too_small(what: &str, needed: usize, has: usize) -> DeviceError {
    DeviceError::other(format!(
        "{what} needs {needed} bytes and the buffer has {has}: this is a defect of repro"
    ))
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
        Ok(Buffer { address: memory.address, bytes, _owner: Box::new(memory) })
    }

    fn allocate_host(&self, entries: usize) -> Result<HostBuffer, DeviceError> {
        let memory = PinnedMemory::allocate(&self.context, entries)
            .map_err(|error| describe(&format!("page-locking host memory for {entries} floats"), error))?;
        Ok(HostBuffer { storage: Box::new(memory) })
    }

    fn load(&self, source: &KernelSource, kernels: &[&'static str]) -> Result<Vec<Kernel>, DeviceError> {
        let image = self.compiler_or_reason()?.compile(source)?;
        let module = self
            .context
            .load_module(Ptx::from_binary(image))
            .map_err(|error| describe(&format!("loading {}", source.file), error))?;
        kernels
            .iter()
            .map(|&name| {
                let function = module.load_function(name).map_err(|error| {
                    describe(&format!("finding the kernel {name} in {}", source.file), error)
                })?;
                Ok(Kernel { name, handle: function.cu_function() as u64, owner: Box::new(function) })
            })
            .collect()
    }

    fn resources(
        &self,
        kernel: &Kernel,
        threads: u32,
        dynamic_shared_bytes: u32,
    ) -> Result<KernelResources, DeviceError> {
        let function = own_function(kernel)?;
        let read = || -> Result<_, DriverError> {
            Ok(KernelResources {
                kernel: kernel.name.to_string(),
                registers: function.num_regs()? as u32,
                shared_bytes: function.shared_size_bytes()? as u32 + dynamic_shared_bytes,
                local_bytes: function.local_size_bytes()? as u32,
                threads,
                resident_blocks: function.occupancy_max_active_blocks_per_multiprocessor(
                    threads,
                    dynamic_shared_bytes as usize,
                    None,
                )?,
            })
        };
        read().map_err(|error| describe(&format!("reading the resources of {}", kernel.name), error))
    }

    fn resident_blocks(&self, kernel: &Kernel, threads: u32) -> Result<u32, DeviceError> {
        own_function(kernel)?
            .occupancy_max_active_blocks_per_multiprocessor(threads, 0, None)
            .map_err(|error| describe(&format!("asking how many blocks of {} fit", kernel.name), error))
    }

    fn upload(&self, from: &HostBuffer, to: &Buffer, entries: usize) -> Result<(), DeviceError> {
        let bytes = entries * size_of::<f32>();
        let host =
            from.get(..entries).ok_or_else(|| too_small("a copy to the device", bytes, from.len() * 4))?;
        if to.bytes < bytes {
            return Err(too_small("a copy to the device", bytes, to.bytes));
        }
        // SAFETY: both ranges are in bounds. Of page-locked memory `from` outlives the copy, since dropping it waits; pageable
        // memory the driver has read, into buffers of its own, when the call returns.
        unsafe { result::memcpy_htod_async(to.address, host, self.stream.cu_stream()) }
            .map_err(|error| describe("copying to the device", error))
    }

    fn download(&self, from: &Buffer, to: &mut HostBuffer, entries: usize) -> Result<(), DeviceError> {
        let bytes = entries * size_of::<f32>();
        let room = to.len() * 4;
        let host = to.get_mut(..entries).ok_or_else(|| too_small("a copy from the device", bytes, room))?;
        if from.bytes < bytes {
            return Err(too_small("a copy from the device", bytes, from.bytes));
        }
        // SAFETY: both ranges are in bounds. If `to` is page-locked, the driver keeps it mapped until the copy is done;
        // dropping it waits, and reading it early sees old or new floats, never invalid ones. Pageable memory is filled when
        // the call returns.
        unsafe { result::memcpy_dtoh_async(host, from.address, self.stream.cu_stream()) }
            .map_err(|error| describe("copying from the device", error))
    }

    fn copy(&self, from: &Buffer, to: &Buffer, bytes: usize) -> Result<(), DeviceError> {
        if bytes > from.bytes.min(to.bytes) {
            return Err(too_small("a copy within the device", bytes, from.bytes.min(to.bytes)));
        }
        // SAFETY: both ranges are in bounds and belong to different allocations, or to one copied onto itself.
        unsafe { result::memcpy_dtod_async(to.address, from.address, bytes, self.stream.cu_stream()) }
            .map_err(|error| describe("copying within the device", error))
    }

    fn launch(&self, kernel: &Kernel, launch: Launch, arguments: &[Argument]) -> Result<(), DeviceError> {
        let mut values = [0u64; MOST_ARGUMENTS];
        let mut pointers = [std::ptr::null_mut::<c_void>(); MOST_ARGUMENTS];
        if arguments.len() > MOST_ARGUMENTS {
            return Err(DeviceError::other(format!(
                "{} takes more than {MOST_ARGUMENTS} arguments: raise MOST_ARGUMENTS",
                kernel.name
            )));
        }
        for (argument, value) in arguments.iter().zip(&mut values) {
            // The driver reads as many of the eight bytes as the parameter has; CUDA machines are little-endian.
            *value = match argument {
                Argument::Buffer(buffer) => buffer.address,
                Argument::Int(int) => u64::from(int.cast_unsigned()),
                Argument::Float(float) => u64::from(float.to_bits()),
            };
        }
        for (value, pointer) in values.iter_mut().zip(&mut pointers) {
            *pointer = std::ptr::from_mut(value).cast();
        }
        if launch.dynamic_shared_bytes > GRANTED_SHARED_BYTES {
            // SAFETY: the function was loaded from a module that `kernel` keeps alive.
            unsafe {
                result::function::set_function_attribute(
                    kernel.handle as sys::CUfunction,
                    sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                    launch.dynamic_shared_bytes as i32,
                )
            }
            .map_err(|error| describe(&format!("reserving shared memory for {}", kernel.name), error))?;
        }
        // SAFETY: the function was loaded from a module that `kernel` keeps alive; each pointer is to eight readable
        // bytes, copied during the call. A kernel that strays faults on the device and cannot reach host memory of this
        // process other than page-locked buffers, which no kernel is given.
        unsafe {
            result::launch_kernel(
                kernel.handle as sys::CUfunction,
                (launch.grid.0, launch.grid.1, 1),
                (launch.block.0, launch.block.1, 1),
                launch.dynamic_shared_bytes,
                self.stream.cu_stream(),
                &mut pointers[..arguments.len()],
            )
        }
        .map_err(|error| describe(&format!("launching {}", kernel.name), error))
    }

    fn capture(
        &self,
        queue: &mut dyn FnMut() -> Result<(), DeviceError>,
    ) -> Result<LaunchGraph, DeviceError> {
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        self.stream.begin_capture(mode).map_err(|error| describe("beginning a CUDA graph", error))?;
        let queued = queue();
        // Ended in any case: the stream would take no other work.
        let ended = self.stream.end_capture(sys::CUgraphInstantiate_flags(0));
        queued?;
        let graph = ended.map_err(|error| describe("making a CUDA graph", error))?;
        let graph =
            graph.ok_or_else(|| DeviceError::other("a CUDA graph of nothing: this is a defect of repro"))?;
        graph.upload().map_err(|error| describe("sending a CUDA graph to the device", error))?;
        Ok(LaunchGraph { owner: Box::new(graph) })
    }

    fn replay(&self, graph: &LaunchGraph) -> Result<(), DeviceError> {
        let graph = graph
            .owner
            .downcast_ref::<CudaGraph>()
            .ok_or_else(|| DeviceError::other("a graph of another device: this is a defect of repro"))?;
        graph.launch().map_err(|error| describe("launching a CUDA graph", error))
    }

    fn event(&self) -> Result<Event, DeviceError> {
        // The default of this wrapper is an event that cannot be timed.
        let timed = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let event = self.context.new_event(timed).map_err(|error| describe("creating an event", error))?;
        Ok(Event { owner: Box::new(event) })
    }

    fn record(&self, event: &Event) -> Result<(), DeviceError> {
        own_event(event)?.record(&self.stream).map_err(|error| describe("recording an event", error))
    }

    fn seconds_between(&self, start: &Event, end: &Event) -> Result<f64, DeviceError> {
        let milliseconds = own_event(start)?
            .elapsed_ms(own_event(end)?)
            .map_err(|error| describe("reading the event clock", error))?;
        Ok(f64::from(milliseconds) * 1e-3)
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        self.stream.synchronize().map_err(|error| describe("the work on the device", error))?;
        self.context.check_err().map_err(|error| describe("releasing memory on the device", error))
    }
}

fn own_function(kernel: &Kernel) -> Result<&CudaFunction, DeviceError> {
    kernel
        .owner
        .downcast_ref::<CudaFunction>()
        .ok_or_else(|| DeviceError::other(format!("{} belongs to another device", kernel.name)))
}

fn own_event(event: &Event) -> Result<&CudaEvent, DeviceError> {
    event
        .owner
        .downcast_ref::<CudaEvent>()
        .ok_or_else(|| DeviceError::other("an event of another device: this is a defect of repro"))
}
