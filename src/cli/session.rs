//! What it takes to measure: a worker, what is seen of it, and what stops it.

use crate::measure::{Observer, Outcome, RunError, Runner, WorkerProcess, probe_machine};
use crate::plan::Experiment;
use crate::store::{Environment, Journal, Status};
use repro_base::terminal::{Error, Progress, watch_for_interrupts};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub struct RunSession {
    pub interrupted: Arc<AtomicBool>,
    pub worker: WorkerProcess,
    pub progress: Progress,
}

impl RunSession {
    /// From here on an interrupt asks what is measured to end. A bar counts `units`, for example cells.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn new(quiet: bool, units: &str) -> Result<Self, Error> {
        let interrupted = watch_for_interrupts()?;
        let worker = WorkerProcess::new(std::env::current_exe()?, interrupted.clone());
        Ok(Self { interrupted, worker, progress: Progress::new(quiet, units) })
    }

    /// A worker of another build.
    pub fn worker_of(&self, program: &Path) -> WorkerProcess {
        WorkerProcess::new(program.to_path_buf(), self.interrupted.clone())
    }

    /// Looks at the machine before there is a folder: a device that is not there leaves none.
    ///
    /// # Errors
    /// As [`probe_machine`], or when the user stopped it.
    pub fn probe(&mut self, experiment: &mut Experiment) -> Result<Option<Environment>, RunError> {
        self.progress.progress("opening the device", 0, 0, None);
        let here = probe_machine(&mut self.worker, experiment)?;
        if self.interrupted.load(Ordering::Relaxed) { Err(RunError::Interrupted) } else { Ok(here) }
    }

    /// Measures what the records lack. A new run in which nothing could be measured is not in the way of the same command, once that can be
    /// done.
    ///
    /// # Errors
    /// As [`Runner::run`].
    pub fn measure(&mut self, mut journal: Journal) -> Result<(Journal, Outcome), RunError> {
        let ran = Runner::new(&mut self.worker, &mut journal, &mut self.progress, &self.interrupted).run();
        self.worker.leave();
        let is_new = journal.manifest().resumed.is_empty()
            && journal.samples().iter().all(|row| row.status == Status::Skipped);
        match ran {
            Err(error @ RunError::Input(_)) if is_new => {
                journal.discard_empty().map_err(RunError::from).and(Err(error))
            }
            ran => Ok((journal, ran?)),
        }
    }
}

/// The end of what shall be measured to its end: how many cells have no valid time although they should.
///
/// # Errors
/// When the user stopped it.
pub fn failed_of(outcome: Outcome) -> Result<usize, RunError> {
    match outcome {
        Outcome::Finished { failed } => Ok(failed),
        Outcome::Interrupted => Err(RunError::Interrupted),
    }
}

/// What is seen of a run while it goes on.
impl Observer for Progress {
    fn note(&mut self, line: &str) {
        self.note(line);
    }

    fn progress(&mut self, doing: &str, done: usize, of: usize, remaining_s: Option<f64>) {
        self.progress(doing, done, of, remaining_s);
    }
}
