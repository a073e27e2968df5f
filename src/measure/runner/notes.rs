//! What a cell is asked for, and what is noted of the answers.

use super::requests::unexpected;
use super::{Result, RunError, Runner};
use crate::device::emulated::Counts;
use crate::implementation;
use crate::measure::event::CellEvent;
use crate::measure::judge::row_of;
use crate::plan::{CellGroup, PlannedCell};
use crate::protocol::{Counted, FailureCause, Reply, Request, Sampled};
use crate::store::{
    CountRow, DeviceTimeRow, HostFinding, KernelTimeRow, Repeated, RepeatsRow, SampleRow, Status, Together,
    is_loaded, is_time,
};
use crate::timing::{KernelSeconds, Scope};
use repro_base::CellId;
use std::path::{Path, PathBuf};

impl Runner<'_> {
    /// Asks for something that concerns one cell, and notes what comes of it. A failure ends the cell and nothing else.
    pub(super) fn measure(&mut self, cell: &PlannedCell, group: &CellGroup, request: &Request) -> Result {
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
            // What a cold process took is no sample of the cell.
            Ok(Reply::Sampled(sampled)) if is_first => {
                let row = row_of(cell, &group.graph, self.next_sample(cell), &sampled, None);
                Ok(self.journal.append(row.every_scope(&sampled.seconds))?)
            }
            Ok(Reply::Sampled(sampled)) => self.note_sample(cell, group, *sampled),
            Ok(Reply::KernelTimes { kernels }) => self.note_kernel_times(cell, &kernels),
            Ok(Reply::Repeated { repeated }) => self.note_repeats(cell, repeated),
            Ok(Reply::Counted(counted)) => {
                let not_stored = if is_beside { None } else { self.store_distances(cell)? };
                match not_stored {
                    None => self.note_counts(cell, group, *counted),
                    // Counted again, and stored, when the run is continued.
                    Some(problem) => self.fail(cell, Status::Failed, &problem),
                }
            }
            Ok(_) => Err(unexpected()),
            Err(failure) => {
                let (status, what) = match failure.cause {
                    // What the emulated device would have said is not what the run is about.
                    FailureCause::Unavailable if is_beside => (Status::Skipped, "not counted: "),
                    FailureCause::TooFewDevices => (Status::Skipped, ""),
                    FailureCause::TimedOut => (Status::Timeout, ""),
                    _ => (Status::Failed, ""),
                };
                let row = self.row_without_time(cell, status, &format!("{what}{}", failure.message));
                // That of a first run leaves the cell its samples.
                let scope = if is_first { Scope::FirstHost } else { row.scope };
                self.end_with(cell, SampleRow { scope, ..row })
            }
        }
    }

    /// Notes what brings panels from device to device, and says and notes that others use the host when a cell is begun.
    fn note_prepared(&mut self, cell: &PlannedCell, load: Option<f64>, transport: Option<String>) -> Result {
        let load = load.filter(|load| is_loaded(*load));
        if load.is_none() && transport.is_none() {
            return Ok(());
        }
        load.iter().for_each(|load| self.report(&cell.id, CellEvent::BusyBefore(*load)));
        let finding = load.map(|others_load| HostFinding::BusyBefore { cell: cell.id.clone(), others_load });
        Ok(self.journal.change_manifest(|manifest| {
            let of_cell = |known: &HostFinding| matches!(known, HostFinding::BusyBefore { cell: of, .. } if *of == cell.id);
            manifest.host_findings.retain(|known| finding.is_none() || !of_cell(known));
            manifest.host_findings.extend(finding);
            if let Some((here, transport)) = manifest.environment.as_mut().zip(transport) {
                here.together.get_or_insert_with(Together::alone).add_transport(&transport);
            }
        })?)
    }

    fn note_sample(&mut self, cell: &PlannedCell, group: &CellGroup, sampled: Sampled) -> Result {
        if let Some((scope, seconds)) = sampled.seconds.iter().find(|(_, seconds)| !is_time(*seconds)) {
            let message = format!("the clock of scope {scope} showed {seconds} s, which is no time");
            return self.fail(cell, Status::Failed, &message);
        }
        let (sample, sampled) = (self.next_sample(cell), sampled.of_a_whole_solve(group.n));
        let row = row_of(cell, &group.graph, sample, &sampled, self.environment());
        let times =
            sampled.devices.iter().map(|one| DeviceTimeRow::new(&cell.id, sample, &one.host, &one.times));
        // Before the sample is there: a run that is stopped meanwhile takes it again, and stores then.
        let not_stored = self.store_distances(cell)?;
        // First: a sample without its devices would never get them.
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

    /// One other result makes the cell wrong.
    fn note_repeats(&mut self, cell: &PlannedCell, repeated: Option<Repeated>) -> Result {
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

    fn note_counts(&mut self, cell: &PlannedCell, group: &CellGroup, counted: Counted) -> Result {
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
        if self.journal.history().of(&cell.id).counted == 0 {
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
        let folder = self.experiment.distances.as_ref();
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
    let parts = [&cell.implementation, &n, &cell.params, &cell.graph];
    let known: Vec<&str> = parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let plain =
        |letter: char| if letter.is_ascii_alphanumeric() || "=.-_".contains(letter) { letter } else { '_' };
    folder.join(format!("{}.npy", known.join("-").chars().map(plain).collect::<String>()))
}
