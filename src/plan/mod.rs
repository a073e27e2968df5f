//! From an experiment file to a plan of cells. It knows no device and reads no records.

mod cells;
mod config;
mod given_graph;
mod locate;
mod narrowed;
mod resolve;
mod searched;
mod tuned;

pub use cells::{Group, PlannedCell, cells, groups};
pub use config::{ConfigError, ExperimentFile, GraphSource, Limits, NamedGraph, RepeatRule};
pub use given_graph::{GivenGraph, KeptGraph};
pub use locate::{available_experiments, load_experiment};
pub use resolve::{Column, Experiment, Overrides, resolve};
pub use searched::{BestPoint, CostKind, Searched};
pub use tuned::Tuned;
pub(crate) use tuned::fastest;
