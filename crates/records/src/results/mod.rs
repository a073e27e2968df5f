//! What stored runs say: one look-up for every cell, clock and count.

mod facts;
#[cfg(any(test, feature = "fixtures"))]
#[path = "tests/fixtures.rs"]
pub mod fixtures;
mod stored;
mod structure;
mod summary;
mod times;

pub use facts::Facts;
pub use stored::{Results, StoredRun, disambiguate_names};
pub use structure::{counted_figure, gpu_of};
pub use summary::{CellFacts, ScopeRow, SummaryRow, host_findings, scope_rows};
pub use times::{CellTimes, Timed, Times, percentile};
