//! The figures of several runs together, of a machine's history, and of what papers claim.

mod family;
mod history;
mod machine;
mod summary;
mod trend;

pub use family::{FamilyLine, other_rates as other_family_rates, rates as family_rates};
pub use history::{Tracked, history};
pub use machine::of_machine;
pub use summary::{Which, summary};
pub use trend::trend;
