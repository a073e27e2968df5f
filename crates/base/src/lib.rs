//! What every room talks of: element types, the points of a solve and what clocks enclose, parameters, cells, and estimates with their
//! intervals; what every room asks of lists; [`files`] that are whole or not there; and how commands talk ([`terminal`]). It uses no
//! other crate of this repository.

mod cell;
mod element;
mod estimate;
pub mod files;
pub mod lists;
mod scope;
#[cfg(feature = "terminal")]
pub mod terminal;
pub mod text;

pub use cell::{CellId, Parameters, half_tasks};
pub use element::ElementType;
pub use estimate::{CONFIDENCE, Estimate, median, median_confidence};
pub use scope::{Scope, Seconds, TimingPoint};
