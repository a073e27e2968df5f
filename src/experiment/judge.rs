//! What a sample is worth: ok, throttled, or too good to be true.

use super::protocol::Sampled;
use crate::implementation::{self, Implementation};
use crate::record::{CellId, SampleRow, Status};
use crate::timing::{Ceilings, Scope, cpu_floor_seconds, floor_seconds, is_impossible, is_impossible_on_cpu};

/// The row of a verified sample, with scope and seconds still to be filled in.
pub fn row_of(cell: &CellId, sample: usize, sampled: &Sampled, ceilings: &Ceilings) -> SampleRow {
    let telemetry = sampled.telemetry.clone().unwrap_or_default();
    let (status, message) = match beaten_floor(cell, sampled, ceilings) {
        Some((seconds, floor)) => (
            Status::Impossible,
            format!("{seconds:.3e} s is less than the {floor:.3e} s that the measured ceilings allow"),
        ),
        None if telemetry.is_throttled() => (Status::Throttled, String::new()),
        None => (Status::Ok, String::new()),
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

/// A time that is too short to be true, and the shortest that the ceilings of the device or of the host allow.
fn beaten_floor(cell: &CellId, sampled: &Sampled, ceilings: &Ceilings) -> Option<(f64, f64)> {
    if implementation::find(&cell.implementation).is_some_and(Implementation::needs_device) {
        // The device's own clock alone: what the host reads without waiting is no time of a solve.
        let read =
            [Scope::Kernel, Scope::CudaGraph].into_iter().filter_map(|scope| sampled.seconds.get(scope));
        let (seconds, ceilings) = (read.reduce(f64::min)?, ceilings.device?);
        is_impossible(seconds, cell.n, &ceilings).then(|| (seconds, floor_seconds(cell.n, &ceilings)))
    } else {
        let (seconds, rate) = (sampled.seconds.get(Scope::Kernel)?, ceilings.cpu_tasks_per_s?);
        is_impossible_on_cpu(seconds, cell.n, rate).then(|| (seconds, cpu_floor_seconds(cell.n, rate)))
    }
}
