//! Whether anything became slower: a baseline against a run, with a rule that knows the noise of the machine.

mod advice;
mod comparable;
mod compare;
mod confirm;
pub mod counts;
mod floor;
pub mod history;
mod kind;
mod notes;
pub mod output;
mod pair;
mod programs;
mod rule;
mod run_summary;
mod sides;

pub use comparable::{Across, meant_differences};
pub use compare::{
    CellComparison, CompareError, Comparison, Ending, Figures, KindLimits, Options, RunPair, compare,
};
pub use floor::MachineNoise;
pub use kind::CellKind;
pub use pair::comparable;
pub use rule::{
    ERROR, EXCLUDED, Floor, LEAST_RUNS, LEAST_SAMPLES, LEAST_THRESHOLD, Limits, NoisyReason, UNKNOWN_ON_CPU,
    Verdict,
};
pub use run_summary::RunSummary;
pub use sides::{Paired, Side, SideError, noise_of, pair_up, side};
