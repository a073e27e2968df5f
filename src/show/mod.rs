//! Tables and sentences of what was measured.

mod count_tables;
mod counted;
mod duration;
mod events;
mod grid;
mod inspection_tables;
mod rate;
mod tables;

pub use count_tables::{Banks, CountTables, ways};
pub use duration::rough;
pub use grid::{Grid, OneN, digits};
pub use inspection_tables::InspectionView;
pub use rate::{RATE, rate, rate_with_unit};
#[cfg(test)]
pub(crate) use tables::fixtures;
#[cfg(test)]
pub(crate) use tables::tuning;
pub(crate) use tables::{
    Columns, CountedKernel, TableColumn, counted_last_kernel, estimates, repeats_grid, shown_sizes,
};
pub use tables::{Tables, tables};
