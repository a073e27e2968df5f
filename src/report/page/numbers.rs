//! Numbers as a reader takes them in.

use crate::judge::Range;
use crate::report::words::power_of_ten;
use crate::show::digits;
use crate::timing::Estimate;

pub(super) fn range(range: Range) -> String {
    range.in_words(number).unwrap_or_else(|| "–".to_string())
}

/// The value, and its interval unless it is exact.
pub(super) fn measured(measured: Estimate) -> (String, Option<String>) {
    let exact = measured.low == measured.high;
    let interval = format!("[{}, {}]", number(measured.low), number(measured.high));
    (number(measured.value), (!exact).then_some(interval))
}

/// Four significant digits; whole numbers whole; powers of ten where zeros would have to be counted.
fn number(value: f64) -> String {
    let size = value.abs();
    if value.is_finite() && value != 0.0 && !(1e-4..1e6).contains(&size) {
        return power_of_ten(&format!("{value:.3e}"));
    }
    if value.fract() == 0.0 { value.to_string() } else { digits(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_keep_their_magnitude() {
        for (value, text) in [
            (12320.0, "12320"),
            (5.2345678, "5.235"),
            (73.6e9, "7.360 × 10¹⁰"),
            (1.2e-11, "1.200 × 10⁻¹¹"),
            (0.0, "0"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn ranges_say_which_end_is_open() {
        assert_eq!(range(Range::new(5.0, 6.5)), "5 to 6.500");
        assert_eq!(range(Range::new(32.0, 32.0)), "32");
        assert_eq!(range(Range::at_least(150.0)), "at least 150");
        assert_eq!(range(Range::at_most(15.0)), "at most 15");
        assert_eq!(range(Range { low: None, high: None }), "–");
    }
}
