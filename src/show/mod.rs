//! Tables and sentences of what was measured.

mod count_tables;
pub(crate) mod counted;
mod events;
mod expected;
mod grid;
mod number;
mod scaling;
mod tables;

pub use count_tables::{Banks, CountTables, per_block, ways};
pub use grid::{Grid, GridColumn, OneN};
pub use number::{
    RATE, change, decimals, digits, exact, in_row, in_text, percent, rate, rate_with_unit, rough,
    significant, whole_or_digits, whole_percent,
};
pub use scaling::{Projected, Scaled, Scaling};
#[cfg(test)]
pub(crate) use tables::fixtures;
#[cfg(test)]
pub(crate) use tables::tuning;
pub(crate) use tables::{
    Columns, CountedKernel, Family, TableColumn, Timed, counted_last_kernel, estimates, gains, repeats_grid,
    shown_sizes,
};
pub use tables::{Tables, tables};
