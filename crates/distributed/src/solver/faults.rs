//! What goes wrong on purpose on one of several devices. Built only with the feature `fault-injection`.

use super::lane::Lane;
use repro_device::{DeviceError, FailureKind};
use std::time::Duration;

/// Says what goes wrong on which device: `wrong:2`, `lost:2`, `stuck:2`, or `silent:2`.
const VARIABLE: &str = "REPRO_FAULT_DEVICE";

fn happens(fault: &str, lane: &Lane) -> bool {
    std::env::var(VARIABLE).is_ok_and(|asked| asked == format!("{fault}:{}", lane.number))
}

/// How long a round may take where one never ends: nobody wants to wait for it.
const SOON: Duration = Duration::from_millis(200);

/// Whether the device does what it is asked to, and never reports that it did.
pub fn is_silent(lane: &Lane) -> bool {
    happens("silent", lane)
}

/// How long a process that is alone waits for a round.
pub fn patience(lanes: &[Lane], usual: Duration) -> Duration {
    if lanes.iter().any(is_silent) { SOON } else { usual }
}

/// Before a solve: the device is lost, or never ends what it does.
pub fn before(lanes: &[Lane]) -> Result<(), DeviceError> {
    for lane in lanes {
        if happens("lost", lane) {
            return Err(DeviceError::new(FailureKind::Lost, "the device has vanished on purpose"));
        }
        while happens("stuck", lane) {
            std::thread::sleep(Duration::from_secs(3600));
        }
    }
    Ok(())
}

/// After a solve: the device has the second of its rows in the place of the first, too.
pub fn after(lanes: &[Lane]) -> Result<(), DeviceError> {
    for lane in lanes.iter().filter(|lane| happens("wrong", lane)) {
        let pitch = lane.pitch_bytes();
        let row = |row: usize| lane.matrix.part(row * pitch..(row + 1) * pitch);
        lane.main().copy(row(1), row(0))?;
        lane.main().synchronize()?;
    }
    Ok(())
}
