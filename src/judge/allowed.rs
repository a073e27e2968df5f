//! What a test allows: bounds of its own, or what the claim publishes.

use super::verdict::{Allowed, Range};
use super::{Change, Unit};
use crate::published::{Bound, Claim, Test};

/// What a comparison of `test` at n may be, after `change`, where its figures have this unit.
pub fn allowed(claim: &Claim, test: &Test, n: Option<usize>, unit: Unit, change: Option<Change>) -> Allowed {
    let exact = test.exactly.or_else(|| Some(test.polynomial.as_ref()?.at(n?)));
    if let Some(value) = exact {
        return exactly(value).into();
    }
    if test.at_least.or(test.at_most).is_some() {
        // What is ours is moved by how far it is from equality, or from nothing where it is no ratio.
        let neutral = if unit == Unit::Times { 1.0 } else { 0.0 };
        let factor = match change {
            Some(Change::Ours(factor)) if test.ours => factor,
            _ => 1.0,
        };
        let moved = |end: f64| neutral + (end - neutral) * factor;
        return Range { low: test.at_least.map(moved), high: test.at_most.map(moved) }.into();
    }
    published(claim, if let Some(Change::Rounding(half)) = change { half } else { 1.0 })
}

/// A number that was counted, with what arithmetic rounds.
fn exactly(value: f64) -> Range {
    const SLACK: f64 = 1e-9;
    Range::new(value - SLACK * value.abs(), value + SLACK * value.abs())
}

/// What rounds to what the claim publishes, with so many times half a unit of the last digit. A floor and the most that was reached may
/// be exceeded.
fn published(claim: &Claim, half: f64) -> Allowed {
    let alone = match (claim.value, claim.low, claim.high) {
        (Some(value), ..) => Some(value),
        (None, low, high) => claim.bound.and(low.or(high)),
    };
    let Some(value) = alone else {
        return Range { low: claim.low, high: claim.high }.widened_by_rounding(half).into();
    };
    let rounded = Range::rounding_to(value, half);
    // Less than a floor is not rounded up to it.
    let range = match claim.bound {
        Some(Bound::Floor) => Range { low: Some(value), ..rounded },
        _ => rounded,
    };
    Allowed { range, may_exceed: claim.bound.is_some() }
}
