//! Two builds side by side: every sample of the new build next to one of the old build, on one device. What the machine
//! does to one, it does to the other, so their ratio can be trusted where two runs at two times cannot.

mod introduction;
mod machine;
mod observers;

pub use introduction::{PairError, introduce};

use crate::measure::event::{Event, RunObserver};
use crate::measure::runner::{Outcome, RunError, Runner};
use crate::measure::supervisor::Executor;
use crate::measure::this_build;
use crate::plan::{CellGroup, Experiment, PlannedCell};
use crate::protocol::Introduced;
use crate::store::{Journal, JournalError, Manifest, Pair, Side};
use observers::{SharedProgress, SideObserver};
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Something of the old build and the same of the new one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Both<T> {
    pub base: T,
    pub new: T,
}

impl<T> Both<T> {
    fn of(mut make: impl FnMut(Side) -> T) -> Self {
        Self { base: make(Side::Base), new: make(Side::New) }
    }

    pub fn get(&self, side: Side) -> &T {
        match side {
            Side::Base => &self.base,
            Side::New => &self.new,
        }
    }

    pub fn get_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Base => &mut self.base,
            Side::New => &mut self.new,
        }
    }
}

/// Starts the two runs of a pair, each in a folder of its own, which is created.
///
/// # Errors
/// When a folder holds a run already or cannot be written; then neither holds one of this pair.
pub fn create_pair(
    folders: &Both<PathBuf>,
    experiment: &Experiment,
    command_line: &[String],
    introduced: &Both<Introduced>,
) -> Result<Both<Journal>, JournalError> {
    let started = crate::measure::runner::now();
    // No other process has this number at this time, and none starts two pairs in a second in one folder.
    let id = format!("{started}-{}", std::process::id());
    let create = |side: Side| {
        let manifest = Manifest {
            build: introduced.get(side).build.clone(),
            pair: Some(Pair { id: id.clone(), side }),
            ..Manifest::new(this_build(), experiment.clone(), command_line.to_vec(), started.clone())
        };
        Journal::create(folders.get(side), manifest)
    };
    let base = create(Side::Base)?;
    match create(Side::New) {
        Ok(new) => Ok(Both { base, new }),
        Err(error) => {
            base.withdraw()?;
            Err(error)
        }
    }
}

/// Runs every cell of both journals of [`create_pair`], each with its worker, and of each what its build knows. Never do both workers
/// work at once.
///
/// A cell is sampled in rounds of one sample each, base first in one round and new first in the next, so that a
/// drift favours neither, until the sampling rule has enough of both. One whose cell fails leaves the cell to the
/// other; so does one whose samples were thrown away too often.
///
/// # Errors
/// When records cannot be written, what the user asked for cannot be had at all, or the two are not on one machine.
pub fn run_pair(
    workers: &mut Both<impl Executor>,
    journals: &mut Both<Journal>,
    introduced: Both<Introduced>,
    observer: &mut dyn RunObserver,
    interrupted: &AtomicBool,
) -> Result<Both<Outcome>, PairError> {
    let progress = RefCell::new(SharedProgress { observer, latest: Both::default() });
    let mut observers = Both::of(|side| SideObserver { side, progress: &progress });
    let mut lanes = Both {
        base: Runner::new(&mut workers.base, &mut journals.base, &mut observers.base, interrupted),
        new: Runner::new(&mut workers.new, &mut journals.new, &mut observers.new, interrupted),
    };
    lanes.base.unknown = introduced.base.unknown;
    lanes.new.unknown = introduced.new.unknown;
    let ran = lanes.open(&progress).and_then(|()| {
        lanes.base.groups().iter().try_for_each(|group| {
            lanes.each(Runner::keep_derived_fresh)?;
            lanes.run_group(group)
        })
    });
    match ran {
        Ok(()) => lanes.each(Runner::finish),
        Err(PairError::Interrupted) => lanes.each(|lane| lane.write_derived().map(|()| Outcome::Interrupted)),
        // Also after an error: what was measured is worth reading.
        Err(error) => {
            // The first error is the one to report.
            let _ = lanes.each(Runner::write_derived);
            Err(error)
        }
    }
}

/// A cell that is being sampled, and who still takes part.
struct PairedCell<'g> {
    cell: &'g PlannedCell,
    takes_part: Both<bool>,
}

impl<'s> Both<Runner<'s>> {
    fn open(&mut self, progress: &RefCell<SharedProgress>) -> Result<(), PairError> {
        self.each(Runner::open)?;
        if let Some((base, new)) = self.base.environment().zip(self.new.environment())
            && let Some(note) = machine::compare(base, new)?
        {
            progress.borrow_mut().observer.event(Event::PairDiffers(&note));
        }
        // What is too fast to be true must not depend on whose ceilings were measured in the better moment.
        let best = self.base.ceilings().best_of(self.new.ceilings());
        self.each(|lane| lane.raise_ceilings(best.clone())).map(drop)
    }

    fn run_group(&mut self, group: &CellGroup) -> Result<(), PairError> {
        let begun = self.each(|lane| lane.begin(group))?;
        let paired =
            |cell| PairedCell { cell, takes_part: Both::of(|side| begun.get(side).ready.contains(&cell)) };
        self.sample(group.cells.iter().map(paired).collect(), group)?;
        for cell in &group.cells {
            for side in [Side::Base, Side::New] {
                if begun.get(side).active.contains(&cell) {
                    self.one(side, |lane| lane.end(cell, group))?;
                }
            }
        }
        Ok(())
    }

    /// Takes the samples of a group's cells, round by round.
    fn sample(&mut self, mut cells: Vec<PairedCell>, group: &CellGroup) -> Result<(), PairError> {
        let mut order = [Side::Base, Side::New];
        while !cells.is_empty() {
            for PairedCell { cell, takes_part } in &mut cells {
                for side in order {
                    let takes_part = takes_part.get_mut(side);
                    *takes_part = *takes_part && self.one(side, |lane| lane.sample_in_pair(cell, group))?;
                }
            }
            cells.retain(|paired| !self.is_over(paired));
            order.reverse();
        }
        Ok(())
    }

    /// Whether a cell is done, which is then reported, or nobody takes part any more.
    fn is_over(&mut self, PairedCell { cell, takes_part }: &PairedCell) -> bool {
        let sides = [Side::Base, Side::New].into_iter().filter(|&side| *takes_part.get(side));
        let over = sides.clone().all(|side| self.get(side).is_done(&cell.id));
        if over {
            sides.for_each(|side| self.get_mut(side).report_cell(cell));
        }
        over
    }

    fn one<T>(
        &mut self,
        side: Side,
        work: impl FnOnce(&mut Runner<'s>) -> Result<T, RunError>,
    ) -> Result<T, PairError> {
        work(self.get_mut(side)).map_err(|stop| match stop {
            RunError::Interrupted => PairError::Interrupted,
            source => PairError::Lane { side, source },
        })
    }

    /// One after the other, base first.
    fn each<T>(
        &mut self,
        mut work: impl FnMut(&mut Runner<'s>) -> Result<T, RunError>,
    ) -> Result<Both<T>, PairError> {
        Ok(Both { base: self.one(Side::Base, &mut work)?, new: self.one(Side::New, &mut work)? })
    }
}
