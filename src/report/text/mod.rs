//! Numbers, tables and words as text, whatever they are of.

mod counts;
mod grid;
mod number;
pub(crate) mod words;

pub use counts::{Banks, CountTables, per_block};
pub use grid::Grid;
pub use number::{
    ESTIMATE, RATE, UNDER_LOAD, change, decimals, digits, exact, in_row, in_text, interval, percent, raised,
    rate, rate_with_unit, ratio, ratio_with_interval, rounded, whole_or_digits,
};
pub use words::list;
