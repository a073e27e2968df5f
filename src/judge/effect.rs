//! How far what was measured is from what was published.

use super::{Point, Range};
use serde::Serialize;

/// The natural logarithm of measured over published, the mean over all comparisons: 0 is as published, 0.69 twice as much,
/// -0.69 half.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Effect {
    pub log_ratio: f64,
    /// The means of the ends of all intervals: comparisons of one machine share their noise, so that it does not average out.
    pub low: f64,
    pub high: f64,
}

impl Effect {
    /// None where no comparison has a positive figure on both sides, and where some have bounds and others ranges, or bounds on
    /// different sides: their figures are of different things.
    pub fn of(points: &[Point]) -> Option<Self> {
        let ends = |point: &Point| (point.published.low.is_some(), point.published.high.is_some());
        if points.iter().any(|point| ends(point) != ends(&points[0])) {
            return None;
        }
        let logs = points.iter().filter_map(|point| {
            let published = middle(point.published)?;
            let log = |value: f64| (value > 0.0).then(|| (value / published).ln());
            let of = point.measured;
            Some([log(of.value)?, log(of.low)?, log(of.high)?])
                .filter(|all| all.iter().all(|one| one.is_finite()))
        });
        let all: Vec<[f64; 3]> = logs.collect();
        let mean = |at: usize| all.iter().map(|one| one[at]).sum::<f64>() / all.len() as f64;
        (!all.is_empty()).then(|| Self { log_ratio: mean(0), low: mean(1), high: mean(2) })
    }

    /// Measured over published.
    pub fn ratio(self) -> f64 {
        self.log_ratio.exp()
    }
}

/// What a range stands for: its middle, which is the published number itself where the range is what rounds to it; or its one end.
fn middle(range: Range) -> Option<f64> {
    let middle = match (range.low, range.high) {
        (Some(low), Some(high)) => (low + high) / 2.0,
        (Some(end), None) | (None, Some(end)) => end,
        (None, None) => return None,
    };
    (middle > 0.0 && middle.is_finite()).then_some(middle)
}

#[cfg(test)]
mod tests {
    use super::super::PointSubject;
    use super::*;
    use crate::timing::Estimate;

    fn point(value: f64, range: Range) -> Point {
        Point::of(PointSubject::default(), Estimate::exact(value).widened(0.1), range)
    }

    #[test]
    fn twice_as_much_is_the_logarithm_of_two_whatever_the_range() {
        for range in [Range::new(2.0, 6.0), Range::at_least(4.0), Range::at_most(4.0)] {
            let effect = Effect::of(&[point(8.0, range)]).unwrap();
            assert!((effect.log_ratio - 2f64.ln()).abs() < 1e-9 && (effect.ratio() - 2.0).abs() < 1e-9);
            assert!((effect.high - effect.log_ratio - 1.1f64.ln()).abs() < 1e-9);
        }
    }

    #[test]
    fn comparisons_that_are_as_far_above_as_below_cancel_and_zero_has_no_logarithm() {
        let range = Range::new(4.0, 4.0);
        let effect = Effect::of(&[point(2.0, range), point(8.0, range)]).unwrap();
        assert!(effect.log_ratio.abs() < 1e-9);
        // A count of 1 where 1 is published is as published.
        let one = Effect::of(&[Point::of(
            PointSubject::default(),
            Estimate::exact(1.0),
            Range::rounding_to(1.0, 1.0),
        )]);
        assert_eq!(one.unwrap().log_ratio, 0.0);
        assert_eq!(Effect::of(&[point(0.0, Range::new(0.0, 0.0))]), None);
        assert_eq!(Effect::of(&[]), None);
    }
}
