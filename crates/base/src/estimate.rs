//! A figure with the interval that it is known in; medians and their confidence, without assuming how times are distributed.

use serde::{Deserialize, Serialize};

/// A figure and the interval that it is known in, both in the same unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Estimate {
    /// Whether the figure and both ends of its interval are finite.
    pub fn is_finite(self) -> bool {
        [self.value, self.low, self.high].iter().all(|end| end.is_finite())
    }

    /// A figure that was counted, and so is known exactly.
    pub fn exact(value: f64) -> Self {
        Self { value, low: value, high: value }
    }

    /// The median of `samples` and the interval between two order statistics that holds, with the confidence that
    /// [`median_confidence`] returns, the median of what they were drawn from: at least 95% from six samples on, their whole range of
    /// fewer. None if there are no samples.
    pub fn of_median(samples: &[f64]) -> Option<Self> {
        let sorted = sorted(samples);
        let value = median(&sorted)?;
        let (rank, _) = interval_rank(sorted.len());
        Some(Self { value, low: sorted[rank], high: sorted[sorted.len() - 1 - rank] })
    }

    /// `self` over `other`, for positive figures: the widest interval that both allow.
    pub fn over(self, other: Self) -> Self {
        Self { value: self.value / other.value, low: self.low / other.high, high: self.high / other.low }
    }

    /// The figure and its interval, times a constant that is not negative.
    pub fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, low: self.low * factor, high: self.high * factor }
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

/// The confidence that an interval of a median is made for.
pub const CONFIDENCE: f64 = 0.95;

/// The middle value, or the mean of the two middle ones; none of no values.
pub fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let n = sorted.len();
    let upper = *sorted.get(n / 2)?;
    Some(if n % 2 == 1 { upper } else { (sorted[n / 2 - 1] + upper) / 2.0 })
}

/// The probability that the interval of [`Estimate::of_median`] holds the median of what `samples` values were drawn from: at
/// least 0.95 from six on. Fewer cannot reach that, and one has 0.
pub fn median_confidence(samples: usize) -> f64 {
    if samples == 0 { 0.0 } else { interval_rank(samples).1 }
}

/// How many of `samples` sorted values, at least one, lie outside the interval of their median on either side, and the confidence
/// that it has (the sign test's; see Conover, Practical Nonparametric Statistics, section 3.2): the narrowest symmetric one of at
/// least 95%, or all of them.
fn interval_rank(samples: usize) -> (usize, f64) {
    // `outside` is the probability that fewer than `rank + 1` of the samples lie below the median, on one side.
    let mut probability = 0.5f64.powi(samples as i32);
    let mut outside = probability;
    let mut rank = 0;
    while rank + 1 < samples.div_ceil(2) {
        let next = probability * (samples - rank) as f64 / (rank + 1) as f64;
        if 1.0 - 2.0 * (outside + next) < CONFIDENCE {
            break;
        }
        probability = next;
        outside += next;
        rank += 1;
    }
    (rank, 1.0 - 2.0 * outside)
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_both_middles_and_one_sample_says_nothing_about_it() {
        for (values, middle) in
            [(&[3.0, 1.0, 2.0][..], Some(2.0)), (&[4.0, 1.0, 2.0, 3.0], Some(2.5)), (&[], None)]
        {
            assert_eq!(median(values), middle);
        }
        assert_eq!(
            (Estimate::of_median(&[2.0]), Estimate::of_median(&[])),
            (Some(Estimate::exact(2.0)), None)
        );
        assert_eq!((median_confidence(1), median_confidence(0)), (0.0, 0.0));
        assert_eq!(Estimate { value: 2.0, low: 1.0, high: 4.0 }.relative_half_width(), 0.75);
    }
}
