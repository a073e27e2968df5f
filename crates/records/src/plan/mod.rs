//! From an experiment file to a plan of cells. It knows no device and reads no records.

mod catalogue;
mod cells;
mod experiment;
mod figures;
mod file;
mod given_graph;
mod graphs;
mod limits;
mod locate;
mod resolve;

pub use catalogue::{
    UnknownImplementation, Variant, implementation_named, runs_on_device, solved_on, tasks_of,
};
pub use cells::{CellGroup, Column, DeviceKind, Mode, PlannedCell, cells, groups};
pub use experiment::{Experiment, smoke};
pub use figures::{
    AxisScale, Dimension, DimensionValue, FigureKind, FigureSpec, PublishedMarks, Quantity, Values,
};
pub use file::{ConfigError, ExperimentFile, ReportPlace, Sizes, wrong_option};
pub use given_graph::{GivenGraph, SavedGraph};
pub use graphs::{GraphSource, NamedGraph};
pub use limits::{Limits, NoRoom, RepeatRule, check_host_memory, check_room, host_memory};
pub use locate::{available_experiments, built_in_experiments, known_names, load_experiment};
pub use resolve::{Overrides, resolve};
