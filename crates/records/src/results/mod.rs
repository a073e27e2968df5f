//! What stored runs say: one look-up for every cell, clock and count.

mod derived;
mod energy;
mod facts;
#[cfg(any(test, feature = "fixtures"))]
pub mod fixtures;
mod host;
mod machines;
mod noise;
mod past;
mod pitfall;
mod scopes;
mod stored;
mod structure;
mod summary;
mod times;

pub use derived::{Results, derive, published_paper};
pub use energy::{joules_by_counter, joules_by_reading};
pub use facts::Facts;
pub use host::host_findings;
pub use machines::{MachineRuns, by_machine};
pub use noise::{NoiseFloor, SameCell, halves, noise_floors, percentile};
pub use past::PastRun;
pub use pitfall::{Pitfall, least};
pub use scopes::{ScopeRow, scope_rows};
pub use stored::{StoredRun, disambiguate_names};
pub use structure::{counted_figure, gpu_of};
pub use summary::{CellFacts, SummaryRow};
pub use times::{Cell, Timed, Times};
