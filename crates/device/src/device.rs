//! What every device can do, and the clock under which a solve is queued.

use crate::emulated::LaunchCounts;
use crate::{
    Argument, Buffer, BufferSlice, DeviceError, DeviceInfo, ForeignMemory, HostBuffer, Kernel,
    KernelResources, KernelSource, Launch, MemoryInfo, PitchedRows,
};
use repro_base::TimingPoint;
use std::any::Any;

/// A point in the work of a queue: others can wait for it, and its time can be read once it was reached.
pub struct Event {
    pub(crate) owner: Box<dyn Any>,
}

/// Launches, and copies within the device, that were captured once and can be queued again as one.
pub struct LaunchGraph {
    pub(crate) owner: Box<dyn Any>,
}

/// What a device of this kind keeps in one of its handles; `what` names the handle, for the error.
///
/// # Errors
/// When another kind of device gave out the handle.
pub(crate) fn downcast_handle<'a, T: 'static>(handle: &'a dyn Any, what: &str) -> Result<&'a T, DeviceError> {
    let other = || DeviceError::other(format!("{what} of another kind of device: this is a defect of repro"));
    handle.downcast_ref().ok_or_else(other)
}

/// Which of two queues goes first where both have work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    #[default]
    Usual,
    High,
}

/// A device: its memory, its kernels and its queues.
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
    /// [`FailureKind::OutOfMemory`](crate::FailureKind::OutOfMemory) when it is not to be had.
    fn allocate(&self, bytes: usize) -> Result<Buffer, DeviceError>;

    /// Memory of this device that another library owns, as a buffer that kernels read; copies refuse it. All work of this process on the
    /// device that was queued before has ended when this returns. Once the buffer is dropped, and the work that was queued until then has
    /// ended, the memory goes back to its owner.
    ///
    /// # Errors
    /// When the memory is not on this device, or work before went wrong. It has gone back to its owner then.
    fn import_memory(&self, memory: ForeignMemory) -> Result<Buffer, DeviceError>;

    /// Page-locked host memory of so many bytes, all 0, which copies reach at full speed.
    ///
    /// # Errors
    /// When the host has none to lock.
    fn allocate_host(&self, bytes: usize) -> Result<HostBuffer, DeviceError>;

    /// Compiles `source` for this device, or takes it from the cache, and finds `kernels` in it. What was loaded stays loaded as
    /// long as the device is open, and is not loaded again.
    ///
    /// # Errors
    /// When it does not compile or a kernel is missing.
    fn load(&self, source: &KernelSource, kernels: &[&str]) -> Result<Vec<Kernel>, DeviceError>;

    /// What `kernel` takes when launched with `threads` threads and so much dynamic shared memory a block.
    ///
    /// # Errors
    /// When the driver does not provide it.
    fn resources(
        &self,
        kernel: &Kernel,
        threads: u32,
        dynamic_shared_bytes: u32,
    ) -> Result<KernelResources, DeviceError>;

    /// How many blocks of `kernel`, with so many threads and so much dynamic shared memory, one multiprocessor holds at once.
    ///
    /// # Errors
    /// When the driver does not provide it.
    fn max_active_blocks(
        &self,
        kernel: &Kernel,
        threads: u32,
        dynamic_shared_bytes: u32,
    ) -> Result<u32, DeviceError>;

    /// The queue that every device has.
    fn queue(&self) -> &dyn Queue;

    /// Another queue, whose work overlaps that of the others.
    ///
    /// # Errors
    /// When the device has none left.
    fn new_queue(&self, priority: Priority) -> Result<Box<dyn Queue>, DeviceError>;

    /// Enables peer access: copies of this device reach the memory of `other` without a detour over the host, where a link joins the two.
    ///
    /// # Errors
    /// When the driver refuses it to two devices that have a link.
    fn enable_peer_access(&self, other: &dyn Device) -> Result<(), DeviceError>;

    /// Whether all work before `event`, one of this device's, is done. True for an event that was not recorded.
    ///
    /// # Errors
    /// What went wrong in work of the device.
    fn is_complete(&self, event: &Event) -> Result<bool, DeviceError>;

    /// Waits for all work of this process on the device, on whatever queue.
    ///
    /// # Errors
    /// What went wrong in that work.
    fn synchronize_all(&self) -> Result<(), DeviceError> {
        self.queue().synchronize()
    }

    /// Takes back what kernels may have asked of caches that outlives them: what the L2 cache keeps.
    ///
    /// # Errors
    /// When the driver refuses.
    fn reset_caches(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Seconds on the device's own clock between two of its events that were reached.
    ///
    /// # Errors
    /// When one of them was not reached, or the device has no clock.
    fn seconds_between(&self, start: &Event, end: &Event) -> Result<f64, DeviceError>;

    /// What the launches since the last call did to memory, on a device that counts; nothing on others.
    fn take_counts(&self) -> Vec<LaunchCounts> {
        Vec::new()
    }

    /// The device itself, for others of its kind.
    fn as_any(&self) -> &dyn Any;
}

/// Work of one device in the order in which it was queued.
pub trait Queue {
    /// Queues one launch.
    ///
    /// # Safety
    /// The arguments are as many as the kernel's parameters and of their types, structs aligned as theirs are. The kernel stays
    /// within the memory that its arguments lead to, which lives until it has run; in a captured graph, until the last replay
    /// has. The emulated device finds most violations; on a GPU a kernel that strays may change anything on the device.
    ///
    /// # Errors
    /// When the device refuses the launch; what goes wrong inside the kernel shows at [`Queue::synchronize`].
    unsafe fn launch(
        &self,
        kernel: &Kernel,
        launch: Launch,
        arguments: &[Argument],
    ) -> Result<(), DeviceError>;

    /// Queues a copy of the first bytes of `from`, as many as `to` has. Whoever writes `from` before the copy is done waits for it.
    ///
    /// # Errors
    /// When `from` is too small or the copy cannot be queued.
    fn upload(&self, from: &HostBuffer, to: BufferSlice) -> Result<(), DeviceError> {
        let all = PitchedRows::one_of(to.bytes());
        self.upload_rows(from, to, all)
    }

    /// Queues a copy to the first bytes of `to`. Whoever reads `to` before the copy is done waits for it.
    ///
    /// # Errors
    /// When `to` is too small or the copy cannot be queued.
    fn download(&self, from: BufferSlice, to: &mut HostBuffer) -> Result<(), DeviceError> {
        let all = PitchedRows::one_of(from.bytes());
        self.download_rows(from, to, all)
    }

    /// Copies as [`Queue::upload`] does, to rows that lie apart. What is between them stays as it is.
    ///
    /// # Errors
    /// When either side is too small or the copy cannot be queued.
    fn upload_rows(&self, from: &HostBuffer, to: BufferSlice, rows: PitchedRows) -> Result<(), DeviceError>;

    /// Copies as [`Queue::download`] does, from rows that lie apart.
    ///
    /// # Errors
    /// When either side is too small or the copy cannot be queued.
    fn download_rows(
        &self,
        from: BufferSlice,
        to: &mut HostBuffer,
        rows: PitchedRows,
    ) -> Result<(), DeviceError>;

    /// Queues a copy within the device, or from or to another that it reaches.
    ///
    /// # Errors
    /// When the two are not of one size or the copy cannot be queued.
    fn copy(&self, from: BufferSlice, to: BufferSlice) -> Result<(), DeviceError>;

    /// A new event of its device that no queue has recorded.
    ///
    /// # Errors
    /// When the device has none left.
    fn event(&self) -> Result<Event, DeviceError>;

    /// Queues the recording of `event`, which is of this queue's device.
    ///
    /// # Errors
    /// When it cannot be queued.
    fn record(&self, event: &Event) -> Result<(), DeviceError>;

    /// Has what is queued from here on wait for `event`, of whatever queue and device it is. An event that was not recorded yet
    /// is not waited for.
    ///
    /// # Errors
    /// When it cannot be queued.
    fn wait(&self, event: &Event) -> Result<(), DeviceError>;

    /// Captures as a graph, without running it, what `queue` queues here, and on other queues that begin by waiting for this one
    /// and that this one waits for at the end. Only launches and copies within the device: a copy from or to host memory is
    /// refused.
    ///
    /// # Errors
    /// When `queue` fails or the device makes no graph of it.
    fn capture(&self, queue: &mut dyn FnMut() -> Result<(), DeviceError>)
    -> Result<LaunchGraph, DeviceError>;

    /// Queues a graph.
    ///
    /// # Safety
    /// The buffers that its launches and copies use live until it has run.
    ///
    /// # Errors
    /// When the device refuses it.
    unsafe fn replay(&self, graph: &LaunchGraph) -> Result<(), DeviceError>;

    /// Waits for all work queued here.
    ///
    /// # Errors
    /// What went wrong in that work, a faulting kernel included.
    fn synchronize(&self) -> Result<(), DeviceError>;

    /// The queue itself, for others of its kind.
    fn as_any(&self) -> &dyn Any;
}

/// A clock under which a solve is queued. A solve that uses several queues names all of them at every point, the first one first.
pub trait Clock {
    /// The solve has queued everything up to this point on these queues. On the CPU there are no queues, and the work is done.
    ///
    /// # Errors
    /// When the device refuses what the clock asks of it.
    fn record_point(&mut self, point: TimingPoint, queues: &[&dyn Queue]) -> Result<(), DeviceError>;

    /// A kernel is about to be launched on `queue`.
    ///
    /// # Errors
    /// When the device refuses what the clock asks of it.
    fn launching(&mut self, _kernel: &str, _queue: &dyn Queue) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Whether [`Clock::launched`] wants the matrix. Solves that launch no kernels, or on several devices, have none to show.
    fn wants_matrix(&self) -> bool {
        false
    }

    /// A kernel was launched, and left this matrix, n x n, of distances that are not final yet.
    fn launched(&mut self, _kernel: &str, _matrix: &HostBuffer) {}

    /// Another process solved, and this is what the device counted there of the solve's own launches.
    fn add_external_counts(&mut self, _launches: Vec<LaunchCounts>) {}

    /// A program that solves has a clock of its own, which showed this for the solve.
    fn own_seconds(&mut self, _seconds: f64) {}

    /// Whether what lies between [`TimingPoint::Packed`] and [`TimingPoint::Solved`] is to be queued as one graph, made before
    /// [`TimingPoint::Start`].
    fn wants_graph(&self) -> bool {
        false
    }
}

/// A clock that records nothing.
pub struct NoClock;

impl Clock for NoClock {
    fn record_point(&mut self, _: TimingPoint, _: &[&dyn Queue]) -> Result<(), DeviceError> {
        Ok(())
    }
}
