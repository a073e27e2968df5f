//! The work of a run on one group of cells: what is asked of workers, in which order, and what is noted of the answers.

use super::requests::unexpected;
use super::time::{KERNEL_SOLVES, LONG_SOLVE_S, WARM_UP_WORTH};
use super::{Result, RunError, Runner};
use crate::device::emulated::{Counts, Instruments};
use crate::implementation::{self, Target};
use crate::measure::CellEvent;
use crate::measure::hardware::needs_gpu;
use crate::measure::judge::row_of;
use crate::plan::{CellGroup, Experiment, Mode, PlannedCell, Variant};
use crate::protocol::{
    CountReply, Failure, FailureCause, GraphRequest, OpenRequest, Reply, Request, SampleReply,
};
use crate::store::{
    CountRow, DeviceLinks, DeviceTimeRow, HostWarning, KernelTimeRow, RepeatTimes, RepeatsRow, SampleRow,
    Status, is_loaded, is_time,
};
use crate::timing::{KernelSeconds, Scope};
use repro_base::CellId;
use std::path::{Path, PathBuf};

impl Runner<'_> {
    /// Leaves out cells that have all that is asked of them or cannot be run, has the graph loaded and the remaining cells warmed up.
    pub(super) fn start_group(&mut self, group: &CellGroup) -> Result {
        let mut active = Vec::new();
        for cell in &group.cells {
            let is_complete = self.is_done(&cell.id) && self.further_requests(cell).is_empty();
            if !is_complete && !self.skip(cell, group)? {
                active.push(cell);
            }
        }
        self.ready = active.iter().map(|cell| cell.id.clone()).collect();
        // Cells that are counted in addition to a GPU's need no graph in this worker.
        active.retain(|cell| cell.mode == Mode::Timed || self.emulates());
        let problem = if active.is_empty() { None } else { self.load_graph(group)? };
        for cell in active {
            match &problem {
                Some(problem) => self.fail(cell, Status::Failed, problem)?,
                None => self.prepare(cell, group)?,
            }
        }
        Ok(())
    }

    /// Has the graph loaded. A worker that dies of it is replaced once: a smaller or no other graph may still do. Returns what is wrong
    /// where that ends this group alone.
    fn load_graph(&mut self, group: &CellGroup) -> Result<Option<String>> {
        let request = Request::LoadGraph(self.graph_request(group));
        let mut loaded = self.ask(&request, &group.cells[0].id)?;
        if loaded.as_ref().is_err_and(Failure::ends_worker) {
            loaded = self.ask(&request, &group.cells[0].id)?;
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
    fn graph_request(&self, group: &CellGroup) -> GraphRequest {
        let source = group.graph.source.of_run(self.journal.folder());
        let Experiment { limits, sharded, .. } = self.experiment;
        GraphRequest { sharded, ..GraphRequest::whole(source, group.graph.element, group.n, limits) }
    }

    /// Leaves a cell out where it cannot or should not be run, with a row that says why.
    fn skip(&mut self, cell: &PlannedCell, group: &CellGroup) -> Result<bool> {
        let Some(reason) = self.reason_to_skip(cell, group) else { return Ok(false) };
        let row = self.row_without_time(cell, Status::Skipped, &reason);
        if self.journal.history().cell(&cell.id).ended.as_ref() != Some(&row.message) {
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
            let instead = "; others are counted";
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
            return self.measure(cell, group, &self.count_request(cell));
        }
        let seed = self.journal.manifest().substitute_seed.unwrap_or_default();
        let fresh = seed.wrapping_add(self.next_sample(cell) as u64);
        let (variant, clocks) = (cell.variant.clone(), self.experiment.clocks);
        self.measure(cell, group, &Request::Sample { variant, clocks, fresh })
    }

    /// Makes the requests that follow a cell's samples, as long as those are valid.
    pub(super) fn end(&mut self, cell: &PlannedCell, group: &CellGroup) -> Result {
        for request in self.further_requests(cell) {
            // After one that went wrong no further one is made.
            if !self.is_done(&cell.id) || self.journal.history().cell(&cell.id).ended.is_some() {
                break;
            }
            self.measure(cell, group, &request)?;
        }
        Ok(())
    }

    /// What the experiment asks of a cell in addition to its samples and is not recorded yet, in this order. Cells timed on a device have
    /// such requests, and counted cells, for further orders.
    fn further_requests(&self, cell: &PlannedCell) -> Vec<Request> {
        let (known, rows, mut further) =
            (self.journal.history().cell(&cell.id), self.journal.rows(), Vec::new());
        if !cell.variant.needs_device() {
            return further;
        }
        if cell.mode == Mode::Counted {
            let orders = known.counted as u64..self.experiment.orders;
            return orders.filter(|_| known.ended.is_none()).map(|_| self.count_request(cell)).collect();
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
            further.push(Request::TimeKernels { variant: variant(), solves });
        }
        let repeats = self.experiment.repeats.filter(|_| rows.repeats.iter().all(|row| row.cell != cell.id));
        further.extend(repeats.map(|rule| Request::Repeat { variant: variant(), rule }));
        if self.experiment.clocks.first_run && !known.first_run {
            further.push(Request::FirstRun { variant: variant() });
        }
        further
    }

    fn count_request(&self, cell: &PlannedCell) -> Request {
        let is_first = self.journal.history().cell(&cell.id).counted == 0;
        let between_launches = self.experiment.between_launches && is_first;
        Request::Count { variant: cell.variant.clone(), between_launches }
    }

    /// What a separate worker opens for a request; None where the run's own worker answers it.
    fn opening_for(&self, cell: &PlannedCell, request: &Request) -> Option<OpenRequest> {
        // The order of blocks and threads: each count is in another one, and 0 is the usual one.
        let order = self.journal.history().cell(&cell.id).counted as u64;
        let asked_for = self.experiment.device.as_str();
        let (device, instruments) = match request {
            Request::FirstRun { .. } => (asked_for, Instruments::NONE),
            Request::Count { .. } if order == 0 && self.emulates() => return None,
            Request::Count { .. } if asked_for.starts_with("emulated") => (asked_for, Instruments::ALL),
            // In addition to a GPU it only counts. Looking for races takes five times as long, and is for users who ask for this device.
            Request::Count { .. } => ("emulated", Instruments::COUNT),
            _ => return None,
        };
        // No type, so that no kernel is loaded yet: a first run loads its kernels under the clock.
        let (variants, elements) = (vec![cell.variant.clone()], Vec::new());
        Some(OpenRequest { device: device.to_string(), variants, elements, instruments, order })
    }

    /// Sends a request that concerns one cell, and records the answer. A failure ends the cell and nothing else.
    fn measure(&mut self, cell: &PlannedCell, group: &CellGroup, request: &Request) -> Result {
        let is_first = matches!(request, Request::FirstRun { .. });
        let opening = self.opening_for(cell, request);
        let is_beside = opening.is_some() && !is_first;
        let answer = match opening {
            None => self.ask(request, &cell.id)?,
            Some(opening) => {
                let graph = Request::LoadGraph(self.graph_request(group));
                self.ask_fresh(&[Request::Open(opening), graph, request.clone()], &cell.id)?
            }
        };
        match answer {
            Ok(Reply::Prepared { others_load, transport }) => {
                self.note_prepared(cell, others_load, transport)
            }
            // The time of a cold process is no sample of the cell.
            Ok(Reply::Sampled(sampled)) if is_first => {
                let row = row_of(cell, &group.graph, self.next_sample(cell), &sampled, None);
                Ok(self.journal.append(row.every_scope(&sampled.seconds))?)
            }
            Ok(Reply::Sampled(sampled)) => self.note_sample(cell, group, *sampled),
            Ok(Reply::KernelTimes { kernels }) => self.note_kernel_times(cell, &kernels),
            Ok(Reply::Repeated { repeated }) => self.note_repeats(cell, repeated),
            Ok(Reply::Counted(counted)) => self.note_counts(cell, group, *counted),
            Ok(_) => Err(unexpected()),
            Err(failure) => {
                let (status, what) = match failure.cause {
                    // Counts are an addition to this run: their lack is no failure.
                    FailureCause::Unavailable if is_beside => (Status::Skipped, "not counted: "),
                    FailureCause::TooFewDevices => (Status::Skipped, ""),
                    FailureCause::TimedOut => (Status::Timeout, ""),
                    _ => (Status::Failed, ""),
                };
                let row = self.row_without_time(cell, status, &format!("{what}{}", failure.message));
                // A failed first run leaves the cell its samples.
                let scope = if is_first { Scope::FirstHost } else { row.scope };
                self.end_with(cell, SampleRow { scope, ..row })
            }
        }
    }

    /// Records what brings panels from device to device; reports and records that others use the host when a cell begins.
    fn note_prepared(&mut self, cell: &PlannedCell, load: Option<f64>, transport: Option<String>) -> Result {
        let load = load.filter(|load| is_loaded(*load));
        if load.is_none() && transport.is_none() {
            return Ok(());
        }
        load.iter().for_each(|load| self.report(&cell.id, CellEvent::Busy(*load)));
        let finding = load.map(|others_load| HostWarning::BusyBefore { cell: cell.id.clone(), others_load });
        Ok(self.journal.change_manifest(|manifest| {
            let of_cell = |known: &HostWarning| matches!(known, HostWarning::BusyBefore { cell: of, .. } if *of == cell.id);
            manifest.host_findings.retain(|known| finding.is_none() || !of_cell(known));
            manifest.host_findings.extend(finding);
            if let Some((here, transport)) = manifest.environment.as_mut().zip(transport) {
                here.together.get_or_insert_with(DeviceLinks::alone).add_transport(&transport);
            }
        })?)
    }

    fn note_sample(&mut self, cell: &PlannedCell, group: &CellGroup, sampled: SampleReply) -> Result {
        if let Some((scope, seconds)) = sampled.seconds.iter().find(|(_, seconds)| !is_time(*seconds)) {
            let message = format!("the clock of scope {scope} showed {seconds} s, which is no time");
            return self.fail(cell, Status::Failed, &message);
        }
        let (sample, sampled) = (self.next_sample(cell), sampled.of_a_whole_solve(group.n));
        let row = row_of(cell, &group.graph, sample, &sampled, self.environment());
        let times =
            sampled.devices.iter().map(|one| DeviceTimeRow::new(&cell.id, sample, &one.host, &one.times));
        // Stored before the sample is recorded: a run that is stopped in between takes the sample again, and stores then.
        let not_stored = self.store_distances(cell)?;
        // Device times come first: a sample that was recorded without them would never get them.
        self.journal.add_device_times(times.collect())?;
        self.journal.append(row.every_scope(&sampled.seconds))?;
        if row.status == Status::Impossible {
            self.report(&cell.id, CellEvent::Ended(&row));
        }
        not_stored.map_or(Ok(()), |problem| self.fail(cell, Status::Failed, &problem))
    }

    fn note_kernel_times(&mut self, cell: &PlannedCell, times: &[KernelSeconds]) -> Result {
        let known = cell.variant.implementation.known();
        let model = known.map(|known| known.solver.model(cell.id.n, &cell.variant.parameters));
        let moved = |kernel: &str| {
            let mut moving = model.iter().flatten().filter(|one| one.stored_bytes > 0);
            moving.find(|one| one.kernel == kernel).map(|one| (one.loaded_bytes, one.stored_bytes))
        };
        let rows = times.iter().map(|time| KernelTimeRow::new(&cell.id, time, moved(&time.kernel)));
        Ok(self.journal.add_kernel_times(rows.collect())?)
    }

    /// Records repeated solves. A single result that differs makes the cell fail.
    fn note_repeats(&mut self, cell: &PlannedCell, repeated: Option<RepeatTimes>) -> Result {
        let Some(repeated) = repeated else {
            self.report(&cell.id, CellEvent::NotRepeatable);
            return Ok(());
        };
        // The failure first: a run that ends in between must not have the row without the failure.
        if repeated.different > 0 {
            let RepeatTimes { different, solves, .. } = repeated;
            let problem =
                format!("{different} of {solves} repeated solves differ from the first, which is right");
            self.fail(cell, Status::Failed, &problem)?;
        }
        Ok(self.journal.add_repeats(RepeatsRow { cell: cell.id.clone(), of: repeated })?)
    }

    fn note_counts(&mut self, cell: &PlannedCell, group: &CellGroup, counted: CountReply) -> Result {
        // A cell that cannot be stored is counted again, and stored, when the run is continued.
        if let Some(problem) = self.store_distances(cell)? {
            return self.fail(cell, Status::Failed, &problem);
        }
        let (known, problem) = (cell.variant.implementation.known(), group.graph.problem(group.n));
        let tasks = |kernel: &str, blocks| {
            implementation::tasks_of(known?, &cell.variant.parameters, kernel, &problem, blocks)
        };
        let row = |(kernel, counts): &(String, Counts)| {
            let unlike = counted.unlike_plain.iter().find(|(known, _)| known == kernel);
            CountRow {
                unlike_plain: unlike.map(|(_, launches)| *launches),
                ..CountRow::new(&cell.id, kernel, counts, tasks(kernel, counts.blocks))
            }
        };
        // Counts are the same in every order; those of the usual one are kept.
        if self.journal.history().cell(&cell.id).counted == 0 {
            self.journal.add_counts(counted.kernels.iter().map(row).collect())?;
        }
        let row = SampleRow {
            verified: true,
            verification: Some(counted.result.verification),
            digest: counted.result.digest,
            ..self.row_without_time(cell, Status::Counted, "")
        };
        self.end_with(cell, row)
    }

    /// Makes the folder for distances, if they are asked for. A new run writes over no file. In a run that is continued, cells that were
    /// done before keep what they have.
    pub(super) fn check_distances(&mut self) -> Result {
        let Some(folder) = &self.experiment.distances else { return Ok(()) };
        let refused = |problem| RunError::Input(format!("--distances: {problem}"));
        std::fs::create_dir_all(folder)
            .map_err(|error| refused(format!("cannot make {}: {error}", folder.display())))?;
        let is_new = self.journal.manifest().resumed.is_empty();
        for cell in &self.cells {
            let file = file_of(folder, cell);
            match file.exists() {
                true if is_new => {
                    let problem = format!("{} exists: remove it, or choose another folder", file.display());
                    return Err(refused(problem));
                }
                true => self.report(cell, CellEvent::DistancesExist(&file)),
                false if self.is_done(cell) => self.report(cell, CellEvent::DistancesGone),
                false => {}
            }
        }
        Ok(())
    }

    /// Has the distances of a cell stored, which were just found right, if that is asked for and was not done before. Says what is
    /// wrong where that cannot be done.
    fn store_distances(&mut self, cell: &PlannedCell) -> Result<Option<String>> {
        // Results of cells that are counted in addition to a GPU's are not in this worker.
        let is_here = cell.mode == Mode::Timed || self.emulates();
        let folder = self.experiment.distances.as_ref().filter(|_| is_here);
        let path = folder.map(|folder| file_of(folder, &cell.id)).filter(|path| !path.exists());
        let Some(path) = path else { return Ok(None) };
        let request = Request::StoreDistances { variant: cell.variant.clone(), path: path.clone() };
        let stored = self.ask(&request, &cell.id)?;
        if stored.is_ok() {
            self.report(&cell.id, CellEvent::DistancesStored(&path));
        }
        Ok(stored.err().map(|failure| failure.message))
    }
}

/// The file of a cell's distances: its name has all that distinguishes the cell from others.
fn file_of(folder: &Path, cell: &CellId) -> PathBuf {
    let n = format!("n={}", cell.n);
    let parts = [&cell.implementation, &n, &cell.params, &cell.graph].map(String::as_str);
    let name = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    let plain = |c: char| if c.is_ascii_alphanumeric() || "=.-_".contains(c) { c } else { '_' };
    folder.join(format!("{}.npy", name.chars().map(plain).collect::<String>()))
}
