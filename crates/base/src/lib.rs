//! What every room talks of: element types, the points of a solve and what clocks enclose, parameters, cells, and estimates with their
//! intervals; what every room asks of lists; [`files`] that are whole or not there; and how commands talk ([`terminal`]). It uses no
//! other crate of this repository.

mod cell;
mod element;
mod estimate;
pub mod files;
pub mod foreign_text;
pub mod lists;
pub mod number;
mod parameters;
mod scope;
pub mod shell;
mod statistics;
pub mod tasks;
#[cfg(feature = "terminal")]
pub mod terminal;

pub use cell::CellId;
pub use element::{ElementType, WeightRange};
pub use estimate::{Estimate, Position};
pub use parameters::{Parameter, Parameters};
pub use scope::{Point, Scope, Seconds};
pub use statistics::{CONFIDENCE, median, median_confidence};
