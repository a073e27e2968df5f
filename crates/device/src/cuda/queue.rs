//! A queue of a CUDA device: a stream, and the driver calls that implement [`Queue`].

use super::device::{describe, make_current};
use super::memory::DeviceMemory;
use crate::device::downcast_handle;
use crate::memory::CompletionWait;
use crate::{
    Argument, BufferSlice, DeviceError, Event, HostBuffer, Kernel, Launch, LaunchGraph, PitchedRows,
    Priority, Queue,
};
use cudarc::driver::{CudaContext, CudaEvent, CudaFunction, CudaGraph, CudaStream, DriverError, result, sys};
use std::any::Any;
use std::ffi::{c_uint, c_void};
use std::rc::Rc;
use std::sync::Arc;

/// The most parameters that a kernel takes.
const MOST_ARGUMENTS: usize = 16;

/// Shared memory a block, declared and dynamic, that a kernel may have without the attribute that allows more.
const GRANTED_SHARED_BYTES: u32 = 48 << 10;

/// A stream of a device, with a wait for its work.
pub struct CudaQueue {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    /// Waits for everything that is queued.
    done: CompletionWait,
}

impl CudaQueue {
    pub(super) fn new(context: &Arc<CudaContext>, priority: Priority) -> Result<Self, DriverError> {
        context.bind_to_thread()?;
        let stream = match priority {
            Priority::Usual => context.new_stream()?,
            Priority::High => context.new_stream_with_priority(result::stream::get_priority_range()?.1)?,
        };
        let waited = stream.clone();
        let done = move || {
            // The next synchronization of the queue returns the error.
            // SAFETY: the stream is alive.
            let _ = unsafe { result::stream::synchronize(waited.cu_stream()) };
        };
        Ok(Self { context: context.clone(), stream, done: Rc::new(done) })
    }

    /// Refuses a copy from or to host memory during a capture, since the graph would repeat it when that memory is gone; and a
    /// buffer that this kind of device did not allocate.
    fn check_own(&self, region: &BufferSlice, what: &str) -> Result<(), DeviceError> {
        own_memory(region)?;
        // SAFETY: the stream is alive.
        let status = unsafe { result::stream::is_capturing(self.current()?) }
            .map_err(|error| describe("asking whether a graph is being made", error))?;
        if status == sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE {
            return Ok(());
        }
        Err(DeviceError::other(format!("{what} cannot be part of a graph: queue it before or behind")))
    }

    /// The stream, after its device's context was made current: where there are several devices, another's may have been.
    pub fn current(&self) -> Result<sys::CUstream, DeviceError> {
        make_current(&self.context)?;
        Ok(self.stream.cu_stream())
    }

    /// Whether this queue belongs to the device with this context.
    pub fn is_of(&self, context: &Arc<CudaContext>) -> bool {
        self.context.cu_ctx() == context.cu_ctx()
    }
}

/// Queues a copy of rows that lie apart on the device, to it or from it.
///
/// # Safety
/// Both sides have these rows until the copy is done. Until then the host's rows are not written, nor read if the copy writes them.
unsafe fn copy_rows(
    host: *mut c_void,
    device: u64,
    rows: PitchedRows,
    to_device: bool,
    stream: sys::CUstream,
) -> Result<(), DriverError> {
    use sys::CUmemorytype::{CU_MEMORYTYPE_DEVICE as DEVICE, CU_MEMORYTYPE_HOST as HOST};
    let (from, to) = if to_device { (HOST, DEVICE) } else { (DEVICE, HOST) };
    let pitch = |side| if side == HOST { rows.bytes } else { rows.pitch };
    let copy = sys::CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: from,
        srcHost: host,
        srcDevice: device,
        srcArray: std::ptr::null_mut(),
        srcPitch: pitch(from),
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: to,
        dstHost: host,
        dstDevice: device,
        dstArray: std::ptr::null_mut(),
        dstPitch: pitch(to),
        WidthInBytes: rows.bytes,
        Height: rows.count,
    };
    // SAFETY: the description lives until the call returns; for the rest the caller answers.
    unsafe { sys::cuMemcpy2DAsync_v2(&raw const copy, stream).result() }
}

impl Queue for CudaQueue {
    unsafe fn launch(
        &self,
        kernel: &Kernel,
        launch: Launch,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        let mut values = [0u64; MOST_ARGUMENTS];
        let mut pointers = [std::ptr::null_mut::<c_void>(); MOST_ARGUMENTS];
        if arguments.len() > MOST_ARGUMENTS {
            return Err(DeviceError::other(format!(
                "{} takes more than {MOST_ARGUMENTS} arguments: raise MOST_ARGUMENTS",
                kernel.name
            )));
        }
        for ((argument, value), pointer) in arguments.iter().zip(&mut values).zip(&mut pointers) {
            *value = argument.bits();
            *pointer = argument.pointer(value);
        }
        let function =
            kernel.handle::<LoadedFunction>()?.allow_dynamic_shared(kernel, launch.dynamic_shared_bytes)?;
        let stream = self.current()?;
        let pointers = &mut pointers[..arguments.len()];
        // SAFETY: the function was loaded from a module that `kernel` keeps alive; each pointer is to eight readable bytes or to
        // a struct, copied during the call. For the rest the caller answers.
        let launched = unsafe {
            if launch.has_attributes() {
                launch_with_attributes(function, launch, stream, pointers)
            } else {
                result::launch_kernel(
                    function,
                    launch.grid,
                    launch.block,
                    launch.dynamic_shared_bytes,
                    stream,
                    pointers,
                )
            }
        };
        launched.map_err(|error| describe(&format!("launching {}", kernel.name), error))
    }

    fn upload_rows(&self, from: &HostBuffer, to: BufferSlice, rows: PitchedRows) -> Result<(), DeviceError> {
        to.check_rows("a copy to the device", rows, from.bytes())?;
        self.check_own(&to, "a copy to the device")?;
        let (host, stream) = (&from.storage()[..rows.host_bytes()], self.current()?);
        // SAFETY: both sides have these rows. Page-locked memory outlives the copy, since dropping it waits, and whoever writes it
        // waits. Of pageable memory the driver has made a copy of its own when the call returns.
        let copied = unsafe {
            if rows.are_adjacent() {
                result::memcpy_htod_async(to.address(), host, stream)
            } else {
                copy_rows(host.as_ptr().cast_mut().cast(), to.address(), rows, true, stream)
            }
        };
        copied.map_err(|error| describe("copying to the device", error))?;
        from.used_by(&self.done);
        Ok(())
    }

    fn download_rows(
        &self,
        from: BufferSlice,
        to: &mut HostBuffer,
        rows: PitchedRows,
    ) -> Result<(), DeviceError> {
        from.check_rows("a copy from the device", rows, to.bytes())?;
        self.check_own(&from, "a copy from the device")?;
        let (host, stream) = (&mut to.storage_mut()[..rows.host_bytes()], self.current()?);
        // SAFETY: both sides have these rows. If `to` is page-locked, dropping or touching it waits for the copy. Pageable memory
        // is filled when the call returns.
        let copied = unsafe {
            if rows.are_adjacent() {
                result::memcpy_dtoh_async(host, from.address(), stream)
            } else {
                copy_rows(host.as_mut_ptr().cast(), from.address(), rows, false, stream)
            }
        };
        copied.map_err(|error| describe("copying from the device", error))?;
        to.used_by(&self.done);
        Ok(())
    }

    fn copy(&self, from: BufferSlice, to: BufferSlice) -> Result<(), DeviceError> {
        own_memory(&from).and(own_memory(&to))?;
        to.check("a copy within the device", from.bytes())?;
        from.check("a copy within the device", to.bytes())?;
        from.check_apart(&to)?;
        // SAFETY: both ranges are in bounds and do not overlap, or are the same. By unified addresses the driver knows the device of each.
        unsafe { result::memcpy_dtod_async(to.address(), from.address(), to.bytes(), self.current()?) }
            .map_err(|error| describe("copying between buffers", error))
    }

    fn event(&self) -> Result<Event, DeviceError> {
        // The default of this wrapper is an event that cannot be timed.
        let timed = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let event = self.context.new_event(timed).map_err(|error| describe("creating an event", error))?;
        Ok(Event { owner: Box::new(event) })
    }

    fn record(&self, event: &Event) -> Result<(), DeviceError> {
        let event = own_event(event)?.cu_event();
        // SAFETY: event and stream are alive and of one device.
        unsafe { result::event::record(event, self.current()?) }
            .map_err(|error| describe("recording an event", error))
    }

    fn wait(&self, event: &Event) -> Result<(), DeviceError> {
        let event = own_event(event)?.cu_event();
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: event and stream are alive; the event may be of another device.
        unsafe { result::stream::wait_event(self.current()?, event, flags) }
            .map_err(|error| describe("waiting for an event", error))
    }

    fn capture(
        &self,
        queue: &mut dyn FnMut() -> Result<(), DeviceError>,
    ) -> Result<LaunchGraph, DeviceError> {
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        self.stream.begin_capture(mode).map_err(|error| describe("beginning a CUDA graph", error))?;
        let queued = queue();
        // The capture ends in any case: until then the stream would run no work.
        let ended = self.stream.end_capture(sys::CUgraphInstantiate_flags(0));
        queued?;
        let graph = ended.map_err(|error| describe("making a CUDA graph", error))?;
        let graph =
            graph.ok_or_else(|| DeviceError::other("a CUDA graph of nothing: this is a defect of repro"))?;
        graph.upload().map_err(|error| describe("sending a CUDA graph to the device", error))?;
        Ok(LaunchGraph { owner: Box::new(graph) })
    }

    unsafe fn replay(&self, graph: &LaunchGraph) -> Result<(), DeviceError> {
        let graph: &CudaGraph = downcast_handle(&*graph.owner, "a graph")?;
        // SAFETY: graph and stream are alive; the graph may have been captured on another queue. For the rest the caller answers.
        unsafe { result::graph::launch(graph.cu_graph_exec(), self.current()?) }
            .map_err(|error| describe("launching a CUDA graph", error))
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        // SAFETY: the stream is alive.
        unsafe { result::stream::synchronize(self.current()?) }
            .map_err(|error| describe("the work on the device", error))?;
        self.context.check_err().map_err(|error| describe("releasing memory on the device", error))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// # Safety
/// As [`result::launch_kernel`].
unsafe fn launch_with_attributes(
    function: sys::CUfunction,
    launch: Launch,
    stream: sys::CUstream,
    pointers: &mut [*mut c_void],
) -> Result<(), DriverError> {
    use sys::CUlaunchAttributeID as Id;
    // SAFETY: plain numbers and unions of them, for which all zeros are valid.
    let mut attributes: [sys::CUlaunchAttribute; 2] = unsafe { std::mem::zeroed() };
    let mut count = 0;
    if launch.cluster != (1, 1, 1) {
        let (x, y, z) = launch.cluster;
        attributes[count].id = Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attributes[count].value.clusterDim = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z };
        count += 1;
    }
    if launch.overlaps_previous {
        attributes[count].id = Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        attributes[count].value.programmaticStreamSerializationAllowed = 1;
        count += 1;
    }
    let config = sys::CUlaunchConfig {
        gridDimX: launch.grid.0,
        gridDimY: launch.grid.1,
        gridDimZ: launch.grid.2,
        blockDimX: launch.block.0,
        blockDimY: launch.block.1,
        blockDimZ: launch.block.2,
        sharedMemBytes: launch.dynamic_shared_bytes,
        hStream: stream,
        attrs: attributes.as_mut_ptr(),
        numAttrs: count as c_uint,
    };
    // SAFETY: configuration and attributes live until the call returns; for the rest the caller answers.
    unsafe { sys::cuLaunchKernelEx(&config, function, pointers.as_mut_ptr(), std::ptr::null_mut()) }.result()
}

/// Refuses a region of a buffer that no CUDA device allocated, imported memory included.
pub fn own_memory(region: &BufferSlice) -> Result<(), DeviceError> {
    downcast_handle::<DeviceMemory>(&*region.buffer.owner, "a buffer").map(drop)
}

/// A function and the shared memory that it declares.
pub(super) struct LoadedFunction {
    pub function: CudaFunction,
    /// Bytes a block.
    pub shared_bytes: u32,
}

impl LoadedFunction {
    /// The function, allowed to have `dynamic_shared_bytes` of shared memory in addition to what it declares.
    pub fn allow_dynamic_shared(
        &self,
        kernel: &Kernel,
        dynamic_shared_bytes: u32,
    ) -> Result<sys::CUfunction, DeviceError> {
        let function = self.function.cu_function();
        if self.shared_bytes + dynamic_shared_bytes > GRANTED_SHARED_BYTES {
            // SAFETY: the function was loaded from a module that `self` keeps alive.
            unsafe {
                result::function::set_function_attribute(
                    function,
                    sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                    dynamic_shared_bytes as i32,
                )
            }
            .map_err(|error| describe(&format!("reserving shared memory for {}", kernel.name), error))?;
        }
        Ok(function)
    }
}

pub(super) fn own_event(event: &Event) -> Result<&CudaEvent, DeviceError> {
    downcast_handle(&*event.owner, "an event")
}
