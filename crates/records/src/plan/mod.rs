//! From an experiment file to a plan of cells. It knows no device and reads no records.

mod cells;
mod experiment;
mod figures;
mod file;
mod graphs;
mod limits;
mod locate;
mod resolve;

pub use cells::*;
pub use experiment::*;
pub use figures::*;
pub use file::*;
pub use graphs::*;
pub use limits::*;
pub use locate::*;
pub use repro_user::{
    UnknownImplementation, Variant, implementation_named, known_names, runs_on_device, solved_on, tasks_of,
};
pub use resolve::*;
