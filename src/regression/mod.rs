//! Whether anything became slower: a baseline against a run, with a rule that knows the noise of the machine.

mod between;
mod bounds;
mod comparable;
mod compare;
mod confirm;
pub mod counts;
mod ending;
mod group;
pub mod history;
mod machine;
mod notes;
pub mod output;
mod pair;
mod programs;
mod rule;
mod run_summary;
mod sides;

pub use between::{Between, StandsOut};
pub use bounds::{Bounds, LEAST_THRESHOLD, UNKNOWN_ON_CPU};
pub use comparable::{Across, meant_differences};
pub use compare::{CellComparison, CompareError, Comparison, Figures, Options, compare};
pub use ending::{Ending, Untold, Why};
pub use group::{FewRuns, Group, Shift};
pub use machine::{KindNoise, MachineNoise};
pub use pair::comparable;
use rule::decide;
pub use rule::{ERROR, FEW_SAMPLES, LEAST_SAMPLES, Verdict};
pub use run_summary::RunSummary;
pub use sides::{Paired, Side, SideError, noise_of, pair_up, side};
