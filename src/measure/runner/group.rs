//! The work of a run on one group of cells: what is asked of workers, and in which order.

use super::time::{KERNEL_SOLVES, LONG_SOLVE_S, WARM_UP_WORTH};
use super::{Result, Runner};
use crate::device::emulated::Instruments;
use crate::implementation::Target;
use crate::measure::hardware::needs_gpu;
use crate::plan::{CellGroup, Experiment, Mode, PlannedCell, Variant};
use crate::protocol::{Failure, FailureCause, GraphRequest, Opening, Request};
use crate::store::Status;
use repro_base::CellId;

impl Runner<'_> {
    /// Leaves out cells that have all that is asked of them or cannot be run, has the graph loaded and the others warmed up.
    pub(super) fn start_group(&mut self, group: &CellGroup) -> Result {
        let mut active = Vec::new();
        for cell in &group.cells {
            let is_complete = self.is_done(&cell.id) && self.lacking(cell).is_empty();
            if !is_complete && !self.skip(cell, group)? {
                active.push(cell);
            }
        }
        self.ready = active.iter().map(|cell| cell.id.clone()).collect();
        // What is counted beside a GPU needs no graph of this worker's.
        active.retain(|cell| cell.mode == Mode::Timed || self.emulates());
        let problem = active.first().map(|first| self.load_graph(&first.id, group)).transpose()?.flatten();
        for cell in active {
            match &problem {
                Some(problem) => self.fail(cell, Status::Failed, problem)?,
                None => self.prepare(cell, group)?,
            }
        }
        Ok(())
    }

    /// Has the graph loaded. A worker that dies of it is replaced once: a smaller or no other graph may still do. Gives what is wrong where
    /// that ends the group alone.
    fn load_graph(&mut self, first: &CellId, group: &CellGroup) -> Result<Option<String>> {
        let request = Request::LoadGraph(self.graph_request(group));
        let mut loaded = self.ask(&request, first)?;
        if loaded.as_ref().is_err_and(Failure::ends_worker) {
            loaded = self.ask(&request, first)?;
        }
        let Err(failure) = loaded else { return Ok(None) };
        // Another element type may hold what this one does not.
        if failure.cause == FailureCause::Graph && self.experiment.elements().len() == 1 {
            return Err(failure.into());
        }
        let how = if failure.ends_worker() { "the graph cannot be made: " } else { "" };
        Ok(Some(format!("{how}{}", failure.message)))
    }

    /// What a worker is asked to load for a group.
    pub(super) fn graph_request(&self, group: &CellGroup) -> GraphRequest {
        let source = group.graph.source.of_run(self.journal.folder());
        let Experiment { limits, sharded, .. } = self.experiment;
        GraphRequest { sharded, ..GraphRequest::whole(source, group.graph.element, group.n, limits) }
    }

    /// Leaves a cell out where it cannot or should not be run, with a row that says why.
    fn skip(&mut self, cell: &PlannedCell, group: &CellGroup) -> Result<bool> {
        let Some(reason) = self.reason_to_skip(cell, group) else { return Ok(false) };
        let row = self.row_without_time(cell, Status::Skipped, &reason);
        if self.journal.history().of(&cell.id).ended.as_ref() != Some(&row.message) {
            self.journal.append(vec![row])?;
        }
        Ok(true)
    }

    pub(super) fn reason_to_skip(&self, cell: &PlannedCell, group: &CellGroup) -> Option<String> {
        let (variant, here) = (&cell.variant, self.environment()?);
        if let Some(unknown) = self.unknown.iter().find(|unknown| unknown.variant == *variant) {
            return Some(format!("this build does not know it: {}", unknown.reason));
        }
        if variant.takes_gpu() && here.gpu().is_none() {
            return Some(needs_gpu(here.device_problem.as_ref()));
        }
        let batch = || variant.takes_batch(group.graph.source.graphs());
        if let Err(unfit) = variant.solves(cell.id.n, group.graph.element).and_then(|()| batch()) {
            return Some(unfit);
        }
        if variant.needs_device() && cell.mode == Mode::Timed && here.gpu().is_none() {
            let counts = self.experiment.columns.iter().any(|column| !column.count_sizes.is_empty());
            let instead = "; smaller sizes are counted on the emulated device instead";
            let problem = here.device_problem.clone().unwrap_or_default();
            return Some(problem + if counts && here.device.is_some() { instead } else { "" });
        }
        let longest = self.experiment.limits.full_cell_s;
        let expected = self.journal.history().forecast(&cell.id).filter(|_| cell.optional);
        expected.filter(|seconds| *seconds > longest).map(|_| {
            format!("left out: by smaller sizes, one sample takes longer than full_cell_s = {longest} s")
        })
    }

    /// Has the cell made ready to be sampled.
    fn prepare(&mut self, cell: &PlannedCell, group: &CellGroup) -> Result {
        let wanted = self.experiment.limits.warm_up_s;
        let expected = self.journal.history().forecast(&cell.id);
        let is_long = expected.is_some_and(|seconds| seconds > wanted * WARM_UP_WORTH);
        let warm_up_s = if is_long { 0.0 } else { wanted };
        self.measure(cell, group, &Request::Prepare { variant: cell.variant.clone(), warm_up_s })
    }

    /// Takes one sample, whether or not the cell needs it, or counts it.
    pub(super) fn sample(&mut self, cell: &PlannedCell, group: &CellGroup) -> Result {
        if cell.mode == Mode::Counted {
            return self.measure(cell, group, &self.count_of(cell));
        }
        let seed = self.journal.manifest().substitute_seed.unwrap_or_default();
        let fresh = seed.wrapping_add(self.next_sample(cell) as u64);
        let (variant, clocks) = (cell.variant.clone(), self.experiment.clocks);
        self.measure(cell, group, &Request::Sample { variant, clocks, fresh })
    }

    /// Has done what follows a cell's samples, as long as they are valid.
    pub(super) fn end(&mut self, cell: &PlannedCell, group: &CellGroup) -> Result {
        for request in self.lacking(cell) {
            // One that went wrong says enough.
            if !self.is_done(&cell.id) || self.journal.history().of(&cell.id).ended.is_some() {
                break;
            }
            self.measure(cell, group, &request)?;
        }
        Ok(())
    }

    /// What the experiment asks of a cell in addition to its samples, in this order, and there is no record of. Only what is timed on a device
    /// has it, and what is counted, in further orders.
    fn lacking(&self, cell: &PlannedCell) -> Vec<Request> {
        let (known, rows, mut lacking) =
            (self.journal.history().of(&cell.id), self.journal.rows(), Vec::new());
        if !cell.variant.needs_device() {
            return lacking;
        }
        if cell.mode == Mode::Counted {
            let orders = known.counted as u64..self.experiment.orders;
            return orders.filter(|_| known.ended.is_none()).map(|_| self.count_of(cell)).collect();
        }
        let (Variant { implementation, parameters }, variant) = (&cell.variant, || cell.variant.clone());
        let kernels =
            implementation.known().and_then(|of| of.launched_kernels(Target::default(), parameters));
        // A kernel that is alone has the time of scope `kernel`.
        let by_kernel = self.experiment.clocks.by_kernel && kernels.is_some_and(|set| set.uses.len() > 1);
        if by_kernel && rows.kernel_times.iter().all(|row| row.cell != cell.id) {
            let expected = self.journal.history().forecast(&cell.id);
            let is_long = expected.is_some_and(|seconds| seconds > LONG_SOLVE_S);
            let solves = if is_long { 1 } else { KERNEL_SOLVES };
            lacking.push(Request::TimeKernels { variant: variant(), solves });
        }
        let repeats = self.experiment.repeats.filter(|_| rows.repeats.iter().all(|row| row.cell != cell.id));
        lacking.extend(repeats.map(|rule| Request::Repeat { variant: variant(), rule }));
        if self.experiment.clocks.first_run && !known.first_run {
            lacking.push(Request::FirstRun { variant: variant() });
        }
        lacking
    }

    fn count_of(&self, cell: &PlannedCell) -> Request {
        let is_first = self.journal.history().of(&cell.id).counted == 0;
        let between_launches = self.experiment.between_launches && is_first;
        Request::Count { variant: cell.variant.clone(), between_launches }
    }

    /// What a worker of its own opens for a request. None of what the run's worker does.
    pub(super) fn opening_for(&self, cell: &PlannedCell, request: &Request) -> Option<Opening> {
        // Of blocks and threads: each count is in another one, and 0 is the usual one.
        let order = self.journal.history().of(&cell.id).counted as u64;
        let asked_for = self.experiment.device.as_str();
        let (device, instruments) = match request {
            Request::FirstRun { .. } => (asked_for, Instruments::NONE),
            Request::Count { .. } if order == 0 && self.emulates() => return None,
            Request::Count { .. } if asked_for.starts_with("emulated") => (asked_for, Instruments::ALL),
            // Beside a GPU it is asked for counts. Looking for races takes five times as long, and is for whoever asks for this device.
            Request::Count { .. } => ("emulated", Instruments::COUNT),
            _ => return None,
        };
        // No type: a first run loads its kernels under the clock.
        let (variants, elements) = (vec![cell.variant.clone()], Vec::new());
        Some(Opening { device: device.to_string(), variants, elements, instruments, order })
    }
}
