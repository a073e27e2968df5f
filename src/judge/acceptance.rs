//! What a claim accepts of what is measured: bounds of a test's own, or what the paper publishes.

use super::{Perturbation, Unit, unit_of};
use crate::published::{Bound, Claim, Test};
use crate::timing::Estimate;
use serde::Serialize;

/// The values that a claim accepts, both ends included. An open end is None.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AcceptanceRange {
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Whether more than that exceeds what is claimed, and does not differ from it.
    #[serde(skip)]
    pub may_exceed: bool,
}

impl AcceptanceRange {
    pub fn new(low: f64, high: f64) -> Self {
        Self { low: Some(low), high: Some(high), may_exceed: false }
    }

    /// What a comparison of `test` at n may be, after `change`.
    pub fn of(claim: &Claim, test: &Test, n: Option<usize>, change: Perturbation) -> Self {
        let exact = test.exactly.or_else(|| Some(test.polynomial.as_ref()?.at(n?)));
        if let Some(value) = exact {
            // A number that was counted, with what arithmetic rounds.
            let slack = 1e-9 * value.abs();
            return Self::new(value - slack, value + slack);
        }
        if test.at_least.or(test.at_most).is_some() {
            // What is ours is moved by how far it is from equality, or from nothing where it is no ratio.
            let neutral = if unit_of(test) == Unit::Times { 1.0 } else { 0.0 };
            let factor =
                if let (Perturbation::Ours(factor), true) = (change, test.ours) { factor } else { 1.0 };
            let moved = |end: f64| neutral + (end - neutral) * factor;
            return Self { low: test.at_least.map(moved), high: test.at_most.map(moved), may_exceed: false };
        }
        Self::published(claim, if let Perturbation::Rounding(half) = change { half } else { 1.0 })
    }

    /// What the claim publishes, and all that rounds to it with `half` times half a unit of the last digit. A floor and the most that was
    /// reached may be exceeded.
    fn published(claim: &Claim, half: f64) -> Self {
        let number = claim.value.or(claim.bound.and(claim.low.or(claim.high)));
        let (low, high) = number.map_or((claim.low, claim.high), |value| (Some(value), Some(value)));
        let rounded = Self { low, high, may_exceed: claim.bound.is_some() }.widened_by_rounding(half);
        match claim.bound {
            // Less than a floor is not rounded up to it.
            Some(Bound::Floor) => Self { low, ..rounded },
            _ => rounded,
        }
    }

    /// A range of two ends, moved outwards by `half` times half a unit of the last digit of the end that is written with more of
    /// them: 1.8 to 1.8 accepts 1.75 to 1.85, and 5 to 6.5 accepts 4.95 to 6.55. A single end is a bound, which is not rounded.
    fn widened_by_rounding(self, half: f64) -> Self {
        let Some((low, high)) = self.low.zip(self.high) else { return self };
        let half = half * half_of_last_digit(low).min(half_of_last_digit(high));
        Self { low: Some(low - half), high: Some(high + half), ..self }
    }

    /// What the range stands for: its middle, which is the published number itself where the range is what rounds to it; or its one end.
    pub fn middle(self) -> Option<f64> {
        let both = self.low.zip(self.high).map(|(low, high)| (low + high) / 2.0);
        both.or(self.low).or(self.high)
    }
}

/// An interval `factor` times as wide: by ratios, so that it stays positive, unless it is of what may be negative.
pub fn stretched(of: Estimate, factor: f64) -> Estimate {
    let end = |end: f64| match of.value > 0.0 && of.low >= 0.0 {
        true => of.value * (end / of.value).powf(factor),
        false => of.value + (end - of.value) * factor,
    };
    if factor == 1.0 { of } else { Estimate { low: end(of.low), high: end(of.high), ..of } }
}

/// Half a unit of the last digit that `value` is written with.
fn half_of_last_digit(value: f64) -> f64 {
    let text = value.to_string();
    let last = match text.split_once('.') {
        Some((_, decimals)) => -(decimals.len() as i32),
        // A whole number is taken to be written to its units: "150" does not mean 145 to 155.
        None if value.abs() < 1e6 => 0,
        None => (text.len() - text.trim_end_matches('0').len()) as i32,
    };
    0.5 * 10f64.powi(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_as_uncertain_is_half_as_wide_and_as_certain_as_it_was_is_the_same() {
        let of = Estimate { value: 2.0, low: 1.0, high: 8.0 };
        assert_eq!(stretched(of, 1.0), of);
        let half = stretched(of, 0.5);
        assert!((half.low - 2f64.sqrt()).abs() < 1e-9 && (half.high - 4.0).abs() < 1e-9, "{half:?}");
        assert_eq!(stretched(Estimate::exact(3.0), 2.0), Estimate::exact(3.0));
        let around_zero = Estimate { value: 1.0, low: -1.0, high: 2.0 };
        assert_eq!(stretched(around_zero, 2.0), Estimate { value: 1.0, low: -3.0, high: 3.0 });
    }

    #[test]
    fn what_rounds_to_a_number_or_to_the_finer_end_of_a_range_is_accepted_and_a_bound_is_not_rounded() {
        let rounded = |low: f64, high: f64| AcceptanceRange::new(low, high).widened_by_rounding(1.0);
        for (low, high, accepted) in [
            (1.8, 1.8, (1.75, 1.85)),
            (149.0, 149.0, (148.5, 149.5)),
            (150.0, 150.0, (149.5, 150.5)),
            (2.6e9, 2.6e9, (2.55e9, 2.65e9)),
            (5.0, 6.5, (4.95, 6.55)),
            (2.1, 2.3, (2.05, 2.35)),
        ] {
            let found = rounded(low, high);
            let is_close = |end: Option<f64>, expected: f64| (end.unwrap() / expected - 1.0).abs() < 1e-9;
            assert!(is_close(found.low, accepted.0) && is_close(found.high, accepted.1), "{found:?}");
        }
        let bound = AcceptanceRange { high: None, ..AcceptanceRange::new(150.0, 150.0) };
        assert_eq!(bound.widened_by_rounding(1.0), bound);
    }
}
