//! What is asked of a worker beside samples: kernels one by one, the first run of a process, counts.

use super::Stop;
use super::lane::{Lane, unexpected};
use super::limits::{
    HANGS_AFTER, KERNEL_SOLVES, LONG_SOLVE_S, OVERHEAD, comparison_time, graph_time, seconds,
};
use crate::implementation::Target;
use crate::measure::event::CellEvent;
use crate::measure::judge::row_of;
use crate::measure::protocol::{Counted, FailureCause, Reply, Request};
use crate::measure::supervisor::Answer;
use crate::plan::{Group, PlannedCell};
use crate::store::{CountRow, KernelTimeRow, RepeatsRow, SampleRow, Status};
use crate::timing::Scope;
use std::sync::atomic::Ordering;

impl Lane<'_> {
    pub(super) fn lacks_kernel_times(&self, cell: &PlannedCell) -> bool {
        let known = || self.journal.rows().kernel_times.iter().any(|row| row.is_of(&cell.id));
        // A kernel that is alone has the time of scope `kernel`.
        let has_several = || {
            let schedule = cell.variant.implementation.known().and_then(|known| known.schedule());
            schedule.is_some_and(|schedule| {
                schedule.kernels(Target::default(), &cell.variant.parameters).len() > 1
            })
        };
        self.experiment.clocks.by_kernel && is_timed_on_a_device(cell) && has_several() && !known()
    }

    pub(super) fn lacks_first_run(&self, cell: &PlannedCell) -> bool {
        self.experiment.clocks.first_run
            && is_timed_on_a_device(cell)
            && !self.journal.history().of(&cell.id).first_run
    }

    /// Has the kernels of a cell timed one by one, if that is asked for and its samples were valid.
    pub(super) fn time_kernels(&mut self, cell: &PlannedCell) -> Result<(), Stop> {
        if !self.lacks_kernel_times(cell) || !self.is_done(&cell.id) {
            return Ok(());
        }
        let long = self.journal.history().forecast(&cell.id).is_some_and(|seconds| seconds > LONG_SOLVE_S);
        let solves = if long { 1 } else { KERNEL_SOLVES };
        let limit = self.solve_limit(cell) * KERNEL_SOLVES as u32;
        let request = Request::TimeKernels { variant: cell.variant.clone(), solves };
        let times = match self.ask_for(cell, &request, limit)? {
            Some(Reply::KernelTimes { kernels }) => kernels,
            Some(_) => return Err(unexpected()),
            None => return Ok(()),
        };
        let schedule = cell.variant.implementation.known().and_then(|known| known.schedule());
        let model = schedule.and_then(|schedule| schedule.model(cell.id.n, &cell.variant.parameters));
        let rows = times.iter().map(|time| KernelTimeRow::new(&cell.id, time, model.as_deref()));
        Ok(self.journal.add_kernel_times(&cell.id, rows.collect())?)
    }

    pub(super) fn lacks_repeats(&self, cell: &PlannedCell) -> bool {
        let known = || self.journal.rows().repeats.iter().any(|row| row.cell() == cell.id);
        self.experiment.repeats.is_some() && is_timed_on_a_device(cell) && !known()
    }

    /// Has a cell solved again and again, if that is asked for and its samples were valid. One other result makes the cell wrong.
    pub(super) fn repeat(&mut self, cell: &PlannedCell) -> Result<(), Stop> {
        let Some(rule) = self.experiment.repeats.filter(|_| self.lacks_repeats(cell)) else { return Ok(()) };
        if !self.is_done(&cell.id) {
            return Ok(());
        }
        let expected = self.journal.history().forecast(&cell.id).unwrap_or_default() * rule.solves as f64;
        let limit = self.solve_limit(cell) + seconds(HANGS_AFTER * (expected + rule.seconds));
        let request = Request::Repeat { variant: cell.variant.clone(), rule };
        let repeated = match self.ask_for(cell, &request, limit)? {
            Some(Reply::Repeated { repeated: Some(repeated) }) => repeated,
            Some(Reply::Repeated { repeated: None }) => {
                self.report(cell, CellEvent::NotRepeatable);
                return Ok(());
            }
            None => return Ok(()),
            Some(_) => return Err(unexpected()),
        };
        // The failure first: a run that ends in between must not have the row and not the failure.
        if repeated.different > 0 {
            let problem = format!(
                "{} of {} repeated solves have another result than the first, which is right",
                repeated.different, repeated.solves
            );
            self.fail(cell, Status::Failed, &problem)?;
        }
        Ok(self.journal.add_repeats(RepeatsRow::new(&cell.id, &repeated))?)
    }

    /// Has a cell solved for the first time in a fresh process, if that is asked for and its samples were valid.
    pub(super) fn run_first(&mut self, cell: &PlannedCell, group: &Group) -> Result<(), Stop> {
        if !self.lacks_first_run(cell) || !self.is_done(&cell.id) {
            return Ok(());
        }
        let request = Request::FirstRun {
            device: self.experiment.device.clone(),
            variant: cell.variant.clone(),
            graph: self.graph_of(group),
        };
        let limit = OVERHEAD + graph_time(group.n) + self.solve_limit(cell);
        let answer = self.executor.ask_fresh(&request, limit);
        let sample = self.journal.history().of(&cell.id).next_sample;
        let failed = |status, message: &str| SampleRow {
            scope: Scope::FirstHost,
            ..SampleRow::without_time(&cell.id, sample, status, message)
        };
        let row = match answer {
            _ if self.interrupted.load(Ordering::Relaxed) => return Err(Stop::Interrupted),
            Answer::Interrupted => return Err(Stop::Interrupted),
            Answer::Reply(Reply::Sampled(sampled)) => {
                let row = row_of(&cell.id, sample, &sampled, None);
                return Ok(self.journal.append(row.every_scope(&sampled.seconds))?);
            }
            Answer::Reply(Reply::Failed(failure)) => failed(Status::Failed, &failure.message),
            Answer::Reply(_) => return Err(unexpected()),
            Answer::TimedOut => failed(Status::Timeout, "no result from a fresh process in time"),
            Answer::Died(words) => failed(Status::Failed, &words),
        };
        self.report(cell, CellEvent::FirstRunEnded(row.status, &row.message));
        Ok(self.journal.append(vec![row])?)
    }

    /// Has a cell counted by a worker of its own, which has the emulated device where the run's has a GPU.
    pub(super) fn count_beside(&mut self, cell: &PlannedCell, group: &Group) -> Result<(), Stop> {
        let request = Request::CountBeside { variant: cell.variant.clone(), graph: self.graph_of(group) };
        let limit = OVERHEAD + seconds(self.experiment.limits.sample_s);
        match self.executor.ask_fresh(&request, limit) {
            _ if self.interrupted.load(Ordering::Relaxed) => Err(Stop::Interrupted),
            Answer::Interrupted => Err(Stop::Interrupted),
            Answer::Reply(Reply::Counted(counted)) => self.note_counts(cell, *counted),
            Answer::Reply(Reply::Failed(failure)) if failure.cause == FailureCause::Unavailable => {
                // What the emulated device would have said is not what the run is about.
                let sample = self.journal.history().of(&cell.id).next_sample;
                let reason = format!("not counted: {}", failure.message);
                let row = SampleRow::without_time(&cell.id, sample, Status::Skipped, &reason);
                Ok(self.journal.append(vec![row])?)
            }
            Answer::Reply(Reply::Failed(failure)) => self.fail(cell, Status::Failed, &failure.message),
            Answer::Reply(_) => Err(unexpected()),
            Answer::TimedOut => self.fail(cell, Status::Timeout, "not counted in time"),
            Answer::Died(words) => self.fail(cell, Status::Failed, &words),
        }
    }

    /// Has a cell counted.
    pub(super) fn count(&mut self, cell: &PlannedCell) -> Result<(), Stop> {
        let limit = seconds(self.experiment.limits.sample_s) + comparison_time(cell.id.n);
        match self.ask_for(cell, &Request::Count { variant: cell.variant.clone() }, limit)? {
            Some(Reply::Counted(counted)) => match self.store_distances(cell)? {
                None => self.note_counts(cell, *counted),
                // Counted again, and stored, when the run is continued.
                Some(problem) => self.fail(cell, Status::Failed, &problem),
            },
            Some(_) => Err(unexpected()),
            None => Ok(()),
        }
    }

    fn note_counts(&mut self, cell: &PlannedCell, counted: Counted) -> Result<(), Stop> {
        for note in &counted.notes {
            self.report(cell, CellEvent::Noted(note));
        }
        let rows = counted.kernels.iter().map(|(kernel, counts)| CountRow::new(&cell.id, kernel, counts));
        self.journal.add_counts(rows.collect())?;
        let told = counted.uncounted.map(|why| why.to_string()).unwrap_or_default();
        let sample = self.journal.history().of(&cell.id).next_sample;
        let row = SampleRow {
            verified: true,
            verification: Some(counted.result.verification),
            digest: counted.result.digest,
            ..SampleRow::without_time(&cell.id, sample, Status::Counted, &told)
        };
        self.report(cell, CellEvent::Counted(counted.uncounted));
        Ok(self.journal.append(vec![row])?)
    }
}

fn is_timed_on_a_device(cell: &PlannedCell) -> bool {
    !cell.counted && cell.variant.needs_device()
}
