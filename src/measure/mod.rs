//! The worker process that solves under clocks, the runner that asks it cell by cell, verification and inspection.

mod at_hand;
mod checked;
mod event;
mod everything;
mod in_parts;
mod inspection;
mod judge;
mod loaded_graph;
mod look;
mod member;
mod paired;
mod part;
mod protocol;
mod room;
mod runner;
mod session;
mod smoke;
mod supervisor;
mod uncounted;
mod verification;
mod worker;

pub use checked::Checked;
pub use event::{CellEvent, Doing, Event, RunObserver};
pub use inspection::{Inspection, KernelInspection, ResidencyOn, inspect, solve_counted, with_kernels};
pub use judge::floor_of;
pub(crate) use loaded_graph::check_host_memory;
pub use loaded_graph::{LoadedGraph, Memory};
pub use look::look_around;
pub use member::{launched, serve_as_member};
pub use paired::{Both, PairError, PairLane, PairedRunner, create_pair, introduce};
pub use part::Part;
pub(crate) use protocol::f32_alone;
pub use protocol::{
    CheckpointRule, Counted, DeviceSample, Failure, FailureCause, GraphRequest, Introduced, Opened, Reply,
    Request, Sampled, Unknown, Variant,
};
pub(crate) use runner::solved_on;
pub use runner::{Adding, Outcome, RunError, Runner};
pub use session::Session;
pub use smoke::{SharedCeilings, smoke};
pub use supervisor::{Answer, Executor, WorkerProcess};
pub use uncounted::Uncounted;
pub use verification::{VerifyPlan, verify};
pub use worker::{IN_GROUP, WORKER, serve};

/// What the user should see of a run while it goes on.
pub trait Observer {
    /// A line worth reading: a cell's result, a failure, a reason.
    fn note(&mut self, line: &str);
    /// What is being done, how many of all cells are done, and how many seconds the rest may take if that is known.
    fn progress(&mut self, doing: &str, done: usize, of: usize, remaining_s: Option<f64>);
}
