//! What cells are solved on.

use crate::implementation::{self, Implementation};
use crate::timing::SolvedOn;
use repro_types::CellId;

/// What an implementation is solved on. One that this build does not know is taken to run on a device: in every version only the
/// baselines ran on the CPU.
pub fn solved_on_by(known: Option<&Implementation>) -> SolvedOn {
    if known.is_none_or(Implementation::needs_device) { SolvedOn::Device } else { SolvedOn::Cpu }
}

/// Whether what records call `implementation` runs on a device.
pub fn runs_on_device(implementation: &str) -> bool {
    solved_on_by(implementation::find(implementation).as_deref()) == SolvedOn::Device
}

/// What a cell is solved on, which says how many samples it needs.
pub fn solved_on(cell: &CellId) -> SolvedOn {
    solved_on_by(implementation::find(&cell.implementation).as_deref())
}
