//! What cells are solved on.

use crate::implementation;
use crate::timing::SolvedOn;
use repro_types::CellId;

/// Whether what records call `implementation` runs on a device. What this build does not know is taken to: in every version only
/// the baselines ran on the CPU.
pub fn runs_on_device(implementation: &str) -> bool {
    implementation::find(implementation).is_none_or(|known| known.needs_device())
}

/// What a cell is solved on, which says how many samples it needs.
pub fn solved_on(cell: &CellId) -> SolvedOn {
    if runs_on_device(&cell.implementation) { SolvedOn::Device } else { SolvedOn::Cpu }
}
