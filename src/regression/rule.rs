//! The whole rule by which a cell became slower: what the interval of a ratio is compared with, and what follows.
//!
//! 1. The ratio is the median of NEW over that of BASE, with a bootstrap interval of 1 - 0.05 / m where m cells are compared.
//! 2. The threshold is the largest of 1%, what was asked for, and the noise floor of the kind of cell ([`super::floors`]).
//! 3. SLOWER: the whole interval is above 1 + threshold. FASTER: it is below 1 / (1 + threshold).
//! 4. SAME: it is neither, and the interval excludes a change of 5%, or of the threshold where that is more. Else NOISY.
//! 5. Where the clocks of a GPU differ between both runs, SLOWER and FASTER must be so in cycles, too, or they are NOISY.
//! 6. What was measured under load or throttled, on another CPU, or with fewer than five samples is NOISY, whatever it took.
//!
//! Cells of a kind are those whose times vary alike from run to run.

use super::comparison::InconclusiveReason;
use crate::results::StoredRun;
use crate::timing::{Estimate, Scope};
use repro_base::CellId;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter};

/// The chance of a wrong interval anywhere in a comparison, which is divided among the intervals of all cells.
pub const ERROR: f64 = 0.05;
/// With fewer samples on either side there is no verdict: few may agree by luck.
pub const LEAST_SAMPLES: usize = 5;
/// The least threshold: nobody calls a smaller change a regression.
pub const LEAST_THRESHOLD: f64 = 0.01;
/// The change that SAME rules out, unless the threshold is larger.
pub const EXCLUDED: f64 = 0.05;

/// What became of a cell, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Display, EnumIter)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
#[strum(serialize_all = "UPPERCASE")]
pub enum CellVerdict {
    /// Measured before, and now wrong, broken, out of time or impossibly fast.
    Failed,
    Slower,
    Faster,
    /// Inconclusive: the reason says why.
    Noisy,
    Same,
    /// Measured before and not now, for no fault of its own.
    Gone,
    /// Measured now and not before.
    New,
}

impl CellVerdict {
    /// Whether a regression guard must stop it.
    pub fn is_regression(self) -> bool {
        matches!(self, Self::Failed | Self::Slower)
    }

    /// Whether a second measurement has to confirm it.
    pub fn is_change(self) -> bool {
        matches!(self, Self::Slower | Self::Faster)
    }
}

/// What the interval of a cell is held against. Both are relative.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DecisionLimits {
    pub threshold: f64,
    /// What the interval of a SAME cell excludes.
    #[serde(rename = "same_excludes")]
    pub excluded: f64,
}

impl DecisionLimits {
    /// The limits where runs of one build lie apart by `floor`, and where only changes of `asked` or more matter to the user.
    pub fn new(floor: f64, asked: f64) -> Self {
        let threshold = LEAST_THRESHOLD.max(asked).max(floor);
        Self { threshold, excluded: EXCLUDED.max(threshold) }
    }

    /// The verdict on a ratio. `samples` is the number on the side with fewer; `cycles` is the same ratio in cycles, where clocks differ.
    ///
    /// # Errors
    /// The reason, when the cell is inconclusive.
    pub fn decide(
        self,
        ratio: Estimate,
        cycles: Option<Estimate>,
        samples: usize,
    ) -> Result<CellVerdict, InconclusiveReason> {
        if samples < LEAST_SAMPLES {
            return Err(InconclusiveReason::FewSamples { samples });
        }
        match (self.change(ratio), cycles.map(|cycles| self.change(cycles))) {
            (Some(change), Some(in_cycles)) if in_cycles != Some(change) => {
                Err(InconclusiveReason::ClocksDiffer)
            }
            (Some(change), _) => Ok(change),
            (None, _) if 1.0 / (1.0 + self.excluded) <= ratio.low && ratio.high <= 1.0 + self.excluded => {
                Ok(CellVerdict::Same)
            }
            (None, _) => {
                Err(InconclusiveReason::WideInterval { samples_needed: self.samples_needed(ratio, samples) })
            }
        }
    }

    fn change(self, ratio: Estimate) -> Option<CellVerdict> {
        match ratio {
            Estimate { low, .. } if low > 1.0 + self.threshold => Some(CellVerdict::Slower),
            Estimate { high, .. } if high < 1.0 / (1.0 + self.threshold) => Some(CellVerdict::Faster),
            _ => None,
        }
    }

    /// How many samples would probably make the interval narrow enough to decide, as SAME or as a change, whichever needs fewer: the
    /// width falls with the square root of the number of samples.
    fn samples_needed(self, ratio: Estimate, samples: usize) -> usize {
        let away = ratio.value.max(1.0 / ratio.value) - 1.0;
        // Of the limits of SAME, 1 / (1 + excluded) is nearer to 1 than 1 + excluded.
        let allowed = (self.excluded / (1.0 + self.excluded) - away).max(away - self.threshold);
        // At a limit itself no number of samples would do.
        let times = (ratio.half_width() / allowed.max(0.0)).powi(2);
        ((samples as f64 * times).ceil() as usize).saturating_add(1)
    }
}

/// The confidence of each interval where `cells` are compared, by Bonferroni's correction: more cells need surer intervals. It is
/// nominal: a percentile interval never leaves the range of the samples, which holds the median in 94% of cases with five samples and in
/// 97% with six, and no interval knows what moves between runs. The threshold and a second measurement are there for that.
pub fn confidence(cells: usize) -> f64 {
    1.0 - ERROR / cells.max(1) as f64
}

/// The smallest n of each kind: the longer a solve takes, the closer its runs lie together.
const SMALLEST: [usize; 4] = [0, 2048, 4096, 16384];

/// The kind of cell that a noise floor is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CellKind {
    pub on_gpu: bool,
    /// The smallest n of the kind: 0, 2048, 4096 or 16384.
    pub from_n: usize,
    /// The scope of its times where an external program solved it, as a process's start varies otherwise than kernels do.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub program: Option<Scope>,
}

impl CellKind {
    /// The kind of a cell of n vertices that one of repro's own implementations solved, not an external program.
    pub fn default_for(on_gpu: bool, n: usize) -> Self {
        let from_n = SMALLEST.into_iter().rfind(|smallest| *smallest <= n).unwrap_or_default();
        Self { on_gpu, from_n, program: None }
    }

    /// The kind of a cell of `run` as timed by `scope`.
    pub fn timed(run: &StoredRun, cell: &CellId, scope: Scope) -> Self {
        let program = Some(scope).filter(|scope| Scope::PROGRAM.contains(scope));
        let on_gpu = match program {
            Some(_) => run.is_program_on_gpu(&cell.implementation),
            None => run.is_on_device(&cell.implementation),
        };
        Self { program, ..Self::default_for(on_gpu, cell.n) }
    }

    /// The smallest n of the next kind; None for the last kind.
    pub fn below_n(self) -> Option<usize> {
        SMALLEST.into_iter().find(|smallest| *smallest > self.from_n)
    }
}

/// The clocks by which external programs are compared, the preferred one first: a program has no time of scope `kernel`.
pub(super) const PROGRAM_CLOCKS: [Scope; 2] = [Scope::ProgramSolve, Scope::Program];

/// The clocks by which cells are compared where the clock `asked` was asked for, the preferred one first.
pub(super) fn clocks(asked: Scope) -> impl Iterator<Item = Scope> {
    let of_programs = PROGRAM_CLOCKS.into_iter().filter(move |_| !Scope::PROGRAM.contains(&asked));
    std::iter::once(asked).chain(of_programs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ratio(low: f64, high: f64) -> Estimate {
        Estimate { value: (low + high) / 2.0, low, high }
    }

    fn decided(low: f64, high: f64, limits: DecisionLimits) -> CellVerdict {
        limits.decide(ratio(low, high), None, 6).unwrap_or(CellVerdict::Noisy)
    }

    #[test]
    fn an_interval_beyond_the_threshold_decides_and_one_that_excludes_a_change_is_the_same() {
        use CellVerdict::{Faster, Noisy, Same, Slower};
        for (low, high, floor, verdict) in [
            (1.021, 1.05, 0.02, Slower),
            (1.02, 1.05, 0.02, Same),
            (1.02, 1.051, 0.02, Noisy),
            (0.96, 1.019, 0.02, Same),
            (0.94, 1.019, 0.02, Noisy),
            (0.90, 0.98, 0.02, Faster),
            (0.5, 2.0, 0.02, Noisy),
            (f64::NAN, f64::NAN, 0.02, Noisy),
            // A floor beyond five percent is what the same excludes.
            (1.31, 1.4, 0.3, Slower),
            (0.8, 1.29, 0.3, Same),
            (0.7, 1.1, 0.3, Noisy),
            (1.2, 1.35, 0.3, Noisy),
        ] {
            assert_eq!(decided(low, high, DecisionLimits::new(floor, 0.0)), verdict, "{low} to {high}");
        }
    }

    #[test]
    fn a_slow_clock_is_no_slow_kernel() {
        let (slower, same) = (ratio(1.1, 1.2), ratio(1.0, 1.0));
        let decide = |seconds, cycles| DecisionLimits::new(0.02, 0.0).decide(seconds, cycles, 6);
        assert_eq!(decide(slower, Some(same)), Err(InconclusiveReason::ClocksDiffer));
        assert_eq!(decide(slower, Some(slower)), Ok(CellVerdict::Slower));
        assert_eq!(decide(same, Some(slower)), Ok(CellVerdict::Same), "as long as before");
    }

    #[test]
    fn so_many_samples_as_are_advised_make_the_interval_narrow_enough() {
        for (low, high) in [(0.9, 1.1), (0.97, 1.09), (1.0, 1.2)] {
            let (wide, of) = (ratio(low, high), DecisionLimits::new(0.01, 0.0));
            let Err(InconclusiveReason::WideInterval { samples_needed }) = of.decide(wide, None, 6) else {
                panic!("{low}")
            };
            let narrower = wide.half_width() * (6.0 / samples_needed as f64).sqrt();
            let narrow = Estimate { low: wide.value - narrower, high: wide.value + narrower, ..wide };
            assert!(of.decide(narrow, None, samples_needed).is_ok(), "{low} to {high}: {narrow:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_slower_one_way_is_faster_the_other(low in 0.2f64..5.0, width in 1.0f64..2.0, share in 0.0f64..0.5) {
            let (forth, back) = (ratio(low, low * width), ratio(1.0 / (low * width), 1.0 / low));
            let threshold = DecisionLimits::new(share, 0.0).threshold;
            // Rounding may put an end on the other side of the threshold where the two meet.
            let at_threshold = [forth.low, forth.high].iter().any(|end| {
                (end / (1.0 + threshold) - 1.0).abs() < 1e-9 || (end * (1.0 + threshold) - 1.0).abs() < 1e-9
            });
            let of = |interval: Estimate| decided(interval.low, interval.high, DecisionLimits::new(share, 0.0));
            let is = |verdict: CellVerdict, other: CellVerdict| (of(forth) == verdict) == (of(back) == other);
            prop_assert!(at_threshold || is(CellVerdict::Slower, CellVerdict::Faster) && is(CellVerdict::Faster, CellVerdict::Slower));
        }

        #[test]
        fn a_higher_floor_never_finds_more(low in 0.2f64..5.0, width in 1.0f64..2.0, share in 0.0f64..0.5, more in 0.0f64..0.5) {
            let of = |share| decided(low, low * width, DecisionLimits::new(share, 0.0));
            prop_assert!(of(share).is_regression() || !of(share + more).is_regression());
        }
    }
}
