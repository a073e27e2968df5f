//! Tables and sentences of what was measured.

mod count_tables;
pub(crate) mod counted;
mod duration;
mod events;
mod expected;
mod grid;
mod rate;
mod scaling;
mod tables;

pub use count_tables::{Banks, CountTables, per_block, ways};
pub use duration::rough;
pub use grid::{Grid, OneN, digits, significant};
pub use rate::{RATE, rate, rate_with_unit};
pub use scaling::{Projected, Scaled, Scaling};
#[cfg(test)]
pub(crate) use tables::fixtures;
#[cfg(test)]
pub(crate) use tables::tuning;
pub(crate) use tables::{
    Columns, CountedKernel, TableColumn, counted_last_kernel, estimates, gains, repeats_grid, shown_sizes,
};
pub use tables::{Tables, tables};
