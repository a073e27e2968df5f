//! The rule that says whether a cell became slower.

use super::bounds::NOISE_FACTOR;
use super::machine::KindNoise;
use crate::timing::{Estimate, Position};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The chance, over all cells of a comparison, that is divided among their intervals.
pub const ERROR: f64 = 0.05;
/// With fewer samples on either side nothing is said.
pub const LEAST_SAMPLES: usize = 3;
/// Fewer samples than this may agree by luck, and the noise that such cells are known to have is added to their interval.
pub const FEW_SAMPLES: usize = 5;

/// What became of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// Measured before, and now wrong, broken, out of time or impossibly fast.
    Failed,
    Slower,
    Faster,
    /// Not known to be any of the others; the reason says why.
    Uncertain,
    Same,
    /// Measured before and not now, for no fault of its own.
    Gone,
    /// Measured now and not before.
    New,
}

impl Verdict {
    /// Worst first.
    pub const ALL: [Verdict; 7] =
        [Self::Failed, Self::Slower, Self::Faster, Self::Uncertain, Self::Same, Self::Gone, Self::New];

    /// Whether it is what a regression guard is there to stop.
    pub fn is_regression(self) -> bool {
        matches!(self, Self::Failed | Self::Slower)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // As files have it.
        self.serialize(f)
    }
}

/// The confidence of each interval where `cells` are compared: Bonferroni's correction, so that the more cells there are, the
/// surer each must be. Percentile intervals of few samples are a little narrower than that, and none knows what moves between
/// runs: that is what the threshold is for.
pub fn confidence(cells: usize) -> f64 {
    1.0 - ERROR / cells.max(1) as f64
}

/// The interval of a ratio with what `samples`, the fewer of either side, cannot show: nothing from [`FEW_SAMPLES`] on, below
/// that the noise within runs of such cells. None below [`LEAST_SAMPLES`], or where that noise is not known.
pub fn widened(ratio: Estimate, samples: usize, noise: &KindNoise) -> Option<Estimate> {
    if samples >= FEW_SAMPLES {
        return Some(ratio);
    }
    let within = noise.within_runs? * NOISE_FACTOR;
    (samples >= LEAST_SAMPLES).then(|| ratio.widened(within))
}

/// SLOWER if the whole interval of new over base lies above 1 + `threshold`, FASTER if it lies below 1 / (1 + `threshold`), SAME
/// if it lies between the two, else UNCERTAIN. What is no number is UNCERTAIN.
pub fn decide(ratio: Estimate, threshold: f64) -> Verdict {
    match ratio.position(1.0 / (1.0 + threshold), 1.0 + threshold) {
        Position::Above => Verdict::Slower,
        Position::Below => Verdict::Faster,
        Position::Within => Verdict::Same,
        Position::Across => Verdict::Uncertain,
    }
}

/// What seconds and cycles say together, where the clocks of the two runs differ: a GPU that ran at a lower clock took longer,
/// and its kernel did not become slower. Only what both say is said.
///
/// With the reason where they differ, which is empty otherwise. Without `cycles`, as [`decide`].
pub fn decide_both(seconds: Estimate, cycles: Option<Estimate>, threshold: f64) -> (Verdict, String) {
    let in_seconds = decide(seconds, threshold);
    match cycles.map(|cycles| decide(cycles, threshold)) {
        Some(in_cycles) if in_cycles != in_seconds => {
            let reason = format!("the clocks differ: {in_seconds} in seconds, {in_cycles} in cycles");
            (Verdict::Uncertain, reason)
        }
        _ => (in_seconds, String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ratio(low: f64, high: f64) -> Estimate {
        Estimate { value: (low + high) / 2.0, low, high }
    }

    #[test]
    fn an_interval_beyond_the_threshold_decides_one_within_is_the_same_and_one_across_it_is_open() {
        for (low, high, verdict) in [
            (1.021, 1.05, Verdict::Slower),
            (1.02, 1.05, Verdict::Uncertain),
            (0.99, 1.019, Verdict::Same),
            (0.99, 1.021, Verdict::Uncertain),
            (0.90, 0.98, Verdict::Faster),
            (0.90, 0.981, Verdict::Uncertain),
            (0.5, 2.0, Verdict::Uncertain),
        ] {
            assert_eq!(decide(ratio(low, high), 0.02), verdict, "{low} to {high}");
        }
        assert_eq!(decide(ratio(f64::NAN, f64::NAN), 0.02), Verdict::Uncertain);
    }

    #[test]
    fn a_slow_clock_is_no_slow_kernel() {
        let (slower, same) = (ratio(1.1, 1.2), ratio(1.0, 1.0));
        let both = |seconds, cycles| decide_both(seconds, cycles, 0.02);
        let reason = "the clocks differ: SLOWER in seconds, SAME in cycles".to_string();
        assert_eq!(both(slower, Some(same)), (Verdict::Uncertain, reason));
        assert_eq!(both(slower, Some(slower)), (Verdict::Slower, String::new()));
        assert_eq!(both(same, Some(slower)).0, Verdict::Uncertain);
        assert_eq!(both(slower, None).0, Verdict::Slower);
    }

    #[test]
    fn few_samples_are_not_believed_without_a_known_noise() {
        let (noise, measured) = (KindNoise::default(), ratio(1.0, 1.0));
        assert_eq!(widened(measured, FEW_SAMPLES, &noise), Some(measured));
        assert_eq!(widened(measured, FEW_SAMPLES - 1, &noise), None);
    }

    #[test]
    fn more_cells_ask_for_more_confidence() {
        assert_eq!(confidence(0), confidence(1));
        assert!((confidence(1) - 0.95).abs() < 1e-12 && (confidence(50) - 0.999).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn what_is_slower_one_way_is_faster_the_other(low in 0.2f64..5.0, width in 1.0f64..2.0, threshold in 0.0f64..0.5) {
            let (forth, back) = (ratio(low, low * width), ratio(1.0 / (low * width), 1.0 / low));
            let turned = match decide(back, threshold) {
                Verdict::Slower => Verdict::Faster,
                Verdict::Faster => Verdict::Slower,
                other => other,
            };
            // Rounding may put an end on the other side of the threshold where the two meet.
            let at_threshold = [forth.low, forth.high].iter().any(|end| {
                (end / (1.0 + threshold) - 1.0).abs() < 1e-9 || (end * (1.0 + threshold) - 1.0).abs() < 1e-9
            });
            prop_assert!(at_threshold || decide(forth, threshold) == turned);
        }

        #[test]
        fn a_wider_threshold_never_finds_more(low in 0.2f64..5.0, width in 1.0f64..2.0, threshold in 0.0f64..0.5, more in 0.0f64..0.5) {
            let measured = ratio(low, low * width);
            if !decide(measured, threshold).is_regression() {
                prop_assert!(!decide(measured, threshold + more).is_regression());
            }
        }
    }
}
