//! What every room talks of: element types, the points of a solve and what clocks enclose, parameters, cells, and estimates with their
//! intervals; and what every room asks of lists. It knows no device, no graph and no file.

mod cell;
mod element;
mod estimate;
pub mod foreign_text;
pub mod lists;
pub mod number;
mod parameters;
mod scope;
pub mod shell;
mod statistics;
pub mod tasks;

pub use cell::CellId;
pub use element::{ElementType, WeightRange};
pub use estimate::{Estimate, Position};
pub use parameters::{Parameter, Parameters};
pub use scope::{Point, Scope, Seconds};
pub use statistics::{CONFIDENCE, median, median_confidence};
