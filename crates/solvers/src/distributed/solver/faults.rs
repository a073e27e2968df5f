//! What goes wrong on purpose on one of several devices. Built only with the feature `fault-injection`.

use super::device_shard::DeviceShard;
use repro_device::{DeviceError, FailureKind};
use std::time::Duration;

/// Says what goes wrong on which device: `wrong:2`, `lost:2` or `silent:2`.
const VARIABLE: &str = "REPRO_FAULT_DEVICE";

fn happens(fault: &str, lane: &DeviceShard) -> bool {
    std::env::var(VARIABLE).is_ok_and(|asked| asked == format!("{fault}:{}", lane.number))
}

/// The limit of a round where a device is silent, so that the round never ends.
const SOON: Duration = Duration::from_millis(200);

/// Whether the device does what it is asked to, and never reports that it did.
pub fn is_silent(lane: &DeviceShard) -> bool {
    happens("silent", lane)
}

/// How long is waited for a round.
pub fn patience(lanes: &[DeviceShard], usual: Duration) -> Duration {
    if lanes.iter().any(is_silent) { SOON } else { usual }
}

/// Before a solve: the device is lost.
pub fn before(lanes: &[DeviceShard]) -> Result<(), DeviceError> {
    let is_there = !lanes.iter().any(|lane| happens("lost", lane));
    let lost = || DeviceError::new(FailureKind::Lost, "the device has vanished on purpose");
    is_there.then_some(()).ok_or_else(lost)
}

/// After a solve: the device has the second of its rows in the place of the first, too.
pub fn after(lanes: &[DeviceShard]) -> Result<(), DeviceError> {
    for lane in lanes.iter().filter(|lane| happens("wrong", lane)) {
        let pitch = lane.pitch_bytes();
        let row = |row: usize| lane.memory.matrix.part(row * pitch..(row + 1) * pitch);
        lane.main().copy(row(1), row(0))?;
        lane.main().synchronize()?;
    }
    Ok(())
}
