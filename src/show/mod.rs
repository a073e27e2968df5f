//! What was measured as tables, sentences and figures.

mod columns;
mod context;
mod events;
pub(crate) mod figures;
mod grid;
mod labels;
mod looks;
mod number;
pub(crate) mod source;
pub(crate) mod subjects;
mod tables;
mod time;
pub(crate) mod words;

pub(crate) use columns::Column;
pub(crate) use context::Context;
pub use figures::{of_run, reading};
pub use grid::{Grid, GridColumn, OneN};
pub(crate) use looks::{look, place};
pub use number::{
    RATE, change, decimals, digits, exact, in_row, in_text, percent, rate, rate_with_unit, significant,
    whole_or_digits, whole_percent,
};
pub use subjects::counts::{Banks, CountTables, per_block};
pub use tables::{Tables, tables};
pub(crate) use time::{Time, kernel_time, over};
pub use words::list;
