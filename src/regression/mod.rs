//! Whether anything became slower: a baseline against a run, with a rule that knows the noise of the machine.

mod comparable;
mod compare;
mod confirm;
pub mod counts;
pub mod history;
mod noise;
mod notes;
pub mod output;
mod pair;
mod rule;
mod run_summary;
mod sides;

pub use comparable::{Across, meant_differences};
pub use compare::{CellComparison, CompareError, Comparison, Figures, Options, Threshold, compare};
pub use noise::{CellKind, Noise, NoiseFloor, SameWork};
pub use rule::{ERROR, FEW_SAMPLES, LEAST_SAMPLES, LEAST_THRESHOLD, UNKNOWN_ON_CPU, Verdict, unknown_noise};
pub use run_summary::RunSummary;
pub use sides::{Paired, Side, SideError, noise_of, pair_up, side};
