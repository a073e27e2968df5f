//! Measured figures with their units.

use crate::claims::{ClaimResult, FigureUnit, Point, Shown};
use crate::lists::extremes;
use crate::show::{digits, rate_with_unit};
use crate::timing::Estimate;

/// What was measured: the figure, or the least and the most of several; empty where there is none.
pub fn measured(result: &ClaimResult) -> String {
    match &result.shown {
        Some(shown) => self::shown(shown),
        None => figures(&result.points, result.unit),
    }
}

fn shown(shown: &Shown) -> String {
    match *shown {
        Shown::TasksASecond(rate) => rate_with_unit(rate),
        Shown::Seconds(seconds) => format!("{} s", number(seconds)),
        Shown::GigabytesASecond { least, most } if least == most => format!("{} GB/s", digits(least)),
        Shown::GigabytesASecond { least, most } => format!("{} to {} GB/s", digits(least), digits(most)),
        Shown::Readings { least, most, copy_least, copy_most } => format!(
            "reads {least:.0} to {most:.0}% of the true time; the copy back takes {copy_least:.1} to {copy_most:.1} times as long as it should"
        ),
    }
}

/// The figure, or the least and the most of several.
pub(super) fn figures(points: &[Point], unit: FigureUnit) -> String {
    let of = |point: &Point| rounded(point.measured.value, point.measured);
    let values: Vec<(&Point, f64)> = points.iter().map(|point| (point, point.measured.value)).collect();
    match extremes(&values) {
        Some(((low, _), (high, _))) if of(low) == of(high) => {
            let Estimate { low: from, high: to, .. } = low.measured;
            let interval = match points.len() {
                1 if from < to => {
                    format!(" [{}, {}]", rounded(from, low.measured), rounded(to, low.measured))
                }
                _ => String::new(),
            };
            format!("{}{interval}", with_unit(&of(low), unit))
        }
        Some(((low, _), (high, _))) => with_unit(&format!("{} to {}", of(low), of(high)), unit),
        None => String::new(),
    }
}

/// `1 way`, `4 ways`, `66%`, `2.16 times`.
pub(super) fn with_unit(number: &str, unit: FigureUnit) -> String {
    let is_one = number == "1";
    let (one, many) = match unit {
        FigureUnit::None => return number.to_string(),
        FigureUnit::Percent => return format!("{number}%"),
        FigureUnit::PercentOfLimit => return format!("{number}% of that limit"),
        FigureUnit::Times => ("times", "times"),
        FigureUnit::Bytes => ("byte", "bytes"),
        FigureUnit::Blocks => ("block", "blocks"),
        FigureUnit::Ways => ("way", "ways"),
        FigureUnit::Threads => ("thread", "threads"),
        FigureUnit::Launches => ("launch", "launches"),
        FigureUnit::OfTheTime => ("of the time", "of the time"),
        FigureUnit::OfTheSizes => ("of the sizes", "of the sizes"),
        FigureUnit::CyclesATask => ("cycle of a lane a task", "cycles of a lane a task"),
        FigureUnit::Samples => ("wrong sample", "wrong samples"),
        FigureUnit::GigabytesASecond => ("GB/s", "GB/s"),
    };
    format!("{number} {}", if is_one { one } else { many })
}

/// `value` with as many decimals as the half-width of the interval of `measured` leaves meaning to, at most four
/// significant digits.
pub(super) fn rounded(value: f64, measured: Estimate) -> String {
    let half = measured.half_width();
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let most = (3 - magnitude).max(0);
    let decimals = if half > 0.0 && half.is_finite() {
        // One digit more than the first that is in doubt.
        (1 - half.log10().floor() as i32).clamp(0, most)
    } else if (value - value.round()).abs() < 1e-9 {
        0
    } else {
        most
    };
    if value.abs() >= 1e6 { digits(value) } else { format!("{value:.*}", decimals as usize) }
}

/// A number as a text writes it: with three significant digits where it is very large or very small.
pub(super) fn number(value: f64) -> String {
    if !(1e-4..1e6).contains(&value.abs()) {
        let text = format!("{value:.2e}");
        return text.parse().map_or(text, exact);
    }
    digits(value)
}

/// A number with all digits that it has.
pub(super) fn exact(value: f64) -> String {
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
    fn figures_are_rounded_to_what_is_known_of_them() {
        let rounded_of =
            |value: f64, half: f64| rounded(value, Estimate { value, low: value - half, high: value + half });
        assert_eq!(rounded_of(2.163456, 0.02), "2.163");
        assert_eq!(rounded_of(2.163456, 0.3), "2.16");
        assert_eq!(rounded_of(149.3, 20.0), "149");
        assert_eq!(rounded_of(12320.0, 0.0), "12320");
        assert_eq!(rounded_of(0.0123456, 1e-9), "0.01235");
        assert_eq!(rounded_of(3.2e11, 1e9), "320000000000");
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
        assert_eq!(number(3.182e11), "3.18 × 10¹¹");
    }

    #[test]
    fn one_thing_is_singular() {
        assert_eq!(with_unit("1", FigureUnit::Ways), "1 way");
        assert_eq!(with_unit("4", FigureUnit::Ways), "4 ways");
        assert_eq!(with_unit("66", FigureUnit::Percent), "66%");
        assert_eq!(with_unit("1", FigureUnit::Times), "1 times");
    }
}
