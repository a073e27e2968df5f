//! Cells that have no place in a list.

use super::Options;
use crate::results::{StoredRun, SummaryRow};
use crate::store::Status;
use repro_types::CellId;
use serde::Serialize;

/// A cell that was tried, or was to be, and has no valid time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeftOut {
    /// The run's name.
    pub run: String,
    #[serde(flatten)]
    pub cell: CellId,
    pub status: Status,
    /// Why, as the run recorded it.
    pub message: String,
}

/// Those of all runs.
pub(super) fn of(runs: &[StoredRun], options: &Options) -> Vec<LeftOut> {
    let of_run = |run: &StoredRun| -> Vec<LeftOut> {
        let experiment = &run.manifest.experiment;
        let rows = run.results.summary.iter().filter(|row| {
            let has_place =
                run.cell(&row.cell()).time(options.scope).is_some() || row.status == Status::Counted;
            !has_place && options.wants(row.n, experiment.element_of(&row.graph))
        });
        let row = |row: &SummaryRow| LeftOut {
            run: run.name(),
            cell: row.cell(),
            status: row.status,
            message: match row.is_timed() {
                true => format!("timed, and not in scope {}", options.scope),
                false => row.message.clone(),
            },
        };
        rows.map(row).collect()
    };
    runs.iter().flat_map(of_run).collect()
}
