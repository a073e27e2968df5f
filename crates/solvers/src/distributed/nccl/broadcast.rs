//! Broadcasts on the queues of devices.

use super::communicator::{Communicator, Home, in_group, wait};
use super::library::BYTES;
use cudarc::driver::sys;
use repro_device::cuda::{CudaQueue, own_memory};
use repro_device::{DeviceError, FailureKind, HostBuffer, Queue, Region};
use std::ffi::{c_int, c_void};

/// Sends `region` of the device whose rank is `root` to the same bytes of all others. Every device makes the same calls in the same order.
pub struct BroadcastCall<'a> {
    pub communicator: &'a Communicator,
    /// Where the transfer is queued, one of the communicator's device.
    pub queue: &'a dyn Queue,
    /// What is read on the root and written elsewhere, of the same size on all devices.
    pub region: Region<'a>,
    pub root: usize,
}

/// Where NCCL finds the bytes of a call. Those of an emulated device are in host memory meanwhile.
struct Place {
    stream: sys::CUstream,
    address: *mut c_void,
    staged: Option<HostBuffer>,
}

fn defect(what: &str) -> DeviceError {
    DeviceError::other(format!("a broadcast {what}: this is a defect of repro"))
}

/// Queues these broadcasts of this process's devices as one, and returns when they are queued, not when they are done. The first of a
/// communicator connects its devices: it waits until the others make it, too. On emulated devices all wait for the bytes.
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
    fn place(&self) -> Result<Place, DeviceError> {
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
            return Ok(Place { stream: std::ptr::null_mut(), address, staged: Some(host) });
        };
        let queue: Option<&CudaQueue> = queue.as_any().downcast_ref();
        let queue = queue
            .filter(|queue| queue.is_of(context))
            .ok_or_else(|| defect("on a queue of another device than its communicator's"))?;
        own_memory(region)?;
        Ok(Place { stream: queue.current()?, address: region.address() as *mut c_void, staged: None })
    }
}
