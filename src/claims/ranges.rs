//! The range that a published number stands for.

use super::verdict::Range;
use crate::record::{Claim, Unit};

/// What `claim` allows: its range, with its ends as they are rounded, or what rounds to its value.
pub fn stated(claim: &Claim) -> Range {
    match (claim.value, claim.low, claim.high) {
        (Some(value), None, None) => Range::rounding_to(value),
        (_, low, high) => Range { low, high }.widened_by_rounding(),
    }
}

/// The number of a claim with its unit, as the paper gives it.
pub fn in_words(claim: &Claim) -> String {
    let unit = match claim.unit {
        None => return String::new(),
        Some(Unit::Seconds) => " s",
        Some(Unit::SecondsATask) => " s a task",
        Some(Unit::TasksASecond) => " tasks/s",
        Some(Unit::GigabytesASecond) => " GB/s",
        Some(Unit::FlopsATask) => " FLOP a task",
        Some(Unit::Times) => " times",
        Some(Unit::Percent) => "%",
        Some(Unit::Bytes) => " bytes",
        Some(Unit::Vertices) => " vertices",
    };
    let said = match claim.value {
        Some(value) => Some(number(value)),
        None => Range { low: claim.low, high: claim.high }.in_words(number),
    };
    said.map_or(String::new(), |said| format!("{said}{unit}"))
}

/// A number as a text writes it.
pub fn number(value: f64) -> String {
    if value.abs() >= 1e6 || (value != 0.0 && value.abs() < 1e-4) {
        return power_of_ten(&format!("{value:e}"));
    }
    value.to_string()
}

/// `1.5e-9` as 1.5 × 10⁻⁹.
pub fn power_of_ten(text: &str) -> String {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let raised = exponent.chars().map(|c| c.to_digit(10).map_or('⁻', |digit| digits[digit as usize]));
    format!("{mantissa} × 10{}", raised.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_in_a_text() {
        for (value, text) in [
            (2.6e9, "2.6 × 10⁹"),
            (1.2e-11, "1.2 × 10⁻¹¹"),
            (154e9, "1.54 × 10¹¹"),
            (53.06, "53.06"),
            (149.0, "149"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
