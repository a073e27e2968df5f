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
    let number = match (claim.value, claim.low, claim.high) {
        (Some(value), ..) => number(value),
        (_, Some(low), Some(high)) => format!("{} to {}", number(low), number(high)),
        (_, Some(low), None) => format!("at least {}", number(low)),
        (_, None, Some(high)) => format!("at most {}", number(high)),
        _ => return String::new(),
    };
    format!("{number}{unit}")
}

/// A number as a text writes it.
pub fn number(value: f64) -> String {
    if value.abs() >= 1e6 || (value != 0.0 && value.abs() < 1e-4) {
        let text = format!("{value:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{mantissa} × 10{}", superscript(exponent));
    }
    value.to_string()
}

fn superscript(exponent: &str) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        _ => c.to_digit(10).and_then(|digit| char::from_u32('⁰' as u32 + digit)).unwrap_or(c),
    };
    exponent.chars().map(digit).collect()
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
