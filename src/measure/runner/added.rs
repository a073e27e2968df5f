//! Cells that are added to a run one after another, because what was measured decides what is measured next.

use super::lane::Lane;
use super::{Outcome, RunError, Stop};
use crate::measure::event::RunObserver;
use crate::measure::supervisor::Executor;
use crate::plan::Column;
use crate::store::Journal;
use repro_types::CellId;
use std::sync::atomic::AtomicBool;

/// Runs columns of a run as they are added to it.
pub struct IncrementalRunner<'a> {
    pub executor: &'a mut dyn Executor,
    pub journal: &'a mut Journal,
    pub observer: &'a mut dyn RunObserver,
    pub interrupted: &'a AtomicBool,
    /// Whether the ceilings of the machine were measured by this start of the program.
    pub has_ceilings: bool,
}

impl IncrementalRunner<'_> {
    /// Runs the cells of `column`, which becomes one of the run. Cells that were left unfinished go on; one that failed is not tried
    /// again, since what came after it was chosen knowing that. False when the user stopped it.
    ///
    /// # Errors
    /// When records cannot be written, or the device is not to be had.
    pub fn run(&mut self, column: &Column) -> Result<bool, RunError> {
        if !self.journal.manifest().experiment.columns.contains(column) {
            self.journal.change_manifest(|manifest| manifest.experiment.columns.push(column.clone()))?;
        }
        let variant = column.variant();
        let with_ceilings = !std::mem::replace(&mut self.has_ceilings, true);
        let mut lane = self.lane();
        let ran = lane.open_added(&variant, with_ceilings).and_then(|()| {
            lane.groups().into_iter().try_for_each(|mut group| {
                group.cells.retain(|cell| cell.variant == variant);
                if group.cells.is_empty() { Ok(()) } else { lane.run_group(&group) }
            })
        });
        // Also after an interrupt: what was measured is worth reading.
        lane.write_derived()?;
        match ran {
            Ok(()) => Ok(true),
            Err(Stop::Interrupted) => Ok(false),
            Err(Stop::Error(error)) => Err(error),
        }
    }

    /// Whether a cell has all samples that it needs, or failed.
    pub fn is_over(&mut self, cell: &CellId) -> bool {
        self.journal.history().of(cell).ended.is_some() || self.lane().is_done(cell)
    }

    /// Notes that nothing more is added.
    ///
    /// # Errors
    /// When records cannot be written.
    pub fn finish(&mut self) -> Result<Outcome, RunError> {
        let mut lane = self.lane();
        let ended = lane.finish();
        lane.report_salvaged();
        Ok(ended?)
    }

    fn lane(&mut self) -> Lane<'_> {
        Lane::new(self.executor, self.journal, self.observer, self.interrupted)
    }
}
