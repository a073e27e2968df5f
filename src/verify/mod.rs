//! Whether implementations give right results, without a clock: on which graphs, and what was wrong.

mod at_hand;
mod checked;
mod part;
mod verification;

pub use checked::Checked;
pub use part::Part;
pub use verification::{VerifyPlan, verify};
