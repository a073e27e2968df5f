//! The range that a published number stands for.

use super::settings::{Settings, Threshold};
use super::verdict::Range;
use crate::published::Claim;

/// What `claim` allows: its range, with its ends as they are rounded, or what rounds to its value.
pub fn stated(claim: &Claim, settings: &Settings) -> Range {
    match (claim.value, claim.low, claim.high) {
        (Some(value), None, None) if claim.floor => Range::at_least(value),
        (Some(value), None, None) => Range::rounding_to(value, settings.get(Threshold::Rounding)),
        (_, low, high) => between(Range { low, high }, settings),
    }
}

/// A range with its ends as they are rounded; a bound as it is.
pub fn between(range: Range, settings: &Settings) -> Range {
    match range {
        Range { low: Some(_), high: Some(_) } => range.widened_by_rounding(settings.get(Threshold::Rounding)),
        bound => bound,
    }
}
