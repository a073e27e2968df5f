//! From an experiment file to records: the plan of cells, the worker process that runs them, and the journal.

mod at_hand;
mod checked;
mod config;
mod count_tables;
mod counted;
mod energy;
mod everything;
mod expected;
mod find_runs;
mod folder;
mod given_graph;
mod grid;
mod history;
mod in_parts;
mod inspection;
mod inspection_tables;
mod journal;
mod judge;
mod loaded_graph;
mod locate;
mod look;
mod machines;
mod member;
mod narrowed;
mod paired;
mod part;
mod pitfall;
mod plan;
mod protocol;
mod rate;
mod resolve;
mod room;
mod run_files;
mod runner;
mod scaling;
mod searched;
mod session;
mod smoke;
mod stored;
mod structure;
mod supervisor;
mod tables;
mod tuned;
mod uncounted;
mod verification;
mod worker;

pub use checked::Checked;
pub use config::{ConfigError, ExperimentFile, GraphSource, Limits, NamedGraph, RepeatRule};
pub use count_tables::{Banks, CountTables, ways};
pub use energy::{EnergySource, LONG_ENOUGH_S, joules_by_counter, joules_by_reading};
pub use expected::{Expected, Precedent, expected};
pub use find_runs::{FindRunsError, find_runs, is_run};
pub use folder::MadeFolders;
pub use given_graph::{GivenGraph, KeptGraph};
pub use grid::{Grid, OneN, digits};
pub use inspection::{Inspection, KernelInspection, ResidencyOn, inspect, solve_counted, with_kernels};
pub use inspection_tables::InspectionView;
pub use journal::{Journal, JournalError};
pub use judge::floor_of;
pub use loaded_graph::{LoadedGraph, Memory};
pub use locate::{available_experiments, load_experiment};
pub use look::look_around;
pub use machines::{MachineRuns, by_machine};
pub use member::{launched, serve_as_member};
pub use paired::{Both, PairError, PairLane, PairedRunner, create_pair, introduce};
pub use part::Part;
pub use pitfall::{Pitfall, least as least_share};
pub use plan::{Group, PlannedCell, cells, groups};
pub use protocol::{
    CheckpointRule, Counted, DeviceSample, Failure, FailureCause, GraphRequest, Introduced, Opened, Reply,
    Request, Sampled, Unknown, Variant,
};
pub use rate::{RATE, rate, rate_with_unit};
pub use resolve::{Column, Experiment, Overrides, resolve};
pub use runner::{Adding, Outcome, RunError, Runner};
pub use scaling::{Scaled, Scaling, devices_sharing};
pub use searched::{BestPoint, CostKind, Searched};
pub use session::Session;
pub use smoke::{SharedCeilings, smoke};
pub use stored::{StoredRun, tell_apart};
pub use structure::{KernelCounts, StructuralResult, counted_figure};
pub use supervisor::{Answer, Executor, WorkerProcess};
#[cfg(test)]
pub(crate) use tables::fixtures;
pub(crate) use tables::{
    Columns, CountedKernel, TableColumn, counted_last_kernel, estimates, repeats_grid, shown_sizes,
};
pub use tables::{Results, Tables, tables};
pub use tuned::Tuned;
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
