//! Laws of the decision rule itself, over any comparisons.

use super::cells::stretched;
use super::verdict::{Allowed, Range, Verdict, decide, judge, share};
use crate::timing::Estimate;
use proptest::prelude::*;

/// A comparison: an interval and what is allowed.
fn comparison() -> impl Strategy<Value = (Estimate, Allowed)> {
    let ends = (0.1f64..10.0, 0.0f64..5.0, 0..3usize, any::<bool>());
    (0.1f64..10.0, 0.0f64..0.5, 0.0f64..0.5, ends).prop_map(
        |(value, below, above, (low, width, open, may_exceed))| {
            let measured = Estimate { value, low: value * (1.0 - below), high: value * (1.0 + above) };
            let range = match open {
                0 => Range::new(low, low + width),
                1 => Range::at_least(low),
                _ => Range::at_most(low),
            };
            (measured, Allowed { range, may_exceed })
        },
    )
}

fn verdicts(all: &[(Estimate, Allowed)], wider: f64) -> Vec<Verdict> {
    all.iter().map(|(measured, allowed)| judge(stretched(*measured, wider), *allowed)).collect()
}

proptest! {
    #[test]
    fn wider_intervals_turn_nothing_but_into_an_open_verdict(
        all in prop::collection::vec(comparison(), 1..6), wider in 1.0f64..5.0
    ) {
        let before = decide(verdicts(&all, 1.0));
        let after = decide(verdicts(&all, wider));
        // Nothing becomes another verdict than an open one, or one that holds where it held by far: neither a claim nor a comparison. What
        // fails may still fail where it is decided, and what fails there fails there or nowhere.
        let each = verdicts(&all, 1.0).into_iter().zip(verdicts(&all, wider));
        for (was, is) in each.chain(before.zip(after)) {
            let still_holds = was == Verdict::Exceeds && is == Verdict::Reproduced;
            let still_fails = matches!(was, Verdict::InPart | Verdict::Differs) && is == Verdict::FailsWhereDecided;
            prop_assert!(
                is == was || still_holds || still_fails || is == Verdict::Ambiguous,
                "{was} became {is}"
            );
        }
    }

    #[test]
    fn a_claim_fails_where_decided_exactly_if_it_holds_nowhere_and_fails_somewhere_and_not_everywhere(
        all in prop::collection::vec(comparison(), 1..6)
    ) {
        let each = verdicts(&all, 1.0);
        let of = share(each.clone());
        let fails = of.held == 0 && of.failed > 0 && of.failed < of.of;
        prop_assert_eq!(decide(each) == Some(Verdict::FailsWhereDecided), fails);
    }

    #[test]
    fn the_order_of_comparisons_decides_nothing(all in prop::collection::vec(comparison(), 1..6)) {
        let forwards = verdicts(&all, 1.0);
        let backwards: Vec<Verdict> = forwards.iter().rev().copied().collect();
        prop_assert_eq!(decide(forwards.clone()), decide(backwards.clone()));
        prop_assert_eq!(share(forwards), share(backwards));
    }

    #[test]
    fn a_claim_holds_where_all_of_its_comparisons_do_and_nowhere_else(
        all in prop::collection::vec(comparison(), 1..6)
    ) {
        let each = verdicts(&all, 1.0);
        let holds = decide(each.clone()).unwrap().holds();
        prop_assert_eq!(holds, each.iter().all(|one| one.holds()));
        prop_assert_eq!(holds, share(each.clone()).held == each.len());
    }
}
