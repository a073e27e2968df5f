//! The decision rule: when a claim is reproduced, when it is not, and when the noise leaves it open; and how far the measured value is
//! from the published one.

use super::{AcceptanceRange, Comparison};
use crate::timing::Estimate;
use serde::Serialize;
use strum::{Display, EnumIter, IntoEnumIterator, IntoStaticStr};

/// What became of a claim, in the order of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(into = "&'static str")]
#[derive(Display, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "UPPERCASE")]
pub enum Verdict {
    Reproduced,
    /// A floor, or the best that a paper reached, is passed by more than the noise.
    Exceeds,
    /// The claim holds in some of the comparisons and fails in none; the noise leaves the others open.
    #[strum(serialize = "HOLDS WHERE DECIDED")]
    HoldsWhereDecided,
    /// The claim holds in some of the comparisons and fails in others.
    #[strum(serialize = "IN PART")]
    InPart,
    Differs,
    /// The claim holds in none of the comparisons and fails in some; the noise leaves the others open.
    #[strum(serialize = "FAILS WHERE DECIDED")]
    FailsWhereDecided,
    /// The noise leaves every comparison open: measured intervals lie across bounds. Or builds contradict each other.
    Ambiguous,
    /// Something that the claim needs was not measured here.
    #[default]
    #[strum(serialize = "NOT MEASURED")]
    NotMeasured,
    /// The claim is about another machine, or nothing measurable corresponds to it.
    #[strum(serialize = "NOT COMPARABLE")]
    NotComparable,
}

impl Verdict {
    /// All verdicts, in the order of a report.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Whether the claim fails nowhere, and holds in every comparison that can be decided, or is exceeded.
    pub fn holds(self) -> bool {
        matches!(self, Self::Reproduced | Self::Exceeds | Self::HoldsWhereDecided)
    }

    /// Whether the claim holds nowhere, and fails in every comparison that can be decided.
    pub fn fails(self) -> bool {
        matches!(self, Self::Differs | Self::FailsWhereDecided)
    }

    /// What verdicts of builds or machines on one claim say together: their own if it is the same, else whether all hold or all fail it.
    /// None if they disagree.
    pub fn common(verdicts: impl IntoIterator<Item = Self> + Clone) -> Option<Self> {
        let all = |is: &dyn Fn(Self) -> bool| verdicts.clone().into_iter().all(is);
        match verdicts.clone().into_iter().next()? {
            first if all(&|one| one == first) => Some(first),
            // Exceeded here and reproduced there.
            _ if all(&|one| one < Self::HoldsWhereDecided) => Some(Self::Reproduced),
            _ if all(&Self::holds) => Some(Self::HoldsWhereDecided),
            _ => all(&Self::fails).then_some(Self::FailsWhereDecided),
        }
    }

    /// Whether it follows from a comparison.
    pub fn is_decided(self) -> bool {
        !matches!(self, Self::NotMeasured | Self::NotComparable)
    }
}

/// Of how many comparisons, how many hold a claim and how many surely fail it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HoldCount {
    pub held: usize,
    pub failed: usize,
    pub of: usize,
}

impl HoldCount {
    pub fn of(comparisons: impl IntoIterator<Item = Verdict>) -> Self {
        comparisons.into_iter().fold(Self::default(), |count, one| Self {
            held: count.held + usize::from(one.holds()),
            failed: count.failed + usize::from(one == Verdict::Differs),
            of: count.of + 1,
        })
    }
}

/// The verdict on one comparison.
///
/// REPRODUCED if the whole interval is accepted; DIFFERS if none of it is, or EXCEEDS if it lies above a range that may be exceeded;
/// AMBIGUOUS if it lies across an end or is no number. For a range that may be exceeded, anything from its low end on is accepted.
pub fn judge(measured: Estimate, accepted: AcceptanceRange) -> Verdict {
    let low = accepted.low.unwrap_or(f64::NEG_INFINITY);
    let high = accepted.high.unwrap_or(f64::INFINITY);
    if measured.low > high && accepted.may_exceed {
        Verdict::Exceeds
    } else if measured.low > high || measured.high < low {
        Verdict::Differs
    } else if measured.low >= low && (measured.high <= high || accepted.may_exceed) {
        Verdict::Reproduced
    } else {
        Verdict::Ambiguous
    }
}

/// A claim's verdict from all its comparisons. IN PART: it holds in some and differs in others. DIFFERS: it differs in all. REPRODUCED: it
/// holds in all. EXCEEDS: it holds in all, and exceeds in some. FAILS or HOLDS WHERE DECIDED: it differs or holds in some, and the noise leaves
/// the others open. AMBIGUOUS: the noise leaves all open. NOT COMPARABLE: there are no comparisons.
pub fn decide(comparisons: impl IntoIterator<Item = Verdict> + Clone) -> Verdict {
    let HoldCount { held, failed, of } = HoldCount::of(comparisons.clone());
    let exceeds = comparisons.into_iter().any(|one| one == Verdict::Exceeds);
    match (held > 0, failed > 0, held + failed < of) {
        _ if of == 0 => Verdict::NotComparable,
        (true, true, _) => Verdict::InPart,
        (false, true, true) => Verdict::FailsWhereDecided,
        (false, true, false) => Verdict::Differs,
        (true, false, true) => Verdict::HoldsWhereDecided,
        (false, false, true) => Verdict::Ambiguous,
        (_, false, false) if exceeds => Verdict::Exceeds,
        (_, false, false) => Verdict::Reproduced,
    }
}

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
    /// None if no comparison has a positive figure on both sides. None, too, if the published ranges are open at different ends, or only
    /// some are: then their figures are of different things.
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
        let Estimate { value: log_ratio, low, high } = mean(&logs)?;
        Some(Self { log_ratio, low, high })
    }

    /// Measured over published.
    pub fn ratio(self) -> f64 {
        self.log_ratio.exp()
    }
}

/// The mean of figures, and the means of either end of their intervals. None if there are no figures.
pub(super) fn mean(all: &[Estimate]) -> Option<Estimate> {
    let mean = |of: fn(&Estimate) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
    let mean =
        Estimate { value: mean(|one| one.value), low: mean(|one| one.low), high: mean(|one| one.high) };
    (!all.is_empty()).then_some(mean)
}

#[cfg(test)]
mod tests {
    use super::super::ComparisonSubject;
    use super::super::evidence::stretched;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_interval_that_is_accepted_reproduces_outside_differs_or_exceeds_and_across_an_end_is_ambiguous() {
        use Verdict::{Ambiguous, Differs, Exceeds, Reproduced};
        let range = AcceptanceRange::new(2.0, 3.0);
        let floor = AcceptanceRange { high: None, ..range };
        let most = AcceptanceRange { low: None, ..range };
        let may_exceed = AcceptanceRange { may_exceed: true, ..range };
        for (low, high, of_range, of_floor, of_most, may_be_exceeded) in [
            (2.0, 3.0, Reproduced, Reproduced, Reproduced, Reproduced),
            (2.4, 2.5, Reproduced, Reproduced, Reproduced, Reproduced),
            (1.0, 1.99, Differs, Differs, Reproduced, Differs),
            (3.01, 9.0, Differs, Reproduced, Differs, Exceeds),
            (1.9, 2.1, Ambiguous, Ambiguous, Reproduced, Ambiguous),
            (2.9, 3.1, Ambiguous, Reproduced, Ambiguous, Reproduced),
            (1.0, 4.0, Ambiguous, Ambiguous, Ambiguous, Ambiguous),
            (f64::NAN, 2.5, Ambiguous, Ambiguous, Ambiguous, Ambiguous),
        ] {
            let measured = Estimate { value: (low + high) / 2.0, low, high };
            let found = [range, floor, most, may_exceed].map(|accepted| judge(measured, accepted));
            assert_eq!(found, [of_range, of_floor, of_most, may_be_exceeded], "{low} to {high}");
        }
    }

    #[test]
    fn what_holds_here_and_differs_there_holds_in_part() {
        use Verdict::{
            Ambiguous, Differs, Exceeds, FailsWhereDecided, HoldsWhereDecided, InPart, NotComparable,
            Reproduced,
        };
        for (comparisons, verdict, held, failed) in [
            (vec![], NotComparable, 0, 0),
            (vec![Reproduced, Reproduced], Reproduced, 2, 0),
            (vec![Reproduced, Ambiguous], HoldsWhereDecided, 1, 0),
            (vec![Ambiguous, Ambiguous], Ambiguous, 0, 0),
            (vec![Ambiguous, Differs], FailsWhereDecided, 0, 1),
            (vec![Ambiguous, Differs, Reproduced], InPart, 1, 1),
            (vec![Differs], Differs, 0, 1),
            (vec![Differs, Differs], Differs, 0, 2),
            (vec![Exceeds, Reproduced], Exceeds, 2, 0),
            (vec![Exceeds, Ambiguous], HoldsWhereDecided, 1, 0),
            (vec![Exceeds, Differs], InPart, 1, 1),
        ] {
            let of = comparisons.len();
            assert_eq!(HoldCount::of(comparisons.clone()), HoldCount { held, failed, of }, "{comparisons:?}");
            assert_eq!(decide(comparisons.clone()), verdict, "{comparisons:?}");
            let backwards: Vec<Verdict> = comparisons.into_iter().rev().collect();
            assert_eq!(decide(backwards), verdict, "the order of comparisons decides nothing");
        }
    }

    #[test]
    fn two_say_together_that_a_claim_holds_or_fails_only_where_both_do_and_no_more_than_either() {
        use Verdict::{Exceeds, HoldsWhereDecided, Reproduced};
        for (one, other) in Verdict::all().flat_map(|one| Verdict::all().map(move |other| (one, other))) {
            let both = Verdict::common([one, other]);
            assert_eq!(both, Verdict::common([other, one]), "{one}, {other}");
            match both {
                _ if one == other => assert_eq!(both, Some(one)),
                Some(both) => assert!(one.holds() && other.holds() && both.holds() || both.fails()),
                None => assert!(!one.holds() || !other.holds(), "{one}, {other}"),
            }
            assert_eq!(both.is_some_and(Verdict::fails), one.fails() && other.fails(), "{one}, {other}");
        }
        assert_eq!(Verdict::common([Reproduced, Exceeds]), Some(Reproduced));
        assert_eq!(Verdict::common([Exceeds, Reproduced, HoldsWhereDecided]), Some(HoldsWhereDecided));
        assert_eq!(Verdict::common([]), None);
    }

    /// An interval and what is accepted.
    fn comparison() -> impl Strategy<Value = (Estimate, AcceptanceRange)> {
        let range = (0.1f64..10.0, 0.0f64..5.0, 0..3usize, any::<bool>());
        let range = range.prop_map(|(low, width, open, may_exceed)| AcceptanceRange {
            low: (open != 1).then_some(low),
            high: (open != 2).then_some(low + width),
            may_exceed,
        });
        let measured = (0.1f64..10.0, 0.0f64..0.5, 0.0f64..0.5).prop_map(|(value, below, above)| Estimate {
            value,
            low: value * (1.0 - below),
            high: value * (1.0 + above),
        });
        (measured, range)
    }

    proptest! {
        #[test]
        fn wider_intervals_turn_nothing_but_into_an_open_verdict(
            all in prop::collection::vec(comparison(), 1..6), wider in 1.0f64..5.0
        ) {
            let verdicts = |factor: f64| -> Vec<Verdict> {
                all.iter().map(|(measured, accepted)| judge(stretched(*measured, factor), *accepted)).collect()
            };
            let (before, after) = (verdicts(1.0), verdicts(wider));
            let of_claim = (decide(before.clone()), decide(after.clone()));
            // Nothing becomes another verdict than an open one, or one that holds where it held by far: neither a claim nor a comparison.
            // What holds or fails may still do so where it is decided, and what does so there does so there or nowhere.
            for (was, is) in before.into_iter().zip(after).chain([of_claim]) {
                let in_part = was == Verdict::InPart;
                let still_holds = match is {
                    Verdict::HoldsWhereDecided => in_part || was.holds(),
                    _ => was == Verdict::Exceeds && is == Verdict::Reproduced,
                };
                let still_fails = is == Verdict::FailsWhereDecided && (in_part || was == Verdict::Differs);
                prop_assert!(
                    is == was || still_holds || still_fails || is == Verdict::Ambiguous,
                    "{was} became {is}"
                );
            }
        }
    }

    fn effect(all: &[(f64, AcceptanceRange)]) -> Option<Effect> {
        let of = |&(value, accepted): &(f64, AcceptanceRange)| {
            Comparison::new(
                ComparisonSubject::default(),
                Estimate { value, low: value / 1.1, high: value * 1.1 },
                accepted,
            )
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

    #[test]
    fn a_mean_has_the_means_of_the_ends() {
        let ends = |low, high| Estimate { value: 2.0, low, high };
        assert_eq!(mean(&[ends(1.0, 2.0), ends(2.0, 5.0)]), Some(ends(1.5, 3.5)));
        assert_eq!(mean(&[]), None);
    }
}
