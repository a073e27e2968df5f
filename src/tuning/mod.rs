//! A search of an implementation's parameters for those that suit a device, one n and one type of distance.
//!
//! Points are measured one after another as cells of an ordinary run, and verified as all cells are. A point that is wrong or fails is
//! never chosen.

mod axes;
mod cost;
mod measured;
mod search;
mod tuned;
mod tuner;

pub use axes::Axes;
pub use cost::{Tried, cost_kind};
pub use measured::{Budget, Measured, experiment};
pub use search::{Point, Search, Space};
pub use tuned::tuned_by;
pub use tuner::{Tuner, tried};
