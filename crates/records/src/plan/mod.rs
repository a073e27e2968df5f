//! From an experiment file to a plan of cells. It knows no device and reads no records.

mod cells;
mod column;
mod config;
mod given_graph;
mod locate;
mod narrowed;
mod resolve;
mod room;
mod smoke;
mod variant;

pub use cells::{CellGroup, DeviceKind, Mode, PlannedCell, cells, groups};
pub use column::Column;
pub use config::wrong_option;
pub use config::{
    AxisScale, Dimension, DimensionValue, FigureKind, FigureSpec, PublishedMarks, Quantity, Values,
};
pub use config::{
    ConfigError, ExperimentDisplay, ExperimentFile, GraphSource, Limits, NamedGraph, RepeatRule, ReportPlace,
};
pub use given_graph::{GivenGraph, SavedGraph};
pub use locate::{available_experiments, built_in_displays, known_names, load_experiment};
pub use resolve::{Experiment, Overrides, resolve};
pub use room::{NoRoom, check_host_memory, check_room, host_memory};
pub use smoke::smoke;
pub use variant::{
    UnknownImplementation, Variant, f32_alone, implementation_named, implementation_of, runs_on_device,
    solved_on, solved_on_by, tasks_of,
};
