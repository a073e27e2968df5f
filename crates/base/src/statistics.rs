//! Medians and their confidence, without assuming how times are distributed.

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
///
/// [`Estimate::of_median`]: super::Estimate::of_median
pub fn median_confidence(samples: usize) -> f64 {
    if samples == 0 { 0.0 } else { interval_rank(samples).1 }
}

/// How many of `samples` sorted values, at least one, lie outside the interval of their median on either side, and the confidence
/// that it has (the sign test's; see Conover, Practical Nonparametric Statistics, section 3.2): the narrowest symmetric one of at
/// least 95%, or all of them.
pub(crate) fn interval_rank(samples: usize) -> (usize, f64) {
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

pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_both_middles() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }
}
