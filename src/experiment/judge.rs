//! What a sample is worth: ok, throttled, or too good to be true.

use super::protocol::Sampled;
use crate::implementation::{self, Implementation};
use crate::record::{CellId, SampleRow, Status};
use crate::timing::{Ceilings, Scope, floor_seconds, is_impossible};

/// The row of a verified sample, with scope and seconds still to be filled in.
pub fn row_of(cell: &CellId, sample: usize, sampled: &Sampled, ceilings: &Ceilings) -> SampleRow {
    let needs_device = implementation::find(&cell.implementation).is_some_and(Implementation::needs_device);
    let device = ceilings.device.filter(|_| needs_device);
    let telemetry = sampled.telemetry.clone().unwrap_or_default();
    // The device's own clock alone: what the host reads without waiting is no time of a solve.
    let fastest = [Scope::Kernel, Scope::CudaGraph]
        .into_iter()
        .filter_map(|scope| sampled.seconds.get(scope))
        .reduce(f64::min);
    let (status, message) = match device {
        Some(device) if fastest.is_some_and(|seconds| is_impossible(seconds, cell.n, &device)) => {
            let floor = floor_seconds(cell.n, &device);
            let seconds = fastest.unwrap_or_default();
            (
                Status::Impossible,
                format!("{seconds:.3e} s is less than the {floor:.3e} s that the measured ceilings allow"),
            )
        }
        _ if telemetry.is_throttled() => (Status::Throttled, String::new()),
        _ => (Status::Ok, String::new()),
    };
    SampleRow {
        verified: true,
        verification: Some(sampled.verification),
        digest: sampled.digest.clone(),
        sm_mhz: telemetry.sm_mhz,
        memory_mhz: telemetry.memory_mhz,
        power_w: telemetry.power_w,
        temperature_c: telemetry.temperature_c,
        throttled_by: telemetry.throttled_by.join("+"),
        ..SampleRow::without_time(cell, sample, status, &message)
    }
}
