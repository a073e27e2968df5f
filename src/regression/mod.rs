//! Whether anything became slower: a run compared with a baseline, by a rule that knows the noise of the machine. The results are
//! values; `report` puts them into words.

mod compare;
mod comparison;
pub mod counts;
mod differences;
mod floors;
pub mod history;
mod rule;

pub use compare::{CompareError, Settings, compare};
pub use comparison::{
    AllowedDifference, CellComparison, CellTiming, Comparison, ComparisonOutcome, Difference,
    InconclusiveReason, KindLimits, MissingReason, NoiseFloor, Reason, RunSummary,
};
pub use differences::allowed_differences;
pub use floors::{CALIBRATION_PAIRS, FloorsError, NoiseFloors};
pub use rule::{CellKind, CellVerdict, DecisionLimits, ERROR, EXCLUDED, LEAST_SAMPLES, LEAST_THRESHOLD};
