//! Numbers as text: in tables, in sentences, on a terminal and in reports. Pictures have their own short ones, in `repro_plot`.

pub use repro_types::number::decimals;

/// The one unit that every rate is given in.
pub const RATE: &str = "10⁹ tasks/s";

/// Four significant digits, without an exponent.
pub fn digits(value: f64) -> String {
    significant(value, 4)
}

/// So many significant digits, without an exponent; whole numbers keep all of theirs.
pub fn significant(value: f64, most: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = (most - 1 - magnitude).max(0) as usize;
    format!("{value:.decimals$}")
}

/// Four significant digits; whole numbers whole.
pub fn whole_or_digits(value: f64) -> String {
    if value.fract() == 0.0 { value.to_string() } else { digits(value) }
}

/// A rate in tasks a second as a number of [`RATE`], with four digits.
pub fn rate(tasks_per_s: f64) -> String {
    digits(tasks_per_s * 1e-9)
}

/// A rate with its unit, for a sentence.
pub fn rate_with_unit(tasks_per_s: f64) -> String {
    format!("{} × {RATE}", rate(tasks_per_s))
}

/// A share in whole percent.
pub fn whole_percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

/// A share in percent with at most three significant digits, and at most three decimals.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent.abs() < 1.0 || !percent.is_finite() {
        return format!("{}%", decimals(percent));
    }
    // Not the logarithm, by which 9.999 would have one digit before the point too few.
    let whole = format!("{percent:.0}").trim_start_matches('-').len();
    let text = format!("{percent:.*}", 3usize.saturating_sub(whole));
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}%")
}

/// By how much a ratio is above or below 1, with one decimal: `+3.1%`, `−0.4%`.
pub fn change(ratio: f64) -> String {
    match format!("{:+.1}%", (ratio - 1.0) * 100.0) {
        nothing if nothing == "-0.0%" => "+0.0%".to_string(),
        change => change.replace('-', "−"),
    }
}

/// As a text writes it: with three significant digits, with a power of ten where it is very large or very small.
pub fn in_text(value: f64) -> String {
    if !(1e-4..1e6).contains(&value.abs()) {
        let text = format!("{value:.2e}");
        return text.parse().map_or(text, exact);
    }
    significant(value, 3)
}

/// With all digits that it has.
pub fn exact(value: f64) -> String {
    if value.abs() >= 1e6 || (value != 0.0 && value.abs() < 1e-4) {
        return power_of_ten(&format!("{value:e}"));
    }
    value.to_string()
}

/// Four significant digits; whole numbers whole; powers of ten where zeros would have to be counted.
pub fn in_row(value: f64) -> String {
    if value.is_finite() && value != 0.0 && !(1e-4..1e6).contains(&value.abs()) {
        return power_of_ten(&format!("{value:.3e}"));
    }
    whole_or_digits(value)
}

/// `1.5e-9` as 1.5 × 10⁻⁹.
fn power_of_ten(text: &str) -> String {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let raised = exponent.chars().map(|c| c.to_digit(10).map_or('⁻', |digit| digits[digit as usize]));
    format!("{mantissa} × 10{}", raised.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_whatever_the_magnitude() {
        for (value, text) in
            [(0.000123456, "0.0001235"), (1.0, "1.000"), (53.02, "53.02"), (12345.6, "12346"), (0.0, "0")]
        {
            assert_eq!(digits(value), text);
        }
    }

    #[test]
    fn a_rate_has_the_same_unit_however_large_it_is() {
        for (tasks_per_s, text) in [
            (8.07e12, "8070 × 10⁹ tasks/s"),
            (73.6e9, "73.60 × 10⁹ tasks/s"),
            (2.5e6, "0.002500 × 10⁹ tasks/s"),
        ] {
            assert_eq!(rate_with_unit(tasks_per_s), text);
        }
    }

    #[test]
    fn numbers_are_written_as_in_a_text() {
        for (value, text) in [
            (2.6e9, "2.6 × 10⁹"),
            (1.2e-11, "1.2 × 10⁻¹¹"),
            (154e9, "1.54 × 10¹¹"),
            (53.06, "53.06"),
            (149.0, "149"),
        ] {
            assert_eq!(exact(value), text);
        }
        assert_eq!(in_text(3.182e11), "3.18 × 10¹¹");
    }

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
            assert_eq!(in_row(value), text);
        }
    }

    #[test]
    fn a_change_has_a_sign_and_none_is_no_loss() {
        assert_eq!([change(1.031), change(0.9), change(0.9999999)], ["+3.1%", "−10.0%", "+0.0%"]);
    }

    #[test]
    fn a_percentage_has_three_significant_digits_at_most() {
        let all = [(1.06428, "106%"), (0.06711, "6.71%"), (0.1, "10%"), (1.0, "100%"), (0.00024, "0.024%")];
        for (share, text) in all {
            assert_eq!(percent(share), text);
        }
        assert_eq!([percent(0.0), percent(0.12345), percent(12.345)], ["0%", "12.3%", "1234%"]);
    }
}
