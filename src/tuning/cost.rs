//! What a point costs, from the records of its run.

use crate::implementation::{Parameters, non_default};
use crate::plan::{CostKind, runs_on_device};
use crate::ranking::{CountedEntry, Options, rank};
use crate::results::StoredRun;
use crate::store::Status;
use repro_types::CellId;

/// A point that was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// Those that are not at their defaults.
    pub parameters: Parameters,
    /// What it costs, or why that is not known: it was wrong, it failed, or it could not be run.
    pub cost: Result<Cost, String>,
}

/// What a point costs, and what decides between two that cost the same.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Cost {
    pub value: f64,
    /// Of a counted point, bytes of shared memory a task: blocks in registers take fewer, and as many of global memory.
    pub tie: f64,
}

/// What a run can show of its points: the emulated device has no clock.
pub fn cost_kind(run: &StoredRun) -> CostKind {
    let on_device =
        run.manifest.experiment.columns.iter().any(|column| runs_on_device(&column.implementation));
    if run.is_emulated() && on_device { CostKind::SectorBytesATask } else { CostKind::Seconds }
}

/// What a cell costs; or why that is not known.
pub(super) fn cost(run: &StoredRun, kind: CostKind, cell: &CellId) -> Result<Cost, String> {
    let row = run.row(cell);
    match kind {
        CostKind::Seconds => {
            let seconds = row.and_then(|row| row.median_s).ok_or_else(|| reason(run, cell))?;
            Ok(Cost { value: seconds, tie: 0.0 })
        }
        CostKind::SectorBytesATask => {
            row.filter(|row| row.status == Status::Counted).ok_or_else(|| reason(run, cell))?;
            let entry = counted(run, cell).ok_or_else(|| reason(run, cell))?;
            let counted = Cost { value: entry.sector_bytes_a_task, tie: entry.shared_bytes_a_task };
            entry.place.map(|_| counted).ok_or_else(|| {
                "right, but not all of its bytes are counted, as with asynchronous copies".to_string()
            })
        }
    }
}

/// As `repro rank` has it.
fn counted(run: &StoredRun, cell: &CellId) -> Option<CountedEntry> {
    let options = Options { sizes: vec![cell.n], every_parameter: true, ..Options::default() };
    let parameters = cell.params.parse::<Parameters>().ok()?;
    let params = non_default(&cell.implementation, &parameters).to_string();
    let mut entries =
        rank(std::slice::from_ref(run), &options).counted.into_iter().flat_map(|list| list.entries);
    entries.find(|entry| entry.implementation == cell.implementation && entry.params == params)
}

/// Why a cell has no result that counts: what its last sample says.
fn reason(run: &StoredRun, cell: &CellId) -> String {
    let last = run.samples.iter().rev().find(|row| row.is_of(cell));
    match last {
        Some(row) if row.message.is_empty() => row.status.to_string(),
        Some(row) => format!("{}: {}", row.status, row.message),
        None => "it was not measured".to_string(),
    }
}
