//! What is asked of a worker in addition to samples: kernels one by one, the first run of a process, counts, right distances of sharded
//! matrices.

use super::requests::{status_of, unexpected};
use super::time::{
    HANGS_AFTER, KERNEL_SOLVES, LONG_SOLVE_S, OVERHEAD, comparison_time, graph_time, seconds, storing_time,
};
use super::{RunError, Runner};
use crate::device::emulated::Counts;
use crate::implementation::{self, Target};
use crate::measure::event::{Activity, CellEvent};
use crate::measure::judge::row_of;
use crate::plan::{CellGroup, Mode, PlannedCell, Variant};
use crate::protocol::{Counted, FailureCause, Reply, Request};
use crate::store::{CountRow, KernelTimeRow, RepeatsRow, SampleRow, Status};
use crate::timing::Scope;
use repro_base::CellId;
use std::path::{Path, PathBuf};

/// What an experiment may ask of a cell in addition to its samples.
#[derive(Clone, Copy)]
pub(super) enum ExtraMeasurement {
    KernelTimes,
    Repeats,
    FirstRun,
    Orders,
}

impl ExtraMeasurement {
    /// In the order in which they are measured.
    pub const ALL: [Self; 4] = [Self::KernelTimes, Self::Repeats, Self::FirstRun, Self::Orders];
}

impl Runner<'_> {
    /// Whether this is asked for and there is no record of it. Only what is timed on a device has it, but for orders, which only what is
    /// counted has.
    pub(super) fn lacks(&self, cell: &PlannedCell, what: ExtraMeasurement) -> bool {
        let (clocks, rows) = (self.experiment.clocks, self.journal.rows());
        // A kernel that is alone has the time of scope `kernel`.
        let is_lacking = || match what {
            ExtraMeasurement::KernelTimes => {
                let Variant { implementation, parameters } = &cell.variant;
                let known = implementation.known().filter(|_| clocks.by_kernel);
                let kernels = known.and_then(|known| known.launched_kernels(Target::default(), parameters));
                kernels.is_some_and(|set| set.uses.len() > 1)
                    && !rows.kernel_times.iter().any(|row| row.cell == cell.id)
            }
            ExtraMeasurement::Repeats => {
                self.experiment.repeats.is_some() && !rows.repeats.iter().any(|row| row.cell == cell.id)
            }
            ExtraMeasurement::FirstRun => clocks.first_run && !self.journal.history().of(&cell.id).first_run,
            // One that went wrong says enough.
            ExtraMeasurement::Orders => {
                let known = self.journal.history().of(&cell.id);
                known.ended.is_none() && (known.counted as u64) < self.experiment.orders
            }
        };
        let is_meant = (cell.mode == Mode::Counted) == matches!(what, ExtraMeasurement::Orders);
        is_meant && cell.variant.needs_device() && is_lacking()
    }

    /// Has done what follows a cell's samples: measures what is lacking, as long as they are valid.
    pub(super) fn end(&mut self, cell: &PlannedCell, group: &CellGroup) -> Result<(), RunError> {
        for what in ExtraMeasurement::ALL {
            if self.lacks(cell, what) && self.is_done(&cell.id) {
                self.show(Activity::Further(&cell.id));
                match what {
                    ExtraMeasurement::KernelTimes => self.time_kernels(cell)?,
                    ExtraMeasurement::Repeats => self.repeat(cell)?,
                    ExtraMeasurement::FirstRun => self.run_first(cell, group)?,
                    // A wrong result in one makes the cell wrong.
                    ExtraMeasurement::Orders => {
                        while self.lacks(cell, what) {
                            let order = self.journal.history().of(&cell.id).counted as u64;
                            self.count_in_fresh_worker(cell, group, order)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Has the kernels of a cell timed one by one.
    fn time_kernels(&mut self, cell: &PlannedCell) -> Result<(), RunError> {
        let long = self.journal.history().forecast(&cell.id).is_some_and(|seconds| seconds > LONG_SOLVE_S);
        let solves = if long { 1 } else { KERNEL_SOLVES };
        let limit = self.solve_limit(cell) * KERNEL_SOLVES as u32;
        let request = Request::TimeKernels { variant: cell.variant.clone(), solves };
        let Some(reply) = self.request_for_cell(cell, &request, limit)? else { return Ok(()) };
        let Reply::KernelTimes { kernels: times } = reply else { return Err(unexpected()) };
        let known = cell.variant.implementation.known();
        let model = known.map(|known| known.solver.model(cell.id.n, &cell.variant.parameters));
        let moved = |kernel: &str| {
            let of_kernel =
                model.iter().flatten().find(|one| one.kernel == kernel && one.stored_bytes > 0)?;
            Some((of_kernel.loaded_bytes, of_kernel.stored_bytes))
        };
        let rows = times.iter().map(|time| KernelTimeRow::new(&cell.id, time, moved(&time.kernel)));
        Ok(self.journal.add_kernel_times(rows.collect())?)
    }

    /// Has a cell solved again and again. One other result makes the cell wrong.
    fn repeat(&mut self, cell: &PlannedCell) -> Result<(), RunError> {
        let Some(rule) = self.experiment.repeats else { return Ok(()) };
        let expected = self.journal.history().forecast(&cell.id).unwrap_or_default() * rule.solves as f64;
        let limit = self.solve_limit(cell) + seconds(HANGS_AFTER * (expected + rule.seconds));
        let request = Request::Repeat { variant: cell.variant.clone(), rule };
        let Some(reply) = self.request_for_cell(cell, &request, limit)? else { return Ok(()) };
        let Reply::Repeated { repeated } = reply else { return Err(unexpected()) };
        let Some(repeated) = repeated else {
            self.report(&cell.id, CellEvent::NotRepeatable);
            return Ok(());
        };
        // The failure first: a run that ends in between must not have the row and not the failure.
        if repeated.different > 0 {
            let problem = format!(
                "{} of {} repeated solves have another result than the first, which is right",
                repeated.different, repeated.solves
            );
            self.fail(cell, Status::Failed, &problem)?;
        }
        Ok(self.journal.add_repeats(RepeatsRow { cell: cell.id.clone(), of: repeated })?)
    }

    /// Has a cell solved for the first time in a fresh process.
    fn run_first(&mut self, cell: &PlannedCell, group: &CellGroup) -> Result<(), RunError> {
        let request = Request::FirstRun {
            device: self.experiment.device.clone(),
            variant: cell.variant.clone(),
            graph: self.graph_request(group),
        };
        let limit = OVERHEAD + graph_time(group.n) + self.solve_limit(cell);
        let failure = match self.call_worker(|executor| executor.ask_fresh(&request, limit))? {
            Ok(Reply::Sampled(sampled)) => {
                let row = row_of(&cell.id, self.next_sample(cell), &sampled, None);
                return Ok(self.journal.append(row.every_scope(&sampled.seconds))?);
            }
            Ok(_) => return Err(unexpected()),
            Err(failure) => failure,
        };
        let row = self.row_without_time(cell, status_of(&failure), &failure.message);
        self.report(&cell.id, CellEvent::FirstRunEnded(row.status, &row.message));
        Ok(self.journal.append(vec![SampleRow { scope: Scope::FirstHost, ..row }])?)
    }

    /// Has a cell counted by a worker of its own, which has the emulated device where the run's has a GPU, with blocks and threads in this
    /// order: 0 is the usual one.
    pub(super) fn count_in_fresh_worker(
        &mut self,
        cell: &PlannedCell,
        group: &CellGroup,
        order: u64,
    ) -> Result<(), RunError> {
        let is_asked_for = self.experiment.device.starts_with("emulated");
        let request = Request::CountBeside {
            variant: cell.variant.clone(),
            device: is_asked_for.then(|| self.experiment.device.clone()),
            order,
            between_launches: self.experiment.between_launches && order == 0,
            graph: self.graph_request(group),
        };
        let limit = OVERHEAD + seconds(self.experiment.limits.sample_s);
        match self.call_worker(|executor| executor.ask_fresh(&request, limit))? {
            Ok(Reply::Counted(counted)) => self.note_counts(cell, *counted),
            Ok(_) => Err(unexpected()),
            Err(failure) if failure.cause == FailureCause::Unavailable => {
                // What the emulated device would have said is not what the run is about.
                let reason = format!("not counted: {}", failure.message);
                let row = self.row_without_time(cell, Status::Skipped, &reason);
                Ok(self.journal.append(vec![row])?)
            }
            Err(failure) => self.fail_by(cell, &failure),
        }
    }

    /// Has a cell counted.
    pub(super) fn count(&mut self, cell: &PlannedCell) -> Result<(), RunError> {
        let limit = seconds(self.experiment.limits.sample_s) + comparison_time(cell.id.n);
        let between_launches = self.experiment.between_launches;
        let request = Request::Count { variant: cell.variant.clone(), between_launches };
        let Some(reply) = self.request_for_cell(cell, &request, limit)? else { return Ok(()) };
        let Reply::Counted(counted) = reply else { return Err(unexpected()) };
        match self.store_distances(cell)? {
            None => self.note_counts(cell, *counted),
            // Counted again, and stored, when the run is continued.
            Some(problem) => self.fail(cell, Status::Failed, &problem),
        }
    }

    fn note_counts(&mut self, cell: &PlannedCell, counted: Counted) -> Result<(), RunError> {
        let graph = self.experiment.graph(&cell.id.graph);
        let problem = graph.map(|graph| graph.problem(cell.id.n));
        let known = cell.variant.implementation.known();
        let tasks = |kernel: &str, blocks| {
            let (known, problem) = known.zip(problem.as_ref())?;
            implementation::tasks_of(known, &cell.variant.parameters, kernel, problem, blocks)
        };
        let row = |(kernel, counts): &(String, Counts)| {
            let unlike = counted.unlike_plain.iter().find(|(known, _)| known == kernel);
            CountRow {
                unlike_plain: unlike.map(|(_, launches)| *launches),
                ..CountRow::new(&cell.id, kernel, counts, tasks(kernel, counts.blocks))
            }
        };
        // Counts are the same in every order; those of the usual one are kept.
        if self.journal.history().of(&cell.id).counted == 0 {
            self.journal.add_counts(counted.kernels.iter().map(row).collect())?;
        }
        let row = SampleRow {
            verified: true,
            verification: Some(counted.result.verification),
            digest: counted.result.digest,
            ..self.row_without_time(cell, Status::Counted, "")
        };
        self.report(&cell.id, CellEvent::Counted);
        Ok(self.journal.append(vec![row])?)
    }

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
        self.show(Activity::StoringDistances(&cell.id));
        let request = Request::StoreDistances { variant: cell.variant.clone(), path: path.clone() };
        let limit = OVERHEAD + storing_time(cell.id.n);
        match self.call_worker(|executor| executor.ask(&request, limit))? {
            Ok(Reply::Right) => {
                self.report(&cell.id, CellEvent::DistancesStored(&path));
                Ok(None)
            }
            Ok(_) => Err(unexpected()),
            Err(failure) => Ok(Some(failure.message)),
        }
    }
}

/// The file of a cell's distances: its name has all that distinguishes the cell from others.
fn file_of(folder: &Path, cell: &CellId) -> PathBuf {
    let n = format!("n={}", cell.n);
    let parts = [&cell.implementation, &n, &cell.params, &cell.graph];
    let known: Vec<&str> = parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let plain =
        |letter: char| if letter.is_ascii_alphanumeric() || "=.-_".contains(letter) { letter } else { '_' };
    folder.join(format!("{}.npy", known.join("-").chars().map(plain).collect::<String>()))
}
