//! The cells of a run, which depend on the device that it found.

use crate::plan::{self as plan, CellGroup, DeviceKind};
use crate::store::Manifest;
use repro_base::CellId;

/// The groups of a run in the order in which they are run, as [`plan::groups`] has them for its device.
pub fn groups(manifest: &Manifest) -> Vec<CellGroup> {
    plan::groups(&manifest.experiment, device_kind(manifest))
}

/// The cells of a run in the order of tables, as [`plan::cells`] has them.
pub fn cells(manifest: &Manifest) -> Vec<CellId> {
    plan::cells(&manifest.experiment, device_kind(manifest))
}

fn device_kind(manifest: &Manifest) -> DeviceKind {
    let device = manifest.environment.as_ref().and_then(|environment| environment.device.as_ref());
    match device {
        None => DeviceKind::None,
        Some(device) if device.info.emulated => DeviceKind::Emulated,
        Some(_) => DeviceKind::Gpu,
    }
}
