//! NVIDIA GPUs through the CUDA driver, which is loaded when first asked for: the binary starts without one.

mod compiler;
mod device;
mod memory;
mod nvrtc;
mod queue;
mod search;

pub use compiler::{CompiledCode, Compiler, KernelBuild};
pub use device::{CudaDevice, make_current};
pub use nvrtc::{LINES, Nvrtc, options};
/// For libraries that put work of their own on streams, as NCCL does.
pub use queue::{CudaQueue, own_memory};
pub use search::{FoundLibrary, NVRTC_VARIABLE, fetch, fetched_tool_paths, find_nvrtc, places, python_sites};

use crate::DeviceError;
use cudarc::driver::{result, sys};
use device::{describe, format_uuid};

/// The driver's description of this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct DriverStatus {
    /// The newest CUDA that the driver supports, for example "13.0".
    pub cuda: String,
    /// Device names in CUDA's order.
    pub devices: Vec<String>,
    /// Their UUIDs, in the form that NVML takes; empty where the driver does not provide one.
    pub uuids: Vec<String>,
}

/// Asks the driver for its version and its devices.
///
/// # Errors
/// When there is no driver, or it sees no device.
pub fn driver_status() -> Result<DriverStatus, DeviceError> {
    ensure_driver()?;
    let cuda = supported_cuda()?;
    let devices = (0..CudaDevice::count()?)
        .map(|ordinal| {
            result::device::get(ordinal as i32)
                .and_then(result::device::get_name)
                .map_err(|error| describe("asking a device for its name", error))
        })
        .collect::<Result<Vec<_>, _>>()?;
    if devices.is_empty() {
        return Err(no_device());
    }
    let uuid = |ordinal| result::device::get_uuid(result::device::get(ordinal as i32)?);
    let uuids =
        (0..devices.len()).map(|ordinal| uuid(ordinal).map_or(String::new(), |uuid| format_uuid(&uuid)));
    Ok(DriverStatus { cuda, uuids: uuids.collect(), devices })
}

/// Loads and initializes the driver.
///
/// # Errors
/// When there is no driver library, or it refuses to start.
pub(super) fn ensure_driver() -> Result<(), DeviceError> {
    // SAFETY: only loads the library by its usual names; its initializers are the driver's own.
    if !unsafe { sys::is_culib_present() } {
        return Err(DeviceError::unavailable("no CUDA driver (libcuda): install the NVIDIA driver"));
    }
    result::init().map_err(|error| match error.0 {
        sys::CUresult::CUDA_ERROR_NO_DEVICE => no_device(),
        _ => DeviceError::unavailable(format!(
            "the CUDA driver does not start ({:?}): check that nvidia-smi works and that the driver matches the kernel module",
            error.0
        )),
    })
}

/// The newest CUDA that the driver supports, as "major.minor".
pub(super) fn supported_cuda() -> Result<String, DeviceError> {
    let mut version = 0;
    // SAFETY: writes one int to the given address, and the driver is initialized.
    unsafe { sys::cuDriverGetVersion(&mut version) }
        .result()
        .map_err(|error| describe("asking the driver for its version", error))?;
    Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
}

fn no_device() -> DeviceError {
    DeviceError::unavailable("the CUDA driver sees no device: check nvidia-smi and CUDA_VISIBLE_DEVICES")
}
