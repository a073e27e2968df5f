//! The worker process that solves under clocks, and the runner that asks it cell by cell.

mod emulated;
mod event;
mod hardware;
mod judge;
mod pairs;
mod runner;
mod sharded;
mod supervisor;
mod whole_matrix;
mod worker;

use crate::store::Build;

pub use crate::protocol::{
    CountReply, DeviceSample, Failure, FailureCause, GraphRequest, OpenReply, OpenRequest, Reply, Request,
    ResultProof, SampleReply, UnsupportedVariant, WorkerInfo,
};
pub use emulated::EmulatedSolve;
pub use event::{Activity, CellEvent, RunEvent, RunObserver, RunProgress};
pub use pairs::{create_pair, introduce, run_pair};
pub use runner::{Outcome, RunError, Runner, now, probe_machine, resume};
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
