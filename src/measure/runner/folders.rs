//! The folder of `--distances`: right results of sharded matrices, stored as they come.

use super::asking::unexpected;
use super::limits::{OVERHEAD, storing_time};
use super::{RunError, Runner};
use crate::measure::event::{CellEvent, Doing};
use crate::plan::PlannedCell;
use crate::protocol::{Reply, Request};
use repro_base::CellId;
use std::path::{Path, PathBuf};

/// The file of a cell's distances: its name has all that distinguishes the cell from others.
fn file_of(folder: &Path, cell: &CellId) -> PathBuf {
    let n = format!("n={}", cell.n);
    let parts = [&cell.implementation, &n, &cell.params, &cell.graph];
    let known: Vec<&str> = parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let plain =
        |letter: char| if letter.is_ascii_alphanumeric() || "=.-_".contains(letter) { letter } else { '_' };
    folder.join(format!("{}.npy", known.join("-").chars().map(plain).collect::<String>()))
}

impl Runner<'_> {
    /// Makes the folder for distances, if they are asked for. A new run writes over no file. In a run that is continued, cells that were
    /// done before keep what they have.
    pub(super) fn check_distances(&mut self) -> Result<(), RunError> {
        let Some(folder) = self.experiment.distances.clone() else { return Ok(()) };
        let refused = |problem| RunError::Input(format!("--distances: {problem}"));
        std::fs::create_dir_all(&folder)
            .map_err(|error| refused(format!("cannot make {}: {error}", folder.display())))?;
        let is_new = self.journal.manifest().resumed.is_empty();
        for cell in self.cells.clone() {
            let file = file_of(&folder, &cell);
            match file.exists() {
                true if is_new => {
                    let problem = format!("{} exists: remove it, or choose another folder", file.display());
                    return Err(refused(problem));
                }
                true => self.report(&cell, CellEvent::DistancesExist(&file)),
                false if self.is_done(&cell) => self.report(&cell, CellEvent::DistancesGone),
                false => {}
            }
        }
        Ok(())
    }

    /// Has the distances of a cell stored, which were just found right, if that is asked for and was not done before. Says what is
    /// wrong where that cannot be done.
    pub(super) fn store_distances(&mut self, cell: &PlannedCell) -> Result<Option<String>, RunError> {
        let Some(folder) = &self.experiment.distances else { return Ok(None) };
        let path = file_of(folder, &cell.id);
        if path.exists() {
            return Ok(None);
        }
        self.show(Doing::StoringDistances(&cell.id));
        let request = Request::StoreDistances { variant: cell.variant.clone(), path: path.clone() };
        let limit = OVERHEAD + storing_time(cell.id.n);
        match self.heard(|executor| executor.ask(&request, limit))? {
            Ok(Reply::Right) => {
                self.report(&cell.id, CellEvent::DistancesStored(&path));
                Ok(None)
            }
            Ok(_) => Err(unexpected()),
            Err(why) => {
                let late = format!("its distances were not stored in {:.0} s", limit.as_secs_f64());
                Ok(Some(why.message(&late)))
            }
        }
    }
}
