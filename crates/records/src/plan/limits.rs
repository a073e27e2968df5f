//! What bounds the time and the memory of a run: `[limits]`, `[sampling]` and `[repeats]` of an experiment, which a file may leave out in whole or in
//! part, and whether the host has room for a graph. A record says all of them.

use repro_graph::{ElementType, available_memory};
use repro_timing::StoppingRule;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt::Display;

/// `[limits]` of an experiment: the times that a cell may take, and how much of a result is verified.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Untimed solves of a cell before its first sample, until this many seconds have passed.
    pub warm_up_s: f64,
    /// A sample that has not ended after this many seconds is stopped.
    pub sample_s: f64,
    /// A cell that only `--full` asks for is left out when one sample would take longer than this.
    pub full_cell_s: f64,
    /// Up to this n the whole result is compared with the CPU's; above it, rows from sampled sources are.
    pub whole_reference_n: usize,
    /// How many rows are compared above `whole_reference_n`.
    pub reference_rows: usize,
}

impl Default for Limits {
    /// Those of an experiment that sets none.
    fn default() -> Self {
        let (sample_s, full_cell_s) = (60.0, 60.0);
        Self { warm_up_s: 0.1, sample_s, full_cell_s, whole_reference_n: 8192, reference_rows: 32 }
    }
}

/// Solves of a cell one after another on the device, after its samples: so many at least, and for so long at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RepeatRule {
    pub solves: u64,
    pub seconds: f64,
}

/// As most of the built-in experiments have it: a cell takes about half a second on a GPU.
pub(super) fn usual_sampling() -> StoppingRule {
    StoppingRule { min_samples: 5, max_samples: 9, precision: 0.002, budget_s: 0.5 }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SamplingFile {
    min_samples: Option<usize>,
    max_samples: Option<usize>,
    precision: Option<f64>,
    budget_s: Option<f64>,
}

pub(super) fn read_sampling<'de, D: Deserializer<'de>>(from: D) -> Result<StoppingRule, D::Error> {
    let given = SamplingFile::deserialize(from)?;
    let usual = usual_sampling();
    let most = given.max_samples.unwrap_or(usize::MAX).max(1);
    let min_samples = given.min_samples.unwrap_or(usual.min_samples.min(most));
    Ok(StoppingRule {
        min_samples,
        // A `min_samples` above the usual maximum raises the maximum.
        max_samples: given.max_samples.unwrap_or(usual.max_samples.max(min_samples)),
        precision: given.precision.unwrap_or(usual.precision),
        budget_s: given.budget_s.unwrap_or(usual.budget_s),
    })
}

/// Refuses what needs more bytes of host memory than are free, and says what to do instead.
///
/// # Errors
/// When less is free. Where the system does not report free memory, nothing is refused.
pub fn check_memory(what: impl Display, needed: u128, remedy: &str) -> Result<(), String> {
    match available_memory() {
        Some(available) if needed > u128::from(available) => Err(format!(
            "{what} needs {} MiB of host memory and {} MiB are free: {remedy}",
            needed >> 20,
            available >> 20
        )),
        _ => Ok(()),
    }
}

/// Host bytes for `graphs` graphs of `n` vertices: graph, input, output and reference. Where sums may be `rounded`, a reference has three
/// numbers an entry: the least and the greatest right value, and what they are computed from.
pub fn host_memory(n: usize, graphs: usize, element: ElementType, limits: &Limits, rounded: bool) -> u128 {
    let row = (n as u128).saturating_mul(element.bytes() as u128);
    let rows = if n <= limits.whole_reference_n { n } else { limits.reference_rows.min(n) };
    let may_round = rounded && element == ElementType::F32;
    let kept = if may_round { rows.saturating_mul(3) } else { rows };
    row.saturating_mul(3 * n as u128 + kept as u128).saturating_mul(graphs as u128)
}

/// Whether there is room for [`host_memory`].
pub fn check_host_memory(
    n: usize,
    graphs: usize,
    element: ElementType,
    limits: &Limits,
    rounded: bool,
) -> Result<(), String> {
    let (what, remedy) = match graphs {
        1 => (format!("n = {n}"), "choose a smaller n"),
        _ => (format!("a batch of {graphs} graphs, n = {n},"), "choose fewer graphs or a smaller n"),
    };
    check_memory(what, host_memory(n, graphs, element, limits, rounded), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::ExperimentFile;

    fn with(tables: &str) -> ExperimentFile {
        let text = format!(
            "title = \"x\"\n[graph]\ndensity = 1.0\nmax_weight = 9\nseed = 1\n{tables}\n[[cells]]\nimplementation = \"cpu-naive\"\nsizes = [8]\n"
        );
        ExperimentFile::parse("x", "x.toml", &text).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn what_a_file_does_not_say_is_as_usual_and_one_number_of_samples_moves_the_other() {
        let some = with("[sampling]\nbudget_s = 7.0\n[limits]\nsample_s = 5.0\n");
        assert_eq!(some.sampling, StoppingRule { budget_s: 7.0, ..usual_sampling() });
        assert_eq!(some.limits, Limits { sample_s: 5.0, ..Limits::default() });
        for (table, samples) in [("max_samples = 2", (2, 2)), ("min_samples = 40", (40, 40))] {
            let found = with(&format!("[sampling]\n{table}\n")).sampling;
            assert_eq!((found.min_samples, found.max_samples), samples, "{table}");
        }
    }
}
