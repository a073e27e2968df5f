//! A device's membership in a communicator: joining it, broadcasts on the queues of devices, and waiting for what NCCL does in the background.

use super::library::{BYTES, Config, Handle, IN_PROGRESS, Nccl, UniqueId, ensure_multicast_is_decided};
use cudarc::driver::{CudaContext, sys};
use repro_device::cuda::{CudaDevice, CudaQueue, make_current, own_memory};
use repro_device::{BufferSlice, Device, DeviceError, FailureKind, HostBuffer, Queue};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long NCCL may take to join devices or to queue broadcasts, the time until all processes do the same included.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// How long NCCL is polled without a pause. Queueing a broadcast takes less, except for the first.
const BRIEFLY: Duration = Duration::from_millis(1);

/// One device's membership in a communicator, which is NCCL's word for devices that exchange data.
///
/// Dropping it may wait until the others of the same host are dropped, too, unless an error was seen: whoever knows that one of them is
/// lost calls [`Communicator::abort`] before.
pub struct Communicator {
    pub(super) nccl: Rc<Nccl>,
    pub(super) handle: Handle,
    pub(super) rank: usize,
    pub(super) size: usize,
    /// Whether this communicator and those that joined with it can only be aborted: NCCL frees those of one process together, and would
    /// wait for the work of any that was not aborted.
    pub(super) failed: Rc<Cell<bool>>,
    pub(super) home: Home,
}

/// What NCCL uses of a device, kept alive.
pub(super) enum Home {
    Cuda(Arc<CudaContext>),
    /// An emulated device, which only the stand-in for NCCL takes.
    Emulated,
}

/// Has NCCL take all `calls` as one group. No call then waits for another, so that one thread can have several devices.
pub(super) fn in_group(
    nccl: &Nccl,
    action: &str,
    calls: impl FnOnce() -> Result<(), DeviceError>,
) -> Result<(), DeviceError> {
    // SAFETY: takes nothing; ended below in any case.
    let code = unsafe { (nccl.functions.group_start)() };
    nccl.accept(action, code, std::ptr::null_mut())?;
    let called = calls();
    // SAFETY: begun above.
    let code = unsafe { (nccl.functions.group_end)() };
    called.and(nccl.accept(action, code, std::ptr::null_mut()))
}

/// Waits until NCCL has no work in the background for these communicators, or `going_on` returns an error.
pub(super) fn wait(
    nccl: &Nccl,
    communicators: &[&Communicator],
    action: &str,
    going_on: &mut dyn FnMut() -> Result<(), DeviceError>,
) -> Result<(), DeviceError> {
    let start = Instant::now();
    loop {
        let mut waiting = false;
        for communicator in communicators {
            waiting |= communicator.is_busy(action)?;
        }
        if !waiting {
            return Ok(());
        }
        let waited = start.elapsed();
        if waited > nccl.patience {
            return Err(DeviceError::new(
                FailureKind::Lost,
                format!(
                    "{action} took longer than {} s: another process is missing, hangs or cannot be reached (NCCL_SOCKET_IFNAME names the \
                     network interface; NCCL_DEBUG=INFO has NCCL explain it)",
                    nccl.patience.as_secs_f64()
                ),
            ));
        }
        if waited < BRIEFLY {
            std::thread::yield_now();
        } else {
            going_on()?;
            std::thread::sleep(BRIEFLY);
        }
    }
}

impl Communicator {
    /// The device's number in the communicator.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many devices it has.
    pub fn size(&self) -> usize {
        self.size
    }

    pub fn nccl(&self) -> Rc<Nccl> {
        self.nccl.clone()
    }

    /// Whether all is well with what was queued, as far as NCCL knows by now; returns at once.
    ///
    /// # Errors
    /// What NCCL found, a process that is gone for example. The communicator can then only be dropped.
    pub fn check(&self) -> Result<(), DeviceError> {
        self.is_busy(&format!("the work of rank {} of {}", self.rank, self.size)).map(|_| ())
    }

    fn is_busy(&self, action: &str) -> Result<bool, DeviceError> {
        let mut state = 0;
        // SAFETY: the communicator is alive, and the call writes one int.
        let code = unsafe { (self.nccl.functions.async_error)(self.handle, &mut state) };
        let found = [code, state].map(|code| self.nccl.accept(action, code, self.handle));
        if found.iter().any(Result::is_err) {
            self.failed.set(true);
        }
        let [asked, found] = found;
        asked.and(found).map(|()| state == IN_PROGRESS)
    }

    /// Has this communicator, those that joined with it and what is queued on them end without waiting for other devices, once they are
    /// dropped. For callers who know that a process is lost.
    pub fn abort(&self) {
        self.failed.set(true);
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        let ends_well = !self.failed.get() && self.check().is_ok();
        let functions = &self.nccl.functions;
        let end = if ends_well { functions.destroy } else { functions.abort };
        // Nobody is left who could do anything about a failure.
        // SAFETY: the communicator is alive, with its device, and not used again.
        let _ = unsafe { end(self.handle) };
    }
}

/// A device that joins a communicator.
#[derive(Clone, Copy)]
pub struct JoinRequest<'a> {
    pub device: &'a dyn Device,
    /// Equal for all devices: from [`Nccl::unique_id`] of one process.
    pub id: &'a [u8; 128],
    /// Its number in the communicator, from 0 to one less than `size`.
    pub rank: usize,
    /// How many devices join, those of other processes included.
    pub size: usize,
}

impl Home {
    fn new(device: &dyn Device, nccl: &Nccl) -> Result<Self, DeviceError> {
        if let Some(device) = device.as_any().downcast_ref::<CudaDevice>() {
            ensure_multicast_is_decided()?;
            return Ok(Self::Cuda(device.context().clone()));
        }
        if nccl.is_stand_in() {
            return Ok(Self::Emulated);
        }
        Err(DeviceError::unavailable(
            "NCCL joins GPUs alone, and emulated devices by its stand-in for tests: let one process have all emulated devices, \
             or give each process a GPU with --device cuda:all",
        ))
    }
}

/// Joins devices of this process, all of them in one call: each waits for the others, for as long as `going_on`, which is called every so
/// often, returns no error.
///
/// # Errors
/// As [`Nccl::open`]; when a device is none of CUDA's, NCCL fails, `going_on` does, or not all have joined within [`PATIENCE`](super::PATIENCE).
pub fn join_all(
    nccl: &Rc<Nccl>,
    joining: &[JoinRequest],
    going_on: &mut dyn FnMut() -> Result<(), DeviceError>,
) -> Result<Vec<Communicator>, DeviceError> {
    let Some(first) = joining.first() else { return Ok(Vec::new()) };
    let homes = joining.iter().map(|one| Home::new(one.device, nccl)).collect::<Result<Vec<_>, _>>()?;
    let ranks: Vec<String> = joining.iter().map(|one| one.rank.to_string()).collect();
    let action = format!("joining as rank {} of {} by NCCL", ranks.join(", "), first.size);
    let mut config = Config::in_the_background();
    // NCCL may write these until a device has joined or was aborted: they are dropped after the communicators.
    let mut handles = vec![std::ptr::null_mut(); joining.len()];
    let slots: *mut Handle = handles.as_mut_ptr();
    let failed = Rc::new(Cell::new(true));
    let mut communicators = Vec::new();
    let queued = in_group(nccl, &action, || {
        for (at, (one, home)) in joining.iter().zip(homes).enumerate() {
            let (rank, size) = (one.rank as c_int, one.size as c_int);
            if let Home::Cuda(context) = &home {
                make_current(context)?;
            }
            // SAFETY: `at` is in bounds; configuration and slot outlive the joining; the device is current.
            let (code, handle) = unsafe {
                let slot = slots.add(at);
                ((nccl.functions.init_rank)(slot, size, UniqueId(*one.id), rank, &mut config), *slot)
            };
            if !handle.is_null() {
                communicators.push(Communicator {
                    nccl: nccl.clone(),
                    handle,
                    rank: one.rank,
                    size: one.size,
                    failed: failed.clone(),
                    home,
                });
            }
            nccl.accept(&action, code, handle)?;
        }
        Ok(())
    });
    queued.and_then(|()| wait(nccl, &communicators.iter().collect::<Vec<_>>(), &action, going_on))?;
    failed.set(false);
    Ok(communicators)
}

/// Sends `region` of the device whose rank is `root` to the same bytes of all others. Every device makes the same calls in the same order.
pub struct BroadcastCall<'a> {
    pub communicator: &'a Communicator,
    /// The queue of the transfer, on the communicator's device.
    pub queue: &'a dyn Queue,
    /// What is read on the root and written elsewhere, of the same size on all devices.
    pub region: BufferSlice<'a>,
    pub root: usize,
}

/// Where NCCL finds the bytes of a call. Those of an emulated device are in host memory meanwhile.
struct CallMemory {
    stream: sys::CUstream,
    address: *mut c_void,
    staged: Option<HostBuffer>,
}

fn defect(what: &str) -> DeviceError {
    DeviceError::other(format!("a broadcast {what}: this is a defect of repro"))
}

/// Queues these broadcasts of this process's devices as one; returns when they are queued, not when they are done. A communicator's first
/// broadcast connects its devices, and waits until the others make theirs. On emulated devices all wait for the bytes.
///
/// # Errors
/// When queue, region and communicator are not of one device, NCCL fails, or it takes longer than [`PATIENCE`](super::PATIENCE).
/// The communicators can then only be dropped.
pub fn broadcast_all(calls: &[BroadcastCall]) -> Result<(), DeviceError> {
    let Some(first) = calls.first() else { return Ok(()) };
    let nccl = &first.communicator.nccl;
    let action = format!("a broadcast from rank {}", first.root);
    let communicators: Vec<&Communicator> = calls.iter().map(|call| call.communicator).collect();
    if let Some(failed) = communicators.iter().find(|communicator| communicator.failed.get()) {
        let message = format!("{action}: the communicator of rank {} failed before", failed.rank);
        return Err(DeviceError::new(FailureKind::Lost, message));
    }
    let places = calls.iter().map(BroadcastCall::place).collect::<Result<Vec<_>, _>>()?;
    let queued = in_group(nccl, &action, || {
        for (BroadcastCall { communicator, region, root, .. }, place) in calls.iter().zip(&places) {
            // SAFETY: the bytes are the caller's on the device of communicator and stream, all alive. Freeing them waits for this work.
            let code = unsafe {
                (nccl.functions.broadcast)(
                    place.address,
                    place.address,
                    region.bytes(),
                    BYTES,
                    *root as c_int,
                    communicator.handle,
                    place.stream.cast(),
                )
            };
            nccl.accept(&action, code, communicator.handle)?;
        }
        Ok(())
    });
    let done = queued.and_then(|()| wait(nccl, &communicators, &action, &mut || Ok(())));
    if done.is_err() {
        communicators.iter().for_each(|communicator| communicator.failed.set(true));
    }
    done?;
    for (call, place) in calls.iter().zip(places) {
        if let Some(host) = place.staged.filter(|_| call.communicator.rank != call.root) {
            call.queue.upload(&host, call.region.clone())?;
        }
    }
    Ok(())
}

impl BroadcastCall<'_> {
    fn place(&self) -> Result<CallMemory, DeviceError> {
        let Self { communicator, queue, region, root } = self;
        if *root >= communicator.size {
            return Err(defect(&format!("from rank {root} of {} ranks, numbered from 0", communicator.size)));
        }
        region.check("a broadcast", usize::MAX)?;
        let Home::Cuda(context) = &communicator.home else {
            let no_room = || DeviceError::out_of_memory("a broadcast", region.bytes() as u64, 0);
            let mut host = HostBuffer::pageable(region.bytes()).ok_or_else(no_room)?;
            if communicator.rank == *root {
                queue.download(region.clone(), &mut host)?;
            }
            let address = host.numbers_mut::<u8>().as_mut_ptr().cast();
            return Ok(CallMemory { stream: std::ptr::null_mut(), address, staged: Some(host) });
        };
        let queue: Option<&CudaQueue> = queue.as_any().downcast_ref();
        let queue = queue
            .filter(|queue| queue.is_of(context))
            .ok_or_else(|| defect("on a queue of another device than its communicator's"))?;
        own_memory(region)?;
        Ok(CallMemory { stream: queue.current()?, address: region.address() as *mut c_void, staged: None })
    }
}
