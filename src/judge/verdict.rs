//! The decision rule: when a claim is reproduced, when it is not, and when the noise decides.

use crate::timing::{Estimate, Position};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What became of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Verdict {
    #[serde(rename = "REPRODUCED")]
    Reproduced,
    /// A floor, or the best that a paper reached, is passed by more than the noise.
    #[serde(rename = "EXCEEDS")]
    Exceeds,
    /// It holds in some of the comparisons and not in others.
    #[serde(rename = "IN PART")]
    InPart,
    #[serde(rename = "DIFFERS")]
    Differs,
    /// It holds in none of the comparisons and fails in some; the noise decides the others.
    #[serde(rename = "FAILS WHERE DECIDED")]
    FailsWhereDecided,
    /// Inside the noise, and failing nowhere: the measured interval holds values on both sides of a bound. Or runs contradict each other.
    #[serde(rename = "AMBIGUOUS")]
    Ambiguous,
    /// Something that it needs was not measured here.
    #[default]
    #[serde(rename = "NOT MEASURED")]
    NotMeasured,
    /// Of another machine, or without a counterpart that could be measured.
    #[serde(rename = "NOT COMPARABLE")]
    NotComparable,
}

impl Verdict {
    /// In the order of a report.
    pub const ALL: [Verdict; 8] = [
        Verdict::Reproduced,
        Verdict::Exceeds,
        Verdict::InPart,
        Verdict::Differs,
        Verdict::FailsWhereDecided,
        Verdict::Ambiguous,
        Verdict::NotMeasured,
        Verdict::NotComparable,
    ];

    /// Whether what was claimed holds, or more than that.
    pub fn holds(self) -> bool {
        matches!(self, Self::Reproduced | Self::Exceeds)
    }

    /// Whether it holds nowhere and fails wherever that can be told.
    pub fn fails(self) -> bool {
        matches!(self, Self::Differs | Self::FailsWhereDecided)
    }

    /// Whether a comparison stands behind it.
    pub fn is_decided(self) -> bool {
        !matches!(self, Self::NotMeasured | Self::NotComparable)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // As files have it.
        self.serialize(f)
    }
}

/// In how many of the comparisons a claim holds, and in how many it surely does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    pub held: usize,
    pub failed: usize,
    pub of: usize,
}

/// The values that a claim allows, both ends included. An open end is None.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    pub low: Option<f64>,
    pub high: Option<f64>,
}

impl Range {
    pub fn new(low: f64, high: f64) -> Self {
        Self { low: Some(low), high: Some(high) }
    }

    /// The values that round to `value` at the digits that it is written with: with one `half`, half a unit of the last digit,
    /// 1.8 allows 1.75 to 1.85 and 149 allows 148.5 to 149.5.
    pub fn rounding_to(value: f64, half: f64) -> Self {
        let half = half * half_of_last_digit(value);
        Self::new(value - half, value + half)
    }

    /// A range of two ends, moved outwards by `half` times half a unit of the last digit of the end that is written with more of
    /// them: 5 to 6.5 allows 4.95 to 6.55. A single end is a bound, which is not rounded.
    pub fn widened_by_rounding(self, half: f64) -> Self {
        match (self.low, self.high) {
            (Some(low), Some(high)) => {
                let half = half * half_of_last_digit(low).min(half_of_last_digit(high));
                Self::new(low - half, high + half)
            }
            _ => self,
        }
    }

    fn ends(self) -> (f64, f64) {
        (self.low.unwrap_or(f64::NEG_INFINITY), self.high.unwrap_or(f64::INFINITY))
    }
}

/// Half a unit of the last digit that `value` is written with.
fn half_of_last_digit(value: f64) -> f64 {
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let decimals = mantissa.split_once('.').map_or(0, |(_, decimals)| decimals.len()) as i32;
    // A whole number is taken to be written to its units: "150" does not mean 145 to 155.
    let last =
        (exponent.parse::<i32>().unwrap_or(0) - decimals).min(if value.abs() < 1e6 { 0 } else { i32::MAX });
    0.5 * 10f64.powi(last)
}

/// What a comparison may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowed {
    pub range: Range,
    /// Whether more than the range exceeds what is claimed, and does not differ from it.
    pub may_exceed: bool,
}

impl From<Range> for Allowed {
    fn from(range: Range) -> Self {
        Self { range, may_exceed: false }
    }
}

/// One comparison: of one n, one κ, one kernel.
///
/// REPRODUCED if the whole interval lies in the range, DIFFERS (or EXCEEDS above what may be exceeded) if none of it does, AMBIGUOUS
/// if it straddles an end. What is no number, as after a division by zero, is NOT COMPARABLE.
pub fn judge(measured: Estimate, allowed: impl Into<Allowed>) -> Verdict {
    let Allowed { range, may_exceed } = allowed.into();
    let (low, high) = range.ends();
    if !measured.is_finite() {
        return Verdict::NotComparable;
    }
    match measured.position(low, high) {
        Position::Within => Verdict::Reproduced,
        Position::Above if may_exceed => Verdict::Exceeds,
        Position::Below | Position::Above => Verdict::Differs,
        // The floor holds in any case.
        Position::Across if may_exceed && measured.low >= low => Verdict::Reproduced,
        Position::Across => Verdict::Ambiguous,
    }
}

/// A claim from all its comparisons: IN PART if it holds in some and differs in others; DIFFERS if it differs in all, FAILS WHERE DECIDED
/// if in all that the noise leaves decided; else AMBIGUOUS if the noise decides any; REPRODUCED if it holds in all, EXCEEDS if in some of
/// them by more than that. None without any.
pub fn decide(points: impl IntoIterator<Item = Verdict>) -> Option<Verdict> {
    let points: Vec<Verdict> = points.into_iter().filter(|one| one.is_decided()).collect();
    let any = |wanted: Verdict| points.contains(&wanted);
    Some(match (any(Verdict::Differs), points.iter().any(|one| one.holds())) {
        _ if points.is_empty() => return None,
        (true, true) => Verdict::InPart,
        (true, false) if any(Verdict::Ambiguous) => Verdict::FailsWhereDecided,
        (true, false) => Verdict::Differs,
        _ if any(Verdict::Ambiguous) => Verdict::Ambiguous,
        (false, _) if any(Verdict::Exceeds) => Verdict::Exceeds,
        (false, _) => Verdict::Reproduced,
    })
}

/// How those comparisons came out that could be made.
pub fn share(points: impl IntoIterator<Item = Verdict>) -> Share {
    let decided = points.into_iter().filter(|one| one.is_decided());
    decided.fold(Share::default(), |share, one| Share {
        held: share.held + usize::from(one.holds()),
        failed: share.failed + usize::from(one == Verdict::Differs),
        of: share.of + 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl Range {
        pub fn at_least(low: f64) -> Self {
            Self { low: Some(low), high: None }
        }

        pub fn at_most(high: f64) -> Self {
            Self { low: None, high: Some(high) }
        }
    }

    fn measured(low: f64, high: f64) -> Estimate {
        Estimate { value: (low + high) / 2.0, low, high }
    }

    #[test]
    fn an_interval_inside_the_range_reproduces_outside_differs_and_across_an_end_is_ambiguous() {
        let range = Range::new(2.0, 3.0);
        for (low, high, verdict) in [
            (2.0, 3.0, Verdict::Reproduced),
            (2.4, 2.5, Verdict::Reproduced),
            (1.0, 1.99, Verdict::Differs),
            (3.01, 9.0, Verdict::Differs),
            (1.9, 2.1, Verdict::Ambiguous),
            (2.9, 3.1, Verdict::Ambiguous),
            (1.0, 4.0, Verdict::Ambiguous),
        ] {
            assert_eq!(judge(measured(low, high), range), verdict, "{low} to {high}");
        }
        assert_eq!(judge(measured(150.0, 900.0), Range::at_least(150.0)), Verdict::Reproduced);
        assert_eq!(judge(measured(1.0, 1.4), Range::at_most(1.5)), Verdict::Reproduced);
        assert_eq!(judge(measured(1.6, 1.7), Range::at_most(1.5)), Verdict::Differs);
    }

    #[test]
    fn what_may_be_exceeded_is_exceeded_by_more_than_the_noise_and_holds_where_only_that_is_open() {
        let floor = Allowed { range: Range::new(150.0, 150.5), may_exceed: true };
        for (low, high, verdict) in [
            (150.0, 150.2, Verdict::Reproduced),
            (150.2, 160.0, Verdict::Reproduced),
            (151.0, 160.0, Verdict::Exceeds),
            (149.0, 160.0, Verdict::Ambiguous),
            (100.0, 149.0, Verdict::Differs),
        ] {
            assert_eq!(judge(measured(low, high), floor), verdict, "{low} to {high}");
        }
    }

    #[test]
    fn what_holds_here_and_differs_there_holds_in_part() {
        use Verdict::{Ambiguous, Differs, Exceeds, FailsWhereDecided, InPart, NotComparable, Reproduced};
        for (points, verdict, held, failed, of) in [
            (vec![], None, 0, 0, 0),
            (vec![NotComparable], None, 0, 0, 0),
            (vec![Reproduced, Reproduced], Some(Reproduced), 2, 0, 2),
            (vec![Reproduced, NotComparable], Some(Reproduced), 1, 0, 1),
            (vec![Reproduced, Ambiguous], Some(Ambiguous), 1, 0, 2),
            (vec![Ambiguous, Ambiguous], Some(Ambiguous), 0, 0, 2),
            (vec![Ambiguous, Differs], Some(FailsWhereDecided), 0, 1, 2),
            (vec![Ambiguous, Differs, Reproduced], Some(InPart), 1, 1, 3),
            (vec![Differs], Some(Differs), 0, 1, 1),
            (vec![Differs, Differs], Some(Differs), 0, 2, 2),
            (vec![Exceeds, Reproduced], Some(Exceeds), 2, 0, 2),
            (vec![Exceeds, Ambiguous], Some(Ambiguous), 1, 0, 2),
            (vec![Exceeds, Differs], Some(InPart), 1, 1, 2),
        ] {
            assert_eq!(decide(points.clone()), verdict, "{points:?}");
            assert_eq!(share(points.clone()), Share { held, failed, of }, "{points:?}");
        }
    }

    #[test]
    fn a_range_has_the_rounding_of_its_finer_end_and_a_bound_has_none() {
        let close = |range: Range, low: f64, high: f64| {
            (range.low.unwrap() - low).abs() < 1e-9 && (range.high.unwrap() - high).abs() < 1e-9
        };
        assert!(close(Range::new(5.0, 6.5).widened_by_rounding(1.0), 4.95, 6.55));
        assert!(close(Range::new(2.1, 2.3).widened_by_rounding(1.0), 2.05, 2.35));
        assert_eq!(Range::at_least(150.0).widened_by_rounding(1.0), Range::at_least(150.0));
    }

    #[test]
    fn a_number_allows_what_rounds_to_it() {
        let ends = |value: f64| {
            let Range { low, high } = Range::rounding_to(value, 1.0);
            (low.unwrap(), high.unwrap())
        };
        let close = |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() < 1e-9 && (b - d).abs() < 1e-9;
        assert!(close(ends(1.8), (1.75, 1.85)));
        assert!(close(ends(149.0), (148.5, 149.5)));
        assert!(close(ends(150.0), (149.5, 150.5)));
        assert!(close(ends(4.0), (3.5, 4.5)));
        assert!((ends(2.6e9).0 - 2.55e9).abs() < 1.0);
    }

    proptest! {
        #[test]
        fn more_noise_never_decides_what_less_left_open(
            value in 0.1f64..10.0, low in 0.1f64..10.0, width in 0.0f64..5.0, noise in 0.0f64..0.5, more in 0.0f64..0.5
        ) {
            let range = Range::new(low, low + width);
            let with = |noise: f64| judge(Estimate::exact(value).widened(noise), range);
            if with(noise) == Verdict::Ambiguous {
                prop_assert_eq!(with(noise + more), Verdict::Ambiguous);
            }
        }

        #[test]
        fn a_ratio_lies_within_its_interval(a in 0.1f64..10.0, b in 0.1f64..10.0, spread in 0.0f64..0.3) {
            let ratio = Estimate::exact(a).widened(spread).over(Estimate::exact(b).widened(spread));
            prop_assert!(ratio.low <= ratio.value && ratio.value <= ratio.high);
        }
    }
}
