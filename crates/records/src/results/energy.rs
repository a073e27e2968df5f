//! What a solve takes in joules, as far as a run recorded it.

use crate::results::stored::StoredRun;
use repro_base::CellId;
use repro_timing::Scope;

/// Seconds of a solve from which on the driver's power is that of the solve. It is a mean over about a second: of shorter solves
/// it holds what was before them, which the report's figure of such solves beside the counter confirms.
const LONG_ENOUGH_S: f64 = 1.0;

/// Joules a solve by the counter, from solves that were made one after another.
pub fn joules_by_counter(run: &StoredRun) -> Vec<(CellId, f64)> {
    let rows = run.results.repeats.iter();
    rows.filter_map(|row| Some((row.cell(), row.joules? / row.solves.max(1) as f64))).collect()
}

/// Joules a solve from power readings, of each sample on a device that is long enough.
pub fn joules_by_reading(run: &StoredRun) -> Vec<(CellId, f64)> {
    run.valid_rows(Scope::Kernel)
        .filter(|row| run.is_on_device(&row.implementation))
        .filter_map(|row| {
            let seconds = row.clocked().filter(|seconds| *seconds >= LONG_ENOUGH_S)?;
            Some((row.cell(), row.power_w? * row.seconds.unwrap_or(seconds)))
        })
        .collect()
}
