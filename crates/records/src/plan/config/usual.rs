//! What an experiment's file need not say: `[sampling]` and `[limits]`, or single keys of them, are then as most experiments have them.
//! A record says all of both.

use super::Limits;
use repro_timing::SamplingRule;
use serde::{Deserialize, Deserializer};

/// As most of the built-in experiments have it: a cell takes about half a second on a GPU.
pub(super) fn sampling() -> SamplingRule {
    SamplingRule { min_samples: 5, max_samples: 9, precision: 0.002, budget_s: 0.5 }
}

/// The limits of an experiment that sets none.
pub(super) fn limits() -> Limits {
    Limits { warm_up_s: 0.1, sample_s: 60.0, full_cell_s: 60.0, whole_reference_n: 8192, reference_rows: 32 }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SamplingFile {
    min_samples: Option<usize>,
    max_samples: Option<usize>,
    precision: Option<f64>,
    budget_s: Option<f64>,
}

#[derive(Deserialize)]
#[serde(remote = "Limits", deny_unknown_fields, default = "limits")]
pub(super) struct LimitsFile {
    warm_up_s: f64,
    sample_s: f64,
    full_cell_s: f64,
    whole_reference_n: usize,
    reference_rows: usize,
}

pub(super) fn read_sampling<'de, D: Deserializer<'de>>(from: D) -> Result<SamplingRule, D::Error> {
    let given = SamplingFile::deserialize(from)?;
    let usual = sampling();
    let most = given.max_samples.unwrap_or(usize::MAX).max(1);
    let min_samples = given.min_samples.unwrap_or(usual.min_samples.min(most));
    Ok(SamplingRule {
        min_samples,
        // Who asks for more than the usual most gets them.
        max_samples: given.max_samples.unwrap_or(usual.max_samples.max(min_samples)),
        precision: given.precision.unwrap_or(usual.precision),
        budget_s: given.budget_s.unwrap_or(usual.budget_s),
    })
}

#[cfg(test)]
mod tests {
    use super::super::ExperimentFile;
    use super::*;

    fn with(tables: &str) -> ExperimentFile {
        let text = format!(
            "title = \"x\"\n[graph]\ndensity = 1.0\nmax_weight = 9\nseed = 1\n{tables}\n[[cells]]\nimplementation = \"cpu-naive\"\nsizes = [8]\n"
        );
        ExperimentFile::parse("x", "x.toml", &text).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn what_a_file_does_not_say_is_as_usual_and_one_number_of_samples_moves_the_other() {
        let some = with("[sampling]\nbudget_s = 7.0\n[limits]\nsample_s = 5.0\n");
        assert_eq!(some.sampling, SamplingRule { budget_s: 7.0, ..sampling() });
        assert_eq!(some.limits, Limits { sample_s: 5.0, ..limits() });
        for (table, samples) in [("max_samples = 2", (2, 2)), ("min_samples = 40", (40, 40))] {
            let found = with(&format!("[sampling]\n{table}\n")).sampling;
            assert_eq!((found.min_samples, found.max_samples), samples, "{table}");
        }
    }
}
