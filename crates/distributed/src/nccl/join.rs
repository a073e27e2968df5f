//! Joining devices to a communicator.

use super::communicator::{Communicator, in_group, wait};
use super::header::{Config, Handle, UniqueId};
use super::library::{Nccl, ensure_multicast_is_decided};
use repro_device::cuda::{CudaDevice, turn_to};
use repro_device::{Device, DeviceError};
use std::any::Any;
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

/// A device that joins, in NCCL's terms.
pub(super) struct Seat<'a> {
    pub id: &'a [u8; 128],
    pub rank: usize,
    pub size: usize,
    pub device: Rc<dyn Any>,
    /// Makes the device current.
    pub turn_to: &'a dyn Fn() -> Result<(), DeviceError>,
}

/// Joins devices of this process, all of them in one call: each waits for the others.
///
/// # Errors
/// As [`join_all_while`].
pub fn join_all(nccl: &Rc<Nccl>, joining: &[Joining]) -> Result<Vec<Communicator>, DeviceError> {
    join_all_while(nccl, joining, &|| Ok(()))
}

/// Joins the devices for as long as `going_on`, which is called every so often, returns no error.
///
/// # Errors
/// As [`Nccl::open`]; when a device is none of CUDA's, NCCL fails, `going_on` does, or not all have joined within [`PATIENCE`](super::PATIENCE).
pub fn join_all_while(
    nccl: &Rc<Nccl>,
    joining: &[Joining],
    going_on: &dyn Fn() -> Result<(), DeviceError>,
) -> Result<Vec<Communicator>, DeviceError> {
    let contexts = joining
        .iter()
        .map(|one| {
            let device: Option<&CudaDevice> = one.device.as_any().downcast_ref();
            device.map(CudaDevice::context).ok_or_else(|| {
                DeviceError::other(
                    "NCCL joins CUDA devices alone, and this is another: this is a defect of repro",
                )
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    ensure_multicast_is_decided()?;
    let turns: Vec<_> = contexts.iter().map(|&context| || turn_to(context)).collect();
    let seats = joining.iter().zip(&contexts).zip(&turns).map(|((one, &context), turn_to)| {
        let device: Rc<dyn Any> = Rc::new(context.clone());
        Seat { id: one.id, rank: one.rank, size: one.size, device, turn_to }
    });
    seat_all(nccl, &seats.collect::<Vec<_>>(), going_on)
}

pub(super) fn seat_all(
    nccl: &Rc<Nccl>,
    seats: &[Seat],
    going_on: &dyn Fn() -> Result<(), DeviceError>,
) -> Result<Vec<Communicator>, DeviceError> {
    let Some(first) = seats.first() else { return Ok(Vec::new()) };
    let ranks: Vec<String> = seats.iter().map(|seat| seat.rank.to_string()).collect();
    let action = format!("joining as rank {} of {} by NCCL", ranks.join(", "), first.size);
    let mut config = Config::in_the_background();
    // NCCL may write these until a device has joined or was aborted: they are dropped after the communicators.
    let mut handles = vec![std::ptr::null_mut(); seats.len()];
    let slots: *mut Handle = handles.as_mut_ptr();
    let failed = Rc::new(Cell::new(true));
    let mut communicators = Vec::new();
    let queued = in_group(nccl, &action, || {
        for (at, seat) in seats.iter().enumerate() {
            let (Ok(rank), Ok(size)) = (c_int::try_from(seat.rank), c_int::try_from(seat.size)) else {
                return Err(DeviceError::other(format!(
                    "{action}: too many devices: this is a defect of repro"
                )));
            };
            (seat.turn_to)()?;
            // SAFETY: `at` is in bounds; configuration and slot outlive the joining; the device is current.
            let (code, handle) = unsafe {
                let slot = slots.add(at);
                ((nccl.functions.init_rank)(slot, size, UniqueId(*seat.id), rank, &mut config), *slot)
            };
            if !handle.is_null() {
                communicators.push(Communicator {
                    nccl: nccl.clone(),
                    handle,
                    rank: seat.rank,
                    size: seat.size,
                    failed: failed.clone(),
                    device: seat.device.clone(),
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

impl Communicator {
    /// Joins one device, the only one of this process.
    ///
    /// # Errors
    /// As [`join_all_while`].
    pub fn join(
        nccl: &Rc<Nccl>,
        device: &dyn Device,
        id: &[u8; 128],
        rank: usize,
        size: usize,
    ) -> Result<Self, DeviceError> {
        join_all(nccl, &[Joining { device, id, rank, size }]).map(|mut one| one.remove(0))
    }
}
