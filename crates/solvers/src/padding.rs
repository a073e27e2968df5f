//! Shared memory that nothing uses, so that fewer blocks reside on a multiprocessor: lund-smith-2010, sections 3.3 and 4.2, whose gains
//! come from many blocks in place of one.

use super::{Parameter, Parameters};
use repro_device::DeviceInfo;

/// Shared memory that the kernel of the rest tiles is launched with and does not use: by it, fewer blocks are resident on a
/// multiprocessor, as few as on the paper's if need be. The most is what a block may have on an H200.
pub const PADDING: Parameter = Parameter {
    name: "padding-kib",
    meaning: "KiB of unused shared memory a block of the kernel of the rest tiles, so that fewer are resident",
    default: 0,
    lowest: 0,
    highest: 227,
};

/// The padding in bytes.
pub fn bytes(parameters: &Parameters) -> u32 {
    parameters.get(&PADDING) << 10
}

/// Whether a block that declares so many bytes of shared memory may have the padding, too.
///
/// # Errors
/// How much it may have, in one line.
pub fn check(device: &DeviceInfo, declared: u64, parameters: &Parameters) -> Result<(), String> {
    let most = device.shared_bytes_per_block;
    let padding = u64::from(bytes(parameters));
    if padding == 0 || declared + padding <= most {
        return Ok(());
    }
    Err(format!(
        "{} = {} and the {declared} bytes that a block uses are more than the {} KiB that {} gives a block: set {0} to {} or \
         less",
        PADDING.name,
        parameters.get(&PADDING),
        most >> 10,
        device.name,
        most.saturating_sub(declared) >> 10
    ))
}
