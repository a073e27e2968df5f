//! What stored runs say: one look-up for every cell, clock and count.

mod facts;
#[cfg(any(test, feature = "fixtures"))]
#[path = "tests/fixtures.rs"]
pub mod fixtures;
mod stored_run;
mod summary;
mod times;

pub use facts::*;
pub use stored_run::*;
pub use summary::*;
pub use times::*;
