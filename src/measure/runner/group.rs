//! The work of a run on one group of cells: its graph is loaded, its cells are warmed up and sampled.

use super::extra::ExtraMeasurement;
use super::requests::unexpected;
use super::time::{HANGS_AFTER, OVERHEAD, Start, WARM_UP_WORTH, comparison_time, graph_time, seconds};
use super::{RunError, Runner};
use crate::measure::event::{Activity, CellEvent};
use crate::measure::hardware::needs_gpu;
use crate::measure::judge::{beaten_floor, row_of};
use crate::plan::{CellGroup, Mode, PlannedCell};
use crate::protocol::{FailureCause, GraphRequest, Reply, Request};
use crate::store::{DeviceTimeRow, HostFinding, Status, Together, is_loaded, is_time};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

impl Runner<'_> {
    /// Leaves out cells that are done or cannot be run, has the graph loaded and the others warmed up. Gives those that are ready to be
    /// sampled. What is counted beside a GPU needs no graph of this worker's, and is done then.
    pub(super) fn start_group<'g>(&mut self, group: &'g CellGroup) -> Result<Vec<&'g PlannedCell>, RunError> {
        if self.start.is_none() {
            self.start = Some(Start::of(self));
        }
        let (mut active, mut ready) = (Vec::new(), Vec::new());
        for cell in &group.cells {
            if !self.is_complete(cell) && !self.skip(cell, group)? {
                active.push(cell);
            }
        }
        let emulates = self.environment().is_some_and(|here| here.device.is_some() && here.gpu().is_none());
        let is_beside = !emulates && active.iter().all(|cell| cell.mode == Mode::Counted);
        if active.is_empty() || is_beside {
            for cell in active {
                self.show(Activity::Counting(&cell.id));
                self.count_in_fresh_worker(cell, group, 0)?;
            }
        } else if let Some(problem) = self.load_graph(group)? {
            active.into_iter().try_for_each(|cell| self.fail(cell, Status::Failed, &problem))?;
        } else {
            for cell in active {
                self.show(Activity::WarmingUp(&cell.id));
                if self.prepare(cell)? {
                    ready.push(cell);
                }
            }
        }
        Ok(ready)
    }

    /// Has the graph loaded. A worker that dies of it is replaced once: a smaller or no other graph may still do. Gives what is wrong where
    /// that ends the group alone.
    fn load_graph(&mut self, group: &CellGroup) -> Result<Option<String>, RunError> {
        self.show(Activity::Graph(group.n, &group.graph.name));
        let request = Request::LoadGraph(self.graph_request(group));
        let limit = OVERHEAD + graph_time(group.n);
        let mut loaded = self.request(&request, limit);
        if let Err(RunError::Worker(_)) = loaded {
            loaded = self.request(&request, limit);
        }
        match loaded {
            Err(RunError::Worker(how)) => Ok(Some(format!("the graph cannot be made: {how}"))),
            // Another element type may hold what this one does not.
            Ok(Err(failure))
                if failure.cause == FailureCause::Graph && self.experiment.elements().len() == 1 =>
            {
                Err(RunError::Input(failure.message))
            }
            loaded => Ok(loaded?.err().map(|failure| failure.message)),
        }
    }

    /// What a worker is asked to load for a group.
    pub(super) fn graph_request(&self, group: &CellGroup) -> GraphRequest {
        GraphRequest {
            source: group.graph.source.of_run(self.journal.folder()),
            element: group.graph.element,
            n: group.n,
            limits: self.experiment.limits,
            sharded: self.experiment.sharded,
        }
    }

    /// The number of the graph that an implementation from a file gets for its next sample. Nobody can foretell the first of a run, and
    /// have results ready; who reads the record of the run knows the next ones, which helps no program, since nothing of it outlives a sample.
    fn substitute(&mut self, cell: &PlannedCell) -> Result<u64, RunError> {
        let sample = self.next_sample(cell) as u64;
        if !cell.variant.is_external() {
            return Ok(sample);
        }
        let known = self.journal.manifest().substitute_seed;
        let seed =
            known.unwrap_or_else(|| RandomState::new().hash_one(&self.journal.manifest().started) >> 12);
        if known.is_none() {
            self.journal.change_manifest(|manifest| manifest.substitute_seed = Some(seed))?;
        }
        Ok(seed.wrapping_add(sample))
    }

    /// Takes one sample, whether or not the cell needs it; whether there can be more.
    pub(super) fn sample(&mut self, cell: &PlannedCell, group: &CellGroup) -> Result<bool, RunError> {
        if cell.mode == Mode::Counted {
            self.show(Activity::Counting(&cell.id));
            return self.count(cell).map(|()| false);
        }
        self.show(Activity::Sampling(&cell.id, self.next_sample(cell) + 1));
        let clocks = self.experiment.clocks;
        let mut limit = self.solve_limit(cell) * clocks.solves();
        if cell.variant.is_external() {
            // It makes another graph first, and solves on the earlier one once more.
            limit += graph_time(cell.id.n) + self.solve_limit(cell);
        }
        let fresh = self.substitute(cell)?;
        let request = Request::Sample { variant: cell.variant.clone(), clocks, fresh };
        let Some(reply) = self.request_for_cell(cell, &request, limit)? else { return Ok(false) };
        let Reply::Sampled(sampled) = reply else { return Err(unexpected()) };
        let sample = self.next_sample(cell);
        if let Some((scope, seconds)) = sampled.seconds.iter().find(|(_, seconds)| !is_time(*seconds)) {
            let message = format!("the clock of scope {scope} showed {seconds} s, which is no time");
            return self.fail(cell, Status::Failed, &message).map(|()| false);
        }
        let sampled = sampled.of_a_whole_solve(group.n);
        let beaten = beaten_floor(cell, group, &sampled, self.environment());
        let row = row_of(&cell.id, sample, &sampled, beaten);
        let times =
            sampled.devices.iter().map(|one| DeviceTimeRow::new(&cell.id, sample, &one.host, &one.times));
        // Before the sample is there: a run that is stopped meanwhile takes it again, and stores then.
        let not_stored = self.store_distances(cell)?;
        // First: a sample without its devices would never get them.
        self.journal.add_device_times(times.collect())?;
        self.journal.append(row.every_scope(&sampled.seconds))?;
        if row.status == Status::Impossible {
            self.report(&cell.id, CellEvent::Impossible(&row.message));
        }
        if let Some(problem) = not_stored {
            return self.fail(cell, Status::Failed, &problem).map(|()| false);
        }
        Ok(true)
    }

    /// Whether a cell has everything that the experiment asks of it.
    fn is_complete(&self, cell: &PlannedCell) -> bool {
        self.is_done(&cell.id) && !ExtraMeasurement::ALL.into_iter().any(|what| self.lacks(cell, what))
    }

    /// Leaves a cell out where it cannot or should not be run, with a row that says why.
    fn skip(&mut self, cell: &PlannedCell, group: &CellGroup) -> Result<bool, RunError> {
        let Some(reason) = self.reason_to_skip(cell, group) else { return Ok(false) };
        let row = self.row_without_time(cell, Status::Skipped, &reason);
        if self.journal.history().of(&cell.id).ended.as_ref() != Some(&row.message) {
            self.journal.append(vec![row])?;
        }
        Ok(true)
    }

    pub(super) fn reason_to_skip(&self, cell: &PlannedCell, group: &CellGroup) -> Option<String> {
        let variant = &cell.variant;
        let unknown = self.unknown.iter().find(|unknown| unknown.variant == *variant);
        let unknown = unknown.map(|unknown| format!("this build does not know it: {}", unknown.reason));
        let no_gpu = || {
            let environment =
                self.environment().filter(|here| variant.takes_gpu() && here.gpu().is_none())?;
            Some(needs_gpu(environment.device_problem.as_ref()))
        };
        let no_device = || {
            let environment =
                self.environment().filter(|_| variant.needs_device() && cell.mode == Mode::Timed)?;
            let problem = environment.device_problem.clone().unwrap_or_default();
            match &environment.device {
                None => Some(problem),
                Some(device) if device.info.emulated => {
                    let counts = self.experiment.columns.iter().any(|column| !column.count_sizes.is_empty());
                    let instead = "; smaller sizes are counted on the emulated device instead";
                    Some(problem + if counts { instead } else { "" })
                }
                Some(_) => None,
            }
        };
        let too_long = || {
            let longest = self.experiment.limits.full_cell_s;
            let seconds = self.journal.history().forecast(&cell.id).filter(|_| cell.optional)?;
            (seconds > longest).then(|| {
                format!("left out: by smaller sizes, one sample takes longer than full_cell_s = {longest} s")
            })
        };
        let batch = || variant.takes_batch(group.graph.source.graphs());
        let unfit = || variant.solves(cell.id.n, group.graph.element).and_then(|()| batch()).err();
        unknown.or_else(no_gpu).or_else(unfit).or_else(no_device).or_else(too_long)
    }

    /// Whether the cell is ready to be sampled; a row says why not.
    fn prepare(&mut self, cell: &PlannedCell) -> Result<bool, RunError> {
        let wanted = self.experiment.limits.warm_up_s;
        let expected = self.journal.history().forecast(&cell.id);
        let warm_up_s =
            if expected.is_some_and(|seconds| seconds > wanted * WARM_UP_WORTH) { 0.0 } else { wanted };
        let limit = self.solve_limit(cell) + seconds(warm_up_s);
        let request = Request::Prepare { variant: cell.variant.clone(), warm_up_s };
        let Some(reply) = self.request_for_cell(cell, &request, limit)? else { return Ok(false) };
        let Reply::Prepared { others_load, transport } = reply else { return Err(unexpected()) };
        self.note_transport(transport)?;
        self.note_load_before(cell, others_load)?;
        Ok(true)
    }

    /// Notes what brings panels from device to device.
    fn note_transport(&mut self, transport: Option<String>) -> Result<(), RunError> {
        let Some(transport) = transport else { return Ok(()) };
        let known = self.environment().and_then(|environment| environment.together.clone());
        let mut together = known.unwrap_or_else(Together::alone);
        if together.add_transport(&transport) {
            self.change_environment(|environment| environment.together = Some(together))?;
        }
        Ok(())
    }

    /// Says and notes that others use the host when a cell is begun.
    fn note_load_before(&mut self, cell: &PlannedCell, others_load: Option<f64>) -> Result<(), RunError> {
        let Some(others_load) = others_load.filter(|load| is_loaded(*load)) else { return Ok(()) };
        self.report(&cell.id, CellEvent::BusyBefore(others_load));
        let finding = HostFinding::BusyBefore { cell: cell.id.clone(), others_load };
        Ok(self.journal.change_manifest(|manifest| {
            let of_cell = |known: &HostFinding| matches!(known, HostFinding::BusyBefore { cell: of, .. } if *of == cell.id);
            manifest.host_findings.retain(|known| !of_cell(known));
            manifest.host_findings.push(finding);
        })?)
    }

    /// How long one solve and its verification may take. Kernels were compiled when the device was opened.
    pub(super) fn solve_limit(&self, cell: &PlannedCell) -> Duration {
        let expected = self.journal.history().forecast(&cell.id);
        let longest = self.experiment.limits.sample_s;
        let hangs_after =
            expected.map_or(longest, |expected| (expected * HANGS_AFTER).max(10.0).min(longest));
        seconds(hangs_after) + comparison_time(cell.id.n)
    }
}
