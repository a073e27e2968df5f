//! From an experiment file to a plan of cells. It opens no device and reads no records.

mod catalogue;
mod cells;
mod experiment;
mod figures;
mod file;
mod graphs;
mod limits;
mod locate;
mod resolve;

pub use catalogue::*;
pub use cells::*;
pub use experiment::*;
pub use figures::*;
pub use file::*;
pub use graphs::*;
pub use limits::*;
pub use locate::*;
pub use repro_user::Variant;
pub use resolve::*;
