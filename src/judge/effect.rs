//! How far what was measured is from what was published.

use super::Comparison;
use crate::timing::Estimate;
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
    pub fn of(all: &[Comparison]) -> Option<Self> {
        let ends = |one: &Comparison| (one.published.low.is_some(), one.published.high.is_some());
        if all.iter().any(|one| ends(one) != ends(&all[0])) {
            return None;
        }
        let log_ratio = |one: &Comparison| {
            let published = one.published.middle().filter(|middle| *middle > 0.0)?;
            let Estimate { value, low, high } = one.measured.over(Estimate::exact(published));
            let logs = Estimate { value: value.ln(), low: low.ln(), high: high.ln() };
            Some(logs).filter(|logs| logs.is_finite())
        };
        let logs: Vec<Estimate> = all.iter().filter_map(log_ratio).collect();
        let Estimate { value: log_ratio, low, high } = Estimate::mean(&logs)?;
        Some(Self { log_ratio, low, high })
    }

    /// Measured over published.
    pub fn ratio(self) -> f64 {
        self.log_ratio.exp()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AcceptanceRange, ComparisonSubject};
    use super::*;

    fn effect(all: &[(f64, AcceptanceRange)]) -> Option<Effect> {
        let of = |&(value, accepted): &(f64, AcceptanceRange)| {
            Comparison::new(ComparisonSubject::default(), Estimate::exact(value).widened(0.1), accepted)
        };
        Effect::of(&all.iter().map(of).collect::<Vec<_>>())
    }

    #[test]
    fn twice_as_much_is_the_logarithm_of_two_whatever_the_range_and_as_far_below_cancels_it() {
        let range = AcceptanceRange::new(2.0, 6.0);
        let floor = AcceptanceRange { low: Some(4.0), high: None, may_exceed: false };
        let most = AcceptanceRange { low: None, high: Some(4.0), may_exceed: false };
        for range in [range, floor, most] {
            let one = effect(&[(8.0, range)]).unwrap();
            assert!((one.log_ratio - 2f64.ln()).abs() < 1e-9 && (one.ratio() - 2.0).abs() < 1e-9);
            assert!((one.high - one.log_ratio - 1.1f64.ln()).abs() < 1e-9);
            assert!(effect(&[(2.0, range), (8.0, range)]).unwrap().log_ratio.abs() < 1e-9);
        }
        assert_eq!(effect(&[(8.0, floor), (8.0, most)]), None);
        // Zero has no logarithm.
        assert_eq!(
            [effect(&[(0.0, range)]), effect(&[]), effect(&[(1.0, AcceptanceRange::new(0.0, 0.0))])],
            [None; 3]
        );
    }
}
