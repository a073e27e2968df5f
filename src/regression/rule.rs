//! The rule by which a cell became slower, whole: what the interval of a ratio is held against, and what follows.
//!
//! 1. The ratio is the median of NEW over that of BASE, with a bootstrap interval of 1 - 0.05 / m where m cells are compared.
//! 2. The noise floor of a kind of cell is what runs of one build are known to lie apart on this machine ([`floor_of`]), else a stated
//!    default ([`default_floor`]).
//! 3. The threshold is the largest of 1%, what was asked for, and the floor.
//! 4. SLOWER: the whole interval is above 1 + threshold. FASTER: it is below 1 / (1 + threshold).
//! 5. SAME: it is neither, and threshold and interval exclude a change of 5%, or of what was asked for, in addition to what runs of one build lie
//!    apart. Else NOISY.
//! 6. Where the clocks of a GPU differ between both runs, SLOWER and FASTER must be so in cycles, too, or they are NOISY.
//! 7. What was measured under load or throttled is NOISY, whatever it took.

use super::kind::CellKind;
use crate::timing::{Estimate, Pairing, median};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The chance, over all cells of a comparison, that is divided among their intervals.
pub const ERROR: f64 = 0.05;
/// With fewer samples on either side there is no verdict: few may agree by luck.
pub const LEAST_SAMPLES: usize = 5;
/// So many runs of one build, or pairs of such runs, show how far apart they lie.
pub const LEAST_RUNS: usize = 5;
/// What moves by less is nobody's regression.
pub const LEAST_THRESHOLD: f64 = 0.01;
/// What SAME excludes, unless more was asked for.
pub const EXCLUDED: f64 = 0.05;
/// What is taken to lie between runs on a CPU of which nothing is known: 59% were seen between starts of one virtual machine.
pub const UNKNOWN_ON_CPU: f64 = 1.0;
/// How many times the span of most cells the floor is.
const FLOOR_FACTOR: f64 = 2.0;
/// Most cells: one run in which some cells were off does not move the floor.
const MOST: f64 = 0.8;
/// The standard error of a median over that of a mean, of normally distributed samples.
const MEDIAN_OVER_MEAN: f64 = 1.2533;

/// What became of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// Measured before, and now wrong, broken, out of time or impossibly fast.
    Failed,
    Slower,
    Faster,
    /// The noise hides whether it is any of the others; the reason says which, and the advice what would help.
    Noisy,
    Same,
    /// Measured before and not now, for no fault of its own.
    Gone,
    /// Measured now and not before.
    New,
}

impl Verdict {
    /// Worst first.
    pub const ALL: [Verdict; 7] =
        [Self::Failed, Self::Slower, Self::Faster, Self::Noisy, Self::Same, Self::Gone, Self::New];

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

/// Why a cell is NOISY.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NoisyReason {
    /// So many samples on the side that has fewer.
    FewSamples(usize),
    /// Its interval is too wide for a threshold that is not: so many samples would probably decide it.
    WideInterval { samples: usize },
    /// The threshold itself is beyond what SAME excludes.
    HighFloor,
    /// Seconds and cycles say something else.
    Clocks,
    /// More samples would not help: the reason says what is wrong.
    Other,
}

/// How far runs of one build lie apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Floor {
    /// Relative.
    pub share: f64,
    /// Whether it comes from the machine's own runs, and is no default.
    #[serde(rename = "measured")]
    pub is_known: bool,
    /// How many runs, or pairs, of the baseline's build have cells of the kind on this machine, without uncommitted changes.
    pub runs: usize,
}

/// What the intervals of a kind of cell are held against.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Limits {
    pub threshold: f64,
    /// What the interval of a SAME cell excludes. What runs of one build lie apart, up to the floor, comes on top.
    #[serde(rename = "same_excludes")]
    pub excluded: f64,
}

impl Limits {
    /// Of a kind with this floor, where changes of `asked` and more were asked for.
    pub fn of(floor: Floor, asked: f64) -> Self {
        Self { threshold: LEAST_THRESHOLD.max(asked).max(floor.share), excluded: EXCLUDED.max(asked) }
    }

    /// Whether the threshold lets a cell be SAME at all.
    pub fn can_decide(self) -> bool {
        self.threshold <= self.excluded
    }

    /// The verdict on a ratio of this many samples, the fewer of either side. `cycles` is the same ratio in cycles, where clocks differ.
    pub fn decide(
        self,
        ratio: Estimate,
        cycles: Option<Estimate>,
        samples: usize,
    ) -> (Verdict, Option<NoisyReason>) {
        if samples < LEAST_SAMPLES {
            return (Verdict::Noisy, Some(NoisyReason::FewSamples(samples)));
        }
        match (self.side(ratio), cycles.map(|cycles| self.side(cycles))) {
            (Some(side), Some(of_cycles)) if of_cycles != Some(side) => {
                (Verdict::Noisy, Some(NoisyReason::Clocks))
            }
            (Some(side), _) => (side, None),
            (None, _) if !self.can_decide() => (Verdict::Noisy, Some(NoisyReason::HighFloor)),
            (None, _) if 1.0 / (1.0 + self.excluded) <= ratio.low && ratio.high <= 1.0 + self.excluded => {
                (Verdict::Same, None)
            }
            (None, _) => (Verdict::Noisy, Some(self.wide(ratio, samples))),
        }
    }

    fn side(self, ratio: Estimate) -> Option<Verdict> {
        match ratio {
            Estimate { low, .. } if low > 1.0 + self.threshold => Some(Verdict::Slower),
            Estimate { high, .. } if high < 1.0 / (1.0 + self.threshold) => Some(Verdict::Faster),
            _ => None,
        }
    }

    /// How many samples would probably make the interval as narrow as it has to be on one side of the ratio or the other: its width
    /// falls with their square root.
    fn wide(self, ratio: Estimate, samples: usize) -> NoisyReason {
        let away = ratio.value.max(1.0 / ratio.value) - 1.0;
        // The end on the faster side is the nearer one.
        let allowed = (self.excluded / (1.0 + self.excluded) - away).max(away - self.threshold);
        // At a limit itself no number of samples would do.
        let times = (ratio.half_width() / allowed.max(0.0)).powi(2);
        NoisyReason::WideInterval { samples: ((samples as f64 * times).ceil() as usize).saturating_add(1) }
    }
}

/// The confidence of each interval where `cells` are compared: Bonferroni's correction, so that the more cells there are, the
/// surer each must be. It is nominal: a percentile interval never leaves the range of the samples, which holds the median in 94 of 100
/// cases with five of them and in 97 with six, and none knows what moves between runs. The threshold is for that, and a second look.
pub fn confidence(cells: usize) -> f64 {
    1.0 - ERROR / cells.max(1) as f64
}

/// What is taken to lie between runs of one build where the machine's own runs do not show it: what was seen on H200s, and on the CPUs of
/// virtual machines. Of processes that took turns on one device it is less.
pub fn default_floor(kind: CellKind, pairing: Pairing) -> f64 {
    // The host's clock around a program that takes a GPU has the noise of the host in it.
    let by_events = kind.on_gpu && kind.program.is_none();
    match (pairing, by_events, kind.small_n) {
        (Pairing::Together, true, false) => 0.01,
        (Pairing::Together, true, true) => 0.05,
        (Pairing::Together, false, false) => 0.25,
        (Pairing::Apart, true, _) => 0.12,
        (_, false, _) => UNKNOWN_ON_CPU,
    }
}

/// The logarithm of a cell's median in a run, and the standard error of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    pub logarithm: f64,
    pub error: f64,
}

impl Level {
    /// None of samples whose median is not positive.
    pub fn of(seconds: &[f64]) -> Option<Self> {
        let middle = median(seconds).filter(|middle| *middle > 0.0 && middle.is_finite())?;
        let count = seconds.len() as f64;
        let squares = seconds.iter().map(|one| (one / middle - 1.0).powi(2)).sum::<f64>();
        let deviation = (squares / (count - 1.0).max(1.0)).sqrt();
        Some(Self { logarithm: middle.ln(), error: MEDIAN_OVER_MEAN * deviation / count.sqrt() })
    }
}

/// How far the levels of a cell lie apart, as a logarithm, beyond what the samples of either end explain. Nought of fewer than two.
pub fn span(levels: &[Level]) -> f64 {
    let by = |a: &&Level, b: &&Level| a.logarithm.total_cmp(&b.logarithm);
    match (levels.iter().min_by(by), levels.iter().max_by(by)) {
        (Some(low), Some(high)) => (high.logarithm - low.logarithm - low.error - high.error).max(0.0),
        _ => 0.0,
    }
}

/// The floor of cells with these spans, relative: twice what four in five of them stay within. None of no cells.
pub fn floor_of(spans: &[f64]) -> Option<f64> {
    let mut sorted = spans.to_vec();
    sorted.sort_by(f64::total_cmp);
    let most = (MOST * sorted.len() as f64).ceil() as usize;
    Some((FLOOR_FACTOR * sorted.get(most.checked_sub(1)?)?).exp_m1())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ratio(low: f64, high: f64) -> Estimate {
        Estimate { value: (low + high) / 2.0, low, high }
    }

    fn limits(share: f64, asked: f64) -> Limits {
        Limits::of(Floor { share, is_known: true, runs: 5 }, asked)
    }

    fn decided(low: f64, high: f64, limits: Limits) -> Verdict {
        limits.decide(ratio(low, high), None, 6).0
    }

    #[test]
    fn an_interval_beyond_the_threshold_decides_and_one_that_excludes_a_change_is_the_same() {
        for (low, high, verdict) in [
            (1.021, 1.05, Verdict::Slower),
            (1.02, 1.05, Verdict::Same),
            (1.02, 1.051, Verdict::Noisy),
            (0.96, 1.019, Verdict::Same),
            (0.94, 1.019, Verdict::Noisy),
            (0.90, 0.98, Verdict::Faster),
            (0.5, 2.0, Verdict::Noisy),
            (f64::NAN, f64::NAN, Verdict::Noisy),
        ] {
            assert_eq!(decided(low, high, limits(0.02, 0.0)), verdict, "{low} to {high}");
        }
    }

    #[test]
    fn a_floor_beyond_what_the_same_excludes_leaves_only_what_is_beyond_it() {
        let high = limits(0.3, 0.0);
        assert_eq!(high.decide(ratio(1.0, 1.0), None, 6), (Verdict::Noisy, Some(NoisyReason::HighFloor)));
        assert_eq!(decided(1.31, 1.4, high), Verdict::Slower);
        assert_eq!(decided(1.0, 1.0, limits(0.3, 0.3)), Verdict::Same, "asked for no less than that");
    }

    #[test]
    fn a_slow_clock_is_no_slow_kernel() {
        let (slower, same) = (ratio(1.1, 1.2), ratio(1.0, 1.0));
        let decide = |seconds, cycles| limits(0.02, 0.0).decide(seconds, cycles, 6);
        assert_eq!(decide(slower, Some(same)), (Verdict::Noisy, Some(NoisyReason::Clocks)));
        assert_eq!(decide(slower, Some(slower)), (Verdict::Slower, None));
        assert_eq!(decide(same, Some(slower)), (Verdict::Same, None), "as long as before");
    }

    #[test]
    fn few_samples_are_not_believed() {
        let few = limits(0.01, 0.0).decide(ratio(1.5, 1.5), None, LEAST_SAMPLES - 1);
        assert_eq!(few, (Verdict::Noisy, Some(NoisyReason::FewSamples(4))));
    }

    #[test]
    fn so_many_samples_as_are_advised_make_the_interval_narrow_enough() {
        for (low, high) in [(0.9, 1.1), (0.97, 1.09), (1.0, 1.2)] {
            let (wide, of) = (ratio(low, high), limits(0.01, 0.0));
            let (_, Some(NoisyReason::WideInterval { samples })) = of.decide(wide, None, 6) else {
                panic!("{low}")
            };
            let narrower = wide.half_width() * (6.0 / samples as f64).sqrt();
            let narrow = Estimate { low: wide.value - narrower, high: wide.value + narrower, ..wide };
            assert_ne!(of.decide(narrow, None, samples).0, Verdict::Noisy, "{low} to {high}: {narrow:?}");
        }
    }

    #[test]
    fn more_cells_ask_for_more_confidence() {
        assert_eq!(confidence(0), confidence(1));
        assert!((confidence(1) - 0.95).abs() < 1e-12 && (confidence(50) - 0.999).abs() < 1e-12);
    }

    #[test]
    fn up_to_2048_vertices_processes_of_one_build_are_taken_to_lie_further_apart() {
        let floor = |n| default_floor(CellKind::of(true, n), Pairing::Together);
        assert_eq!([512, 2048, 2049, 8192].map(floor), [0.05, 0.05, 0.01, 0.01]);
    }

    #[test]
    fn the_floor_is_twice_what_most_cells_stay_within_and_one_odd_run_does_not_move_it() {
        let floor = floor_of(&[0.01, 0.01, 0.01, 0.01, 0.4]).unwrap();
        assert!((floor - 0.02f64.exp_m1()).abs() < 1e-12, "{floor}");
        assert!(floor_of(&[0.01, 0.4]).unwrap() > 1.0 && floor_of(&[]).is_none());
    }

    #[test]
    fn what_the_samples_within_runs_explain_is_no_span_between_them() {
        let steady = |middle: f64| Level::of(&[middle; 6]).unwrap();
        assert!((span(&[steady(1.0), steady(1.1), steady(1.05)]) - 1.1f64.ln()).abs() < 1e-12);
        let noisy =
            |middle: f64| Level::of(&[0.9, 0.95, 1.0, 1.0, 1.05, 1.1].map(|one| one * middle)).unwrap();
        assert_eq!(span(&[noisy(1.0), noisy(1.02)]), 0.0);
        assert_eq!((span(&[steady(1.0)]), span(&[]), Level::of(&[0.0])), (0.0, 0.0, None));
    }

    proptest! {
        #[test]
        fn what_is_slower_one_way_is_faster_the_other(low in 0.2f64..5.0, width in 1.0f64..2.0, share in 0.0f64..0.5) {
            let (forth, back) = (ratio(low, low * width), ratio(1.0 / (low * width), 1.0 / low));
            let threshold = limits(share, 0.0).threshold;
            // Rounding may put an end on the other side of the threshold where the two meet.
            let at_threshold = [forth.low, forth.high].iter().any(|end| {
                (end / (1.0 + threshold) - 1.0).abs() < 1e-9 || (end * (1.0 + threshold) - 1.0).abs() < 1e-9
            });
            let of = |interval: Estimate| decided(interval.low, interval.high, limits(share, 0.0));
            let is = |verdict: Verdict, other: Verdict| (of(forth) == verdict) == (of(back) == other);
            prop_assert!(at_threshold || is(Verdict::Slower, Verdict::Faster) && is(Verdict::Faster, Verdict::Slower));
        }

        #[test]
        fn a_higher_floor_never_finds_more(low in 0.2f64..5.0, width in 1.0f64..2.0, share in 0.0f64..0.5, more in 0.0f64..0.5) {
            let of = |share| decided(low, low * width, limits(share, 0.0));
            prop_assert!(of(share).is_regression() || !of(share + more).is_regression());
        }
    }
}
