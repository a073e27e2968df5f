//! Joining devices to a communicator.

use super::communicator::{Communicator, Home, in_group, wait};
use super::header::{Config, Handle, UniqueId};
use super::library::{Nccl, ensure_multicast_is_decided};
use repro_device::cuda::{CudaDevice, turn_to};
use repro_device::{Device, DeviceError};
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;

/// A device that joins a communicator.
#[derive(Clone, Copy)]
pub struct Joining<'a> {
    pub device: &'a dyn Device,
    /// Equal for all devices: from [`Nccl::unique_id`] of one process.
    pub id: &'a [u8; 128],
    /// Its number in the communicator, from 0 to one less than `size`.
    pub rank: usize,
    /// How many devices join, those of other processes included.
    pub size: usize,
}

impl Home {
    fn of(device: &dyn Device, nccl: &Nccl) -> Result<Self, DeviceError> {
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
    joining: &[Joining],
    going_on: &mut dyn FnMut() -> Result<(), DeviceError>,
) -> Result<Vec<Communicator>, DeviceError> {
    let Some(first) = joining.first() else { return Ok(Vec::new()) };
    let homes = joining.iter().map(|one| Home::of(one.device, nccl)).collect::<Result<Vec<_>, _>>()?;
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
                turn_to(context)?;
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
