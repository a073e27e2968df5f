//! Medians and their confidence, without assuming how times are distributed.

use serde::{Deserialize, Serialize};

/// The confidence that an interval of a median is made for.
const CONFIDENCE: f64 = 0.95;

/// An interval for the median of whatever the samples were drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
    /// The probability that such an interval holds the median: at least 0.95 from six samples on. Fewer samples cannot
    /// reach that, and the interval is then their whole range with the confidence that it has.
    pub confidence: f64,
}

impl Interval {
    /// Half the width, relative to `center`.
    pub fn relative_half_width(&self, center: f64) -> f64 {
        (self.high - self.low) / 2.0 / center
    }
}

/// The middle value, or the mean of the two middle ones; none of no values.
pub fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let n = sorted.len();
    match n {
        0 => None,
        _ if n % 2 == 1 => Some(sorted[n / 2]),
        _ => Some((sorted[n / 2 - 1] + sorted[n / 2]) / 2.0),
    }
}

/// The interval between two order statistics that holds the median with at least 95% confidence, the narrowest
/// symmetric one (the sign test's; see Conover, Practical Nonparametric Statistics, section 3.2); none of no values.
pub fn median_interval(values: &[f64]) -> Option<Interval> {
    let sorted = sorted(values);
    let n = sorted.len();
    if n == 0 {
        return None;
    }
    // `outside` is the probability that fewer than `rank + 1` of n samples lie below the median, on one side.
    let mut probability = 0.5f64.powi(n as i32);
    let mut outside = probability;
    let mut rank = 0;
    while rank + 1 < n.div_ceil(2) {
        let next = probability * (n - rank) as f64 / (rank + 1) as f64;
        if 1.0 - 2.0 * (outside + next) < CONFIDENCE {
            break;
        }
        probability = next;
        outside += next;
        rank += 1;
    }
    Some(Interval { low: sorted[rank], high: sorted[n - 1 - rank], confidence: 1.0 - 2.0 * outside })
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
    fn the_median_is_the_middle_or_the_mean_of_both_middles() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn intervals_follow_the_published_tables_of_the_sign_test() {
        let interval = |n: usize| {
            let values: Vec<f64> = (1..=n).map(|value| value as f64).collect();
            let interval = median_interval(&values).unwrap();
            (interval.low, interval.high, (interval.confidence * 1000.0).round() / 1000.0)
        };
        assert_eq!(interval(5), (1.0, 5.0, 0.938));
        assert_eq!(interval(6), (1.0, 6.0, 0.969));
        assert_eq!(interval(9), (2.0, 8.0, 0.961));
        assert_eq!(interval(10), (2.0, 9.0, 0.979));
        assert_eq!(interval(12), (3.0, 10.0, 0.961));
        assert_eq!(interval(20), (6.0, 15.0, 0.959));
    }

    #[test]
    fn one_sample_says_nothing_about_the_median() {
        let interval = median_interval(&[2.0]).unwrap();
        assert_eq!((interval.low, interval.high, interval.confidence), (2.0, 2.0, 0.0));
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_median_and_lies_within_the_samples(
            values in proptest::collection::vec(1e-6f64..1e3, 1..200)
        ) {
            let middle = median(&values).unwrap();
            let interval = median_interval(&values).unwrap();
            prop_assert!(interval.low <= middle && middle <= interval.high);
            prop_assert!(values.contains(&interval.low) && values.contains(&interval.high));
            prop_assert!(values.len() < 6 || interval.confidence >= CONFIDENCE);
        }
    }
}
