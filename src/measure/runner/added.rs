//! Cells that are added to a run one after another, because what was measured decides what is measured next.

use super::{Outcome, RunError, Runner};
use crate::plan::Column;
use repro_types::CellId;

impl Runner<'_> {
    /// Runs the cells of `column`, which becomes one of the run. Cells that were left unfinished go on; one that failed is not tried
    /// again, since what came after it was chosen knowing that. False when the user stopped it.
    ///
    /// # Errors
    /// When records cannot be written, or the device is not to be had.
    pub fn run_added(&mut self, column: &Column) -> Result<bool, RunError> {
        if !self.experiment.columns.contains(column) {
            self.journal.change_manifest(|manifest| manifest.experiment.columns.push(column.clone()))?;
            self.experiment = self.journal.manifest().experiment.clone();
        }
        let variant = column.variant();
        let ran = self.open_added(&variant).and_then(|()| {
            self.groups().into_iter().try_for_each(|mut group| {
                group.cells.retain(|cell| cell.variant == variant);
                self.run_group(&group)
            })
        });
        // Also after an interrupt: what was measured is worth reading.
        self.write_derived()?;
        match ran {
            Ok(()) => Ok(true),
            Err(RunError::Interrupted) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether a cell has all samples that it needs, or failed.
    pub fn is_over(&self, cell: &CellId) -> bool {
        self.journal.history().of(cell).ended.is_some() || self.is_done(cell)
    }

    /// Notes that nothing more is added.
    ///
    /// # Errors
    /// When records cannot be written.
    pub fn finish_added(&mut self) -> Result<Outcome, RunError> {
        let ended = self.finish();
        self.report_salvaged();
        ended
    }
}
