//! The worker process that solves under clocks, and the runner that asks it cell by cell. What a run reports while it goes on are values:
//! whoever shows it makes the words.

mod emulated;
mod hardware;
mod judge;
mod pairs;
mod runner;
mod sharded;
mod supervisor;
mod whole_matrix;
mod worker;

pub use crate::protocol::{
    CountReply, DeviceSample, Failure, FailureCause, GraphRequest, OpenReply, OpenRequest, Reply, Request,
    ResultProof, SampleReply, UnsupportedVariant, WorkerInfo,
};
use crate::store::{Build, BuildRole, DerivedFiles, Journal, SampleRow};
pub use emulated::EmulatedSolve;
pub use pairs::{create_pair, introduce, run_pair};
use repro_base::CellId;
pub use runner::{Outcome, RunError, Runner, now, probe_machine, resume};
use std::path::Path;
pub use supervisor::{Answer, Executor, WorkerProcess};
pub use worker::{IN_TEAM, Rendezvous, Session, WORKER, serve, serve_as_member};

/// What the user should see of a run while it goes on.
pub trait Observer {
    /// A line worth reading: a cell's result, a failure, a reason.
    fn note(&mut self, line: &str);
    /// What is being done, how many of all cells are done, and how many seconds the rest may take if that is known.
    fn progress(&mut self, doing: &str, done: usize, of: usize, remaining_s: Option<f64>);
}

/// What this program was built from, as the build script found it.
pub fn this_build() -> Build {
    Build {
        version: env!("CARGO_PKG_VERSION").to_string(),
        commit: env!("REPRO_COMMIT").to_string(),
        dirty: env!("REPRO_DIRTY") == "true",
        profile: if cfg!(debug_assertions) { "debug" } else { "release" }.to_string(),
    }
}

/// Sees a run while it goes on, and makes the derived files that are written next to its records.
pub trait RunObserver {
    /// Something worth reading happened, in one run of a pair.
    fn event(&mut self, side: Option<BuildRole>, event: RunEvent);
    /// What is being done in one run of a pair, and how far that is.
    fn activity(&mut self, side: Option<BuildRole>, activity: Activity, progress: RunProgress);
    /// What follows from the records so far, for the cells of `cells`.
    fn derived(&self, journal: &Journal, cells: &[CellId]) -> DerivedFiles;
}

/// How far a run is.
#[derive(Clone, Copy, Default)]
pub struct RunProgress {
    /// Cells that are done.
    pub done: usize,
    /// All cells.
    pub of: usize,
    /// How many seconds the rest may take, if that is known.
    pub remaining_s: Option<f64>,
}

/// What happened.
#[derive(Clone, Copy)]
pub enum RunEvent<'a> {
    /// What cannot be read on the machine, or differs between the builds of a pair, and why.
    Machine(&'a str),
    /// What a kill had torn at the end of `samples.csv` was cut off and is kept here.
    Salvaged(&'a Path),
    Cell(&'a CellId, CellEvent<'a>),
}

/// What happened to a cell.
#[derive(Clone, Copy)]
pub enum CellEvent<'a> {
    /// It has its samples.
    Measured(&'a Journal),
    /// A row without a time, or with an impossible one.
    Ended(&'a SampleRow),
    /// Others use the host when it is begun, as a share of the time of its cores.
    Busy(f64),
    /// It cannot be repeated without the host.
    NotRepeatable,
    DistancesStored(&'a Path),
    DistancesExist(&'a Path),
    /// It was measured before its distances were asked for.
    DistancesGone,
}

/// What is being done.
#[derive(Clone, Copy)]
pub struct Activity<'a> {
    /// What a worker is asked for.
    pub request: &'a Request,
    /// The cell that it is for, or the first of several; an empty one where it is for all.
    pub cell: &'a CellId,
    /// The number of its next sample, from 1.
    pub sample: usize,
}
