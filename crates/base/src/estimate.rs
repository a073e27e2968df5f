//! A figure with the interval that it is known in.

use super::statistics::{interval_rank, median, sorted};
use serde::{Deserialize, Serialize};

/// A figure and the interval that it is known in, both in the same unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Where an interval lies relative to a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Whole in it, both ends included.
    Within,
    Below,
    Above,
    /// Over an end; and what is no number.
    Across,
}

impl Estimate {
    /// Where its interval lies relative to the range from `low` to `high`.
    pub fn position(self, low: f64, high: f64) -> Position {
        if self.low > high {
            Position::Above
        } else if self.high < low {
            Position::Below
        } else if self.low >= low && self.high <= high {
            Position::Within
        } else {
            Position::Across
        }
    }

    /// Whether all of it are numbers.
    pub fn is_finite(self) -> bool {
        [self.value, self.low, self.high].iter().all(|end| end.is_finite())
    }

    /// What was counted, and so is known exactly.
    pub fn exact(value: f64) -> Self {
        Self { value, low: value, high: value }
    }

    /// The median of `samples` and the interval between two order statistics that holds, with the confidence that
    /// [`median_confidence`] returns, the median of what they were drawn from: at least 95% from six samples on, their whole range of
    /// fewer. None of no samples.
    ///
    /// [`median_confidence`]: super::median_confidence
    pub fn of_median(samples: &[f64]) -> Option<Self> {
        let sorted = sorted(samples);
        let value = median(&sorted)?;
        let (rank, _) = interval_rank(sorted.len());
        Some(Self { value, low: sorted[rank], high: sorted[sorted.len() - 1 - rank] })
    }

    /// `value` within the least and the most of itself and all `others`.
    pub fn among(value: f64, others: impl IntoIterator<Item = f64>) -> Self {
        let widen = |all: Self, one: f64| Self { low: all.low.min(one), high: all.high.max(one), ..all };
        others.into_iter().fold(Self::exact(value), widen)
    }

    /// The mean of figures, and the means of either end. None of no figures.
    pub fn mean(all: &[Self]) -> Option<Self> {
        let mean = |of: fn(&Self) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        let mean =
            Self { value: mean(|one| one.value), low: mean(|one| one.low), high: mean(|one| one.high) };
        (!all.is_empty()).then_some(mean)
    }

    /// `self` over `other`, for positive figures: the widest interval that both allow.
    pub fn over(self, other: Self) -> Self {
        Self { value: self.value / other.value, low: self.low / other.high, high: self.high / other.low }
    }

    /// Times a constant that is not negative.
    pub fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, low: self.low * factor, high: self.high * factor }
    }

    /// The interval made wider by a relative `noise` at either end.
    pub fn widened(self, noise: f64) -> Self {
        Self { value: self.value, low: self.low / (1.0 + noise), high: self.high * (1.0 + noise) }
    }

    /// Half of how wide the interval is.
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Half the width of the interval, relative to the figure.
    pub fn relative_half_width(self) -> f64 {
        self.half_width() / self.value
    }
}

#[cfg(test)]
mod tests {
    use super::super::statistics::{CONFIDENCE, median_confidence};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn intervals_follow_the_published_tables_of_the_sign_test() {
        let interval = |n: usize| {
            let values: Vec<f64> = (1..=n).map(|value| value as f64).collect();
            let estimate = Estimate::of_median(&values).unwrap();
            (estimate.low, estimate.high, (median_confidence(n) * 1000.0).round() / 1000.0)
        };
        assert_eq!(interval(5), (1.0, 5.0, 0.938));
        assert_eq!(interval(6), (1.0, 6.0, 0.969));
        assert_eq!(interval(9), (2.0, 8.0, 0.961));
        assert_eq!(interval(10), (2.0, 9.0, 0.979));
        assert_eq!(interval(12), (3.0, 10.0, 0.961));
        assert_eq!(interval(20), (6.0, 15.0, 0.959));
    }

    #[test]
    fn one_sample_says_nothing_about_the_median_and_none_has_none() {
        assert_eq!(Estimate::of_median(&[2.0]), Some(Estimate::exact(2.0)));
        assert_eq!((median_confidence(1), median_confidence(0)), (0.0, 0.0));
        assert_eq!((Estimate::of_median(&[]), Estimate::mean(&[])), (None, None));
    }

    #[test]
    fn a_mean_has_the_means_of_the_ends_and_others_widen_an_interval() {
        let ends = |low, high| Estimate { value: 2.0, low, high };
        assert_eq!(Estimate::mean(&[ends(1.0, 2.0), ends(2.0, 5.0)]), Some(ends(1.5, 3.5)));
        assert_eq!(Estimate::among(2.0, [1.0, 1.5]), ends(1.0, 2.0));
        assert_eq!(ends(1.0, 4.0).relative_half_width(), 0.75);
    }

    #[test]
    fn an_interval_is_within_a_range_beside_it_or_across_an_end() {
        let at = |low, high| Estimate { value: low, low, high }.position(1.0, 2.0);
        assert_eq!(
            [at(1.0, 2.0), at(2.1, 3.0), at(0.0, 0.9)],
            [Position::Within, Position::Above, Position::Below]
        );
        assert_eq!([at(0.9, 1.5), at(2.0, 2.1), at(f64::NAN, 1.5)], [Position::Across; 3]);
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_median_and_lies_within_the_samples(
            values in proptest::collection::vec(1e-6f64..1e3, 1..200)
        ) {
            let Estimate { value, low, high } = Estimate::of_median(&values).unwrap();
            prop_assert!(Some(value) == median(&values) && low <= value && value <= high);
            prop_assert!(values.contains(&low) && values.contains(&high));
            prop_assert!(values.len() < 6 || median_confidence(values.len()) >= CONFIDENCE);
        }
    }
}
