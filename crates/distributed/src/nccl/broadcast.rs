//! Broadcasts on the queues of devices.

use super::communicator::{Communicator, in_group, wait};
use super::header::BYTES;
use cudarc::driver::{CudaContext, sys};
use repro_device::cuda::{CudaQueue, own_memory};
use repro_device::{DeviceError, FailureKind, Queue, Region};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// Sends `region` of the device whose rank is `root` to the same bytes of all others. Every device makes the same calls in the same order.
pub struct BroadcastCall<'a> {
    pub communicator: &'a Communicator,
    /// Where the transfer is queued, one of the communicator's device.
    pub queue: &'a dyn Queue,
    /// What is read on the root and written elsewhere, of the same size on all devices.
    pub region: Region<'a>,
    pub root: usize,
}

/// A broadcast in NCCL's terms.
pub(super) struct Transfer<'a> {
    pub communicator: &'a Communicator,
    pub stream: sys::CUstream,
    pub address: u64,
    pub bytes: usize,
    pub root: usize,
}

/// Queues these broadcasts of this process's devices as one, and returns when they are queued, not when they are done.
///
/// # Errors
/// As [`broadcast_all_while`].
pub fn broadcast_all(calls: &[BroadcastCall]) -> Result<(), DeviceError> {
    broadcast_all_while(calls, &|| Ok(()))
}

/// Queues these broadcasts for as long as `going_on`, which is called every so often, returns no error. The first of a communicator connects its devices:
/// it waits until the others make it, too.
///
/// # Errors
/// When queue, region and communicator are not of one device, NCCL fails, `going_on` does, or it takes longer than [`PATIENCE`](super::PATIENCE).
/// The communicators can then only be dropped.
pub fn broadcast_all_while(
    calls: &[BroadcastCall],
    going_on: &dyn Fn() -> Result<(), DeviceError>,
) -> Result<(), DeviceError> {
    let transfers = calls.iter().map(Transfer::of).collect::<Result<Vec<_>, _>>()?;
    transfer_all(&transfers, going_on)
}

impl<'a> Transfer<'a> {
    fn of(call: &'a BroadcastCall) -> Result<Self, DeviceError> {
        let defect =
            |what: &str| DeviceError::other(format!("a broadcast {what}: this is a defect of repro"));
        let queue: &CudaQueue = call
            .queue
            .as_any()
            .downcast_ref()
            .ok_or_else(|| defect("on a queue of another device than CUDA's"))?;
        let context: Option<&Arc<CudaContext>> = call.communicator.device.downcast_ref();
        if !context.is_some_and(|context| queue.is_of(context)) {
            return Err(defect("on a queue of another device than its communicator's"));
        }
        own_memory(&call.region)?;
        call.region.check("a broadcast", usize::MAX)?;
        let (address, bytes) = (call.region.address(), call.region.bytes());
        Ok(Self {
            communicator: call.communicator,
            stream: queue.current()?,
            address,
            bytes,
            root: call.root,
        })
    }
}

pub(super) fn transfer_all(
    transfers: &[Transfer],
    going_on: &dyn Fn() -> Result<(), DeviceError>,
) -> Result<(), DeviceError> {
    let Some(first) = transfers.first() else { return Ok(()) };
    let nccl = &first.communicator.nccl;
    let communicators: Vec<&Communicator> = transfers.iter().map(|transfer| transfer.communicator).collect();
    let action = format!("a broadcast from rank {}", first.root);
    if let Some(failed) = communicators.iter().find(|communicator| communicator.failed.get()) {
        let rank = failed.rank;
        return Err(DeviceError::new(
            FailureKind::Lost,
            format!("{action}: the communicator of rank {rank} failed before"),
        ));
    }
    let queued = in_group(nccl, &action, || {
        for transfer in transfers {
            let Transfer { communicator, stream, address, bytes, root } = *transfer;
            if root >= communicator.size {
                return Err(DeviceError::other(format!(
                    "{action} of {} ranks, numbered from 0: this is a defect of repro",
                    communicator.size
                )));
            }
            let at = address as *mut c_void;
            // SAFETY: the bytes are the caller's on the device of communicator and stream, all alive. Freeing them waits for this work.
            let code = unsafe {
                (nccl.functions.broadcast)(
                    at,
                    at,
                    bytes,
                    BYTES,
                    root as c_int,
                    communicator.handle,
                    stream.cast(),
                )
            };
            nccl.accept(&action, code, communicator.handle)?;
        }
        Ok(())
    });
    let done = queued.and_then(|()| wait(nccl, &communicators, &action, going_on));
    if done.is_err() {
        communicators.iter().for_each(|communicator| communicator.failed.set(true));
    }
    done
}
