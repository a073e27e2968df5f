//! The cells of a run, which depend on the device that it found.

use crate::Manifest;
use repro_plan::{self as plan, CellGroup, DeviceKind};
use repro_types::CellId;

/// The groups of a run, as [`plan::groups`] has them for its device.
pub fn groups(manifest: &Manifest) -> Vec<CellGroup> {
    let device = manifest.environment.as_ref().and_then(|environment| environment.device.as_ref());
    let kind = match device {
        None => DeviceKind::None,
        Some(device) if device.info.emulated => DeviceKind::Emulated,
        Some(_) => DeviceKind::Gpu,
    };
    plan::groups(&manifest.experiment, kind)
}

/// The cells of [`groups`] in their order.
pub fn cells(manifest: &Manifest) -> Vec<CellId> {
    groups(manifest).into_iter().flat_map(|group| group.cells.into_iter().map(|cell| cell.id)).collect()
}
